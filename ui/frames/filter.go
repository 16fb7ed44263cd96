package frames

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/lint"
	"mcptea/record"
	"mcptea/record/filter"
	"mcptea/record/store"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/keys"
	"mcptea/ui/page"
)

// Filter chooses the frames that the views of the traffic show. All views share one.
type Filter struct {
	page.Filter
	behind bool // a view has more rows to examine

	meant  string // suggestion for the current filter, if it was searched
	looked int    // the [page.Filter.Generation] of meant
}

// NoMatches returns the sentence for a view whose filter nothing passes. items is the noun for an
// item, in the singular. back is the key that clears the filter.
func (f *Filter) NoMatches(items, back string) string {
	if f.looked != f.Generation() {
		f.looked, f.meant = f.Generation(), f.Language.Suggest(f.Words(), f.Values)
	}
	text := "No " + items + " matches the filter. "
	if f.meant != "" {
		text += "Did you mean " + f.meant + "? "
	}
	return text + back + " clears it."
}

// NewFilter returns the filter of the frames of a source, with the named filters of the user.
func NewFilter(s Source, names filter.Names) *Filter {
	f := &Filter{}
	f.Language = filter.Frames.With(names)
	f.Values = func(property string) []string { return valuesOf(s, property) }
	return f
}

// Filtering returns the commands of the filter. drop clears it and keeps the selection.
func (p *Program) Filtering(drop func() bool) []keys.Command {
	f := p.Filter
	return []keys.Command{
		{ID: "filter", Keys: keys.On("/"), Label: "filter", Help: "Filter frames by words, method, tool, status, time and more", Words: "search find", Footer: 15, Run: func() { f.Start() }},
		{ID: "filter.clear", Label: "clear filter", Help: "Clear the filter and keep the selection", Words: "reset remove neighbors", Run: func() { drop() }, Off: func() string {
			if f.On() {
				return ""
			}
			return "No filter is set."
		}},
		{ID: "filter.choose", Label: "filter by name", Help: "Filter frames by a named filter of config.yaml", Words: "saved own @", Run: p.chooseFilter, Off: func() string {
			return keys.Reason(len(f.Language.Names().All()) == 0, "No named filters yet: add them to filters in config.yaml.")
		}},
		{ID: "help.filter", Label: "filter language", Help: "Documentation of the filter: every word and property", Words: "help syntax", Run: func() { p.Explain(f.Help()) }},
	}
}

// chooseFilter lets the user choose a named filter.
func (p *Program) chooseFilter() {
	all := p.Filter.Language.Names().All()
	pick := dialog.Pick{Title: "Filter by name", Verb: "filter"}
	for i, d := range all {
		pick.Entries = append(pick.Entries, dialog.Entry{Name: "@" + d.Name, Summary: d.Text})
		if p.Filter.Words() == "@"+d.Name {
			pick.Selected = i
		}
	}
	pick.Accept = func(_ context.Context, i int, _ string) (func(), error) {
		return func() { p.Filter.Set("@" + all[i].Name) }, nil
	}
	pick.Open(p)
}

// Behind reports whether a view that was refreshed since the last call of Behind has rows that it has not yet
// compared with the filter.
func (f *Filter) Behind() bool {
	behind := f.behind
	f.behind = false
	return behind
}

// Paint writes the field over the list while the user types in it, or while the words in it are not valid.
func (f *Filter) Paint(c *app.Canvas) {
	if f.Editing() {
		f.Filter.Paint(c, f)
	}
}

const (
	// maxRecent is the number of newest rows searched for values. maxNameHead is the number of bytes of a
	// request searched for the name of its tool.
	maxRecent   = 2000
	maxNameHead = 4 << 10
)

// valuesOf returns the values of a property in the newest rows.
func valuesOf(source Source, property string) []string {
	seen := map[string]bool{}
	s := source.Store()
	rows := int32(s.Snapshot().Rows)
	for i := rows - 1; i >= max(0, rows-maxRecent) && len(seen) < 100; i-- {
		r, _ := s.Row(i)
		switch method := s.Method(r.Method); property {
		case "method":
			seen[method] = true
		case "code":
			if code, ok := r.ErrorCode().Number(); ok {
				seen[strconv.FormatInt(code, 10)] = true
			}
		case "conn":
			seen[strconv.Itoa(int(r.Conn))] = true
		case "rule":
			for _, x := range source.FindingsAt(i) {
				seen[x.Rule.ID] = true
			}
		case "tool":
			if r.Kind == jsonrpc.Request {
				head, _ := s.Head(i, maxNameHead)
				seen[filter.Tool(head, method)] = true
			}
		}
	}
	delete(seen, "")
	return slices.Sorted(maps.Keys(seen))
}

// Scan finds the rows of one view that pass the filter.
type Scan struct {
	page.Scan
	*Filter
	app     *Program
	store   *store.Store
	scanner *store.Scanner
	version int    // version of the filter
	gen     uint64 // generation of the store
	open    int    // first item that may pass later, or -1
	look    func() // examines the same items again
	// ByExchange reports that exchanges are shown. Then [Exchanges.Look] applies filters that span frames.
	ByExchange bool
}

