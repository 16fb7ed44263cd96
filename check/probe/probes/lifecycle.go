package probes

import (
	"slices"
	"strings"

	"mcptea/check/probe"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
)

// handshake does the handshake on a connection that was opened by hand, with the version and the capabilities of the
// client that mcptea is, and returns the response to initialize.
func handshake(r *probe.Run, c *probe.Conn) probe.Outcome {
	// Omit the _meta of stateless requests, even if the server supports them.
	frame := jsonrpc.EncodeRequest(c.ID(), "initialize", []byte(r.InitializeParams(r.HandshakeVersion(), "")))
	return begin(r, c, "initialize with "+r.HandshakeVersion(), frame)
}

// begin sends the first request, and the messages that must follow a result of initialize.
func begin(r *probe.Run, c *probe.Conn, name string, frame []byte) probe.Outcome {
	o := r.Ask(c, name, frame)
	if v := versionOf(o); v != "" {
		c.UseRevision(revision.Revision(v))
		_ = c.Notify(r.Context(), "notifications/initialized", "") // the next request shows a failure
	}
	return o
}

// versionOf returns the protocol version that the server has selected.
func versionOf(o probe.Outcome) string { return jsonrpc.Text(o.Result(), "protocolVersion") }

func initBasic(r *probe.Run) {
	c := r.Linted(false)
	o := handshake(r, c)
	if o.Kind != probe.Result {
		if o.IsRefusal() {
			r.Of(o).Named("initialize-fails").Error("The server replied to initialize with %s.", probe.Describe(o))
		}
		return
	}
	if version, ok := jsonrpc.Unquote(o.Member("serverInfo", "version")); ok && version == "" { // L009 is about one that is missing
		r.Of(o).Info("serverInfo.version is empty.")
	}
	if v := versionOf(o); v != "" && !isReleased(v) {
		r.Of(o).Named("unreleased").Error("The server selected protocol version %q, which is not a released version with a handshake.", v)
	}
	if r.IsSlow(probe.SlowStart, min(o.Took, r.StartTime())) { // both by itself, and next to other probes
		r.Of(o).Info("The response to initialize took %s.", shown(o.Took))
	}
	if p := r.Ask(c, r.SignOfLife()+" after the handshake", c.Ping()); p.IsRefusal() {
		r.Of(p).Named("fails-after-handshake").Error("The server replied to %s after the handshake with %s.", r.SignOfLife(), probe.Describe(p))
	}
	if stray := responses(c.Take()); len(stray) > 0 {
		r.Shown(stray[0]).Named("answers-initialized").About(lint.Error, "", "The server responded to notifications/initialized.")
	}
}

// responses returns the responses that match no request.
func responses(frames []probe.Frame) []probe.Frame {
	return slices.DeleteFunc(frames, func(f probe.Frame) bool {
		e := jsonrpc.Scan(f.Bytes) // a response with an id is a late response to a request
		return !e.Kind.IsResponse() || e.IDType != jsonrpc.IDAbsent && e.IDType != jsonrpc.IDNull
	})
}

func initEachVersion(r *probe.Run) {
	var echoed, refused []string
	var all []probe.Outcome
	selected := map[string]string{}
	versions := revision.WithHandshake()
	r.OpenAhead(len(versions))
	for _, v := range versions {
		o := initializeAlone(r, "initialize with "+string(v), string(v))
		got := versionOf(o)
		all = append(all, o)
		switch {
		case o.IsRefusal():
			refused = append(refused, string(v))
		case got == string(v):
			echoed = append(echoed, got)
		case o.Kind == probe.Result && !isReleased(got):
			r.Of(o).Named("unreleased").Error("The server selected protocol version %q for %s; it is not a released version with a handshake.", got, v)
		case o.Kind == probe.Result:
			selected[string(v)] = got
		}
	}
	about := r.Case("initialize with each version", all...)
	if len(refused) == len(versions) {
		about.Error("The server rejects all versions with a handshake.")
	}
	if len(echoed) == 0 {
		return
	}
	best := slices.Max(echoed)
	for _, v := range versions {
		if got, ok := selected[string(v)]; ok && got != best {
			about.Named("other-version").Warn("The server selected %s when %s was requested, although it supports %s.", got, v, best)
		}
	}
}

