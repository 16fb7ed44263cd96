package probes

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/session/lint"
	"mcptea/session/probe"
)

var parseError = table{provoke, []sample{
	{name: "an object without its end", frame: `{"jsonrpc":"2.0","id":$id,"method":"$ping"`},
	{name: "a word that is not JSON", frame: `hello`},
	{name: "JSON with single quotes", frame: `{'a':1}`},
	{name: "a Content-Length header", frame: `Content-Length: 2`},
}, []verdict{
	{isResult, lint.Warn, "The server answers {case} with a result."},
	{errorBut(jsonrpc.CodeParseError), lint.Info, "The server replied to {case} with error {code}; -32700 is expected."},
	{and(isSilent, overHTTP, isAccepted), lint.Warn, "The server accepts {case} with HTTP status {status}."},
	{isSilent, lint.Info, "The server ignores {case}; JSON-RPC has error -32700 for it."},
}}

// isAccepted is no HTTP status from 300.
func isAccepted(_ *probe.Run, _ sample, o probe.Outcome) bool { return o.Status < 300 }

var invalidRequest = table{provoke, []sample{
	{name: "a number", frame: `42`},
	{name: "a string", frame: `"x"`},
	{name: "null", frame: `null`},
	{name: `a request without "jsonrpc"`, frame: `{"id":$id,"method":"$ping","params":$meta}`},
	{name: `a request with "jsonrpc":"1.0"`, frame: `{"jsonrpc":"1.0","id":$id,"method":"$ping","params":$meta}`},
	{name: `a request with "jsonrpc" as a number`, frame: `{"jsonrpc":2.0,"id":$id,"method":"$ping","params":$meta}`},
	{name: "a message with nothing but an id", frame: `{"jsonrpc":"2.0","id":$id}`},
	{name: "a number as method", frame: `{"jsonrpc":"2.0","id":$id,"method":42,"params":$meta}`},
	{name: "an empty method", frame: `{"jsonrpc":"2.0","id":$id,"method":"","params":$meta}`},
}, []verdict{
	{isResult, lint.Warn, "The server executes {case}."},
	{and(isSilent, not(overHTTP)), lint.Info, "The server ignores {case}; JSON-RPC has error -32600 for it."},
}}

func memberCase(r *probe.Run) {
	if r.SkipIf(!r.Server.Has("tools"), "capability tools") {
		return
	}
	hasTools := func(_ *probe.Run, _ sample, o probe.Outcome) bool { return o.Member("tools") != nil }
	try(r, provoke, []sample{
		{name: `"Method" in place of "method"`, frame: `{"jsonrpc":"2.0","id":$id,"Method":"tools/list","params":$meta}`},
	}, verdict{hasTools, lint.Error, "The server reads the member \"Method\" as \"method\": names of members are case-sensitive."})
	try(r, provoke, []sample{
		{name: `"method" and "Method" in one request`, frame: `{"jsonrpc":"2.0","id":$id,"method":"$ping","Method":"tools/list","params":$meta}`},
	}, verdict{hasTools, lint.Error, "A request with \"method\":\"ping\" and \"Method\":\"tools/list\" executes tools/list: what filters requests by their method does not see it."})
	try(r, provoke, []sample{
		{name: `two "method" members`, frame: `{"jsonrpc":"2.0","id":$id,"method":"$ping","method":"tools/list","params":$meta}`},
	}, verdict{hasTools, lint.Info, "Of two members \"method\", the server executes the last."},
		verdict{isResult, lint.Info, "Of two members \"method\", the server executes the first."})
	o := provoke(r, sample{name: `"Name" and "name" in tools/call`, method: "tools/call", params: `{"Name":"mcptea-x","name":"mcptea-no-such-tool","arguments":{}}`})
	if bytes.Contains(o.Frame, []byte("mcptea-x")) && !bytes.Contains(o.Frame, []byte("mcptea-no-such-tool")) {
		r.Error("tools/call with \"Name\" and \"name\" uses \"Name\": names of members are case-sensitive.")
	}
}

