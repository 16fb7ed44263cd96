package probes

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"mcptea/check/probe"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
)

// listMethod returns the method of the first list, or of the sign of life if there is no list.
func listMethod(r *probe.Run) string {
	if kind, ok := r.Server.FirstList(); ok {
		return kind.Method
	}
	return pingMethod(r)
}

const (
	metaVersion    = `"` + revision.MetaProtocolVersion + `":"2026-07-28"`
	noCapabilities = `"` + revision.MetaClientCapabilities + `":{}`
)

// metaInfo returns the member of _meta that identifies the client.
func metaInfo(r *probe.Run) string { return `"` + revision.MetaClientInfo + `":` + r.ClientInfo() }

// statelessRequest returns a request with the given members of _meta.
func statelessRequest(c *probe.Conn, method string, meta ...string) []byte {
	return jsonrpc.EncodeRequest(c.ID(), method, []byte(`{"_meta":{`+strings.Join(meta, ",")+`}}`))
}

func discover(r *probe.Run) {
	c := r.Shared()
	first := r.Ask(c, "server/discover", c.Request("server/discover", ""))
	second := r.Ask(c, "server/discover again", c.Request("server/discover", ""))
	if first.Kind != probe.Result {
		r.Of(first).Named("fails").Error("server/discover returns %s.", probe.Describe(first))
		return
	}
	for _, member := range []string{"supportedVersions", "capabilities"} {
		if first.Member(member) != nil && second.Kind == probe.Result && !jsonrpc.Equal(first.Member(member), second.Member(member)) {
			r.Of(second).Named("differs").Warn("Two results of server/discover have different %s.", member)
		}
	}
}

// hasSessions reports a server that also speaks a version with a handshake.
func hasSessions(r *probe.Run) bool {
	return r.Server.OtherEra != "" || slices.ContainsFunc(jsonrpc.Strings(jsonrpc.Get(r.Server.Handshake.Result, "supportedVersions")), func(v string) bool { return strings.HasPrefix(v, "2025-") })
}

func versionUnsupported(r *probe.Run) {
	const name = "a request with the version 2099-01-01"
	var o probe.Outcome
	frame := func(c *probe.Conn) []byte {
		return statelessRequest(c, listMethod(r), `"`+revision.MetaProtocolVersion+`":"2099-01-01"`, metaInfo(r), `"`+revision.MetaClientCapabilities+`":`+r.MetaCapabilities())
	}
	if r.IsHTTP() {
		o = r.HTTP(name, probe.HTTPRequest{Body: frame(r.Maker()), Header: http.Header{"Mcp-Protocol-Version": {"2099-01-01"}}})
	} else {
		c := r.Dirty()
		o = r.Provoke(c, name, frame(c))
	}
	if !o.IsError(revision.CodeUnsupportedVersion) {
		r.Of(o).Error("The server replied to the version 2099-01-01 with %s; error -32022 is required.", probe.Describe(o))
		return
	}
	data, _ := jsonrpc.Member(o.Frame, "error", "data")
	supported, _ := jsonrpc.Member(data, "supported")
	if !slices.Contains(jsonrpc.Strings(supported), "2026-07-28") {
		r.Of(o).Error("data.supported of error -32022 does not contain 2026-07-28.")
	}
	if jsonrpc.Text(data, "requested") != "2099-01-01" {
		r.Of(o).Error("data.requested of error -32022 is not the requested version.")
	}
	if r.IsHTTP() && o.Status != http.StatusBadRequest {
		r.Of(o).Error("Error -32022 has HTTP status %d; 400 is required.", o.Status)
	}
}

func headerMethod(r *probe.Run) {
	other := "prompts/list"
	if listMethod(r) == other {
		other = "tools/list"
	}
	job{Run: r}.run("P-144", "other", other, "capitals", strings.ToUpper(listMethod(r)))
}

func logOptIn(r *probe.Run) {
	c := r.Linted(true)
	r.Ask(c, "a list without a log level", c.List())
	r.Quiet()
	if r.Server.Has("logging") {
		job{Run: r, conn: c}.run("P-153")
	}
}

// asks reports whether a result requests input.
func asks(o probe.Outcome) bool { return jsonrpc.IsText(o.Member("resultType"), "input_required") }

// allCapabilities declares every capability.
const allCapabilities = `"` + revision.MetaClientCapabilities + `":{"roots":{},"sampling":{},"elicitation":{"form":{},"url":{}}}`