// initializeAlone sends initialize with a version on a new connection. The other params are the same as on the shared
// connection.
func initializeAlone(r *probe.Run, name, version string) probe.Outcome {
	c := r.Open()
	defer r.Release(c)
	return r.Ask(c, name, c.Request("initialize", r.InitializeParams(version, r.Capabilities())))
}

func initOddVersions(r *probe.Run) {
	r.OpenAhead(oddVersions)
	job{Run: r}.run("P-003")
}

// oddVersions is the number of samples of P-003.
const oddVersions = 5

// isReleased reports a version with a handshake.
func isReleased(version string) bool { return revision.Revision(version).HasHandshake() }

// badParams is the number of samples of P-004.
const badParams = 6

func initBadParams(r *probe.Run) {
	var c *probe.Conn // without a session yet
	ahead := false
	job{Run: r, send: func(s *sample) probe.Outcome {
		if c == nil {
			c = r.Open()
		}
		o := r.Provoke(c, s.name, s.frame(c))
		if o.Kind != probe.Error {
			if !ahead { // the server will probably accept the other params, too
				ahead = true
				r.OpenAhead(badParams - 1)
			}
			r.Release(c)
			c = nil
		}
		return o
	}}.run("P-004")
}

func initTwice(r *probe.Run) {
	if r.IsHTTP() {
		initTwiceHTTP(r)
		return
	}
	c, first := r.Spare(r.Capabilities(), true), string(r.Server.Revision)
	if c == nil || first != r.HandshakeVersion() {
		c = r.Open()
		first = versionOf(handshake(r, c))
	}
	if first == "" {
		return // P-001 reports it
	}
	o := r.Provoke(c, "a second initialize", c.Request("initialize", r.InitializeParams("2025-06-18", "")))
	changed := ""
	if versionOf(o) != first {
		changed = first
	}
	job{Run: r}.judge("P-005", o, "before", first, "changed", changed)
	job{Run: r}.judge("P-005 after", r.Ask(c, r.SignOfLife()+" after a second initialize", c.Ping()))
}

// initTwiceHTTP is like initTwice, but sends raw requests, because the transport would start a new session.
func initTwiceHTTP(r *probe.Run) {
	h := session(r)
	before, changed := h.Get("MCP-Protocol-Version"), ""
	life := func(name string) probe.Outcome {
		return r.HTTP(r.SignOfLife()+name, probe.HTTPRequest{Session: h, Body: r.Maker().Request(r.SignOfLife(), "")})
	}
	if o := life(" before a second initialize"); o.Kind != probe.Result {
		r.Unjudged("%s in the session gets %s before a second initialize, too", r.SignOfLife(), probe.Describe(o))
		return
	}
	p := r.HTTP("a second initialize", probe.HTTPRequest{
		Session: h, Body: []byte(`{"jsonrpc":"2.0","id":2,"method":"initialize","params":` + r.InitializeParams("2025-06-18", "") + `}`),
	})
	if v := versionOf(p); v != "" && v != before && p.Header.Get("Mcp-Session-Id") == h.Get("Mcp-Session-Id") {
		changed = v
	}
	job{Run: r}.judge("P-005", p, "before", before, "changed", changed)
	job{Run: r}.judge("P-005 after", life(" after a second initialize"))
}

func beforeInit(r *probe.Run) {
	r.OpenAhead(2)
	for _, method := range []string{"tools/list", "ping"} {
		c := r.Open()
		o := r.Provoke(c, method+" before initialize", c.Request(method, ""))
		job{Run: r}.judge("P-006 "+method, o)
		job{Run: r}.judge("P-006 after", handshake(r, c), "what", method)
		r.Release(c)
	}
}

func quietBeforeInitialized(r *probe.Run) {
	c := r.Linted(false)
	caps := `{"roots":{"listChanged":true},"sampling":{},"elicitation":{}}`
	if o := r.Ask(c, "initialize with roots, sampling and elicitation", c.Request("initialize", r.InitializeParams(string(revision.NewestHandshake), caps))); o.Kind == probe.Result {
		r.Linger()
	}
}

func initializedLateOrTwice(r *probe.Run) {
	c := r.Spare(r.Capabilities(), false)
	if c == nil {
		c = r.Open()
		v := versionOf(r.Ask(c, "initialize", c.Request("initialize", r.InitializeParams(r.HandshakeVersion(), r.Capabilities()))))
		if v == "" {
			return
		}
		c.UseRevision(revision.Revision(v))
	}
	job{Run: r, conn: c}.run("P-008")
	c.Take()
	for range 3 {
		_ = c.Notify(r.Context(), "notifications/initialized", "")
	}
	r.Ask(c, r.SignOfLife()+" after three notifications/initialized", c.Ping())
	if stray := responses(c.Take()); len(stray) > 0 {
		r.Shown(stray[0]).Named("answers-initialized").About(lint.Error, "", "The server responds to notifications/initialized.")
	}
}

