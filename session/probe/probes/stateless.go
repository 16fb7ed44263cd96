package probes

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/lint"
	"mcptea/session/probe"
)

// sendAsIs sends a frame as it is: over HTTP as a raw request with the headers of a
// correct one, changed by header.
func sendAsIs(r *probe.Run, name string, frame []byte, header http.Header) probe.Outcome {
	if r.IsHTTP() {
		return r.HTTP(name, probe.HTTPRequest{Body: frame, Header: header})
	}
	return r.Provoke(r.Dirty(), name, frame)
}

// listMethod is the method of the first list, or server/discover.
func listMethod(r *probe.Run) string {
	if kind, ok := r.Server.FirstList(); ok {
		return kind.Method
	}
	return "server/discover"
}

const (
	metaVersion    = `"` + revision.MetaProtocolVersion + `":"2026-07-28"`
	metaInfo       = `"` + revision.MetaClientInfo + `":{"name":"mcptea","version":"1"}`
	noCapabilities = `"` + revision.MetaClientCapabilities + `":{}`
)

// statelessRequest is a request with members of _meta.
func statelessRequest(r *probe.Run, method string, meta ...string) []byte {
	return jsonrpc.AppendRequest(nil, r.Shared().ID(), method, []byte(`{"_meta":{`+strings.Join(meta, ",")+`}}`))
}

func discover(r *probe.Run) {
	c := r.Shared()
	first := r.Ask(c, "server/discover", c.Request("server/discover", ""))
	second := r.Ask(c, "server/discover again", c.Request("server/discover", ""))
	if first.Kind != probe.Result {
		r.Error("server/discover returns %s.", probe.Describe(first))
		return
	}
	versions := first.Member("supportedVersions")
	if !bytes.Contains(versions, []byte(`"2026-07-28"`)) {
		r.Error("supportedVersions of server/discover does not contain 2026-07-28: %s.", versions)
	}
	for _, member := range []string{"supportedVersions", "capabilities"} {
		if first.Member(member) == nil {
			r.Error("The result of server/discover has no %q.", member)
		} else if second.Kind == probe.Result && !bytes.Equal(first.Member(member), second.Member(member)) {
			r.Warn("Two results of server/discover have different %s.", member)
		}
	}
}

// hasSessions reports a server that also speaks a version with a handshake.
func hasSessions(r *probe.Run) bool {
	return r.Server.OtherEra != "" || bytes.Contains(r.Server.Handshake.Result, []byte(`"2025-`))
}

func metaRequired(r *probe.Run) {
	method := listMethod(r)
	legacy := !r.IsHTTP() && hasSessions(r)
	for i, s := range []struct {
		name  string
		frame []byte
	}{
		{"a request without _meta", jsonrpc.AppendRequest(nil, r.Shared().ID(), method, []byte("{}"))},
		{"a request without protocolVersion in _meta", statelessRequest(r, method, metaInfo, noCapabilities)},
		{"a request without clientCapabilities in _meta", statelessRequest(r, method, metaVersion, metaInfo)},
		{"a request with a number as protocolVersion", statelessRequest(r, method, `"`+revision.MetaProtocolVersion+`":20260728`, metaInfo, noCapabilities)},
		{"a request with an array as clientCapabilities", statelessRequest(r, method, metaVersion, metaInfo, `"`+revision.MetaClientCapabilities+`":[]`)},
	} {
		o := sendAsIs(r, s.name, s.frame, nil)
		switch unversioned := i == 0 || i == 1 || i == 3; {
		case o.Kind == probe.Result && unversioned && legacy:
			r.Info("The server answers %s with a result, as one of an earlier version.", s.name)
		case o.Kind == probe.Result:
			r.Error("The server answers %s with a result.", s.name)
		case unversioned && legacy: // a server of both eras may take it for one of a session
		case o.Kind == probe.Error && !o.IsError(jsonrpc.CodeInvalidParams, revision.CodeHeaderMismatch):
			if i < 3 { // the member is missing
				r.Error("The server replied to %s with error %s; -32602 is required.", s.name, o.ShownCode())
			} else {
				r.Warn("The server replied to %s with error %s; -32602 is expected.", s.name, o.ShownCode())
			}
		case r.IsHTTP() && o.Status != http.StatusBadRequest:
			r.Error("The server replied to %s with HTTP status %d; 400 is required.", s.name, o.Status)
		}
	}
	if o := sendAsIs(r, "a request without clientInfo in _meta", statelessRequest(r, method, metaVersion, noCapabilities), nil); o.IsRefusal() {
		r.Error("The server rejects a request without clientInfo, which is optional: %s.", probe.Describe(o))
	}
}