// statelessCall returns a call of a tool with capabilities and additional params.
func statelessCall(r *probe.Run, s probe.Subject, capabilities, more string) []byte {
	return jsonrpc.EncodeRequest(r.Shared().ID(), "tools/call", []byte(`{"name":`+probe.JSON(s.Name)+`,"arguments":`+s.Arguments+more+`,"_meta":{`+metaVersion+","+metaInfo(r)+","+capabilities+`}}`))
}

// asking returns the first callable tool that requests input, and its first result.
func asking(r *probe.Run) (probe.Subject, probe.Outcome) {
	for _, s := range r.Callables() {
		if o, ok := r.Exchange(r.Shared(), "a call of "+s.Name+" with all capabilities", s.Name, statelessCall(r, s, allCapabilities, "")); ok && asks(o) {
			return s, o
		}
	}
	r.Skip("no callable tool that requests input")
	return probe.Subject{}, probe.Outcome{}
}

func mrtrCapabilities(r *probe.Run) {
	s, _ := asking(r)
	o, _ := r.Exchange(r.Shared(), "a call of "+s.Name+" without capabilities", s.Name, statelessCall(r, s, noCapabilities, ""))
	job{Run: r}.judge("P-154", o, "what", s.Name, "subject", "tool:"+s.Name)
}

func mrtrRounds(r *probe.Run) {
	s, first := asking(r)
	state := first.Member("requestState")
	with := ""
	if state != nil {
		with = `,"requestState":` + string(state)
	}
	answered, _ := r.Exchange(r.Shared(), "a second round with the responses", s.Name, statelessCall(r, s, allCapabilities, with+`,"inputResponses":`+declined(first)))
	if answered.IsError(jsonrpc.CodeInvalidParams) {
		r.Of(answered).Itself().Named("refused").About(lint.Error, "tool:"+s.Name, "The tool %s requests input, and the call with the responses and its requestState returns %s.", s.Name, probe.Describe(answered))
	}
	for _, t := range []struct{ name, more string }{
		{"without inputResponses", with}, {"with wrong keys of inputResponses", with + `,"inputResponses":{"mcptea-no-such-key":{"action":"decline"}}`},
	} {
		o, _ := r.Exchange(r.Shared(), "a second round "+t.name, s.Name, statelessCall(r, s, allCapabilities, t.more))
		job{Run: r}.judge("P-155", o, "what", s.Name+" "+t.name, "subject", "tool:"+s.Name)
	}
	if state != nil && first.Member("inputRequests") == nil {
		endlessRounds(r, s, state)
	}
	text, ok := jsonrpc.Unquote(state)
	if !ok || len(text) < 8 {
		return
	}
	forged := text[:len(text)/2] + string(rune(text[len(text)/2]^1)) + text[len(text)/2+1:]
	o, _ := r.Exchange(r.Shared(), "a second round with an altered requestState", s.Name, statelessCall(r, s, allCapabilities, `,"requestState":`+probe.JSON(forged)))
	job{Run: r}.judge("P-155 altered", o, "what", s.Name, "subject", "tool:"+s.Name)
}

// declined returns inputResponses for the input requests of a result: the user declines forms and pages.
func declined(o probe.Outcome) string {
	all := map[string]json.RawMessage{}
	for key, request := range jsonrpc.Members(o.Member("inputRequests")) {
		switch jsonrpc.Text(request, "method") {
		case "sampling/createMessage":
			all[string(key)] = []byte(`{"role":"assistant","content":{"type":"text","text":"mcptea"},"model":"mcptea","stopReason":"endTurn"}`)
		case "roots/list":
			all[string(key)] = []byte(`{"roots":[]}`)
		default:
			all[string(key)] = []byte(`{"action":"decline"}`)
		}
	}
	text, _ := json.Marshal(all) // the members are JSON, so it never fails
	return string(text)
}

// endlessRounds follows a tool whose results only request another call.
func endlessRounds(r *probe.Run, s probe.Subject, state []byte) {
	var o probe.Outcome
	const rounds = 3
	for range rounds {
		o, _ = r.Exchange(r.Shared(), "a further round", s.Name, statelessCall(r, s, allCapabilities, `,"requestState":`+string(state)))
		if !asks(o) || o.Member("inputRequests") != nil || !jsonrpc.Equal(o.Member("requestState"), state) {
			return
		}
	}
	r.Of(o).About(lint.Info, "tool:"+s.Name, "The tool %s requests no input, and returns the same requestState in each of %d rounds: a client that calls it again may never get a result.", s.Name, rounds)
}
