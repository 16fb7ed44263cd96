package problems

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mcptea/check/directory"
	"mcptea/check/probe"
	"mcptea/client"
	"mcptea/internal/words/phrase"
	"mcptea/session/runs/checker"
	"mcptea/session/session"
	"mcptea/ui/dialog"
	"mcptea/ui/doc"
)

// directories holds the requirements of the directories that the user has chosen, judged by the session's data.
// Without a choice nothing is judged.
type directories struct {
	names   []string // chosen directories
	reports []probe.Report
	basis   string // basis of the reports
	busy    bool   // the requirements are being judged
}

// judgedLists lists the lists that requirements are about.
var judgedLists = [...]client.ListKind{client.Tools, client.Resources, client.Skills}

// basis returns a key for the data to judge. It changes when that does.
func (p *Pane) basis() (b string, reading bool) {
	b = fmt.Sprint(p.dirs.names, p.tick.State.Handshake.Revision, p.st.Generation)
	for _, kind := range judgedLists {
		l := p.tick.State.Lists[kind.Name]
		b += fmt.Sprint(" ", l.Loaded.UnixNano(), l.Loading, l.Err != nil, len(l.Items))
		reading = reading || l.Loading
	}
	return b, reading && p.probes != nil || p.st.Running
}

// judge judges the requirements again if their basis has changed, outside of Update. While a list is being
// read, or probes run, the old verdicts stay.
func (p *Pane) judge() {
	d := &p.dirs
	if len(d.names) == 0 || d.busy {
		return
	}
	now, reading := p.basis()
	if now == d.basis || reading && d.reports != nil {
		return
	}
	first := d.reports == nil
	d.busy = true
	st, checks, names, live := p.tick.State, p.st, d.names, p.probes != nil
	url := p.s.Target().URL
	p.app.Go(func(context.Context) func() {
		subject := directory.Subject{Server: serverOf(&st, &checks, live), Reports: checks.Reports, URL: url, InSession: true}
		reports := directory.Judge(subject, names)
		for i := range reports {
			reports[i].Revision, reports[i].Transport = string(st.Handshake.Revision), st.Transport
		}
		return func() {
			if d.busy = false; !slices.Equal(names, d.names) { // the choice was changed in the meantime
				p.judge()
				return
			}
			d.reports, d.basis = reports, now
			p.build()
			if i := slices.IndexFunc(p.lines, func(l line) bool { return l.group.isDirectory() }); first && i >= 0 {
				p.Select(keyOf(p.lines[i]))
			}
		}
	})
}

// serverOf returns the session's knowledge about a server, or nil. After the probes have ended, it includes
// their knowledge about results.
func serverOf(st *session.State, checks *checker.State, live bool) *probe.Server {
	s := &probe.Server{Revision: st.Handshake.Revision, Transport: st.Transport, Handshake: st.Handshake, Lists: map[string]*probe.List{}}
	known := s.Revision != ""
	for _, kind := range judgedLists {
		l, list := st.Lists[kind.Name], &probe.List{Kind: kind}
		for _, item := range l.Items {
			list.Items = append(list.Items, item.Raw)
		}
		switch {
		case l.Err != nil:
			list.Problem = l.Err.Error()
		case l.Loaded.IsZero() && (l.Offered || s.Offers(kind)):
			list.Problem = "it was not read"
		case l.Loading && !live:
			list.Problem = "the recording does not have its last page"
		}
		s.Lists[kind.Name], known = list, known || !l.Loaded.IsZero()
	}
	if !known {
		return nil
	}
	s.Tools = probe.ToolsOf(s.Items(client.Tools))
	for _, of := range checks.Servers {
		if of.Revision == s.Revision && !checks.Running {
			s.Largest, s.Documents = of.Largest, of.Documents
		}
	}
	return s
}

// chooseDirectory lets the user choose the directories whose requirements are listed.
func (p *Pane) chooseDirectory() {
	choices := make([][]string, 0, len(directory.Names)+2)
	for _, name := range directory.Names {
		choices = append(choices, []string{name})
	}
	choices = append(choices, directory.Names, nil)
	dialog.Choose{
		Title: "Requirements of a directory of servers", Verb: "choose", Width: 72,
		Text: "Judged from what the session knows: nothing is sent, and no tool is called. The directory has the final say.",
		Len:  func() int { return len(choices) },
		Entry: func(i int) dialog.Entry {
			names := choices[i]
			e := dialog.Entry{Name: "all", Summary: phrase.Count(directory.Count(names), "requirement") + ", as of " + directory.Date(names), Current: slices.Equal(names, p.dirs.names)}
			switch len(names) {
			case 0:
				e.Name, e.Summary = "none", "no requirements are listed"
			case 1:
				e.Name = names[0]
			}
			e.Key = e.Name
			return e
		},
		Accept: func(i int) {
			p.dirs = directories{names: choices[i], busy: p.dirs.busy}
			p.build()
			p.judge()
		},
	}.Open(p.app)
}

// partPrefix begins the names of the groups of requirements.
const partPrefix = "directory: "

// parts lists the names of the parts, in the order of the list.
var parts = []string{partPrefix + directory.NotReady, partPrefix + directory.Unseen, partPrefix + directory.ByHand, partPrefix + directory.Met, partPrefix + directory.Outside}

// isDirectory reports requirements of directories.
func (g *group) isDirectory() bool { return slices.Contains(parts, g.name) }

// requirement returns the entry of a requirement.
func requirement(r *probe.Report) *entry {
	e := probed(r.Entry, r, false)
	e.requirement, _ = directory.Lookup(r.Entry.ID)
	part := directory.PartOf(r)
	if e.topic = partPrefix + part; part == directory.ByHand {
		e.state = byHand
	}
	return e
}

// requirementText describes a requirement in the words of its part.
func requirementText(e *entry) string {
	switch reason := e.report.Skip; directory.PartOf(e.report) {
	case directory.ByHand:
		return reason + "."
	case directory.Unseen, directory.Outside:
		return e.requirement.Requires + ": " + reason + "."
	}
	return e.requirement.Requires + "."
}

// requiredBy names the chosen directories that require it, if several are chosen.
func (p *Pane) requiredBy(e *entry) string {
	if len(p.dirs.names) < 2 {
		return ""
	}
	return strings.Join(e.requirement.Directories, ", ")
}

// ofRequirement writes the subject and the source of a requirement.
func (d *detail) ofRequirement(s *doc.Doc, e *entry, f found) {
	q, pal := e.requirement, s.Pal
	if f.probe != nil {
		s.FactText("more", pal.Text, strings.Join(f.probe.Also, ", "), s.H).Give(5, 2)
		s.FactText("requires", pal.Text, q.Requires+".", 3)
	}
	s.FactText("by", pal.Text, strings.Join(q.Directories, ", "), 1)
	as := q.Date
	if q.Reported {
		as += ", as others report it"
	}
	s.FactText("as of", pal.Text, as+"; the directories change them", 2).Give(6, 1)
	s.FactLink("source", q.Source, strings.TrimPrefix(q.Source, "https://"), 2).Give(7, 1)
	if !isOfFile(line{entry: e}) {
		d.command(s, e)
	}
	if q.Probes != "" && d.probes != nil {
		s.Gap()
		s.Keys(1, doc.Key{ID: "again", Label: "run the probes of " + q.Probes + ", which show more of it"}).Give(6, 0)
	}
}

// isOfFile reports a requirement about a file that the session does not have.
func isOfFile(l line) bool {
	return l.entry != nil && l.entry.requirement != nil && l.entry.requirement.Directories[0] == "registry"
}
