// Package directory judges whether a server meets what directories of servers require of one.
// It reads the lists of the server, the outcome of probes and a file, and sends nothing but the
// request of [FetchChallenge], if it is called. No verdict says that a directory accepts the server.
package directory

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"

	"mcptea/internal/catalog"
	"mcptea/internal/words/phrase"
	"mcptea/session/checks/lint"
	"mcptea/session/checks/probe"
)

// Group is the name of the group that the requirements are in reports.
const Group = "directory"

// Probes is the group of the probes whose outcome a requirement is about.
const Probes = "auth"

// Names are the directories.
var Names = []string{"claude", "openai", "registry"}

// Requirement is a line of directory.jsonl.
type Requirement struct {
	ID          string      `json:"id"` // such as DIR-01
	Name        string      `json:"name"`
	Directories []string    `json:"directories"`
	Judge       string      `json:"judge"` // of the judges; empty for what is to be seen to by hand
	Level       probe.Level `json:"level"` // "MUST" for an error, "SHOULD" for a warning
	Requires    string      `json:"requires"`
	Source      string      `json:"source"`   // URL
	Date        string      `json:"date"`     // on which the source was read
	Reported    bool        `json:"reported"` // by others; the source itself does not have it
	Fix         string      `json:"fix"`
	Flag        string      `json:"flag"`   // without which it is to be seen to by hand; more words say what of it is judged
	Probes      string      `json:"probes"` // the group of the probes whose outcome it is about; empty for none
}

//go:embed directory.jsonl
var table []byte

var requirements = catalog.Lazy[*Requirement](table)

// Requirements lists all. The slice must not be changed.
func Requirements() []*Requirement { return requirements() }

// Lookup returns the requirement with an id.
func Lookup(id string) (*Requirement, bool) {
	for _, r := range requirements() {
		if r.ID == id {
			return r, true
		}
	}
	return nil, false
}

// Count is how many requirements directories have.
func Count(directories []string) int { return len(of(directories)) }

// Date is the date of the newest source of directories.
func Date(directories []string) string {
	date := ""
	for _, r := range of(directories) {
		date = max(date, r.Date)
	}
	return date
}

// of are the requirements of directories.
func of(directories []string) []*Requirement {
	return slices.DeleteFunc(slices.Clone(requirements()), func(r *Requirement) bool {
		return !slices.ContainsFunc(r.Directories, func(d string) bool { return slices.Contains(directories, d) })
	})
}

// Subject is what is judged.
type Subject struct {
	Server  *probe.Server  // nil if the server was not connected
	Reports []probe.Report // of the probes that have run
	URL     string         // of the server; empty for a command
	File    []byte         // the server.json of the target; nil without one

	Challenge Challenge // of the domain of the server
	// InSession has what a session knows judged: there are no flags, and no File is looked for.
	InSession bool
}

// verdict is what a judge says of a subject. The zero value passes.
type verdict struct {
	problem string   // what is wrong with the subjects; empty for nothing
	about   []string // names of tools or others that it is about, in the order of the list
	unseen  string   // why it cannot be seen from here
	not     string   // why the requirement does not apply
	hand    string   // it is to be seen to by hand; what is added to that
	flag    string   // it is to be seen to by hand without the flag that this names
	advice  bool     // the problem is only worth an info
}

// The parts of a report, in their order.
const (
	NotReady = "not ready"
	Unseen   = "cannot be seen from here"
	ByHand   = "by hand"
	Met      = "met"
	Outside  = "does not apply"
)

// PartOf is the part that a requirement belongs to, as [Judge] has reported it.
func PartOf(r *probe.Report) string {
	switch r.Verdict {
	case probe.Pass:
		return Met
	case probe.Failure:
		return Unseen
	case probe.Skipped:
		if r.Reason == probe.ByHand {
			return ByHand
		}
		return Outside
	}
	return NotReady
}

// maxNamed is how many names a message has.
const maxNamed = 10

// Judge judges the requirements of directories, in their order.
func Judge(s Subject, directories []string) []probe.Report {
	var reports []probe.Report
	for _, r := range of(directories) {
		report := probe.Report{Entry: r.entry(), Verdict: probe.Skipped}
		judge := judges[r.Judge]
		switch {
		case judge == nil:
			report.Reason, report.Skip = probe.ByHand, r.Requires
		case s.Server == nil && r.Judge != "server-json":
			report.Verdict, report.Skip = probe.Failure, "the server was not connected"
		default:
			v := judge(s)
			if v.flag != "" && !s.InSession {
				v.hand = "; " + v.flag
			}
			conclude(&report, r, v)
		}
		reports = append(reports, report)
	}
	return reports
}

// entry is the requirement as reports have a probe.
func (r *Requirement) entry() *probe.Entry {
	return &probe.Entry{
		ID: r.ID, Slug: r.Name, Group: Group, Level: cmp.Or(r.Level, probe.Should), Basis: lint.Heuristic,
		Sends: "nothing", Pass: r.Requires, Fix: r.Fix, Spec: r.Source,
	}
}

// by says who requires it, and when that was read.
func (r *Requirement) by() string {
	text := strings.Join(r.Directories, ", ") + ", as of " + r.Date
	if r.Reported {
		text += ", as others report it"
	}
	return text
}

// conclude makes the verdict of a judge one of a report.
func conclude(report *probe.Report, r *Requirement, v verdict) {
	switch {
	case v.hand != "" || v.flag != "":
		report.Reason, report.Skip = probe.ByHand, r.Requires+v.hand
	case v.not != "":
		report.Reason, report.Skip = probe.Outside, v.not
	case v.unseen != "":
		report.Verdict, report.Skip = probe.Failure, v.unseen
	case v.problem == "":
		report.Verdict = probe.Pass
	default:
		f := probe.Finding{Severity: lint.Error, Case: r.by(), Hint: r.Fix, Message: v.problem}
		report.Verdict = probe.Fail
		switch {
		case v.advice:
			report.Verdict, f.Severity = probe.Pass, lint.Info
		case r.Level == probe.Should:
			report.Verdict, f.Severity = probe.Warn, lint.Warn
		}
		if len(v.about) > 0 {
			f.Message += ": " + phrase.JoinFirst(v.about, maxNamed)
			f.Also = v.about[min(len(v.about), maxNamed):]
		}
		f.Message += "."
		report.Findings = []probe.Finding{f}
	}
}

// noTools is why nothing can be said of every tool of a server; the zero value if it can.
func noTools(s Subject) (verdict, bool) {
	list := s.Server.Lists["tools"]
	switch {
	case list != nil && list.Problem != "":
		return verdict{unseen: "the list of tools is incomplete: " + list.Problem}, true
	case len(s.Server.Tools) == 0:
		return verdict{not: "the server has no tools"}, true
	}
	return verdict{}, false
}

// tools are the tools of a server that do not meet a condition, by their names.
func tools(s Subject, meets func(probe.Tool) bool, problem string) verdict {
	if v, ok := noTools(s); ok {
		return v
	}
	var about []string
	for _, t := range s.Server.Tools {
		if !meets(t) {
			about = append(about, phrase.Clip(t.Name, maxName))
		}
	}
	if len(about) == 0 {
		return verdict{}
	}
	return verdict{problem: phrase.Count(len(about), "tool") + " " + problem, about: about}
}

// maxName is how much of a name a message has, in bytes.
const maxName = 80
