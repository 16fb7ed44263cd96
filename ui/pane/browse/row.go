package browse

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sahilm/fuzzy"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/internal/words/search"
	"mcptea/offer"
	"mcptea/offer/changes"
	"mcptea/offer/diff"
	"mcptea/session/session"
	uidiff "mcptea/ui/diff"
	"mcptea/ui/doc"
	"mcptea/ui/paint"

	"mcptea/ui/app"
	"mcptea/ui/widget"
)

// note returns the text at the right of the list title.
func (p *Pane) note(pal *paint.Palette) []paint.Span {
	var note paint.Spans
	note.If(p.loading(), pal.Warn, paint.Spinner(pal, p.tick.Spin)+" ")
	note = append(note, uidiff.Counts(pal, p.Changes(), " ")...)
	note.If(p.failure() != nil && len(p.lines) > 0, pal.Error, "incomplete ")
	return append(note, paint.Span{Style: pal.Muted, Text: phrase.Digits(p.offered())})
}

// offered returns the number of items that the server lists. Removed items have lines but are not counted.
func (p *Pane) offered() int { return len(p.lines) - p.Changes().Removed }

// Widths of the columns: maxNamed bounds the names if texts about the items are next to them, besideName is
// reserved for the outcome of an item's newest call, and leastAbout is the minimum for a text about an item.
// Below roomyAbout, that text has its own row if all items have room for that.
const maxNamed, besideName, leastAbout, roomyAbout = 24, 9, 16, 28

// columns returns the columns of the list: name, description and state, for resources also type and size.
func (p *Pane) columns() []widget.Column[*line] {
	all := []widget.Column[*line]{
		{Width: maxNamed, Cells: p.widest(inName), Cell: p.name},
		{Yields: true, Least: leastAbout, Folds: roomyAbout, Phrase: true, Cells: p.widest(inAbout), Cell: p.aboutOf},
	}
	if p.kind.title == kinds["resources"].title {
		all = append(all,
			widget.Column[*line]{From: leastTyped, Width: maxType, Cells: p.widest(inType), Cell: p.muted(inType)},
			widget.Column[*line]{From: leastSized, Right: true, Cells: p.widest(inSize), Cell: p.muted(inSize)},
		)
	}
	return append(all, widget.Column[*line]{
		Width: besideName, Right: true,
		Cell: func(l *line, pal *paint.Palette) []paint.Span {
			return p.cell(inState, p.beside(pal, l))
		},
	})
}

// Indexes of the cells of a line. One set of cells is reused for all rows.
const (
	inName = iota
	inAbout
	inType
	inSize
	inState
	cellsOfLine
)

// texts holds the cells taken from the server's own texts. Their columns are as wide as the widest cell of all
// items.
var texts = [cellsOfLine]func(it *offer.Item) string{inAbout: descriptionOf, inType: typeOf, inSize: sizeOf}

// cell returns a cell with these spans. The next row reuses the slice.
func (p *Pane) cell(at int, spans ...paint.Span) []paint.Span {
	p.cells[at] = append(p.cells[at][:0], spans...)
	return p.cells[at]
}

// Minimum widths of the list for showing types and sizes even if descriptions are cut, and the maximum width of
// the type column.
const leastTyped, leastSized, maxType = 90, 34, 18

func (p *Pane) muted(at int) func(l *line, pal *paint.Palette) []paint.Span {
	return func(l *line, pal *paint.Palette) []paint.Span {
		return p.cell(at, paint.Span{Style: pal.Muted, Text: texts[at](&l.it)})
	}
}

// typeOf and sizeOf return the type and the size of a resource.
func typeOf(it *offer.Item) string { return paint.If(it.Kind == "templates", "template", it.MIME) }

func sizeOf(it *offer.Item) string {
	if n, ok := SizeOf(*it); ok {
		return phrase.Size(n)
	}
	return ""
}

// widest returns a function for the width of the widest cell of a column.
func (p *Pane) widest(at int) func() int { return func() int { return p.widths[at] } }

// measure widens the columns for a line. It measures only the beginning of long texts.
func (p *Pane) measure(l *line) {
	cells := func(text string) int { return display.Width(display.Sanitize(display.Head(text, maxFound))) }
	l.cells = cells(l.it.Label())
	if l.mark != "" {
		l.cells += 2 + display.Width(l.mark)
	}
	if l.it.Kind == "resources" {
		l.cells += 2 // the subscription sign
	}
	p.widths[inName] = max(p.widths[inName], l.cells)
	for at, text := range texts {
		if text != nil {
			p.widths[at] = max(p.widths[at], cells(text(&l.it)))
		}
	}
}

// sign returns the sign before the name: the severity of the worst finding or, without findings, the kind of
// change.
func (p *Pane) sign(l *line, pal *paint.Palette) paint.Span {
	if worst, n := p.FoundOf(l.it); n > 0 {
		return paint.Span{Style: app.SeverityStyle(pal, worst.Severity), Text: app.SeveritySign(pal, worst.Severity)}
	}
	if l.change != nil {
		sign := uidiff.Sign(pal, l.change.Kind)
		sign.Text = strings.TrimSpace(sign.Text)
		return sign
	}
	return paint.Span{Text: " "}
}