func discoverFirst(r *probe.Run) {
	c := r.Open()
	var o probe.Outcome
	job{Run: r, send: func(s *sample) probe.Outcome {
		o = r.Provoke(c, s.name, s.frame(c))
		return o
	}}.run("P-009")
	if o.Kind == probe.Result || o.Kind == probe.Dead {
		return
	}
	if again := handshake(r, c); r.Server.Era == revision.EraHandshake {
		job{Run: r}.judge("P-009 after", again)
	}
}

// capabilityMethods lists capabilities with a method that reveals them.
var capabilityMethods = []struct{ capability, method, params, member string }{
	{"tools", "tools/list", "", "tools"},
	{"resources", "resources/list", "", "resources"},
	{"prompts", "prompts/list", "", "prompts"},
	{"logging", "logging/setLevel", `{"level":"info"}`, ""},
	{"completions", "completion/complete", `{"ref":{"type":"ref/prompt","name":"mcptea-no-such-prompt"},"argument":{"name":"x","value":""}}`, ""},
	{"resources.subscribe", "resources/subscribe", `{"uri":"mcptea-probe://no-such"}`, ""},
	{"tasks", "tasks/get", `{"taskId":"mcptea-none"}`, ""},
	{revision.EventsCapability, revision.EventsList, "", "events"},
}

// isDefault returns the method if its result is the default of a library for a server without a handler: no
// values for a prompt, or any result for a resource that does not exist. It returns "" for other results.
func isDefault(method string, o probe.Outcome) string {
	switch method {
	case "completion/complete":
		if !hasElements(o.Member("completion", "values")) {
			return method
		}
	case "resources/subscribe":
		return method
	}
	return ""
}

// isAboutName reports whether an error with the code for an unknown method is about the name in the params:
// some servers return this code for unknown prompts and resources, too.
func isAboutName(o probe.Outcome, params string) bool {
	return params != "" && o.IsError(jsonrpc.CodeMethodNotFound) &&
		(strings.Contains(o.Message, "mcptea") || !strings.Contains(strings.ToLower(o.Message), "method"))
}

// completesAny returns the outcome of the completion of a listed argument that has values, or another outcome.
func completesAny(r *probe.Run, c *probe.Conn, other probe.Outcome) probe.Outcome {
	all := completables(r)
	for _, q := range all[:min(len(all), maxCompletions)] {
		o := r.Ask(c, "completion of "+q.name, c.Request("completion/complete", completion(q.ref, q.name, "")))
		if o.Kind == probe.Result && isDefault("completion/complete", o) == "" {
			return o
		}
	}
	return other
}

func capabilityTruth(r *probe.Run) {
	c := r.Shared()
	for _, t := range capabilityMethods {
		m, ok := revision.Lookup(t.method)
		if !ok || !m.In(r.Server.Revision) || t.capability == "completions" && r.Server.Revision == revision.R20241105 {
			continue // 2024-11-05 has no capability for completion
		}
		o := r.Ask(c, t.method, c.Request(t.method, t.params))
		if t.capability == "completions" && (isAboutName(o, t.params) || !r.Server.Has(t.capability) && !o.IsError(jsonrpc.CodeMethodNotFound)) {
			o = completesAny(r, c, o)
		}
		if isAboutName(o, t.params) {
			continue // the server does not know the name, but may have the method
		}
		declared, empty := "", ""
		if r.Server.Has(t.capability) || t.method == revision.EventsList && hasEvents(r) { // the capability, or the extension
			declared = t.capability
		}
		if items, _ := jsonrpc.Member(o.Result(), t.member); t.member != "" && !hasElements(items) {
			empty = t.member
		}
		unproven := ""
		if t.method == "logging/setLevel" { // only log messages show an effect of logging/setLevel, and they have a rule of their own
			unproven = t.method
		}
		job{Run: r}.judge("P-010", o, "unproven", unproven, "what", t.capability, "method", t.method, "declared", declared, "empty", empty, "default", isDefault(t.method, o))
	}
}
