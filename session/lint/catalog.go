package lint

import (
	"fmt"
	"slices"

	"mcptea/client/revision"
	"mcptea/internal/catalog"
)

// Family is the rules of one topic. Their ids begin with the same letter.
type Family struct {
	Letter  string
	Folder  string
	Title   string // for the documentation
	Rules   []Rule
	Entries []byte // rules.jsonl of its folder, embedded: an [Entry] in each line
}

// Catalog is the rules of all families with their entries.
type Catalog struct {
	families []Family
	entries  []Entry
	byID     map[string]*Entry
	compiled map[situation]*compiled
}

// NewCatalog returns the catalog of the families. It panics if an entry cannot be
// parsed, if a rule has no entry, or an entry no rule: both are part of the
// program, and the first test finds it.
func NewCatalog(families ...Family) *Catalog {
	l := &Catalog{families: families, byID: map[string]*Entry{}, compiled: map[situation]*compiled{}}
	for _, f := range families {
		l.parse(f)
	}
	for i := range l.entries {
		l.byID[l.entries[i].ID] = &l.entries[i]
	}
	found := map[string]bool{}
	for i, f := range families {
		f.Rules = slices.Clone(f.Rules)
		families[i] = f
		for k, r := range f.Rules {
			if r.Select != nil {
				f.Rules[k].Methods = slices.Concat(r.Methods, revision.MethodNames("", revision.Both, r.Select))
			}
			if r.ID != "" && l.byID[r.ID] == nil {
				panic("lint: rule " + r.ID + " has no entry in the rules.jsonl of its family")
			}
			found[r.ID] = true
		}
	}
	for _, e := range l.entries {
		if !found[e.ID] {
			panic("lint: entry " + e.ID + " has no rule")
		}
	}
	l.compileAll()
	return l
}

func (l *Catalog) parse(f Family) {
	for _, e := range catalog.Read[Entry](f.Entries) {
		if e.Family() != f.Letter {
			panic(fmt.Sprintf("lint: rules.jsonl of family %s has an entry for %s", f.Letter, e.ID))
		}
		l.entries = append(l.entries, e)
	}
}

// compileAll binds the rules for each situation.
func (l *Catalog) compileAll() {
	for _, r := range append(revision.All(), "", odd) {
		for _, link := range []Link{Stdio, HTTP, SSE} {
			s := situation{r, link}
			l.compiled[s] = l.compile(s)
		}
	}
}

// Entries lists the entries of all rules, family by family. The slice must not be
// changed.
func (l *Catalog) Entries() []Entry { return l.entries }

// Lookup finds the entry of a rule by its id.
func (l *Catalog) Lookup(id string) (*Entry, bool) {
	e, ok := l.byID[id]
	return e, ok
}

// NewEngine returns an engine that calls report with each finding, from within its
// methods.
func (l *Catalog) NewEngine(report func(Finding), options ...Option) *Engine {
	e := &Engine{report: report, catalog: l}
	for _, option := range options {
		option(e)
	}
	e.Begin(Stdio)
	return e
}
