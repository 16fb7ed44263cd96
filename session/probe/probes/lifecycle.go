package probes

import (
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/lint"
	"mcptea/session/probe"
)

// initialize returns the params of initialize.
func initialize(version, capabilities string) string {
	return `{"protocolVersion":` + probe.JSON(version) + `,"capabilities":` + capabilities +
		`,"clientInfo":{"name":"mcptea","version":"1"}}`
}

// handshake does the handshake on a connection that was opened by hand, and returns
// the response to initialize.
func handshake(r *probe.Run, c *probe.Conn, version string) probe.Outcome {
	o := r.Ask(c, "initialize with "+version, handshakeRequest(c, "initialize", initialize(version, "{}")))
	if selected := versionOf(o); selected != "" {
		c.UseRevision(revision.Revision(selected))
		_ = c.Notify(r.Context(), "notifications/initialized", "") // the next request shows a failure
	}
	return o
}

// handshakeRequest is a request without the _meta of stateless revisions.
func handshakeRequest(c *probe.Conn, method, params string) []byte {
	return jsonrpc.AppendRequest(nil, c.ID(), method, []byte(params))
}

// versionOf is the protocol version that the server has selected.
func versionOf(o probe.Outcome) string { return jsonrpc.Text(o.Result(), "protocolVersion") }

func initBasic(r *probe.Run) {
	c := r.Open()
	o := handshake(r, c, string(revision.NewestHandshake))
	if o.Kind != probe.Result {
		if o.IsRefusal() {
			r.Error("The server replied to initialize with %s.", probe.Describe(o))
		}
		return
	}
	for _, member := range []string{"protocolVersion", "capabilities", "serverInfo"} {
		if o.Member(member) == nil {
			r.Error("The result of initialize has no %q.", member)
		}
	}
	if info := o.Member("serverInfo"); info != nil && jsonrpc.Text(info, "version") == "" {
		what := "missing"
		if _, ok := jsonrpc.Member(info, "version"); ok {
			what = "empty"
		}
		r.Info("serverInfo.version is %s.", what)
	}
	if v := versionOf(o); v != "" && !isReleased(v) {
		r.Error("The server selected protocol version %q, which is no released version with a handshake.", v)
	}
	if o.Took > 5*time.Second {
		r.Warn("The response to initialize took %s.", o.Took.Round(100*time.Millisecond))
	}
	if p := r.Ask(c, "ping after the handshake", handshakeRequest(c, "ping", "")); p.IsRefusal() {
		r.Error("The server replied to ping after the handshake with %s.", probe.Describe(p))
	}
	if stray := responses(c.Take()); len(stray) > 0 {
		r.With(lint.Error, stray[:1], "The server responded to notifications/initialized.")
	}
}

// responses are the responses among messages that match no request.
func responses(frames []probe.Frame) []probe.Frame {
	return slices.DeleteFunc(frames, func(f probe.Frame) bool {
		e := jsonrpc.Scan(f.Bytes) // one with an id is a late response to a request
		return !e.Kind.IsResponse() || e.IDType != jsonrpc.IDAbsent && e.IDType != jsonrpc.IDNull
	})
}

func initEachVersion(r *probe.Run) {
	var echoed, refused []string
	selected := map[string]string{}
	versions := revision.WithHandshake()
	for _, v := range versions {
		o := askAlone(r, sample{name: "initialize with " + string(v), what: string(v)})
		got := versionOf(o)
		switch {
		case o.IsRefusal():
			refused = append(refused, string(v))
		case got == string(v):
			echoed = append(echoed, got)
		case o.Kind == probe.Result && !isReleased(got):
			r.Error("The server selected protocol version %q for %s; it is no released version with a handshake.", got, v)
		case o.Kind == probe.Result:
			selected[string(v)] = got
		}
	}
	r.Case("initialize with each version")
	if len(refused) == len(versions) {
		r.Error("The server rejects all versions with a handshake.")
	}
	if len(echoed) == 0 {
		return
	}
	newest := slices.Max(echoed)
	for _, v := range versions {
		if got, ok := selected[string(v)]; ok && got != newest {
			r.Warn("The server selected %s when %s was requested, although it supports %s.", got, v, newest)
		}
	}
}

var initOddVersion = table{askAlone, []sample{
	{name: `initialize with the version "1999-01-01"`, what: "1999-01-01"},
	{name: `initialize with the version "2099-12-31"`, what: "2099-12-31"},
	{name: `initialize with the version "2026-07-28"`, what: "2026-07-28"},
	{name: `initialize with the version ""`},
	{name: `initialize with the version "latest"`, what: "latest"},
}, []verdict{
	{selectsIt, lint.Error, "The server selected {version}, which is no released version with a handshake."},
	{hasUnknownVersion, lint.Error, "The server selected protocol version {version}, which is not a released version."},
	{and(is(probe.Error), not(namesVersions)), lint.Warn, "The error response to an unsupported version names no supported version."},
}}

