package demo

import (
	"bytes"
	_ "embed" // the faults
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/jsonrpc/framefault"
	"mcptea/client/revision"
	"mcptea/demo/primitives"
	tables "mcptea/internal/catalog"
	"mcptea/internal/server/peer"
)

// Fault is one thing that the server can get wrong on purpose.
type Fault struct {
	// Name is the name on the command line, in kebab-case.
	Name string
	// Summary describes in a few words what the client will see.
	Summary string
}

// A fault defines what a [Fault] changes in a run.
type fault struct {
	Fault
	// Era selects the supported versions: those with a handshake, or "stateless" ones; "" for both. A fault of
	// the handshake shows only in versions that have one.
	Era string
	// Silent is the method that gets no response.
	Silent string
	// Version is the revision in the response to initialize.
	Version string
	// Change is the change of package framefault to a response; Error and Result replace the response. They
	// apply to responses to the method Of, or to all; with Alone only to stateless requests.
	Of     string
	Alone  bool
	Change string
	Error  *peer.Error
	Result json.RawMessage
	// Sends goes out once the client is initialized.
	Sends []json.RawMessage
	// Bend changes other things in sessions.
	Bend peer.Bend
	// Lines is the change of package framefault to each frame (stdio).
	Lines string
	// HTTP is the response to each request over HTTP.
	HTTP *page

	code
}

// code holds the functions of a fault.
type code struct {
	// start happens before the first frame is read (stdio).
	start func(*run)
	// line returns a function that appends a frame to the output (stdio).
	line func() func(dst, frame []byte) []byte
	// bend changes how sessions behave.
	bend func(*run) peer.Bend
	// end happens when standard input has ended (stdio).
	end func(*run)
	// http wraps the handler.
	http func(*run, http.Handler) http.Handler
}

// codes are the functions of faults, by their names.
var codes = map[string]code{
	"exit-at-once":           {start: exitAtOnce},
	"slow-start":             {start: startSlowly},
	"stderr-flood":           {start: floodStderr},
	"dies-unless-initialize": {bend: dieUnlessInitialize},
	"refuses-modern-calls":   {bend: refuseModernCalls},
	"banner":                 {start: printing("Demo server listening on stdio ...\nReady: 28 tools\n"), line: chatting},
	"crlf":                   {line: crlfLines},
	"bom":                    {start: printing("\xef\xbb\xbf")},
	"content-length":         {line: lengthHeaders},
	"huge-line":              {bend: sendHugeLine},
	"answer-to-notification": {bend: answerNotifications},
	"progress-backwards":     {bend: goBackwards},
	"exit-on-call":           {bend: exitOnCall},
	"events-silent":          {bend: func(*run) peer.Bend { return peer.Bend{Silent: true} }},
	"events-data":            {bend: bendEvents(wrongData)},
	"events-id":              {bend: bendEvents(withoutID)},
	"last-line-cut":          {line: cutLines, bend: sendLastLine},
	"close-stdout":           {bend: closeStdout},
	"ignore-stdin-close":     {start: ignoreSignals, end: func(r *run) { <-r.ctx.Done() }},
	"http-wrong-type":        {http: mislabel},
	"http-hang":              {http: hang},
	"http-drop":              {http: dropCalls},
	"http-session-expired":   {http: expireSessions},
}

// A row is a [fault], in the order of a menu: starting, the handshake, framing, answers,
// unasked messages, lists, the end, HTTP.
//
//go:embed faults.jsonl
var faultTable []byte

var faults = tables.Lazy[fault](faultTable)

// Faults lists them all, in the order of a menu.
func Faults() []Fault {
	var all []Fault
	for _, f := range faults() {
		all = append(all, f.Fault)
	}
	return all
}

// FaultNamed returns the fault with a name.
func FaultNamed(name string) (Fault, bool) {
	f, ok := findFault(name)
	return f.Fault, ok
}

func findFault(name string) (f fault, ok bool) {
	i := slices.IndexFunc(faults(), func(f fault) bool { return f.Name == name })
	if i < 0 {
		return f, false
	}
	f = faults()[i]
	f.code = codes[name]
	return f, true
}