func versionUnsupported(r *probe.Run) {
	frame := statelessRequest(r, listMethod(r), `"`+revision.MetaProtocolVersion+`":"2099-01-01"`, metaInfo, noCapabilities)
	o := sendAsIs(r, "a request with the version 2099-01-01", frame, http.Header{"Mcp-Protocol-Version": {"2099-01-01"}})
	if !o.IsError(revision.CodeUnsupportedVersion) {
		r.Error("The server replied to the version 2099-01-01 with %s; error -32022 is required.", probe.Describe(o))
		return
	}
	data, _ := jsonrpc.Member(o.Frame, "error", "data")
	supported, _ := jsonrpc.Member(data, "supported")
	if !bytes.Contains(supported, []byte(`"2026-07-28"`)) {
		r.Error("data.supported of error -32022 does not contain 2026-07-28.")
	}
	if jsonrpc.Text(data, "requested") != "2099-01-01" {
		r.Error("data.requested of error -32022 is not the requested version.")
	}
	if r.IsHTTP() && o.Status != http.StatusBadRequest {
		r.Error("Error -32022 has HTTP status %d; 400 is required.", o.Status)
	}
}

// mismatch judges a request whose headers contradict its body.
func mismatch(r *probe.Run, name string, p probe.Outcome) {
	switch {
	case p.OK():
		r.Error("The server accepts %s.", name)
	case p.Status != http.StatusBadRequest:
		r.Error("The server replied to %s with HTTP status %d; 400 is required.", name, p.Status)
	case !p.IsError(revision.CodeHeaderMismatch):
		r.Error("The server replied to %s with %s; error -32020 is required.", name, probe.Describe(p))
	}
}

func headerVersion(r *probe.Run) {
	p := r.HTTP("the header MCP-Protocol-Version: 2025-11-25", probe.HTTPRequest{Body: r.ListBody(), Header: http.Header{"Mcp-Protocol-Version": {"2025-11-25"}}})
	mismatch(r, "a request whose header MCP-Protocol-Version contradicts its _meta", p)
	if p := r.HTTP("a request without MCP-Protocol-Version", probe.HTTPRequest{Body: r.ListBody(), Header: http.Header{"Mcp-Protocol-Version": nil}}); p.OK() {
		r.Info("The server answers a request without MCP-Protocol-Version.")
	}
}

func headerMethod(r *probe.Run) {
	body := r.ListBody()
	method := jsonrpc.Text(body, "method")
	other := "prompts/list"
	if method == other {
		other = "tools/list"
	}
	for _, s := range []struct {
		name   string
		values []string
	}{
		{"a request without Mcp-Method", nil},
		{"a request with Mcp-Method: " + other, []string{other}},
		{"a request with Mcp-Method in capitals", []string{strings.ToUpper(method)}},
	} {
		mismatch(r, s.name, r.HTTP(s.name, probe.HTTPRequest{Body: body, Header: http.Header{"Mcp-Method": s.values}}))
	}
	if p := r.HTTP("a request with two Mcp-Method headers", probe.HTTPRequest{Body: body, Header: http.Header{"Mcp-Method": {method, other}}}); p.OK() {
		r.Warn("The server accepts a request with two different Mcp-Method headers.")
	}
}

func headerName(r *probe.Run) {
	if r.SkipIf(!r.Server.Has("tools"), "capability tools") {
		return
	}
	body := r.Body("tools/call", `{"name":"`+noTool+`","arguments":{}}`)
	call := func(name string, values []string) probe.Outcome {
		return r.HTTP(name, probe.HTTPRequest{Body: body, Header: http.Header{"Mcp-Name": values}})
	}
	mismatch(r, "a call without Mcp-Name", call("a call without Mcp-Name", nil))
	mismatch(r, "a call with another Mcp-Name", call("a call with another Mcp-Name", []string{"x"}))
	encoded := "=?base64?" + base64.StdEncoding.EncodeToString([]byte(noTool)) + "?="
	if p := call("a call with Mcp-Name in Base64", []string{encoded}); p.IsError(revision.CodeHeaderMismatch) {
		r.Error("The server does not decode Mcp-Name: %s is rejected as a mismatch.", encoded)
	}
	if p := call("a call with invalid Base64 in Mcp-Name", []string{"=?base64?@@?="}); p.OK() {
		r.Warn("The server accepts invalid Base64 in Mcp-Name.")
	}
}