// name returns the name cell of a line.
func (p *Pane) name(l *line, pal *paint.Palette) []paint.Span {
	st, spans := pal.Text, p.cells[inName][:0]
	if l.change != nil && l.change.Kind == diff.Removed {
		st = pal.Gone
	}
	if l.change != nil && l.change.Renamed != "" {
		spans = append(spans, paint.Span{Style: pal.Gone, Text: pal.Cut(display.Sanitize(l.change.Renamed), maxNamed)}, paint.Span{Style: pal.Muted, Text: " " + pal.ArrowOut + " "})
	}
	name, at := l.it.Label(), 0
	var hits []int
	if p.Filtering() {
		hits = p.hits[l.key]
	}
	for _, h := range hits {
		if h < at || h >= len(name) || !utf8.RuneStart(name[h]) {
			continue
		}
		_, n := utf8.DecodeRuneInString(name[h:])
		if h > at {
			spans = append(spans, paint.Span{Style: st, Text: name[at:h]})
		}
		spans = append(spans, paint.Span{Style: st.On(pal.MatchLine), Text: name[h : h+n]})
		at = h + n
	}
	spans = append(spans, paint.Span{Style: st, Text: name[at:]})
	if l.it.Kind == "resources" && p.Subscribed(l.it.URI) {
		spans = append(spans, paint.Span{Style: pal.OK, Text: " " + pal.Dot})
	}
	if l.mark != "" {
		spans = append(spans, paint.Span{Style: pal.Accent, Text: "  " + l.mark})
	}
	p.cells[inName] = spans
	return spans
}

// aboutOf returns the description cell, or nothing if the name is long or was changed.
func (p *Pane) aboutOf(l *line, pal *paint.Palette) []paint.Span {
	if l.change != nil && l.change.Renamed != "" || l.cells > maxNamed {
		return nil
	}
	return p.cell(inAbout, paint.Span{Style: pal.Muted, Text: descriptionOf(&l.it)})
}

// descriptionOf returns a one-line description of an item, or "" if it only repeats the name.
func descriptionOf(it *offer.Item) string {
	text := cmp.Or(it.Description, it.Title)
	if text == it.Name {
		return ""
	}
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return display.Head(text, maxFound)
}

// beside returns the state of an item: its change or, if unchanged, the outcome of the newest call.
func (p *Pane) beside(pal *paint.Palette, l *line) paint.Span {
	if l.change != nil {
		return changeWord(pal, l.change)
	}
	return p.Beside(pal, l.key, l.it)
}

func changeWord(pal *paint.Palette, c *changes.Item) paint.Span {
	switch {
	case c.Renamed != "":
		return paint.Span{} // the row has both names
	case c.Kind == diff.Added:
		return paint.Span{Style: pal.OK, Text: "added"}
	case c.Kind == diff.Removed:
		return paint.Span{Style: pal.Warn, Text: "removed"}
	case c.Breaking:
		return paint.Span{Style: pal.ErrorBold, Text: "breaking"}
	case slices.ContainsFunc(c.Groups, func(g changes.Group) bool { return g.LessRisk > 0 }):
		return paint.Span{Style: pal.WarnBold, Text: "less risk"}
	}
	return paint.Span{Style: pal.Warn, Text: "changed"}
}

// names adapts lines for fuzzy matching by name and mark.
type names []line

func (n names) String(i int) string {
	return strings.TrimSuffix(n[i].it.Label()+" "+n[i].mark, " ")
}
func (n names) Len() int { return len(n) }

// leastSearched is the minimum number of typed bytes for searching descriptions.
const leastSearched = 3

// rank returns the lines that match the words. Lines of [Pane.byName] are first, then lines whose
// title or description contains every word.
func (p *Pane) rank(words string) []int32 {
	found := p.byName(words)
	named := len(found)
	typed := search.Of(words)
	if p.named = ""; len(strings.Join(typed, "")) < leastSearched {
		return found
	}
	for i := range p.lines {
		l := &p.lines[i]
		if _, named := p.hits[l.key]; !named && typed.In(l.it.Title, l.it.Description) {
			found = append(found, int32(i))
		}
	}
	if named > 0 && named < len(found) {
		p.named = p.lines[found[named-1]].key
	}
	return found
}

// byName returns the lines whose name or mark has the letters of the words: first the line of that name, then those whose
// name begins with the words and those whose name contains them, in the order of the list, then the others, best match
// first. It sets the letters to highlight.
func (p *Pane) byName(words string) []int32 {
	p.hits = make(map[string][]int)
	var is, begins, contain, others []int32
	for _, m := range fuzzy.FindFrom(words, names(p.lines)) {
		i, name := int32(m.Index), strings.ToLower(p.lines[m.Index].it.Label())
		at := strings.Index(name, strings.ToLower(words))
		switch {
		case at == 0 && len(name) == len(words):
			is = append(is, i)
		case at == 0:
			begins = append(begins, i)
		case at > 0:
			contain = append(contain, i)
		default:
			others = append(others, i)
		}
		if at >= 0 && len(m.MatchedIndexes) == len(words) {
			for k := range m.MatchedIndexes {
				m.MatchedIndexes[k] = at + k
			}
		}
		p.hits[p.lines[i].key] = m.MatchedIndexes
	}
	slices.Sort(begins)
	slices.Sort(contain)
	return slices.Concat(is, begins, contain, others)
}

