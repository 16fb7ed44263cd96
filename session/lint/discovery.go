package lint

import (
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// discoveryRules judge how the sides find out which era the server is of.
var discoveryRules = []rule{
	{id: "L020", methods: discoverAlone, message: func(c *Context) {
		if c.isDiscovery() && has(c.M.Result, "supportedVersions") {
			c.discoveryLacks()
		}
	}},
	{id: "L021", methods: discoverAlone, message: func(c *Context) {
		supported := Member(c.M.Result, "supportedVersions")
		if !c.isDiscovery() || !isStrings(supported) || c.M.Request == nil {
			return
		}
		got := Text(c.M.Request.Params, "_meta", revision.MetaProtocolVersion)
		listed := 0
		for v := range jsonrpc.Elements(supported) {
			if s, _ := jsonrpc.Unquote(v); s == got {
				return
			}
			listed++
		}
		if got != "" && listed > 0 { // L020 speaks of none
			c.Report(At("result", "supportedVersions"), "got", escaped(got))
		}
	}},
	{id: "L022", methods: discoverAlone, message: func(c *Context) {
		if c.isDiscovery() && !has(c.M.Result, "supportedVersions") {
			c.Report(At("result"))
		}
	}},
	{id: "L023", message: discoverMissing},
	{id: "L025", methods: []string{"initialize"}, message: fallback},
	{id: "L026", methods: discoverAlone, message: lateDiscovery},
	{methods: discoverAlone, after: watchDiscovery},
	{id: "L027", line: refusesSilently},
	{id: "L028", message: stateful},
}

var discoverAlone = []string{"server/discover"}

// discovery is what is remembered of the question which era the server is of.
type discovery struct {
	answer     string // in words; empty while there is none, or it was a good one
	legacyOnly bool   // the server names only revisions with a handshake
	said       *Request
	// missing is where the server said that it has no server/discover.
	missing    bool
	missingRow int32
}

func (c *Context) isDiscovery() bool { return c.M.IsResult() && c.M.Frame.Dir == transport.In }

// discoveryLacks finds what a client needs from the result.
func (c *Context) discoveryLacks() {
	var paths []string
	supported := Member(c.M.Result, "supportedVersions")
	switch {
	case !isStrings(supported):
		paths = append(paths, "supportedVersions as an array of strings")
	case isEmpty(supported):
		paths = append(paths, "versions in supportedVersions")
	}
	at := At("result", "supportedVersions")
	if Kind(Member(c.M.Result, "capabilities")) != "object" {
		if len(paths) == 0 {
			at = At("result", "capabilities")
		}
		paths = append(paths, "capabilities")
	}
	if len(paths) > 0 {
		c.Report(at, "path", strings.Join(paths, " and "))
	}
}

func isEmpty(array []byte) bool {
	for range jsonrpc.Elements(array) {
		return false
	}
	return true
}

// watchDiscovery puts the answer into words.
func watchDiscovery(c *Context) {
	d := Own[discovery](c.St)
	switch {
	case c.M.IsRequest() && c.M.Frame.Dir == transport.Out:
		*d = discovery{said: d.said}
	case c.M.IsError():
		d.answer = fmt.Sprintf("error %d", c.M.Envelope.Code)
		if c.M.Envelope.Flaws&jsonrpc.FlawErrorShape != 0 {
			d.answer = "an error without code"
		}
	case c.M.IsResult():
		d.answer, d.legacyOnly = "", true
		for v := range jsonrpc.Elements(Member(c.M.Result, "supportedVersions")) {
			if s, _ := jsonrpc.Unquote(v); !revision.Revision(s).HasHandshake() {
				d.legacyOnly = false
			}
		}
		switch {
		case !has(c.M.Result, "supportedVersions"):
			d.answer = "a result without supportedVersions"
		case d.legacyOnly:
			d.answer = "a list of revisions with a handshake"
		}
	}
}

// discoverMissing knows a server without handshake by what it has answered. The
// first such sign may come after the refusal.
func discoverMissing(c *Context) {
	if !c.M.IsAnswer() || c.M.Frame.Dir != transport.In || !c.M.Modern() {
		return
	}
	d := Own[discovery](c.St)
	switch {
	case c.M.Method != "server/discover":
		if d.missing && c.M.IsResult() && provesStateless(c.M.Result) {
			d.missing = false
			c.ReportIn(d.missingRow, At("error"))
		}
	case !c.M.IsError() || c.M.Envelope.Code != jsonrpc.CodeMethodNotFound:
	case c.St.Revision.IsStateless():
		c.Report(At("error"))
	default:
		d.missing, d.missingRow = true, c.M.Frame.Row
	}
}

// fallback says once for each question what became of it.
func fallback(c *Context) {
	q := c.St.Discover
	d := Own[discovery](c.St)
	if !c.M.IsRequest() || c.M.Frame.Dir != transport.Out || q == nil || d.said == q {
		return
	}
	got := d.answer
	if !q.Answered {
		got = "silence"
		if x := c.St.newestOf(q.Exchange); x != nil && x.Status >= 300 {
			got = fmt.Sprintf("HTTP %d", x.Status)
		}
	}
	if got != "" {
		d.said = q
		c.Report(At("method"), "got", got)
	}
}

// lateDiscovery is about answers that change the verdict: another one only says
// again what silence had said.
func lateDiscovery(c *Context) {
	r, first := c.M.Request, c.St.Initialize
	if !c.M.IsAnswer() || r == nil || r.Answered || first == nil || first.Row <= r.Row {
		return
	}
	modern := c.M.IsError() && c.M.Envelope.Code == revision.CodeUnsupportedVersion
	for v := range jsonrpc.Elements(Member(c.M.Result, "supportedVersions")) {
		s, _ := jsonrpc.Unquote(v)
		modern = modern || revision.Revision(s).IsStateless()
	}
	if modern {
		c.Report(Whole, "seconds", seconds(c.St.Now.Sub(r.Time)), "era", revision.EraStateless)
	}
}

// refusesSilently looks at the line: the answer to a handshake belongs to the
// revision that was offered, which does not have this rule. A server without
// handshake is known by its code or by what it answered before.
func refusesSilently(c *Context) {
	e := c.F.Envelope
	first := c.St.Initialize
	if e.Kind != jsonrpc.ErrorResponse || c.F.Dir != transport.In || first == nil || first.Answered || string(e.ID.Of(c.F.Bytes)) != first.ID {
		return
	}
	isModern := c.St.Revision.IsStateless() || e.Code == jsonrpc.CodeMethodNotFound || e.Code == revision.CodeUnsupportedVersion
	if isModern && !namesRevision(e.Error.Of(c.F.Bytes)) {
		c.Report(At("error", "message"))
	}
}

// expectations are what errors say that want other requests first.
var expectations = []string{
	"not initialized", "not initialised", "uninitialized", "not been initialized", "before initialization",
	"initialize first", "must initialize", "must be initialized",
}

// stateful believes only servers that have answered without handshake before:
// others say so rightly.
func stateful(c *Context) {
	if !c.M.IsError() || c.M.Frame.Dir != transport.In || !c.M.Modern() || !c.St.Revision.IsStateless() || c.M.Method == "initialize" {
		return
	}
	message := Text(c.M.Error, "message")
	text := strings.ToLower(message)
	wants := false
	for _, e := range expectations {
		wants = wants || strings.Contains(text, e)
	}
	if i := strings.Index(text, "call "); i >= 0 {
		wants = wants || strings.HasSuffix(strings.TrimRight(text[i:], ".! "), " first")
	}
	if wants {
		c.Report(At("error", "message"), "text", quoted(message))
	}
}
