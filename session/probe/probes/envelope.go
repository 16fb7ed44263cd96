package probes

import (
	"bytes"
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/session/probe"
)

// sample is a frame to send, in a few words and as text. $id stands for a new id
// and $meta for the params that each request needs.
type sample struct{ name, frame string }

// fillFrame returns the bytes of a sample.
func fillFrame(c *probe.Conn, frame string) []byte {
	ping := string(c.Ping())
	params, _ := jsonrpc.Member([]byte(ping), "params")
	if len(params) == 0 {
		params = []byte("{}")
	}
	method := jsonrpc.Text([]byte(ping), "method")
	return []byte(strings.NewReplacer("$id", string(c.ID()), "$ping", method, "$meta", string(params)).Replace(frame))
}

func parseError(r *probe.Run) {
	c := r.Dirty()
	samples := []sample{
		{"an object without its end", `{"jsonrpc":"2.0","id":$id,"method":"$ping"`},
		{"a word that is not JSON", `hello`},
		{"JSON with single quotes", `{'a':1}`},
		{"a Content-Length header", `Content-Length: 2`},
	}
	for _, s := range samples {
		o := r.Provoke(c, s.name, fillFrame(c, s.frame))
		switch {
		case o.Kind == probe.Result:
			r.Warn("The server answers %s with a result.", s.name)
		case o.Kind == probe.Error && !o.IsError(jsonrpc.CodeParseError):
			r.Info("The server replied to %s with error %s; -32700 is expected.", s.name, o.ShownCode())
		case o.Kind == probe.Silent && r.IsHTTP() && o.Status < 300:
			r.Warn("The server accepts %s with HTTP status %d.", s.name, o.Status)
		case o.Kind == probe.Silent:
			r.Info("The server ignores %s; JSON-RPC has error -32700 for it.", s.name)
		}
	}
}

func invalidRequest(r *probe.Run) {
	c := r.Dirty()
	for _, s := range []sample{
		{"a number", `42`},
		{"a string", `"x"`},
		{"null", `null`},
		{`a request without "jsonrpc"`, `{"id":$id,"method":"$ping","params":$meta}`},
		{`a request with "jsonrpc":"1.0"`, `{"jsonrpc":"1.0","id":$id,"method":"$ping","params":$meta}`},
		{`a request with "jsonrpc" as a number`, `{"jsonrpc":2.0,"id":$id,"method":"$ping","params":$meta}`},
		{"a message with nothing but an id", `{"jsonrpc":"2.0","id":$id}`},
		{"a number as method", `{"jsonrpc":"2.0","id":$id,"method":42,"params":$meta}`},
		{"an empty method", `{"jsonrpc":"2.0","id":$id,"method":"","params":$meta}`},
	} {
		o := r.Provoke(c, s.name, fillFrame(c, s.frame))
		switch {
		case o.Kind == probe.Result:
			r.Warn("The server executes %s.", s.name)
		case o.Kind == probe.Silent && !r.IsHTTP():
			r.Info("The server ignores %s; JSON-RPC has error -32600 for it.", s.name)
		}
	}
}

func memberCase(r *probe.Run) {
	c := r.Dirty()
	if r.SkipIf(!r.Server.Has("tools"), "capability tools") {
		return
	}
	list := func(o probe.Outcome) bool { return o.Member("tools") != nil }
	o := r.Provoke(c, `"Method" in place of "method"`, fillFrame(c, `{"jsonrpc":"2.0","id":$id,"Method":"tools/list","params":$meta}`))
	if list(o) {
		r.Error("The server reads the member \"Method\" as \"method\": names of members are case-sensitive.")
	}
	o = r.Provoke(c, `"method" and "Method" in one request`, fillFrame(c, `{"jsonrpc":"2.0","id":$id,"method":"$ping","Method":"tools/list","params":$meta}`))
	if list(o) {
		r.Error("A request with \"method\":\"ping\" and \"Method\":\"tools/list\" executes tools/list: what filters requests by their method does not see it.")
	}
	o = r.Provoke(c, `two "method" members`, fillFrame(c, `{"jsonrpc":"2.0","id":$id,"method":"$ping","method":"tools/list","params":$meta}`))
	if o.Kind == probe.Result {
		r.Info("Of two members \"method\", the server executes the %s.", map[bool]string{true: "last", false: "first"}[list(o)])
	}
	call := string(c.Request("tools/call", `{"Name":"mcptea-x","name":"mcptea-no-such-tool","arguments":{}}`))
	o = r.Provoke(c, `"Name" and "name" in tools/call`, []byte(call))
	if bytes.Contains(o.Frame, []byte("mcptea-x")) && !bytes.Contains(o.Frame, []byte("mcptea-no-such-tool")) {
		r.Error("tools/call with \"Name\" and \"name\" uses \"Name\": names of members are case-sensitive.")
	}
}