// ruled reports whether a line across follows an entry: the last changed one, or, in a filtered list, the last one
// whose name matches, if more entries match by their descriptions.
func (p *Pane) ruled(l *line) bool {
	if !p.Filtering() {
		return l.last
	}
	return l.key == p.named
}

// empty shows why the list is empty and what to do.
func (p *Pane) empty(d *doc.Doc) {
	pal, st := d.Pal, &p.tick.State
	offered := p.isOffered()
	busy := func(text string) {
		d.Row(paint.Span{Style: pal.Text, Text: paint.Spinner(pal, p.tick.Spin) + " " + text})
	}
	refresh := doc.Key{ID: "refresh", Label: "refresh"}
	switch err := p.failure(); {
	case p.loading():
		busy("fetching")
	case err != nil:
		d.Text(pal.Error, pal.FailMark+" "+err.Error(), 6)
		d.Gap()
		d.Keys(1, refresh)
	case st.Phase == session.Connecting:
		busy("connecting")
	case st.Phase == session.Failed || st.Phase == session.Idle:
		d.Text(pal.Text, "Not connected.", 1)
		d.Gap()
		d.Keys(1, doc.Key{ID: "tab.server", Label: "shows the cause"})
	case !offered:
		d.Text(pal.Text, "The server does not offer "+p.kind.noun+".", 2)
		d.Gap()
		d.Keys(1, doc.Key{ID: "compose", Label: "compose a request"})
	case !slices.ContainsFunc(p.kind.lists, func(name string) bool { return !st.Lists[name].Loaded.IsZero() }):
		d.Text(pal.Text, "The server offers "+p.kind.noun+", but "+p.kind.lists[0]+"/list was not sent: what they are is not known.", 3)
		d.Gap()
		d.Keys(1, refresh)
	default:
		p.none(d)
		d.Keys(2, refresh, doc.Key{ID: "restart", Label: "restart"}, doc.Key{ID: "tab.logs", Label: "logs"}, doc.Key{ID: "compose", Label: "compose"})
	}
}

// none shows possible reasons for an empty list.
func (p *Pane) none(d *doc.Doc) {
	list, pal := p.kind.lists[0], d.Pal
	d.Text(pal.TextBold, "The server has no "+p.kind.noun+": "+list+"/list returned an empty list.", 2)
	d.Text(pal.Text, "It declares the capability \""+list+"\", but has registered none for this client.", 3)
	d.Gap()
	for _, text := range []string{
		"Register the " + p.kind.noun + " before the server connects, or send notifications/" + list + "/list_changed afterwards.",
		"Check whether they depend on a configuration, an environment variable or a token that is missing: see the log of the server.",
	} {
		d.Text(pal.Text, pal.ArrowOut+" "+text, 3)
	}
	d.Gap()
}

// changedFirst returns the lines with the changed entries first, including removed ones.
func (p *Pane) changedFirst(all []line) []line {
	at := make(map[string]int, len(all))
	for i := range all {
		at[all[i].key] = i
	}
	var first []line
	for _, name := range p.kind.lists {
		found := p.tick.State.Changes.In(name)
		for i := range found {
			c := &found[i]
			raw := c.New
			if c.Kind == diff.Removed {
				raw = c.Old
			}
			it := offer.NewItem(name, raw)
			key := itemKey(it)
			n, present := at[key]
			if present == (c.Kind == diff.Removed) {
				continue // the lists are newer than the changes
			}
			if present {
				it = all[n].it // the listed item may be invalid
				all[n].change = c
			}
			first = append(first, line{key: key, it: it, change: c})
		}
	}
	if p.changed = len(first); p.changed == 0 {
		return all
	}
	for _, l := range all {
		if l.change == nil {
			first = append(first, l)
		}
	}
	first[p.changed-1].last = p.changed < len(first)
	return first
}

// moveRenamed moves the forms and calls of renamed items to their new keys.
func (p *Pane) moveRenamed() {
	for i := range p.changed {
		if l := &p.lines[i]; l.change.Renamed != "" {
			p.Rename(keyBefore(l.change), l.key)
		}
	}
}

// nameNow returns the new key of a renamed item, or "" if key was not renamed.
func (p *Pane) nameNow(key string) string {
	for i := range p.changed {
		if l := &p.lines[i]; l.change.Renamed != "" && keyBefore(l.change) == key {
			return l.key
		}
	}
	return ""
}

// keyBefore returns the key of a renamed item before the change.
func keyBefore(c *changes.Item) string {
	if c.List == "resources" || c.List == "templates" {
		return itemKey(offer.Item{Kind: c.List, URI: c.Renamed})
	}
	return c.Renamed
}
