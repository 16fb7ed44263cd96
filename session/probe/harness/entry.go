package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"mcptea/client/revision"
	"mcptea/session/lint"
)

// Entry is the description of a probe, a line of the probes.jsonl of its group.
type Entry struct {
	ID    string     `json:"id"`   // P-050
	Slug  string     `json:"slug"` // tool-unknown
	Group string     `json:"group"`
	Phase Phase      `json:"phase"`
	Class Class      `json:"class"`
	Level Level      `json:"level"`
	Basis lint.Basis `json:"basis"`

	// Revisions and Transports are those that the probe applies to; empty for all.
	Revisions  []revision.Revision `json:"revisions"`
	Transports []string            `json:"transports"`
	// Capability is the server capability that it requires; empty for none.
	Capability string `json:"capability"`
	Needs      string `json:"needs"` // a further condition, in words

	Sends string `json:"sends"`
	Pass  string `json:"pass"` // what a correct server does
	Fail  string `json:"fail"` // what is reported as an error or a warning
	Fix   string `json:"fix"`
	Spec  string `json:"spec"` // the section of the specification, or another source

	// Rules are the lint rules whose findings on well-formed connections belong to
	// the probe; AllRules is the same for those on all connections.
	Rules    []string `json:"rules"`
	AllRules []string `json:"all_rules"`
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

// Probe is the function of an entry.
type Probe struct {
	ID string
	// Run sends and judges. It is nil for a probe that consists of lint rules.
	Run func(*Run)
}

// Group is the probes of one topic.
type Group struct {
	Name, Title string
	Probes      []Probe
	Entries     []byte // probes.jsonl of its folder, embedded: an [Entry] in each line
}

// Catalog is the probes of all groups with their entries.
type Catalog struct {
	Groups  []Group
	Entries []*Entry // by group
	byID    map[string]*Entry
	probes  map[string]Probe
}

// NewCatalog returns the catalog of the groups. It panics if an entry cannot be
// parsed, if a probe has no entry, or an entry no probe: both are part of the
// program, and the first test finds it.
func NewCatalog(groups ...Group) *Catalog {
	c := &Catalog{Groups: groups, byID: map[string]*Entry{}, probes: map[string]Probe{}}
	for _, g := range groups {
		for _, p := range g.Probes {
			c.probes[p.ID] = p
		}
		for line := range bytes.Lines(g.Entries) {
			e := &Entry{}
			d := json.NewDecoder(bytes.NewReader(line))
			d.DisallowUnknownFields()
			if err := d.Decode(e); err != nil {
				panic(fmt.Sprintf("probe: probes.jsonl of group %s: %v in %s", g.Name, err, line))
			}
			if _, ok := c.probes[e.ID]; !ok || c.byID[e.ID] != nil || e.Group != g.Name {
				panic("probe: entry " + e.ID + " has no probe, is there twice, or is of another group")
			}
			c.byID[e.ID] = e
			c.Entries = append(c.Entries, e)
		}
	}
	for id := range c.probes {
		if c.byID[id] == nil {
			panic("probe: " + id + " has no entry in the probes.jsonl of its group")
		}
	}
	return c
}

// appliesTo returns why a probe does not apply to a server; empty if it does.
func (e *Entry) appliesTo(s *Server) string {
	switch {
	case len(e.Revisions) > 0 && !slices.Contains(e.Revisions, s.Revision):
		return skipRevision
	case len(e.Transports) > 0 && !slices.Contains(e.Transports, s.Transport):
		return skipTransport
	case e.Capability != "" && !s.Has(e.Capability):
		return skipCapability + " " + e.Capability
	}
	return ""
}
