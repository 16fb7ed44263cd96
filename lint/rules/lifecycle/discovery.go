package lifecycle

import (
	"fmt"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/record/flow"
)

// discoveryRules check how the client detects the era of the server.
var discoveryRules = []lint.Rule{
	{ID: "L020", Methods: discoverMethods, Message: func(c *lint.Context) {
		if isDiscovery(c) && c.M.Has(c.M.Result, "supportedVersions") {
			missingDiscoverMembers(c)
		}
	}},
	{ID: "L021", Methods: discoverMethods, Message: func(c *lint.Context) {
		supported := c.M.Get(c.M.Result, "supportedVersions")
		if !isDiscovery(c) || !lint.IsStringArray(supported) || c.M.Request == nil {
			return
		}
		got, listed := jsonrpc.Text(c.M.Request.Params, "_meta", revision.MetaProtocolVersion), jsonrpc.Strings(supported)
		if got != "" && len(listed) > 0 && !slices.Contains(listed, got) { // an empty list is L020
			c.Report(lint.At("result", "supportedVersions"), "got", lint.Escaped(got))
		}
	}},
	{ID: "L022", Methods: discoverMethods, Message: func(c *lint.Context) {
		if isDiscovery(c) && !c.M.Has(c.M.Result, "supportedVersions") {
			c.Report(lint.At("result"))
		}
	}},
	{ID: "L023", When: lint.Response | lint.FromServer | lint.Stateless, Message: discoverMissing},
	{ID: "L025", Methods: []string{"initialize"}, Message: reportFallback},
	{ID: "L026", Methods: discoverMethods, Message: lateDiscoverResponse},
	{Methods: discoverMethods, After: watchDiscovery},
	{ID: "L027", Line: rejectsWithoutVersions},
	{ID: "L028", When: lint.ErrorResponse | lint.FromServer | lint.Stateless, Message: requiresInitialize},
}

var discoverMethods = []string{"server/discover"}

// discovery is the outcome of server/discover.
type discovery struct {
	outcome       string // outcome for the message of L025; "" while pending, and if stateless requests work
	handshakeOnly bool   // the server names only revisions with a handshake
	reported      *flow.Flow
	// missing reports that server/discover got the error -32601, in the row missingRow.
	missing    bool
	missingRow int32
}

func supportedVersions(c *lint.Context) []string {
	return jsonrpc.Strings(c.M.Get(c.M.Result, "supportedVersions"))
}

func isDiscovery(c *lint.Context) bool { return c.M.IsResult() && c.M.Frame.Dir == transport.In }

// missingDiscoverMembers finds the members that a client needs.
func missingDiscoverMembers(c *lint.Context) {
	var paths []string
	supported := c.M.Get(c.M.Result, "supportedVersions")
	switch {
	case !lint.IsStringArray(supported):
		paths = append(paths, "supportedVersions as an array of strings")
	case lint.First(supported) == nil:
		paths = append(paths, "versions in supportedVersions")
	}
	at := lint.At("result", "supportedVersions")
	if jsonrpc.TypeOf(c.M.Get(c.M.Result, "capabilities")) != "object" {
		if len(paths) == 0 {
			at = lint.At("result", "capabilities")
		}
		paths = append(paths, "capabilities")
	}
	if len(paths) > 0 {
		c.Report(at, "path", strings.Join(paths, " and "))
	}
}

// watchDiscovery records the outcome.
func watchDiscovery(c *lint.Context) {
	d := lint.Own[discovery](c.St)
	switch {
	case c.M.IsRequest() && c.M.Frame.Dir == transport.Out:
		*d = discovery{reported: d.reported}
	case c.M.IsError():
		d.outcome = "an error without a valid code"
		if code, ok := lint.ErrorCode(c.M); ok {
			d.outcome = fmt.Sprintf("error %d", code)
		}
	case c.M.IsResult():
		others := func(version string) bool { return !revision.Revision(version).HasHandshake() }
		d.outcome, d.handshakeOnly = "", !slices.ContainsFunc(supportedVersions(c), others)
		switch {
		case !c.M.Has(c.M.Result, "supportedVersions"):
			d.outcome = "a result without supportedVersions"
		case d.handshakeOnly:
			d.outcome = "a list of versions with a handshake"
		}
	}
}