// askAlone requests a version on a connection of its own.
func askAlone(r *probe.Run, s sample) probe.Outcome {
	c := r.Open()
	defer r.Release(c)
	return r.Ask(c, s.name, handshakeRequest(c, "initialize", initialize(s.what, "{}")))
}

// selectsIt is a result with the version of the sample.
func selectsIt(_ *probe.Run, s sample, o probe.Outcome) bool {
	return o.Kind == probe.Result && versionOf(o) == s.what
}

// isReleased reports a version with a handshake.
func isReleased(version string) bool { return revision.Revision(version).HasHandshake() }

// namesVersions reports an error that lists a supported version.
func namesVersions(_ *probe.Run, _ sample, o probe.Outcome) bool {
	return slices.ContainsFunc(revision.All(), func(v revision.Revision) bool { return strings.Contains(string(o.Frame), string(v)) })
}

func initBadParams(r *probe.Run) {
	info := `"clientInfo":{"name":"mcptea","version":"1"}`
	var c *probe.Conn // without a session yet
	try(r, func(r *probe.Run, s sample) probe.Outcome {
		if c == nil {
			c = r.Open()
		}
		o := r.Provoke(c, s.name, handshakeRequest(c, "initialize", s.params))
		if o.Kind != probe.Error {
			r.Release(c)
			c = nil
		}
		return o
	}, []sample{
		{name: "initialize without params"},
		{name: "initialize with empty params", params: "{}"},
		{name: "initialize with a number as version", params: `{"protocolVersion":20251125,"capabilities":{},` + info + `}`},
		{name: "initialize without capabilities", params: `{"protocolVersion":"2025-11-25",` + info + `}`},
		{name: "initialize without clientInfo", params: `{"protocolVersion":"2025-11-25","capabilities":{}}`},
		{name: "initialize with an array as capabilities", params: `{"protocolVersion":"2025-11-25","capabilities":[],` + info + `}`},
	},
		verdict{hasUnknownVersion, lint.Warn, "The server accepts {case}, and its result has no usable protocolVersion."},
		verdict{isResult, lint.Info, "The server accepts {case}."},
		verdict{errorBut(jsonrpc.CodeInvalidParams), lint.Info, "The server replied to {case} with error {code}; -32602 is expected."},
	)
}

func initTwice(r *probe.Run) {
	if r.IsHTTP() {
		initTwiceHTTP(r)
		return
	}
	c := r.Open()
	first := versionOf(handshake(r, c, string(revision.NewestHandshake)))
	if first == "" {
		return // P-001 reports it
	}
	o := r.Provoke(c, "a second initialize", handshakeRequest(c, "initialize", initialize("2025-06-18", "{}")))
	if v := versionOf(o); o.Kind == probe.Result {
		if v != first {
			r.Warn("A second initialize changes the version of the running session from %s to %s.", first, v)
		} else {
			r.Info("The server accepts a second initialize.")
		}
	}
	if p := r.Ask(c, "ping after a second initialize", handshakeRequest(c, "ping", "")); p.IsRefusal() {
		r.Error("The session is unusable after a second initialize: ping returns %s.", probe.Describe(p))
	}
}

// initTwiceHTTP is initTwice with raw requests: the transport would begin a new
// session.
func initTwiceHTTP(r *probe.Run) {
	session := r.Session()
	if r.SkipIf(session.Get("Mcp-Session-Id") == "", "no session id") {
		return
	}
	before := session.Get("MCP-Protocol-Version")
	p := r.HTTP("a second initialize", probe.HTTPRequest{
		Session: session, Body: []byte(`{"jsonrpc":"2.0","id":2,"method":"initialize","params":` + initialize("2025-06-18", "{}") + `}`),
	})
	if v := versionOf(p); v != "" && v != before && p.Header.Get("Mcp-Session-Id") == session.Get("Mcp-Session-Id") {
		r.Warn("A second initialize changes the version of the running session from %s to %s.", before, v)
	}
	q := r.HTTP("ping after a second initialize", probe.HTTPRequest{Session: session, Body: []byte(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)})
	if q.Kind != probe.Result {
		r.Error("The session is unusable after a second initialize: ping returns HTTP status %d.", q.Status)
	}
}

func beforeInit(r *probe.Run) {
	for _, method := range []string{"tools/list", "ping"} {
		c := r.Open()
		o := r.Provoke(c, method+" before initialize", handshakeRequest(c, method, ""))
		switch {
		case method == "ping" && o.Kind != probe.Result && !r.IsHTTP():
			r.Warn("The server does not answer ping before initialize: %s.", probe.Describe(o))
		case method == "tools/list" && o.Kind == probe.Result:
			r.Info("The server answers tools/list before initialize.")
		}
		if again := handshake(r, c, string(revision.NewestHandshake)); again.Kind != probe.Result && again.Kind != probe.Dead {
			r.Error("After %s, initialize fails: %s.", method, probe.Describe(again))
		}
		r.Release(c)
	}
}

