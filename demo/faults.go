package demo

import (
	"net/http"

	"mcptea/demo/peer"
)

// Fault is one thing that the server can get wrong on purpose.
type Fault struct {
	// Name is that of the command line, in kebab-case.
	Name string
	// Summary says in a few words what the client will see.
	Summary string
}

// Faults lists them all, in the order of a menu: starting, the handshake,
// framing, answers, unasked messages, lists, the end, HTTP.
func Faults() []Fault {
	all := make([]Fault, len(faults))
	for i, f := range faults {
		all[i] = f.Fault
	}
	return all
}

// FaultNamed looks a fault up.
func FaultNamed(name string) (Fault, bool) {
	f, ok := findFault(name)
	return f.Fault, ok
}

// fault says at which places of a run something is different.
type fault struct {
	Fault
	// start happens before the first frame is read (stdio).
	start func(*run)
	// line makes what appends a frame to what goes out (stdio).
	line func() func(dst, frame []byte) []byte
	// era is which revisions are served. A fault of the handshake shows in
	// those only that have one.
	era peer.Era
	// tables changes what is on show.
	tables func(*peer.Server)
	// bend changes how sessions behave.
	bend func(*run) peer.Bend
	// end happens when standard input has ended (stdio).
	end func(*run)
	// http stands before the handler.
	http func(*run, http.Handler) http.Handler
}

func findFault(name string) (fault, bool) {
	for _, f := range faults {
		if f.Name == name {
			return f, true
		}
	}
	return fault{}, false
}