// discoverMissing recognizes a stateless server by its results. The first result may arrive after the error.
func discoverMissing(c *lint.Context) {
	d := lint.Own[discovery](c.St)
	switch {
	case c.M.Method != "server/discover":
		if d.missing && c.M.IsResult() && lint.IsStatelessResult(c.M.Result) {
			d.missing = false
			c.ReportIn(d.missingRow, lint.At("error"))
		}
	case !c.M.IsError() || !c.M.Envelope.ErrorCode().Is(jsonrpc.CodeMethodNotFound):
	case c.St.Revision.IsStateless():
		c.Report(lint.At("error"))
	default:
		d.missing, d.missingRow = true, c.M.Frame.Row
	}
}

// reportFallback reports the outcome once for each server/discover request.
func reportFallback(c *lint.Context) {
	q := c.St.Discover
	d := lint.Own[discovery](c.St)
	if !c.M.IsRequest() || c.M.Frame.Dir != transport.Out || q == nil || d.reported == q {
		return
	}
	got := d.outcome
	if !q.HasResponse() {
		got = "silence"
		if x := c.St.NewestRepeat(q.Exchange); x != nil && x.Status >= 300 {
			got = fmt.Sprintf("HTTP %d", x.Status)
		}
	}
	if got != "" {
		d.reported = q
		c.Report(lint.At("method"), "got", got)
	}
}

// lateDiscoverResponse reports only responses of the stateless era. Other responses confirm the fallback.
func lateDiscoverResponse(c *lint.Context) {
	r, first := c.M.Request, c.St.Initialize
	if !c.M.IsResponse() || r == nil || r.HasResponse() || first == nil || first.Row() <= r.Row() {
		return
	}
	stateless := c.M.IsError() && c.M.Envelope.ErrorCode().Is(revision.CodeUnsupportedVersion)
	for _, version := range supportedVersions(c) {
		stateless = stateless || revision.Revision(version).IsStateless()
	}
	if stateless {
		c.Report(lint.Whole, "seconds", lint.Seconds(c.St.Now.Sub(r.Start)))
	}
}

// rejectsWithoutVersions checks the line: the message belongs to the requested protocol version,
// and this rule does not apply to that version. A stateless server is recognized by the code or by
// earlier results.
func rejectsWithoutVersions(c *lint.Context) {
	e := c.F.Envelope
	first := c.St.Initialize
	if e.Kind != jsonrpc.ErrorResponse || c.F.Dir != transport.In || first == nil || first.HasResponse() || !e.ID.Of(c.F.Bytes).Is(first.ID) {
		return
	}
	isModern := c.St.Revision.IsStateless() || e.ErrorCode().Is(jsonrpc.CodeMethodNotFound, revision.CodeUnsupportedVersion)
	if isModern && !namesRevision(e.Error.Of(c.F.Bytes)) {
		c.Report(lint.At("error", "message"))
	}
}

// initializePhrases lists texts of errors that require initialize.
var initializePhrases = []string{
	"not initialized", "not initialised", "uninitialized", "not been initialized", "before initialization",
	"initialize first", "must initialize", "must be initialized",
}

// requiresInitialize checks only servers that have returned results without
// initialize.
func requiresInitialize(c *lint.Context) {
	if !c.St.Revision.IsStateless() || c.M.Method == "initialize" {
		return
	}
	message := c.M.Text(c.M.Error, "message")
	text := strings.ToLower(message)
	wants := false
	for _, e := range initializePhrases {
		wants = wants || strings.Contains(text, e)
	}
	if i := strings.Index(text, "call "); i >= 0 {
		wants = wants || strings.HasSuffix(strings.TrimRight(text[i:], ".! "), " first")
	}
	if wants {
		c.Report(lint.At("error", "message"), "text", lint.Quoted(message))
	}
}