func unknownMethod(r *probe.Run) {
	c := r.Shared()
	methods := []string{"mcptea/no-such-method", "rpc.mcptea", "sampling/createMessage", "tools/List", "mcptea-no-such-tool"}
	if !r.IsHTTP() || !r.IsStateless() { // a header cannot end in a space
		methods = append(methods, "tools/list ")
	}
	for _, method := range methods {
		o := r.Ask(c, "the unknown method "+probe.JSON(method), c.Request(method, "{}"))
		switch {
		case o.Kind == probe.Result:
			r.Error("The server answers the unknown method %q with a result.", method)
		case o.Kind == probe.Error && !o.IsError(jsonrpc.CodeMethodNotFound):
			if r.IsStateless() {
				r.Error("The server replied to the unknown method %q with error %s; -32601 is required.", method, o.ShownCode())
			} else {
				r.Warn("The server replied to the unknown method %q with error %s; JSON-RPC has -32601 for it.", method, o.ShownCode())
			}
		case o.Kind == probe.Refused:
			r.Warn("The server replied to the unknown method %q with HTTP status %d without a JSON-RPC error.", method, o.Status)
		case r.IsStateless() && r.IsHTTP() && o.Status != 404:
			r.Error("The server replied to the unknown method %q with HTTP status %d; 404 is required.", method, o.Status)
		}
	}
}

func paramsShape(r *probe.Run) {
	c := r.Dirty()
	kind, ok := r.Server.FirstList()
	if r.SkipIf(!ok, "capability with a list") {
		return
	}
	for _, s := range []struct {
		params string
		odd    bool // a result is at most remarkable
	}{
		{`[]`, true},
		{`null`, true},
		{`"x"`, false},
		{`1`, false},
		{`{"_meta":[]}`, false},
		{`{"_meta":{"progressToken":1.5}}`, true},
		{`{"_meta":{"progressToken":{}}}`, true},
	} {
		name := kind.Method + " with the params " + s.params
		frame := fillFrame(c, `{"jsonrpc":"2.0","id":$id,"method":"`+kind.Method+`","params":`+s.params+`}`)
		o := r.Provoke(c, name, frame)
		switch {
		case o.Kind == probe.Result && s.odd:
			r.Info("The server accepts %s.", name)
		case o.Kind == probe.Result && s.params[0] != '{':
			r.Warn("The server accepts %s.", name)
		case o.Kind == probe.Silent && o.Status < 400:
			r.Warn("The server does not respond to %s, although the id is readable: the client waits for its timeout.", name)
		}
	}
}

func toleratedExtras(r *probe.Run) {
	kind, ok := r.Server.FirstList()
	if r.SkipIf(!ok, "capability with a list") {
		return
	}
	c := r.Shared()
	o := r.Ask(c, "a list with extra members in _meta", c.Request(kind.Method, `{"_meta":{"com.example/x":1,"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}`))
	if o.IsRefusal() {
		r.Error("The server rejects unknown members of _meta: %s.", probe.Describe(o))
	}
	o = r.Ask(c, "a list with an extra member in params", c.Request(kind.Method, `{"mcpteaUnknown":true}`))
	if o.IsRefusal() {
		r.Warn("The server rejects an unknown member of params: %s.", probe.Describe(o))
	}
	d := r.Dirty()
	o = r.Provoke(d, "a request with an extra member beside method", fillFrame(d, `{"jsonrpc":"2.0","id":$id,"method":"$ping","params":$meta,"timestamp":1}`))
	if o.Kind == probe.Silent && o.Status < 400 {
		r.Warn("The server does not respond to a request with an extra member, although the id is readable.")
	}
}

func idRoundtrip(r *probe.Run) {
	c := r.Shared()
	for _, id := range []string{`0`, `-1`, `2147483648`, `9007199254740991`, `""`, `"0"`, `"a"`, `"é😀\"\\\n"`, `"` + strings.Repeat("x", 256) + `"`} {
		frame := c.Ping()
		span := jsonrpc.Scan(frame).ID
		frame = append(append(bytes.Clone(frame[:span.Start]), id...), frame[span.End:]...)
		shown := id
		if len(shown) > 40 {
			shown = "a string of 256 letters"
		}
		o := r.Provoke(c, "ping with the id "+shown, frame)
		if o.Kind == probe.Silent {
			r.Error("There is no response with the id %s.", shown)
			continue
		}
		if o.Kind <= probe.Error && !sameID(string(o.ID), id) {
			r.Error("The response has the id %s; the request has %s.", o.ID, shown)
		}
	}
}

// sameID compares ids with their types; a string may be escaped in another way.
func sameID(a, b string) bool {
	x, isText := jsonrpc.Unquote([]byte(a))
	y, other := jsonrpc.Unquote([]byte(b))
	return a == b || isText && other && x == y
}

