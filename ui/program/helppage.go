package program

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"

	"mcptea/internal/words/display"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// A helpPage is the window with the most important keys: for moving, for the verbs, and for the current focus.
// Pressing its key again lists all commands.
type helpPage struct {
	p              *Program
	screenCommands []keys.Command
	columns        [2][]keyRow
	scroll         doc.Scroll
}

// A keyRow is a row of the page: a key and its effect, or a heading if the key is "".
type keyRow struct{ key, text string }

// A keyText is a row as defined here: a key, a command or a verb.
type keyText struct {
	key  string // displayed unchanged
	id   string // ending with a dot: all that begin so, by their digits
	verb keys.Verb
	text string
}

// matter lists the most important keys, in groups in two columns. Keys that have no command on the screen are
// left out.
var matter = []struct {
	column int
	title  string
	keys   []keyText
}{
	{0, "Move", []keyText{
		{key: "enter", text: "show, run or send"},
		{id: "back", text: "one step back; never quits"},
		{id: "pane.next", text: "next pane"},
		{id: "tab.", text: "go to a tab, or to its list"},
		{key: "/", text: "filter; n N match or error"},
		{id: "commands", text: "find and run any command"},
		{verb: keys.Quit, text: "end this session, or quit"},
	}},
	{0, "Call", []keyText{
		{verb: keys.Edit, text: "edit; back to the arguments"},
		{verb: keys.Again, text: "send again, run, load"},
		{verb: keys.End, text: "cancel, stop or drop"},
		{verb: keys.Compose, text: "compose any frame"},
		{verb: keys.Breakpoint, text: "hold frames (breakpoint)"},
		{verb: keys.Restart, text: "restart the server"},
	}},
	{1, "Read", []keyText{
		{verb: keys.Explain, text: "explain: what it is, why"},
		{verb: keys.NextView, text: "next view: tree, bytes"},
		{verb: keys.NextShape, text: "frames, timeline, sequence"},
		{verb: keys.Diff, text: "diff with another"},
	}},
	{1, "Keep", []keyText{
		{verb: keys.Copy, text: "copy"},
		{verb: keys.Export, text: "export"},
		{verb: keys.Pin, text: "pin a call, to repeat it"},
	}},
}

// ownPrefix begins the ids of the commands that the user has written in config.yaml.
const ownPrefix = "command."

const (
	maxHere = 4  // keys of the pane with the focus that the page names
	maxOwn  = 4  // keys of the user's own commands that the page names
	maxRows = 17 // rows of a column: as many as fit on a terminal with 24 rows
	// widest is the width of the page, and keyWidth the width of a key.
	widest, keyWidth = 116, 9
	// widthOfTwo is the minimum width of a page with two readable columns.
	widthOfTwo = 76
)

// leftKeys returns the width of the left column on a page of w cells. Texts of the left column are
// short. Texts of the right column are wrapped.
func leftKeys(w int) int { return min(keyWidth+31, w/2) }

// help opens the page, or the explanation of the focused field.
func (p *Program) help() {
	if f, ok := p.Painted.Field().(app.Helped); ok {
		p.Explain(f.Help())
		return
	}
	h := &helpPage{p: p}
	all := func() {
		p.Close(h)
		p.palette()
	}
	h.screenCommands = []keys.Command{
		{ID: "help", Keys: keys.On("? f1"), Label: "all keys", Help: "List all commands with their keys", Footer: 10, Run: all},
		{ID: "filter", Keys: keys.On("/"), Label: "search", Help: "Search the commands", Footer: 11, Run: all},
	}
	for i, bindings := range p.FullHelp() {
		column, title := 1, p.section()
		switch {
		case i < len(matter):
			column, title = matter[i].column, matter[i].title
		case i == len(matter):
			title = "Your commands"
		}
		h.columns[column] = p.keyRows(h.columns[column], title, bindings, i > len(matter))
	}
	p.over(h)
}

// commandsHere returns the commands of the screen by id, and the verbs that they have.
func (p *Program) commandsHere() (named map[string]*keys.Command, verbs map[keys.Verb]bool) {
	lists := p.lists()
	for _, at := range p.Screen.Routes() {
		for _, s := range at.Sections() {
			lists = append(lists, s.Commands)
		}
	}
	named, verbs = map[string]*keys.Command{}, map[keys.Verb]bool{}
	for _, list := range lists {
		for i := range list {
			c := &list[i]
			verbs[c.Verb] = true
			named[c.ID] = cmp.Or(named[c.ID], c)
		}
	}
	return named, verbs
}

// FullHelp implements [help.KeyMap]: the important keys, in their groups, the keys of the user's own commands,
// and the first keys of the focused part.
func (p *Program) FullHelp() (groups [][]key.Binding) {
	named, verbs := p.commandsHere()
	for i := range keys.Motions {
		m := &keys.Motions[i].Command
		named[m.ID] = cmp.Or(named[m.ID], m)
	}
	for _, g := range matter {
		var bindings []key.Binding
		for _, k := range g.keys {
			bindings = append(bindings, p.binding(k, named, verbs))
		}
		groups = append(groups, bindings)
	}
	return append(groups, p.ownKeys(named), p.keysHere(p.lists()[0]))
}

// ownKeys are keys of the commands that the user has written.
func (p *Program) ownKeys(named map[string]*keys.Command) (bindings []key.Binding) {
	for _, id := range slices.Sorted(maps.Keys(named)) {
		c := named[id]
		if b := p.Keys.Binding(c, nil); strings.HasPrefix(id, ownPrefix) && len(b.Keys()) > 0 && len(bindings) < maxOwn {
			b.SetHelp(b.Help().Key, c.Label)
			bindings = append(bindings, b)
		}
	}
	return bindings
}