var faults = []fault{
	{Fault: Fault{"exit-at-once", "writes a line to stderr and exits with code 3"}, start: exitAtOnce},
	{Fault: Fault{"slow-start", "reads nothing for five seconds"}, start: startSlowly},
	{Fault: Fault{"stderr-flood", "writes 10 000 lines to stderr before it reads anything"}, start: floodStderr},

	{Fault: Fault{"no-answer", "never answers initialize"}, era: peer.LegacyOnly, bend: ignoring("initialize")},
	{Fault: Fault{"init-error", "refuses initialize with an error"}, era: peer.LegacyOnly, bend: refuseInitialize},
	{Fault: Fault{"wrong-version", "answers initialize with revision 1999-01-01"}, era: peer.LegacyOnly, bend: claiming("1999-01-01")},
	{Fault: Fault{"newer-version", "answers initialize with revision 2099-12-31"}, era: peer.LegacyOnly, bend: claiming("2099-12-31")},
	{Fault: Fault{"initialize-picks-unknown", "answers initialize with a revision that is no date"}, era: peer.LegacyOnly, bend: claiming("DRAFT-2026-v1")},
	{Fault: Fault{"legacy-only", "serves revisions with a handshake only"}, era: peer.LegacyOnly},
	{Fault: Fault{"modern-only", "serves revisions without a handshake only, and refuses initialize"}, era: peer.ModernOnly},
	{Fault: Fault{"dies-unless-initialize", "exits with code 1 when the first frame is not initialize"}, era: peer.LegacyOnly, bend: dieUnlessInitialize},
	{Fault: Fault{"refuses-modern-calls", "answers server/discover with 2026-07-28, and then refuses what is of that revision"}, bend: refuseModernCalls},
	{Fault: Fault{"discover-echo", "answers server/discover with an empty object"}, bend: emptyDiscovery},
	{Fault: Fault{"discover-silent", "never answers server/discover"}, bend: ignoring("server/discover")},

	{Fault: Fault{"banner", "prints lines of text among the frames"}, start: printBanner, line: chatting},
	{Fault: Fault{"crlf", "ends each line with CR LF"}, line: crlfLines},
	{Fault: Fault{"blank-lines", "puts blank lines around each frame"}, line: blankLines},
	{Fault: Fault{"bom", "starts its output with a byte order mark"}, start: printBOM},
	{Fault: Fault{"pretty", "spreads each frame over several lines"}, line: prettyLines},
	{Fault: Fault{"content-length", "frames like a language server"}, line: lengthHeaders},
	{Fault: Fault{"huge-line", "sends one line of 50 MB after the handshake"}, era: peer.LegacyOnly, bend: sendHugeLine},
	{Fault: Fault{"batch", "answers tool calls with an array of frames"}, bend: onCalls(frameFault("batch"))},

	{Fault: Fault{"bad-json", "answers tool calls with a trailing comma"}, bend: onCalls(frameFault("bad-json"))},
	{Fault: Fault{"not-utf8", "answers tool calls with a byte that is not UTF-8"}, bend: onCalls(frameFault("not-utf8"))},
	{Fault: Fault{"no-version", "leaves jsonrpc out of its answers"}, bend: onAll(frameFault("no-version"))},
	{Fault: Fault{"wrong-id", "answers tool calls under another id"}, bend: onCalls(frameFault("wrong-id"))},
	{Fault: Fault{"string-id", "answers tool calls with the id as a string"}, bend: onCalls(frameFault("string-id"))},
	{Fault: Fault{"result-and-error", "answers tool calls with a result and an error at once"}, bend: onCalls(frameFault("result-and-error"))},
	{Fault: Fault{"duplicate-answer", "answers tool calls twice"}, bend: onCalls(frameFault("duplicate-answer"))},
	{Fault: Fault{"late-answer", "answers tool calls that were cancelled, half a second later"}, bend: answerLate},
	{Fault: Fault{"no-answer-call", "never answers tool calls"}, bend: ignoring("tools/call")},

	{Fault: Fault{"unknown-notification", "sends notifications that no revision knows"}, era: peer.LegacyOnly, bend: sendUnknownNotification},
	{Fault: Fault{"server-request", "sends an unknown request, and two under one id"}, era: peer.LegacyOnly, bend: sendOddRequests},
	{Fault: Fault{"answer-to-notification", "answers notifications"}, era: peer.LegacyOnly, bend: answerNotifications},
	{Fault: Fault{"progress-backwards", "reports progress that goes back, and for an unknown token"}, era: peer.LegacyOnly, bend: goBackwards},

	{Fault: Fault{"cursor-loop", "has lists that never end"}, bend: loopCursors},
	{Fault: Fault{"bad-schema", "lists tools with broken schemas"}, tables: addBrokenTools},
	{Fault: Fault{"bad-header-schema", "lists tools with x-mcp-header annotations that are not allowed"}, tables: addBadHeaderTools},

	{Fault: Fault{"exit-on-call", "dies in the middle of a tool call"}, bend: exitOnCall},
	{Fault: Fault{"last-line-cut", "cuts the answer to a tool call short and exits"}, bend: cutLastLine},
	{Fault: Fault{"close-stdout", "closes stdout at the first tool call, and lives on"}, bend: closeStdout},
	{Fault: Fault{"ignore-stdin-close", "survives the end of stdin and SIGTERM"}, start: ignoreSignals, end: outlive},

	{Fault: Fault{"header-mismatch", "refuses tool calls of 2026-07-28 as if a proxy had changed the headers"}, bend: refuseHeaders},
	{Fault: Fault{"http-401", "answers 401 with a WWW-Authenticate header"}, http: answering(http.StatusUnauthorized, "text/plain", "token required\n", "WWW-Authenticate", `Bearer realm="mcptea demo", error="invalid_token"`)},
	{Fault: Fault{"http-404", "answers 404 to everything"}, http: answering(http.StatusNotFound, "text/plain", "404 page not found\n")},
	{Fault: Fault{"http-500-html", "returns status 500 with an HTML page"}, http: answering(http.StatusInternalServerError, "text/html", errorPage)},
	{Fault: Fault{"http-html", "returns status 200 with an HTML page"}, http: answering(http.StatusOK, "text/html; charset=utf-8", welcomePage)},
	{Fault: Fault{"http-wrong-type", "answers with the content type text/plain"}, http: mislabel},
	{Fault: Fault{"http-hang", "takes requests and never answers"}, http: hang},
	{Fault: Fault{"http-drop", "breaks the stream of a tool call before the answer"}, http: dropCalls},
	{Fault: Fault{"http-session-expired", "forgets the session after its third request"}, era: peer.LegacyOnly, http: expireSessions},
	{Fault: Fault{"http-gateway", "passes requests through to a server of 2025-11-25, also those without a session"}, era: peer.LegacyOnly, http: passThrough},
}
