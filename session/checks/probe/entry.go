package probe

import (
	_ "embed"
	"slices"

	"mcptea/client/revision"
	"mcptea/internal/catalog"
	"mcptea/session/checks/lint"
)

// Entry is the description of a probe, a line of probes.jsonl.
type Entry struct {
	ID         string              `json:"id"`                // such as P-050
	Slug       string              `json:"slug"`              // name, such as tool-unknown
	Group      string              `json:"group"`             // of probes on one topic
	Phase      Phase               `json:"phase"`             // when it runs, from 1
	Alone      bool                `json:"alone,omitempty"`   // it uses connections of its own and measures no time
	Waits      bool                `json:"waits,omitempty"`   // most of its time is that of the server: over stdio it begins before the others
	Late       bool                `json:"late,omitempty"`    // a missing response, for which the run waits long, is usual: it comes first in its phase
	Starts     int                 `json:"starts,omitempty"`  // processes that it starts over stdio, beside those that other probes leave to it
	Own        bool                `json:"own,omitempty"`     // it starts them in ways of its own: a process of the standby will not do
	Ahead      int                 `json:"ahead,omitempty"`   // further processes, where all probes run at once and none leaves one in time
	Class      Class               `json:"class"`             // what it may change or load: 0 nothing, 1 calls tools, 2 changes of its own session, 3 load or intrusion
	Level      Level               `json:"level"`             // "MUST", "SHOULD", "ROB" or "SEC"
	Basis      lint.Basis          `json:"basis"`             // "spec", "schema" or "heuristic"
	Revisions  []revision.Revision `json:"protocol_versions"` // protocol versions that it applies to; null for all
	Transports []string            `json:"transports"`        // those that it applies to; null for all
	Capability string              `json:"capability"`        // of the server, that it requires; empty for none
	Needs      string              `json:"needs"`             // a further condition, in words

	Sends string `json:"sends"` // what it sends
	Pass  string `json:"pass"`  // what a correct server does
	Fail  string `json:"fail"`  // what is reported as an error or a warning
	Fix   string `json:"fix"`   // what to do when it fails
	Spec  string `json:"spec"`  // the section of the specification, or another source

	Rules    []string `json:"rules"`     // lint rules whose findings on well-formed connections belong to the probe
	AllRules []string `json:"all_rules"` // lint rules whose findings on all connections belong to the probe
}

// Phase is when a probe runs; see [Runner.Run].
type Phase uint8

// The phases, in their order.
const (
	phaseRead      Phase = 1 // well-formed requests without effect, on the shared connection
	phaseUndone    Phase = 2 // well-formed requests with an effect on the own session
	phaseLifecycle Phase = 3 // connections of its own
	phaseMalformed Phase = 4 // malformed frames, on a connection for them
	phaseTransport Phase = 5 // raw HTTP requests
	phaseIsolation Phase = 6 // several connections
	phaseAuth      Phase = 7
	phaseLoad      Phase = 8
	phaseEnd       Phase = 9  // shutdown, and what sums up the run
	phaseRest      Phase = 10 // what no other probe has reported
)

// Class is how much a probe may change or load.
type Class uint8

// The classes.
const (
	classProtocol Class = 0 // no effect
	classCall     Class = 1 // calls into the server's own code that promise to change nothing
	classUndone   Class = 2 // changes of the own session, undone afterwards
	classLoad     Class = 3 // load or intrusion
)

// Level is the kind of requirement that a probe tests.
type Level string

// The levels.
const (
	Must       Level = "MUST"
	Should     Level = "SHOULD"
	Robustness Level = "ROB" // the specification puts the duty on the client
	Security   Level = "SEC"
)

// Group is the probes of one topic.
type Group struct{ Name, Title string }

// Groups lists the groups of probes.
func Groups() []Group {
	return []Group{
		{"lifecycle", "Life cycle and version negotiation"},
		{"envelope", "JSON-RPC"},
		{"concurrency", "Concurrency"},
		{"lists", "Lists"},
		{"tools", "Tools"},
		{"resources", "Resources"},
		{"prompts", "Prompts and completion"},
		{"utilities", "Ping, logging, progress, cancellation"},
		{"tasks", "Tasks"},
		{"callbacks", "Requests of the server"},
		{"stdio", "stdio"},
		{"http", "HTTP"},
		{"auth", "Authorization"},
		{"stateless", "Stateless requests (2026-07-28)"},
		{"security", "Security"},
		{"load", "Load"},
		{"fuzz", "Fuzzing of tools"},
		{"apps", "MCP Apps"},
		{"skills", "Skills"},
		{"events", "Events"},
	}
}

//go:embed probes/probes.jsonl
var entries []byte

var catalogue = catalog.Lazy[*Entry](entries)

// Catalogue lists all probes, group by group. The slice must not be changed.
func Catalogue() []*Entry { return catalogue() }

// Matches reports whether a pattern selects a probe.
func Matches(pattern string) bool {
	return slices.ContainsFunc(Catalogue(), func(e *Entry) bool { return e.Matches(pattern) })
}

// appliesTo returns why a probe does not apply to a server; nil if it does.
func (e *Entry) appliesTo(s *Server) *Because {
	switch {
	case len(e.Revisions) > 0 && !slices.Contains(e.Revisions, s.Revision):
		return &Because{reason: OtherVersion}
	case len(e.Transports) > 0 && !slices.Contains(e.Transports, s.Transport):
		return &Because{reason: OtherTransport}
	case e.Capability != "" && !s.Has(e.Capability):
		return &Because{reason: NoCapability, Why: e.Capability}
	}
	return nil
}