func quietBeforeInitialized(r *probe.Run) {
	c := r.Open()
	caps := `{"roots":{"listChanged":true},"sampling":{},"elicitation":{}}`
	o := r.Ask(c, "initialize with roots, sampling and elicitation", handshakeRequest(c, "initialize", initialize(string(revision.NewestHandshake), caps)))
	if o.Kind != probe.Result {
		return
	}
	r.Sleep(500 * time.Millisecond)
	for _, f := range c.Take() {
		e := jsonrpc.Scan(f.Bytes)
		method := e.MethodName(f.Bytes)
		switch {
		case e.Kind == jsonrpc.Request && method != "ping":
			r.With(lint.Warn, []probe.Frame{f}, "The server sent the request %s before notifications/initialized.", method)
		case e.Kind == jsonrpc.Notification && method != "notifications/message":
			r.With(lint.Info, []probe.Frame{f}, "The server sent %s before notifications/initialized.", method)
		}
	}
}

func initializedLateOrTwice(r *probe.Run) {
	c := r.Open()
	o := r.Ask(c, "initialize", handshakeRequest(c, "initialize", initialize(string(revision.NewestHandshake), "{}")))
	v := versionOf(o)
	if v == "" {
		return
	}
	c.UseRevision(revision.Revision(v))
	if kind, ok := r.Server.FirstList(); ok {
		if l := r.Provoke(c, kind.Method+" before notifications/initialized", handshakeRequest(c, kind.Method, "")); l.Kind == probe.Silent {
			r.Warn("The server does not respond to %s before notifications/initialized.", kind.Method)
		}
	}
	c.Take()
	for range 3 {
		_ = c.Notify(r.Context(), "notifications/initialized", "")
	}
	r.Ask(c, "ping after three notifications/initialized", handshakeRequest(c, "ping", ""))
	if stray := responses(c.Take()); len(stray) > 0 {
		r.With(lint.Error, stray[:1], "The server responds to notifications/initialized.")
	}
}

func discoverFirst(r *probe.Run) {
	c := r.Open()
	meta := `{"_meta":{"` + revision.MetaProtocolVersion + `":"2026-07-28","` + revision.MetaClientInfo + `":{"name":"mcptea","version":"1"},"` + revision.MetaClientCapabilities + `":{}}}`
	o := r.Provoke(c, "server/discover as the first message", handshakeRequest(c, "server/discover", meta))
	judge(r, sample{}, o,
		verdict{is(probe.Dead), lint.Error, "The server ends when server/discover is the first message, so a client that supports 2026-07-28 has to start it twice."},
		verdict{isSilent, lint.Warn, "The server does not respond to server/discover as the first message: clients that support 2026-07-28 wait for their timeout."})
	if o.Kind == probe.Result || o.Kind == probe.Dead {
		return
	}
	if again := handshake(r, c, string(revision.NewestHandshake)); again.Kind != probe.Result && r.Server.Era == revision.EraHandshake {
		r.Error("After server/discover, initialize fails: %s.", probe.Describe(again))
	}
}

// capabilityMethods are the capabilities with a method that shows them.
var capabilityMethods = []struct{ capability, method, params, member string }{
	{"tools", "tools/list", "", "tools"},
	{"resources", "resources/list", "", "resources"},
	{"prompts", "prompts/list", "", "prompts"},
	{"logging", "logging/setLevel", `{"level":"info"}`, ""},
	{"completions", "completion/complete", `{"ref":{"type":"ref/prompt","name":"mcptea-no-such-prompt"},"argument":{"name":"x","value":""}}`, ""},
	{"resources.subscribe", "resources/subscribe", `{"uri":"mcptea-probe://no-such"}`, ""},
	{"tasks", "tasks/get", `{"taskId":"mcptea-none"}`, ""},
}

func capabilityTruth(r *probe.Run) {
	c := r.Shared()
	for _, t := range capabilityMethods {
		m, ok := revision.Lookup(t.method)
		if !ok || !m.In(r.Server.Revision) || t.capability == "completions" && r.Server.Revision == revision.R20241105 {
			continue // 2024-11-05 has no capability for completion
		}
		o := r.Ask(c, t.method, c.Request(t.method, t.params))
		declared := r.Server.Has(t.capability)
		items, _ := jsonrpc.Member(o.Result(), t.member)
		switch {
		case declared && o.IsError(jsonrpc.CodeMethodNotFound):
			r.Error("The server declares the capability %s, and %s returns error -32601 (method not found).", t.capability, t.method)
		case !declared && o.Kind == probe.Result && t.member != "" && len(strings.Trim(string(items), "[] \n\t")) == 0:
			r.Info("%s returns an empty list, although the capability %s is not declared.", t.method, t.capability)
		case !declared && o.Kind == probe.Result:
			r.Warn("%s works, although the capability %s is not declared: clients will not use it.", t.method, t.capability)
		case !declared && o.Kind == probe.Error && !o.IsError(jsonrpc.CodeMethodNotFound):
			r.Info("%s returns error %s, although the capability %s is not declared; -32601 is expected.", t.method, o.ShownCode(), t.capability)
		}
	}
}