// NewScan returns the scan for a view, which has read nothing.
func (p *Program) NewScan() Scan {
	s := Scan{Filter: p.Filter, app: p, store: p.Store(), open: -1}
	s.scanner = s.store.NewScanner()
	return s
}

// On reports whether the filter leaves items out.
func (s *Scan) On() bool {
	if s.version != s.Generation() && s.look != nil {
		s.look()
	}
	return s.Filter.On()
}

// again restarts the scan if the filter has changed, or rescans items that may pass by now.
func (s *Scan) again(gen uint64) {
	switch {
	case s.version != s.Generation():
		s.version, s.open = s.Generation(), -1
		s.From(0)
	case s.open >= 0 && gen != s.gen && s.Compiled().Changes():
		s.From(s.open)
		s.open = -1
	}
	if gen != s.gen && s.Compiled().Linted() {
		s.From(max(s.Next-lintLag, 0))
	}
	s.gen = gen
}

// lintLag is the number of items scanned again because the linter may have found something in them since.
const lintLag = 512

// frame returns the frame that the filter examines. It is reused for all rows, so that its closures are made
// only once.
func (s *Scan) frame() *filter.Frame {
	f := &filter.Frame{}
	f.OfRow(s.store, s.scanner)
	f.Found = func(match func(id string, of lint.Severity) bool) bool {
		return slices.ContainsFunc(s.app.Source.FindingsAt(f.Index), func(x lint.Finding) bool { return match(x.Rule.ID, x.Severity) })
	}
	agents, note := s.app.Agents(), f.Shown
	f.Shown = func() string {
		text := ""
		if note != nil {
			text = note()
		}
		if by := s.app.SentBy(agents, f.Index, f.Row); by != "" {
			text += "\n" + by
		}
		if WaitsForUser(f.Row, f.Method) {
			text += "\n" + waitsForYou
		}
		return text
	}
	return f
}

// Matches reports whether the frame of a row passes the filter by itself, without the others of its exchange.
func (s *Scan) Matches(row int32) bool {
	r, ok := s.store.Row(row)
	f := s.frame()
	s.at(f, row, &r)
	return ok && s.Compiled().Match(f)
}

// dense is the share of rows, as 1 in dense, above which reading all rows is cheaper than reading them one by
// one.
const dense = 64

// Callers as a recording has them.
var sentByApp, sentByAttached, sentByTap = record.ByApp.String(), record.ByAttached.String(), record.ByTap.String()

// texts that a list shows for a row besides its note
const (
	sentByAgent = "agent"
	waitsForYou = "waits for you"
)

// shown returns all texts that may be shown for a row besides its bytes, in lower case.
func (s *Scan) shown() string {
	text := []string{sentByAgent, sentByApp, sentByAttached, sentByTap, waitsForYou}
	for _, m := range s.store.Marks() {
		text = append(text, strings.ToLower(m.Note))
	}
	return strings.Join(text, "\n")
}

// at makes a frame represent a row.
func (s *Scan) at(f *filter.Frame, i int32, r *store.Row) {
	f.Row, f.Index, f.Method = r, i, s.store.Method(r.Method)
}

// Look reads new rows of the store up to end, within a time budget, and reports whether there are more. gen is
// the generation of the snapshot that end belongs to.
func (s *Scan) Look(end int, gen uint64) (behind bool) {
	s.look = func() { s.Look(end, gen) }
	f := s.frame()
	visit := func(from, to int, do func(i int32, r *store.Row)) int {
		return int(s.scanner.Rows(int32(from), to-from, func(i int32, r *store.Row) bool {
			s.at(f, i, r)
			do(i, r)
			return true
		}))
	}
	s.Filter.behind = s.Count(end, func(from, to int, tally func(func(*filter.Filter) bool)) int {
		return visit(from, to, func(int32, *store.Row) { tally(func(try *filter.Filter) bool { return try.Match(f) }) })
	}) || s.Filter.behind
	if s.again(gen); !s.Filter.On() {
		return false
	}
	in := s.Compiled()
	if s.ByExchange && in.Spans() {
		return false
	}
	needle, whole := in.Needle(s.shown())
	match := func(i int32, r *store.Row) {
		if whole && r.IsPlain() || in.Match(f) {
			s.Passed = append(s.Passed, i)
		}
	}
	if needle != nil && !in.Changes() {
		return s.advance(end, func(from, _ int) int {
			rows, next := s.scanner.Find(needle, int32(from), int32(end))
			if len(rows) < (int(next)-from)/dense {
				for _, i := range rows {
					visit(int(i), int(i)+1, match)
				}
				return int(next)
			}
			visit(from, int(next), func(i int32, r *store.Row) {
				if len(rows) > 0 && rows[0] == i {
					rows = rows[1:]
					match(i, r)
				}
			})
			return int(next)
		})
	}
	return s.advance(end, func(from, to int) int {
		return visit(from, to, func(i int32, r *store.Row) {
			if r.Flags&store.Pending != 0 && s.open < 0 {
				s.open = int(i)
			}
			match(i, r)
		})
	})
}

func (s *Scan) advance(end int, look func(from, to int) int) (behind bool) {
	behind = s.Advance(end, look)
	s.Filter.behind = s.Filter.behind || behind
	return behind
}
