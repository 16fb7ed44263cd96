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

// asIs sends a frame as it is: over HTTP as a raw request with the headers of a correct
// one, changed by those of the sample.
func asIs(r *probe.Run, s sample) probe.Outcome {
	if s.http.Body = s.bytes; r.IsHTTP() {
		return post(r, s)
	}
	return provoke(r, s)
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
	hasSessions := hasSessions(r) && !r.IsHTTP()
	// A server of both eras may take a request without a version for one of a session.
	isOfSession := func(_ *probe.Run, s sample, _ probe.Outcome) bool {
		version, _ := jsonrpc.Member(s.bytes, "params", "_meta", revision.MetaProtocolVersion)
		return hasSessions && !bytes.HasPrefix(version, []byte(`"`))
	}
	try(r, asIs, []sample{
		{name: "a request without _meta", bytes: jsonrpc.AppendRequest(nil, r.Shared().ID(), method, []byte("{}"))},
		{name: "a request without protocolVersion in _meta", bytes: statelessRequest(r, method, metaInfo, noCapabilities)},
		{name: "a request without clientCapabilities in _meta", bytes: statelessRequest(r, method, metaVersion, metaInfo)},
		{name: "a request with a number as protocolVersion", odd: true, bytes: statelessRequest(r, method, `"`+revision.MetaProtocolVersion+`":20260728`, metaInfo, noCapabilities)},
		{name: "a request with an array as clientCapabilities", odd: true, bytes: statelessRequest(r, method, metaVersion, metaInfo, `"`+revision.MetaClientCapabilities+`":[]`)},
	},
		verdict{and(isResult, isOfSession), lint.Info, "The server answers {case} with a result, as one of an earlier version."},
		verdict{isResult, lint.Error, "The server answers {case} with a result."},
		verdict{when: isOfSession},
		verdict{and(not(isOdd), errorBut(jsonrpc.CodeInvalidParams, revision.CodeHeaderMismatch)), lint.Error, "The server replied to {case} with error {code}; -32602 is required."}, // the member is missing
		verdict{errorBut(jsonrpc.CodeInvalidParams, revision.CodeHeaderMismatch), lint.Warn, "The server replied to {case} with error {code}; -32602 is expected."},
		verdict{and(overHTTP, not(hasStatus(http.StatusBadRequest))), lint.Error, "The server replied to {case} with HTTP status {status}; 400 is required."},
	)
	try(r, asIs, []sample{
		{name: "a request without clientInfo in _meta", bytes: statelessRequest(r, method, metaVersion, noCapabilities)},
	}, verdict{isRefusal, lint.Error, "The server rejects a request without clientInfo, which is optional: {outcome}."})
}

