// Package directory judges whether a server meets the requirements of directories of servers. It reads the
// lists of the server, the outcome of probes and a file. It sends nothing except the request of
// [FetchChallenge], if that is called. No verdict means that a directory accepts the server.
package directory

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"

	"mcptea/check/probe"
	"mcptea/internal/catalog"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

// Group is the name of the group that the requirements are in reports.
const Group = "directory"

// Probes is the group of the probes whose outcome a requirement is about.
const Probes = "auth"

// Names lists the directories.
var Names = []string{"claude", "openai", "registry"}

// Requirement is a line of directory.jsonl.
type Requirement struct {
	ID          string      `json:"id"` // such as DIR-01
	Name        string      `json:"name"`
	Directories []string    `json:"directories"`
	Judge       string      `json:"judge"` // name of the judge, or "" if a person must check it
	Level       probe.Level `json:"level"` // "MUST" for an error, "SHOULD" for a warning
	Requires    string      `json:"requires"`
	Source      string      `json:"source"`   // URL
	Date        string      `json:"date"`     // date on which the source was read
	Reported    bool        `json:"reported"` // reported by others and not in the source itself
	Fix         string      `json:"fix"`
	Flag        string      `json:"flag"`   // flag without which a person must check it; more words name the part that is judged
	Probes      string      `json:"probes"` // group of the probes whose outcome it depends on, or ""
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

// Count returns the number of requirements of directories.
func Count(directories []string) int { return len(of(directories)) }

// Date returns the date of the newest source of directories.
func Date(directories []string) string {
	date := ""
	for _, r := range of(directories) {
		date = max(date, r.Date)
	}
	return date
}

// of returns the requirements of directories.
func of(directories []string) []*Requirement {
	return slices.DeleteFunc(slices.Clone(requirements()), func(r *Requirement) bool {
		return !slices.ContainsFunc(r.Directories, func(d string) bool { return slices.Contains(directories, d) })
	})
}

// A Subject is the server to judge, with the data about it.
type Subject struct {
	Server  *probe.Server  // server, or nil if it was not connected
	Reports []probe.Report // reports of the probes that ran
	URL     string         // URL of the server, or "" for a command
	File    []byte         // server.json of the target, or nil

	Challenge Challenge // challenge for the domain of the server
	// InSession selects judging a running session: it has no flags, and File is not searched.
	InSession bool
}

// A verdict is the result of a judge. The zero value passes.
type verdict struct {
	problem string   // problem with the subjects, or ""
	about   []string // names of tools or others that it is about, in the order of the list
	unseen  string   // why it cannot be checked here
	not     string   // why the requirement does not apply
	hand    string   // additional check for a person
	flag    string   // flag without which a person must check it
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

// PartOf returns the part of the report that a requirement belongs to, based on its verdict by [Judge].
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

// maxNamed is the number of names in a message.
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

// entry returns the requirement in the form of a probe's entry, for reports.
func (r *Requirement) entry() *probe.Entry {
	return &probe.Entry{
		ID: r.ID, Slug: r.Name, Group: Group, Level: cmp.Or(r.Level, probe.Should), Basis: lint.Heuristic,
		Sends: "nothing", Pass: r.Requires, Fix: r.Fix, Spec: r.Source,
	}
}

// by returns the directories with the requirement, and the date on which the requirement was read.
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

// noTools returns a verdict if the tools of a server cannot be judged. ok is false if they can.
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

// tools returns a verdict about the tools that do not meet a condition, with their names.
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

// maxName is the number of bytes of a name in a message.
const maxName = 80