func removedMethods(r *probe.Run) {
	c := r.Shared()
	for _, s := range []struct{ method, params string }{
		{"ping", ""}, {"logging/setLevel", `{"level":"info"}`}, {"resources/subscribe", `{"uri":"mcptea-probe://no-such"}`}, {"resources/unsubscribe", `{"uri":"mcptea-probe://no-such"}`},
	} {
		o := r.Ask(c, s.method, c.Request(s.method, s.params))
		switch {
		case o.Kind == probe.Result:
			r.Error("The server answers %s, which 2026-07-28 has removed.", s.method)
		case o.Kind == probe.Error && !o.IsError(jsonrpc.CodeMethodNotFound):
			r.Error("The server replied to the removed method %s with error %s; -32601 is required.", s.method, o.ShownCode())
		case r.IsHTTP() && o.Status != http.StatusNotFound:
			r.Error("The server replied to the removed method %s with HTTP status %d; 404 is required.", s.method, o.Status)
		}
	}
}

func statelessFirst(r *probe.Run) {
	c := r.Open()
	c.UseRevision(revision.NewestStateless)
	method := listMethod(r)
	if o := r.Ask(c, method+" as the first message", statelessRequest(r, method, metaVersion, metaInfo, noCapabilities)); o.IsRefusal() {
		r.Error("%s as the first message of a connection returns %s; each request must stand alone.", method, probe.Describe(o))
	}
}