func versionUnsupported(r *probe.Run) {
	o := asIs(r, sample{
		name: "a request with the version 2099-01-01", http: probe.HTTPRequest{Header: http.Header{"Mcp-Protocol-Version": {"2099-01-01"}}},
		bytes: statelessRequest(r, listMethod(r), `"`+revision.MetaProtocolVersion+`":"2099-01-01"`, metaInfo, noCapabilities),
	})
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

// mismatch judges requests whose headers contradict their bodies.
var mismatch = []verdict{
	{isOK, lint.Error, "The server accepts {what}."},
	{not(hasStatus(http.StatusBadRequest)), lint.Error, "The server replied to {what} with HTTP status {status}; 400 is required."},
	{not(isError(revision.CodeHeaderMismatch)), lint.Error, "The server replied to {what} with {outcome}; error -32020 is required."},
}

// withHeader is a raw request with the values of a header; none removes it.
func withHeader(body []byte, name string, values ...string) probe.HTTPRequest {
	return probe.HTTPRequest{Body: body, Header: http.Header{name: values}}
}

func headerVersion(r *probe.Run) {
	try(r, post, []sample{{
		name: "the header MCP-Protocol-Version: 2025-11-25", what: "a request whose header MCP-Protocol-Version contradicts its _meta",
		http: withHeader(r.ListBody(), "Mcp-Protocol-Version", "2025-11-25"),
	}}, mismatch...)
	try(r, post, []sample{
		{name: "a request without MCP-Protocol-Version", http: withHeader(r.ListBody(), "Mcp-Protocol-Version")},
	}, verdict{isOK, lint.Info, "The server answers {case}."})
}

func headerMethod(r *probe.Run) {
	body := r.ListBody()
	method := jsonrpc.Text(body, "method")
	other := "prompts/list"
	if method == other {
		other = "tools/list"
	}
	try(r, post, []sample{
		{name: "a request without Mcp-Method", http: withHeader(body, "Mcp-Method")},
		{name: "a request with Mcp-Method: " + other, http: withHeader(body, "Mcp-Method", other)},
		{name: "a request with Mcp-Method in capitals", http: withHeader(body, "Mcp-Method", strings.ToUpper(method))},
	}, mismatch...)
	try(r, post, []sample{
		{name: "a request with two Mcp-Method headers", http: withHeader(body, "Mcp-Method", method, other)},
	}, verdict{isOK, lint.Warn, "The server accepts a request with two different Mcp-Method headers."})
}

func headerName(r *probe.Run) {
	if r.SkipIf(!r.Server.Has("tools"), "capability tools") {
		return
	}
	body := r.Body("tools/call", `{"name":"`+noTool+`","arguments":{}}`)
	try(r, post, []sample{
		{name: "a call without Mcp-Name", http: withHeader(body, "Mcp-Name")},
		{name: "a call with another Mcp-Name", http: withHeader(body, "Mcp-Name", "x")},
	}, mismatch...)
	encoded := "=?base64?" + base64.StdEncoding.EncodeToString([]byte(noTool)) + "?="
	try(r, post, []sample{
		{name: "a call with Mcp-Name in Base64", http: withHeader(body, "Mcp-Name", encoded)},
	}, verdict{isError(revision.CodeHeaderMismatch), lint.Error, "The server does not decode Mcp-Name: " + encoded + " is rejected as a mismatch."})
	try(r, post, []sample{
		{name: "a call with invalid Base64 in Mcp-Name", http: withHeader(body, "Mcp-Name", "=?base64?@@?=")},
	}, verdict{isOK, lint.Warn, "The server accepts invalid Base64 in Mcp-Name."})
}

var removedMethods = table{ask, []sample{
	{name: "ping", method: "ping"},
	{name: "logging/setLevel", method: "logging/setLevel", params: `{"level":"info"}`},
	{name: "resources/subscribe", method: "resources/subscribe", params: `{"uri":"mcptea-probe://no-such"}`},
	{name: "resources/unsubscribe", method: "resources/unsubscribe", params: `{"uri":"mcptea-probe://no-such"}`},
}, []verdict{
	{isResult, lint.Error, "The server answers {case}, which 2026-07-28 has removed."},
	{errorBut(jsonrpc.CodeMethodNotFound), lint.Error, "The server replied to the removed method {case} with error {code}; -32601 is required."},
	{and(overHTTP, not(hasStatus(http.StatusNotFound))), lint.Error, "The server replied to the removed method {case} with HTTP status {status}; 404 is required."},
}}

func statelessFirst(r *probe.Run) {
	c := r.Open()
	c.UseRevision(revision.NewestStateless)
	method := listMethod(r)
	try(r, askOn(c), []sample{
		{name: method + " as the first message", bytes: statelessRequest(r, method, metaVersion, metaInfo, noCapabilities)},
	}, verdict{isRefusal, lint.Error, "{case} of a connection returns {outcome}; each request must stand alone."})
}

func legacyArtifacts(r *probe.Run) {
	speaksOthers := func(*probe.Run, sample, probe.Outcome) bool { return hasSessions(r) }
	try(r, post, []sample{
		{name: "a request with Mcp-Session-Id", http: withHeader(r.ListBody(), "Mcp-Session-Id", "abc")},
		{name: "a request with Last-Event-Id", http: withHeader(r.ListBody(), "Last-Event-Id", "x")},
	},
		verdict{atLeast(http.StatusInternalServerError), lint.Error, "The server replied to {case} with HTTP status {status}."},
		// The SHOULD is for servers of this version alone.
		verdict{and(not(isOK), speaksOthers), lint.Info, "The server rejects {case} with HTTP status {status}; it also speaks versions that have the header."},
		verdict{not(isOK), lint.Warn, "The server rejects {case} with HTTP status {status}; it should ignore the header."},
		verdict{hasText("Mcp-Session-Id", ""), lint.Warn, "The server issues a session id to a stateless request."},
	)
	try(r, post, named("", []string{http.MethodGet, http.MethodDelete}, func(method string) sample {
		return sample{http: probe.HTTPRequest{Method: method, HeadersOnly: true, Header: http.Header{"Mcp-Protocol-Version": {"2026-07-28"}}}}
	}),
		verdict{atLeast(http.StatusInternalServerError), lint.Error, "{case} returns HTTP status {status}."},
		verdict{not(hasStatus(http.StatusMethodNotAllowed)), lint.Info, "{case} returns HTTP status {status}; 405 is expected of a server without sessions."},
	)
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
	try(r, provokeOn(c), []sample{
		{name: "a list with the log level verbose", method: listMethod(r), params: `{"_meta":{"` + revision.MetaLogLevel + `":"verbose"}}`},
	}, verdict{isResult, lint.Warn, "The server accepts the unknown log level \"verbose\"."})
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
	judge(r, sample{what: s.Name, subject: "tool:" + s.Name}, o,
		verdict{isInputRequired, lint.Error, "The tool {what} requests input from a client that declares no capability for it."},
		verdict{errorBut(revision.CodeMissingCapability), lint.Error, "The tool {what} needs a capability, and returns error {code}; -32021 is required."})
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
		judge(r, sample{what: s.Name + " " + t.name, subject: "tool:" + s.Name}, o,
			verdict{errorBut(jsonrpc.CodeInvalidParams), lint.Warn, "A further call of {what} returns error {code}; it should request the input again."})
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