func unknownMethod(r *probe.Run) {
	var samples []sample
	for _, method := range []string{"mcptea/no-such-method", "rpc.mcptea", "sampling/createMessage", "tools/List", "mcptea-no-such-tool", "tools/list "} {
		if method != "tools/list " || !r.IsHTTP() || !r.IsStateless() { // a header cannot end in a space
			samples = append(samples, sample{name: "the unknown method " + probe.JSON(method), what: probe.JSON(method), method: method, params: "{}"})
		}
	}
	try(r, ask, samples,
		verdict{isResult, lint.Error, "The server answers the unknown method {what} with a result."},
		verdict{and(errorBut(jsonrpc.CodeMethodNotFound), isStateless), lint.Error, "The server replied to the unknown method {what} with error {code}; -32601 is required."},
		verdict{errorBut(jsonrpc.CodeMethodNotFound), lint.Warn, "The server replied to the unknown method {what} with error {code}; JSON-RPC has -32601 for it."},
		verdict{is(probe.Refused), lint.Warn, "The server replied to the unknown method {what} with HTTP status {status} without a JSON-RPC error."},
		verdict{and(isStateless, overHTTP, not(hasStatus(http.StatusNotFound))), lint.Error, "The server replied to the unknown method {what} with HTTP status {status}; 404 is required."},
	)
}

func paramsShape(r *probe.Run) {
	kind, ok := r.Server.FirstList()
	if r.SkipIf(!ok, "capability with a list") {
		return
	}
	odd := map[string]bool{`[]`: true, `null`: true, `{"_meta":{"progressToken":1.5}}`: true, `{"_meta":{"progressToken":{}}}`: true}
	isObject := func(_ *probe.Run, s sample, _ probe.Outcome) bool { return strings.HasPrefix(s.what, "{") }
	try(r, provoke, named(kind.Method+" with the params ", []string{`[]`, `null`, `"x"`, `1`, `{"_meta":[]}`, `{"_meta":{"progressToken":1.5}}`, `{"_meta":{"progressToken":{}}}`}, func(params string) sample {
		return sample{frame: `{"jsonrpc":"2.0","id":$id,"method":"` + kind.Method + `","params":` + params + `}`, odd: odd[params]}
	}),
		verdict{and(isResult, isOdd), lint.Info, "The server accepts {case}."},
		verdict{and(isResult, not(isObject)), lint.Warn, "The server accepts {case}."},
		verdict{isSilent, lint.Warn, "The server does not respond to {case}, although the id is readable: the client waits for its timeout."},
	)
}

func toleratedExtras(r *probe.Run) {
	kind, ok := r.Server.FirstList()
	if r.SkipIf(!ok, "capability with a list") {
		return
	}
	try(r, ask, []sample{
		{name: "a list with extra members in _meta", method: kind.Method, params: `{"_meta":{"com.example/x":1,"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}`},
	}, verdict{isRefusal, lint.Error, "The server rejects unknown members of _meta: {outcome}."})
	try(r, ask, []sample{
		{name: "a list with an extra member in params", method: kind.Method, params: `{"mcpteaUnknown":true}`},
	}, verdict{isRefusal, lint.Warn, "The server rejects an unknown member of params: {outcome}."})
	try(r, provoke, []sample{
		{name: "a request with an extra member beside method", frame: `{"jsonrpc":"2.0","id":$id,"method":"$ping","params":$meta,"timestamp":1}`},
	}, verdict{isSilent, lint.Warn, "The server does not respond to a request with an extra member, although the id is readable."})
}

// pingsWith are pings with ids on a connection.
func pingsWith(c *probe.Conn, ids []string) (sender, []sample) {
	return func(r *probe.Run, s sample) probe.Outcome {
		s.bytes = withID(c, s.frame)
		return provokeOn(c)(r, s)
	}, named("ping with the id ", ids, func(id string) sample { return sample{frame: id} })
}

// hasOtherID is a response whose id is not that of the request, with its type.
func hasOtherID(_ *probe.Run, s sample, o probe.Outcome) bool {
	return o.Kind <= probe.Error && !sameID(string(o.ID), s.frame)
}

func idRoundtrip(r *probe.Run) {
	send, samples := pingsWith(r.Shared(), []string{`0`, `-1`, `2147483648`, `9007199254740991`, `""`, `"0"`, `"a"`, `"é😀\"\\\n"`, `"` + strings.Repeat("x", 256) + `"`})
	last := &samples[len(samples)-1]
	last.name, last.what = "ping with the id a string of 256 letters", "a string of 256 letters"
	try(r, send, samples,
		verdict{isSilent, lint.Error, "There is no response with the id {what}."},
		verdict{hasOtherID, lint.Error, "The response has the id {id}; the request has {what}."},
	)
}

// sameID compares ids with their types; a string may be escaped in another way.
func sameID(a, b string) bool {
	x, isText := jsonrpc.Unquote([]byte(a))
	y, other := jsonrpc.Unquote([]byte(b))
	return a == b || isText && other && x == y
}

