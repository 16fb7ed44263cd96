package list

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sahilm/fuzzy"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/offer"
	"mcptea/session/offer/changes"
	"mcptea/session/offer/diff"
	"mcptea/session/session"
	uidiff "mcptea/ui/diff"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
	"mcptea/ui/pane/browse/call"
)

// note is what the title of the list says at its right.
func (p *Pane) note(pal *paint.Palette) []paint.Span {
	var note paint.Spans
	note.If(p.loading(), pal.Warn, paint.Spinner(pal, p.tick.Spin)+" ")
	note = append(note, uidiff.Counts(pal, p.Changes(), " ")...)
	note.If(p.failure() != nil && len(p.lines) > 0, pal.Error, "incomplete ")
	return append(note, paint.Span{Style: pal.Muted, Text: phrase.Digits(p.offered())})
}

// offered is how many items the server lists: those that it does not list any more are lines too.
func (p *Pane) offered() int { return len(p.lines) - p.Changes().Removed }

// height is the number of rows of a line: a rule follows the last of those that differ.
func (p *Pane) height(l *line) int {
	if l.last && !p.Filtering() {
		return 2
	}
	return 1
}

func (p *Pane) row(r *paint.Row, pal *paint.Palette, l *line, row int, selected bool) {
	if row > 0 {
		w := r.Left() + r.Used()
		r.Start(w, paint.Style{})
		r.Gap(1)
		r.Fill(pal.Border, pal.Lines.Top, w-2)
		return
	}
	st := paint.If(selected, pal.Strong, pal.Text)
	note := p.beside(pal, l)
	if p.changed > 0 {
		if l.change != nil {
			r.Spans(uidiff.Sign(pal, l.change.Kind))
		} else {
			r.Gap(2)
		}
	}
	if l.change != nil && l.change.Kind == diff.Removed {
		st = pal.Gone
	}
	if note.Text != "" {
		note.Text = pal.Cut(display.Sanitize(note.Text), (r.Left()+1)/2) + " "
		r.Right(note)
	}
	if l.change != nil && l.change.Renamed != "" {
		left := r.Left() - len(" -> ")
		r.Put(pal.Gone, pal.Cut(display.Sanitize(l.change.Renamed), max(left-display.Width(display.Sanitize(call.NameOf(l.it))), left/3)))
		r.Put(pal.Muted, " "+pal.ArrowOut+" ")
	}
	name, at := call.NameOf(l.it), 0
	subscribed := l.it.Kind == "resources" && p.Subscribed(l.it.URI)
	if subscribed {
		name = pal.Cut(display.Sanitize(name), max(r.Left()-2, 1))
	}
	if l.mark != "" {
		name = pal.Cut(display.Sanitize(name), max(r.Left()-display.Width(l.mark)-2, 1))
	}
	var hits []int
	if p.Filtering() {
		hits = p.hits[l.key]
	}
	for _, h := range hits {
		if h < at || h >= len(name) || !utf8.RuneStart(name[h]) {
			continue
		}
		_, n := utf8.DecodeRuneInString(name[h:])
		r.Put(st, name[at:h])
		r.Put(st.On(pal.MatchLine), name[h:h+n])
		at = h + n
	}
	r.Put(st, name[at:])
	if subscribed {
		r.Put(pal.OK, " "+pal.Dot)
	}
	if l.mark != "" {
		r.Put(pal.Accent, "  "+l.mark)
	}
	p.about(r, pal, l)
}

// maxNamed bounds the column of names, minAbout is what is left for what an item is.
const maxNamed, minAbout = 24, 12

// about writes what an item is beside its name, where there is room.
func (p *Pane) about(r *paint.Row, pal *paint.Palette, l *line) {
	text := cmp.Or(l.it.Description, l.it.Title)
	at := 2 + p.named + 2
	if p.changed > 0 {
		at += 2
	}
	if gap := max(at-r.Used(), 2); text != l.it.Name && r.Left()-gap >= minAbout {
		r.Gap(gap)
		text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
		r.Cell(pal.Muted, text, min(r.Left()-1, display.Width(display.Sanitize(text))))
	}
}

// beside is what stands at the right of a name: what has changed, how the newest call
// went, or what the item is.
func (p *Pane) beside(pal *paint.Palette, l *line) paint.Span {
	if l.change != nil {
		return changeWord(pal, l.change)
	}
	if s := p.Beside(pal, l.key, l.it); s.Text != "" {
		return s
	}
	switch l.it.Kind {
	case "templates":
		return paint.Span{Style: pal.Muted, Text: "template"}
	case "resources":
		if n, ok := call.SizeOf(l.it); ok {
			return paint.Span{Style: pal.Muted, Text: phrase.Size(n)}
		}
		if p.types {
			return paint.Span{Style: pal.Muted, Text: l.it.MIME}
		}
	}
	return paint.Span{}
}

func changeWord(pal *paint.Palette, c *changes.Item) paint.Span {
	switch {
	case c.Renamed != "":
		return paint.Span{} // both names are in the row
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

// names are the names of the lines, with the marks beside them.
type names []line

func (n names) String(i int) string {
	return strings.TrimSuffix(call.NameOf(n[i].it)+" "+n[i].mark, " ")
}
func (n names) Len() int { return len(n) }

// rank lists the lines whose names or marks have the letters of the words, best first.
func (p *Pane) rank(words string) []int32 {
	p.hits = make(map[string][]int)
	var found []int32
	for _, m := range fuzzy.FindFrom(words, names(p.lines)) {
		found = append(found, int32(m.Index))
		p.hits[p.lines[m.Index].key] = m.MatchedIndexes
	}
	return found
}

// empty says why there is nothing, and what to do.
func (p *Pane) empty(d *doc.Doc) {
	pal, st := d.Pal, &p.tick.State
	offered := slices.ContainsFunc(p.kind.lists, func(name string) bool { return st.Lists[name].Offered })
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

// none says what an empty list can come from.
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

// changedFirst puts what differs from what the user has seen before the other entries,
// with what was removed.
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
				it = all[n].it // it may be invalid
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

// moveRenamed has a draft and its calls follow an item that has another name now.
func (p *Pane) moveRenamed() {
	for i := range p.changed {
		if l := &p.lines[i]; l.change.Renamed != "" {
			p.Rename(keyBefore(l.change), l.key)
		}
	}
}

// nameNow is the key that an item has now; empty for one that has the same, or is gone.
func (p *Pane) nameNow(key string) string {
	for i := range p.changed {
		if l := &p.lines[i]; l.change.Renamed != "" && keyBefore(l.change) == key {
			return l.key
		}
	}
	return ""
}

// keyBefore is the key that an item had which has another one now.
func keyBefore(c *changes.Item) string {
	if c.List == "resources" || c.List == "templates" {
		return itemKey(offer.Item{Kind: c.List, URI: c.Renamed})
	}
	return c.Renamed
}