func legacyArtifacts(r *probe.Run) {
	for _, h := range []http.Header{{"Mcp-Session-Id": {"abc"}}, {"Last-Event-Id": {"x"}}} {
		for name := range h {
			p := r.HTTP("a request with "+name, probe.HTTPRequest{Body: r.ListBody(), Header: h})
			switch {
			case p.Status >= 500:
				r.Error("The server replied to a request with %s with HTTP status %d.", name, p.Status)
			case !p.OK() && hasSessions(r): // the SHOULD is for servers of this version alone
				r.Info("The server rejects a request with %s with HTTP status %d; it also speaks versions that have the header.", name, p.Status)
			case !p.OK():
				r.Warn("The server rejects a request with %s with HTTP status %d; it should ignore the header.", name, p.Status)
			case p.Header.Get("Mcp-Session-Id") != "":
				r.Warn("The server issues a session id to a stateless request.")
			}
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		p := r.HTTP(method, probe.HTTPRequest{Method: method, HeadersOnly: true, Header: http.Header{"Mcp-Protocol-Version": {"2026-07-28"}}})
		switch {
		case p.Status >= 500:
			r.Error("%s returns HTTP status %d.", method, p.Status)
		case p.Status != http.StatusMethodNotAllowed:
			r.Info("%s returns HTTP status %d; 405 is expected of a server without sessions.", method, p.Status)
		}
	}
}

func listen(r *probe.Run) {
	c := r.Fresh()
	for _, s := range []struct{ name, params string }{
		{"without notifications", `{}`}, {"with a string as notifications", `{"notifications":"x"}`},
	} {
		o := r.Provoke(c, "subscriptions/listen "+s.name, c.Request("subscriptions/listen", s.params))
		switch {
		case o.IsError(jsonrpc.CodeMethodNotFound):
			r.Skip("no subscriptions")
		case o.Kind == probe.Result, o.Kind == probe.Silent && o.Status < 400:
			r.Error("The server accepts subscriptions/listen %s, which the schema rejects.", s.name)
		case o.Kind == probe.Error && !o.IsError(jsonrpc.CodeInvalidParams):
			r.Info("subscriptions/listen %s returns error %s; JSON-RPC has -32602 for it.", s.name, o.ShownCode())
		}
	}
	c.Take()
	frame := c.Request("subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`)
	if r.IsHTTP() {
		return // the lint rules judge the stream
	}
	o := r.Provoke(c, "subscriptions/listen", frame)
	acknowledged := false
	for _, f := range c.Take() {
		if e := jsonrpc.Scan(f.Bytes); e.HasMethod(f.Bytes, "notifications/subscriptions/acknowledged") {
			acknowledged = true
		}
	}
	if !acknowledged && o.Kind == probe.Silent {
		r.Error("The server does not acknowledge subscriptions/listen.")
	}
	id := string(jsonrpc.Scan(frame).ID.Of(frame))
	r.Provoke(c, "the end of the subscription", jsonrpc.AppendNotification(nil, "notifications/cancelled", []byte(`{"requestId":`+id+`}`)))
}

func logOptIn(r *probe.Run) {
	c := r.Fresh()
	c.Take()
	r.Ask(c, "a list without a log level", c.List())
	r.Quiet()
	for _, f := range c.Take() {
		if e := jsonrpc.Scan(f.Bytes); e.HasMethod(f.Bytes, "notifications/message") {
			r.With(lint.Error, []probe.Frame{f}, "The server sends a log message although the request has no log level.")
			break
		}
	}
	if !r.Server.Has("logging") {
		return
	}
	o := r.Provoke(c, "a list with the log level verbose", c.Request(listMethod(r), `{"_meta":{"`+revision.MetaLogLevel+`":"verbose"}}`))
	if o.Kind == probe.Result {
		r.Warn("The server accepts the unknown log level \"verbose\".")
	}
}

// asks reports a result that requests input.
func asks(o probe.Outcome) bool { return string(o.Member("resultType")) == `"input_required"` }

// allCapabilities declares every capability.
const allCapabilities = `"` + revision.MetaClientCapabilities + `":{"roots":{},"sampling":{},"elicitation":{"form":{},"url":{}}}`

// statelessCall is a call of a tool with capabilities and further params.
func statelessCall(r *probe.Run, s probe.Subject, capabilities, more string) []byte {
	return jsonrpc.AppendRequest(nil, r.Shared().ID(), "tools/call", []byte(`{"name":`+probe.JSON(s.Name)+`,"arguments":`+s.Arguments+more+`,"_meta":{`+metaVersion+","+metaInfo+","+capabilities+`}}`))
}

// asking is the first callable tool that requests input, and its first result.
func asking(r *probe.Run) (probe.Subject, probe.Outcome) {
	for _, s := range r.Callables() {
		if o, ok := r.Exchange(r.Shared(), "a call of "+s.Name, s.Name, statelessCall(r, s, allCapabilities, "")); ok && asks(o) {
			return s, o
		}
	}
	r.Skip("no callable tool that requests input")
	return probe.Subject{}, probe.Outcome{}
}

func mrtrCapabilities(r *probe.Run) {
	s, _ := asking(r)
	o, _ := r.Exchange(r.Shared(), "a call of "+s.Name+" without capabilities", s.Name, statelessCall(r, s, noCapabilities, ""))
	switch {
	case asks(o):
		r.About(lint.Error, "tool:"+s.Name, "The tool %s requests input from a client that declares no capability for it.", s.Name)
	case o.Kind == probe.Error && !o.IsError(revision.CodeMissingCapability):
		r.About(lint.Error, "tool:"+s.Name, "The tool %s needs a capability, and returns error %s; -32021 is required.", s.Name, o.ShownCode())
	}
}

func mrtrRounds(r *probe.Run) {
	s, first := asking(r)
	state := first.Member("requestState")
	with := ""
	if state != nil {
		with = `,"requestState":` + string(state)
	}
	for _, t := range []struct{ name, more string }{
		{"without inputResponses", with}, {"with wrong keys of inputResponses", with + `,"inputResponses":{"mcptea-no-such-key":{"action":"decline"}}`},
	} {
		o, _ := r.Exchange(r.Shared(), "a second round "+t.name, s.Name, statelessCall(r, s, allCapabilities, t.more))
		if o.Kind == probe.Error && !o.IsError(jsonrpc.CodeInvalidParams) {
			r.About(lint.Warn, "tool:"+s.Name, "A further call of %s %s returns error %s; it should request the input again.", s.Name, t.name, o.ShownCode())
		}
	}
	text, ok := jsonrpc.Unquote(state)
	if !ok || len(text) < 8 {
		return
	}
	forged := text[:len(text)/2] + string(rune(text[len(text)/2]^1)) + text[len(text)/2+1:]
	o, _ := r.Exchange(r.Shared(), "a second round with an altered requestState", s.Name, statelessCall(r, s, allCapabilities, `,"requestState":`+probe.JSON(forged)))
	if o.Kind == probe.Result && !asks(o) && !o.ToolError() {
		r.About(lint.Warn, "tool:"+s.Name, "The tool %s completes with an altered requestState.", s.Name)
	}
}