func idBad(r *probe.Run) {
	send, samples := pingsWith(r.Dirty(), []string{`null`, `1.5`, `true`, `[]`, `{}`, `9007199254740993`, `123456789012345678901234567890`})
	isInteger := func(_ *probe.Run, s sample, _ probe.Outcome) bool { return len(s.what) > 10 }
	try(r, send, samples,
		verdict{and(isResult, hasOtherID), lint.Warn, "The response to a request with the id {what} has the id {id}."},
		verdict{and(isResult, not(isInteger)), lint.Info, "The server accepts the id {what}."},
	)
}

var notificationsSilent = table{tolerate, []sample{
	{name: "the notification notifications/mcptea-unknown", what: "notifications/mcptea-unknown", bytes: []byte(`{"jsonrpc":"2.0","method":"notifications/mcptea-unknown","params":{}}`)},
	{name: "the notification mcptea/unknown", what: "mcptea/unknown", bytes: []byte(`{"jsonrpc":"2.0","method":"mcptea/unknown"}`)},
	{name: "the notification notifications/cancelled", what: "notifications/cancelled", bytes: []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"mcptea-unknown"}}`), odd: true},
}, []verdict{
	{isResponse, lint.Error, "The server responds to the notification {what}."},
	{and(isOdd, atLeast(http.StatusBadRequest)), lint.Warn, "The server rejects the notification {what} with HTTP status {status}."}, // a known one
	{hasStatus(http.StatusOK), lint.Warn, "The server replied to the notification {what} with HTTP status 200; 202 is expected."},
}}

// isResponse is a response to a message that should not have one.
func isResponse(_ *probe.Run, _ sample, o probe.Outcome) bool {
	return o.Kind == probe.Result || o.Kind == probe.Error && o.Status < http.StatusBadRequest
}

func kindConfusion(r *probe.Run) {
	try(r, provoke, []sample{
		{name: "a notification method with an id", frame: `{"jsonrpc":"2.0","id":$id,"method":"notifications/initialized"}`},
	}, verdict{isResult, lint.Warn, "The server answers notifications/initialized with a result because it has an id."})
	if kind, ok := r.Server.FirstList(); ok {
		try(r, provoke, []sample{
			{name: kind.Method + " without id", what: kind.Method, frame: `{"jsonrpc":"2.0","method":"` + kind.Method + `","params":$meta}`},
		}, verdict{isResult, lint.Error, "The server responds to {what} without an id, which is a notification."})
	}
	try(r, provoke, []sample{
		{name: "a response to no request", bytes: []byte(`{"jsonrpc":"2.0","id":987654,"result":{}}`)},
		{name: "a response to no request", bytes: []byte(`{"jsonrpc":"2.0","id":987655,"error":{"code":-1,"message":"x"}}`)},
	}, verdict{isResult, lint.Warn, "The server answers a response that matches no request with a result."})
	provoke(r, sample{name: `a request with "result"`, frame: `{"jsonrpc":"2.0","id":$id,"method":"$ping","params":$meta,"result":{}}`})
}

func batchAccepted(r *probe.Run) {
	c := r.Dirty()
	ping, cancel := `{"jsonrpc":"2.0","id":$id,"method":"ping"}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"mcptea-unknown"}}`
	list := ping
	if kind, ok := r.Server.FirstList(); ok {
		list = strings.Replace(ping, "ping", kind.Method, 1)
	}
	for _, batch := range [][]string{{ping, ping}, {ping, cancel, list}} {
		var frames [][]byte
		for _, f := range batch {
			frames = append(frames, sample{frame: f}.on(c))
		}
		o := r.Provoke(c, fmt.Sprintf("a batch of %d messages", len(batch)), jsonrpc.AppendBatch(nil, frames...))
		if want := strings.Count(strings.Join(batch, ""), "$id"); o.Kind != probe.Dead && len(o.Responses) != want {
			r.Error("A batch with %d requests gets %d responses; 2025-03-26 requires that batches are received.", want, len(o.Responses))
		}
	}
	try(r, provoke, []sample{
		{name: "a batch of notifications", bytes: []byte("[" + cancel + "," + cancel + "]")},
	}, verdict{isResult, lint.Error, "The server responds to a batch of notifications."})
	try(r, provoke, []sample{{name: "an empty batch", bytes: []byte("[]")}, {name: "a batch of numbers", bytes: []byte("[1,2]")}})
}

func batchRemoved(r *probe.Run) {
	try(r, provoke, []sample{
		{name: "a batch", bytes: jsonrpc.AppendBatch(nil, r.Dirty().Ping())},
	}, verdict{isResult, lint.Info, "The server answers a batch, which the negotiated version does not have."})
}