func idBad(r *probe.Run) {
	c := r.Dirty()
	for i, id := range []string{`null`, `1.5`, `true`, `[]`, `{}`, `9007199254740993`, `123456789012345678901234567890`} {
		frame := c.Ping()
		span := jsonrpc.Scan(frame).ID
		frame = append(append(bytes.Clone(frame[:span.Start]), id...), frame[span.End:]...)
		o := r.Provoke(c, "ping with the id "+id, frame)
		if o.Kind == probe.Result {
			switch {
			case string(o.ID) != id && !sameID(string(o.ID), id):
				r.Warn("The response to a request with the id %s has the id %s.", id, o.ID)
			case i < 5:
				r.Info("The server accepts the id %s.", id)
			}
		}
	}
}

func notificationsSilent(r *probe.Run) {
	c := r.Shared()
	for _, s := range []struct {
		frame string
		known bool
	}{
		{`{"jsonrpc":"2.0","method":"notifications/mcptea-unknown","params":{}}`, false},
		{`{"jsonrpc":"2.0","method":"mcptea/unknown"}`, false},
		{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"mcptea-unknown"}}`, true},
	} {
		c.Take()
		method := jsonrpc.Text([]byte(s.frame), "method")
		o := r.Provoke(c, "the notification "+method, []byte(s.frame))
		switch {
		case o.Kind == probe.Result, o.Kind == probe.Error && o.Status < 400:
			r.Error("The server responds to the notification %s.", method)
		case o.Status >= 400 && s.known:
			r.Warn("The server rejects the notification %s with HTTP status %d.", method, o.Status)
		case o.Status == 200:
			r.Warn("The server replied to the notification %s with HTTP status 200; 202 is expected.", method)
		}
	}
}

func kindConfusion(r *probe.Run) {
	c := r.Dirty()
	o := r.Provoke(c, "a notification method with an id", fillFrame(c, `{"jsonrpc":"2.0","id":$id,"method":"notifications/initialized"}`))
	if o.Kind == probe.Result {
		r.Warn("The server answers notifications/initialized with a result because it has an id.")
	}
	c.Take()
	if kind, ok := r.Server.FirstList(); ok {
		o = r.Provoke(c, kind.Method+" without id", fillFrame(c, `{"jsonrpc":"2.0","method":"`+kind.Method+`","params":$meta}`))
		if o.Kind == probe.Result {
			r.Error("The server responds to %s without an id, which is a notification.", kind.Method)
		}
	}
	for _, frame := range []string{`{"jsonrpc":"2.0","id":987654,"result":{}}`, `{"jsonrpc":"2.0","id":987655,"error":{"code":-1,"message":"x"}}`} {
		if o = r.Provoke(c, "a response to no request", []byte(frame)); o.Kind == probe.Result {
			r.Warn("The server answers a response that matches no request with a result.")
		}
	}
	r.Provoke(c, `a request with "result"`, fillFrame(c, `{"jsonrpc":"2.0","id":$id,"method":"$ping","params":$meta,"result":{}}`))
}

func batchAccepted(r *probe.Run) {
	c := r.Dirty()
	list := `{"jsonrpc":"2.0","id":$id,"method":"ping"}`
	if kind, ok := r.Server.FirstList(); ok {
		list = `{"jsonrpc":"2.0","id":$id,"method":"` + kind.Method + `"}`
	}
	ping := `{"jsonrpc":"2.0","id":$id,"method":"ping"}`
	cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"mcptea-unknown"}}`
	for _, batch := range [][]string{{ping, ping}, {ping, cancel, list}} {
		var frames [][]byte
		want := 0
		for _, f := range batch {
			frames = append(frames, fillFrame(c, f))
			if strings.Contains(f, "$id") {
				want++
			}
		}
		o := r.Provoke(c, fmt.Sprintf("a batch of %d messages", len(batch)), jsonrpc.AppendBatch(nil, frames...))
		if o.Kind != probe.Dead && len(o.Responses) != want {
			r.Error("A batch with %d requests gets %d responses; 2025-03-26 requires that batches are received.", want, len(o.Responses))
		}
	}
	c.Take()
	if o := r.Provoke(c, "a batch of notifications", jsonrpc.AppendBatch(nil, []byte(cancel), []byte(cancel))); o.Kind == probe.Result {
		r.Error("The server responds to a batch of notifications.")
	}
	r.Provoke(c, "an empty batch", []byte("[]"))
	r.Provoke(c, "a batch of numbers", []byte("[1,2]"))
}

func batchRemoved(r *probe.Run) {
	c := r.Dirty()
	if o := r.Provoke(c, "a batch", jsonrpc.AppendBatch(nil, c.Ping())); o.Kind == probe.Result {
		r.Info("The server answers a batch, which the negotiated version does not have.")
	}
}