// binding returns the binding for a row. It is disabled if no command has the key.
func (p *Program) binding(k keyText, named map[string]*keys.Command, verbs map[keys.Verb]bool) (b key.Binding) {
	name := k.key
	if strings.HasSuffix(k.id, ".") {
		name = p.digits(k.id, named)
	} else if c := named[k.id]; c != nil {
		name = p.Keys.Name(c, nil)
	} else if verbs[k.verb] {
		name = cmp.Or(name, string(k.verb))
	}
	if name != "" {
		b.SetKeys(name)
		b.SetHelp(name, k.text)
	}
	return b
}

// digits returns the digits that are keys of the commands with a prefix, such as "1-9", or "".
func (p *Program) digits(prefix string, named map[string]*keys.Command) string {
	var list []string
	for id, c := range named {
		if name := p.Keys.Name(c, nil); strings.HasPrefix(id, prefix) && len(name) == 1 && name[0] >= '0' && name[0] <= '9' {
			list = append(list, name)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return slices.Min(list) + "-" + slices.Max(list)
}

// keysHere returns the first keys for the focus, with complete descriptions.
func (p *Program) keysHere(list []keys.Command) (bindings []key.Binding) {
	var here []*keys.Command
	for i := range list {
		if c := &list[i]; c.Footer > 0 && c.Why() == "" {
			here = append(here, c)
		}
	}
	slices.SortStableFunc(here, func(a, b *keys.Command) int { return a.Footer - b.Footer })
	for _, c := range here[:min(len(here), maxHere)] {
		b := p.Keys.Binding(c, p.taken())
		b.SetHelp(b.Help().Key, c.Help)
		bindings = append(bindings, b)
	}
	return bindings
}

// keyRows adds the rows of a group to a column, or nothing if no key works. If full is set, descriptions are
// wrapped to the available rows.
func (p *Program) keyRows(rows []keyRow, title string, bindings []key.Binding, full bool) []keyRow {
	head := len(rows)
	rows = append(rows, keyRow{text: title})
	for _, b := range bindings {
		name, text := b.Help().Key, []string{b.Help().Desc}
		if full {
			w := min(p.W, widest) - 2
			text = display.Wrap(text[0], w-leftKeys(w)-keyWidth-3)
		}
		if !b.Enabled() || full && len(rows)+len(text) > maxRows {
			continue
		}
		for _, line := range text {
			rows = append(rows, keyRow{name, line})
			name = " "
		}
	}
	if len(rows) == head+1 {
		return rows[:head]
	}
	return rows
}

// Commands implements [app.Pane].
func (h *helpPage) Commands() []keys.Command { return h.screenCommands }

// Motion implements [app.Pane].
func (h *helpPage) Motion(m keys.Motion) bool { return keys.Scroll(&h.scroll, m) }

// Refresh implements [app.Pane].
func (h *helpPage) Refresh(app.Tick) bool { return false }

// beside returns the columns for w cells: one below the other if they would be cut side by side.
func (h *helpPage) beside(w int) (columns [2][]keyRow, rows int) {
	if columns = h.columns; w < widthOfTwo {
		columns = [2][]keyRow{slices.Concat(h.columns[0], h.columns[1])}
	}
	return columns, max(len(columns[0]), len(columns[1]))
}

// Size implements [app.Dialog].
func (h *helpPage) Size(_ *app.Screen, w, sh int) (int, int) {
	w = min(w, widest)
	_, rows := h.beside(w - 2)
	return w, min(sh-2, rows+6)
}

// Paint implements [app.Pane].
func (h *helpPage) Paint(c *app.Canvas, _ bool) {
	in := c.Box([]paint.Span{{Style: c.Pal.TextBold, Text: "Keys"}, {Style: c.Pal.Muted, Text: "  those that matter"}}, nil, true)
	top, below := in.Over(in.H - 3)
	columns, rows := h.beside(in.W)
	ends := [...]int{leftKeys(in.W), in.W}
	if len(columns[1]) == 0 {
		ends[0] = in.W
	}
	h.scroll.Lines(top, rows, func(r *paint.Row, y int) {
		for i, column := range columns {
			if y < len(column) {
				r.To([...]int{0, ends[0]}[i])
				h.row(r, column[y], ends[i])
			}
		}
	})
	below.Rows(paint.Rule(in.Pal, in.W, paint.Span{Style: in.Pal.Muted, Text: "in a text field"}))
	for _, text := range []string{
		"ctrl+s sends; alt+letter is its verb: alt+v next view.",
		"A key that cannot work says why. Last row: what works.",
	} {
		below.Say(1, in.Pal.Muted, text)
	}
	var note []paint.Span
	if at := h.scroll.Position(); at != "" {
		note = append(note, paint.Span{Style: c.Pal.Muted, Text: at + "   "})
	}
	c.Note(append(note, paint.Span{Style: c.Pal.AccentBold, Text: c.Names.Name("help")}, paint.Span{Style: c.Pal.Muted, Text: " all keys"}))
}

// row writes a key and its effect, or a heading, up to a column.
func (h *helpPage) row(r *paint.Row, k keyRow, end int) {
	pal := h.p.Pal
	if k.key == "" {
		r.Gap(1)
		r.Cell(pal.TextBold, k.text, end-r.Used())
		return
	}
	r.CellRight(pal.AccentBold, k.key, keyWidth)
	r.Gap(2)
	r.Cell(pal.Text, k.text, end-r.Used()-1)
}
