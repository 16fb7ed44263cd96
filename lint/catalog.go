package lint

import (
	"slices"

	"mcptea/client/revision"
	"mcptea/internal/catalog"
)

// Family holds the rules of one topic. Their ids begin with the same letter.
type Family struct {
	Letter  string
	Folder  string
	Title   string // title in the documentation
	Rules   []Rule
	Entries []byte // rules.jsonl of its folder, embedded: an [Entry] in each line
}

// Catalog holds the rules of all families with their entries.
type Catalog struct {
	families []Family
	entries  []Entry
	byID     map[string]*Entry
	compiled map[situation]*compiled
}

// NewCatalog returns the catalog of the families. For each situation, the catalog selects the rules
// that apply.
func NewCatalog(families ...Family) *Catalog {
	l := &Catalog{families: families, byID: map[string]*Entry{}, compiled: map[situation]*compiled{}}
	for i, f := range families {
		l.entries = append(l.entries, catalog.Read[Entry](f.Entries)...)
		families[i].Rules = slices.Clone(f.Rules)
		for k, r := range f.Rules {
			if r.Select != nil {
				families[i].Rules[k].Methods = slices.Concat(r.Methods, revision.MethodNames("", revision.Both, r.Select))
			}
		}
	}
	for i := range l.entries {
		l.byID[l.entries[i].ID] = &l.entries[i]
	}
	for _, r := range append(revision.All(), "", odd) {
		for _, link := range []Link{Stdio, HTTP, SSE} {
			s := situation{r, link}
			l.compiled[s] = l.compile(s)
		}
	}
	return l
}

// Entries lists the entries of all rules, family by family. The slice must not be
// changed.
func (l *Catalog) Entries() []Entry { return l.entries }

// Lookup finds the entry of a rule by its id.
func (l *Catalog) Lookup(id string) (*Entry, bool) {
	e, ok := l.byID[id]
	return e, ok
}

// NewEngine returns an engine that calls report with each finding. The calls are made by its
// methods.
func (l *Catalog) NewEngine(report func(Finding), options ...Option) *Engine {
	e := &Engine{report: report, catalog: l}
	for _, option := range options {
		option(e)
	}
	e.Begin(Stdio)
	return e
}