// A row is a tool that a fault puts in front of the others: with a broken schema, or with
// an x-mcp-header annotation that is not allowed.
//
//go:embed fault_tools.jsonl
var toolTable []byte

// addTools puts the tools of the fault in front of the others.
func (f *fault) addTools(server *peer.Server) {
	all := server.Lists[revision.Tools.Name]
	var added []*peer.Entry
	for line := range tables.Lines(toolTable) {
		if jsonrpc.Text(line, "fault") == f.Name {
			for _, e := range primitives.Entries(revision.Tools, jsonrpc.Without(line, "fault")) {
				e.Unchecked, e.Run = true, all[0].Run
				added = append(added, e)
			}
		}
	}
	server.Lists[revision.Tools.Name] = append(added, all...)
}

// wrongSkills maps faults to functions that change the entry of the first skill.
var wrongSkills = map[string]func(entry []byte) []byte{
	"skill-digest": func(entry []byte) []byte {
		return bytes.Replace(entry, []byte(`"digest":"`+jsonrpc.Text(cardOf(entry), "digest")), []byte(`"digest":"sha256:`+strings.Repeat("0", 64)), 1)
	},
	"skill-size": func(entry []byte) []byte {
		size := jsonrpc.Get(cardOf(entry), "size")
		return bytes.Replace(entry, fmt.Appendf(nil, `"size":%s}`, size), []byte(`"size":9}`), 1)
	},
	"skill-frontmatter": func(entry []byte) []byte {
		return bytes.Replace(entry, []byte(`"license":"Apache-2.0"`), []byte(`"license":"MIT"`), 1)
	},
}

// cardOf returns the second file in the entry of the first skill.
func cardOf(entry []byte) []byte {
	files := slices.Collect(jsonrpc.Elements(jsonrpc.Get(entry, "resources")))
	return files[1]
}

// apply makes a server wrong.
func (f *fault) apply(r *run, server *peer.Server) {
	switch f.Era {
	case "handshake":
		server.Era = peer.LegacyOnly
	case "stateless":
		server.Era = peer.ModernOnly
	}
	f.addTools(server)
	if wrong := wrongSkills[f.Name]; wrong != nil {
		e := server.Lists[revision.Skills.Name][0]
		e.Wire = wrong(e.Wire)
	}
	bend := f.Bend
	switch {
	case f.bend != nil:
		bend = f.bend(r)
	case f.Silent != "":
		bend.Incoming = func(_ *peer.Session, m peer.Message) bool { return m.Method == f.Silent }
	case f.Sends != nil:
		bend = afterHandshake(func(s *peer.Session) {
			for _, frame := range f.Sends {
				s.Emit(frame)
			}
		})
	case f.Version != "":
		bend.Result = f.claim
	default:
		bend.Answer = f.answer
	}
	server.Bend = bend
}

// claim changes the revision in the result of initialize.
func (f *fault) claim(method string, result []byte) []byte {
	if token, ok := jsonrpc.Member(result, "protocolVersion"); ok && method == "initialize" {
		return bytes.Replace(result, token, []byte(jsonrpc.Quote(f.Version)), 1)
	}
	return result
}

// answer changes a response.
func (f *fault) answer(m peer.Message, frame []byte) [][]byte {
	switch {
	case f.Of != "" && f.Of != m.Method, f.Alone && !peer.StandsAlone(m.Method, m.Params):
	case f.Error != nil:
		return [][]byte{f.Error.Frame(m.ID)}
	case f.Result != nil:
		return [][]byte{jsonrpc.EncodeResult(m.ID, f.Result)}
	case f.Change != "":
		return change(f.Change, frame)
	}
	return [][]byte{frame}
}

// change changes a frame as a fault of package framefault does.
func change(name string, frame []byte) [][]byte {
	f, _ := framefault.Named(name) // TestFaults checks that each has an effect
	return f.Apply(frame)
}
