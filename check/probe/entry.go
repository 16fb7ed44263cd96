package probe

import (
	_ "embed"
	"slices"

	"mcptea/client/revision"
	"mcptea/internal/catalog"
	"mcptea/lint"
)

// An Entry describes a probe. It is a line of probes.jsonl.
type Entry struct {
	ID         string              `json:"id"`                // id, such as P-050
	Slug       string              `json:"slug"`              // name, such as tool-unknown
	Group      string              `json:"group"`             // topic
	Phase      Phase               `json:"phase"`             // phase in which the probe runs, from 1
	Alone      bool                `json:"alone,omitempty"`   // uses only its own connections and measures no times
	Waits      bool                `json:"waits,omitempty"`   // mostly waits for the server, so it starts before the others over stdio
	Late       bool                `json:"late,omitempty"`    // the server usually does not respond, and the run waits long for a response, so the probe is first in its phase
	Starts     int                 `json:"starts,omitempty"`  // processes started over stdio, besides those left by other probes
	Own        bool                `json:"own,omitempty"`     // the probe starts processes with its own settings, so a prepared process cannot be used
	Ahead      int                 `json:"ahead,omitempty"`   // number of additional processes; started early if all probes run concurrently and no other process becomes free in time
	Class      Class               `json:"class"`             // possible effect: 0 none, 1 calls tools, 2 changes its own session, 3 load or intrusion
	Level      Level               `json:"level"`             // "MUST", "SHOULD", "ROB" or "SEC"
	Basis      lint.Basis          `json:"basis"`             // "spec", "schema" or "heuristic"
	Revisions  []revision.Revision `json:"protocol_versions"` // protocol versions that it applies to; null for all
	Transports []string            `json:"transports"`        // transports that it applies to; null for all
	Capability string              `json:"capability"`        // required server capability; "" for none
	Needs      string              `json:"needs"`             // additional condition, in words

	Sends string `json:"sends"` // messages that the probe sends
	Pass  string `json:"pass"`  // behavior of a correct server
	Fail  string `json:"fail"`  // behavior that is reported as an error or a warning
	Fix   string `json:"fix"`   // advice for fixing a failure
	Spec  string `json:"spec"`  // section of the specification, or another source

	Rules    []string `json:"rules"`     // lint rules whose findings on well-formed connections belong to the probe
	AllRules []string `json:"all_rules"` // lint rules whose findings on all connections belong to the probe
}

// A Phase orders probes; see [Runner.Run].
type Phase uint8

// The phases, in their order.
const (
	phaseRead      Phase = 1 // well-formed requests without side effects, on the shared connection
	phaseUndone    Phase = 2 // well-formed requests that change their own session
	phaseLifecycle Phase = 3 // uses separate connections
	phaseMalformed Phase = 4 // malformed frames, on the Dirty connection
	phaseTransport Phase = 5 // raw HTTP requests
	phaseIsolation Phase = 6 // several connections
	phaseAuth      Phase = 7
	phaseLoad      Phase = 8
	phaseEnd       Phase = 9  // shutdown and run-wide summaries
	phaseRest      Phase = 10 // findings that no other probe has reported
)

// A Class is the amount of change or load that a probe may cause.
type Class uint8

// The classes.
const (
	classProtocol Class = 0 // no side effects
	classCall     Class = 1 // calls tools that promise not to change anything
	classUndone   Class = 2 // changes its own session and undoes the changes
	classLoad     Class = 3 // load or intrusion
)

// A Level is the kind of requirement that a probe tests.
type Level string

// The levels.
const (
	Must       Level = "MUST"
	Should     Level = "SHOULD"
	Robustness Level = "ROB" // robustness: the specification obliges the client, not the server
	Security   Level = "SEC"
)

// A Group is a set of probes on one topic.
type Group struct{ Name, Title string }

// Groups returns the groups of probes.
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

// Catalogue returns all probes by group. The caller must not modify the slice.
func Catalogue() []*Entry { return catalogue() }

// Matches reports whether the pattern selects any probe.
func Matches(pattern string) bool {
	return slices.ContainsFunc(Catalogue(), func(e *Entry) bool { return e.Matches(pattern) })
}

// appliesTo returns the reason why the probe does not apply to the server, or nil.
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
