// Package start implements the start screen: a line to type into, and a grouped list of what can be opened.
//
// Tests: ui/pane/start_test.go, ui/inspector/start*_test.go
package start

import (
	"context"
	"slices"
	"strings"

	"mcptea/internal/words/phrase"
	"mcptea/record/stderr"
	"mcptea/session/question"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
	"mcptea/ui/widget"
)

// Options configures the screen.
type Options struct {
	// Groups read the parts of the list, in the order of the screen, outside of Update.
	Groups []func(context.Context) Group
	// OfTaps lists the indexes of the groups that change when a tap starts or ends.
	OfTaps []int
	// Meaning returns the entries that a typed line opens, or may open: several servers can be pasted together.
	// It runs outside of Update.
	Meaning func(text string) []Entry
	// Selected is the entry that is selected at first, by Group.KeyOf; empty for the first one.
	Selected string
	// Line is in the field at first, as if it were typed.
	Line Line
	// Above reports whether there is something that Leave leads back to.
	Above func() bool
	Leave func()
	// Inputs returns the values that the user must enter before an entry is opened. It may be nil.
	Inputs func(e *Entry) []Input
	// Run runs mcptea with the arguments that open an entry, and the values of its inputs by their ids. The
	// agreement is that to the question of the entry.
	Run func(e *Entry, agreed question.Agreement, given map[string]string)
}

// A Line is the content of the field.
type Line struct {
	Text   string
	Pasted bool // others may have written it
	// Mistake contains sentences that tell why the entry with the key Key could not be opened. At is the
	// position of the mistake in the text.
	Mistake []string
	Key     string
	At      int
}

// A Pane is the list of entries that can be opened, with its text field.
type Pane struct {
	app.Place

	app     app.Program
	options Options
	input   textfield.Input
	groups  []Group // the first group contains the entry of the typed line
	list    widget.Rows[line, string]
	lines   []line
	read    map[int]bool // the groups that were set; nothing is selected before all were
	loads   map[int]int  // number of loads of each group; only the newest counts

	// typed is the text whose meaning is in the first group. A line is opened only when that text is in the
	// field. waiting reports that the user has already asked to open it.
	typed   string
	waiting bool
	// pasted is the text represented by the line, with line ends, which a field does not have: a comment ends
	// at one.
	pasted struct{ line, text string }
	failed Line   // line that could not be opened; empty if there is no mistake
	asked  string // line whose meaning was looked up last
	asking int    // number of lines whose meaning is not known yet

	whole  bool // only the selected entry is shown
	window doc.Scroll
	// question is the question that the selected entry asks, and reading displays it in the detail. Both are nil if it asks
	// none.
	question *Ask
	reading  *dialog.Reading
	most     extent // size of a detail next to the list
	wanted   int    // maximum rows wanted at the current size
	widest   [2]int // widths of the names and applications, see [Pane.columns]
}

// An extent is a number of columns and rows of text in a detail.
type extent struct{ columns, rows int }

// line is a row of the list: the title of a group, or an entry of it.
type line struct {
	group *Group
	entry *Entry // nil for the title
}

// New returns the pane; Load fills it.
func New(a app.Program, o Options) *Pane {
	p := &Pane{app: a, options: o, groups: make([]Group, len(o.Groups)+1), read: map[int]bool{}, loads: map[int]int{}}
	p.groups[0].Title = "Typed"
	p.list.Init(func() int { return len(p.lines) }, func(i int) line { return p.lines[i] }, line.key, p.columns()...)
	p.list.Sign = func(l line, pal *paint.Palette) paint.Span { return l.entry.Mark.sign(pal) }
	p.list.Across = func(l line) func(r *paint.Row, pal *paint.Palette, selected bool) {
		if l.entry == nil {
			return l.group.title
		}
		return nil
	}
	p.Name, p.Own = "start", []keys.Command{
		{ID: "target.open", Keys: keys.On("enter"), Label: "open", Now: p.opens, Help: "Open the entry, or what is typed, also flags: --timeout 2m URL", Words: "connect start run timeout flags header token", Footer: 10, Run: p.open},
		{ID: "target.whole", Keys: keys.On("tab"), Label: "whole entry", Now: func() string { return paint.If(p.whole, "show the list", "show all of it") }, Help: "Show all of the selected entry, or the list again", Words: "detail zoom", Footer: 15, Run: func() { p.whole = !p.whole }, Off: p.unless("Nothing is selected.", func(*Entry) bool { return true })},
		{ID: "target.clear", Keys: keys.On("esc"), Label: "clear", Now: p.clears, Help: "Clear the line, leave the whole entry, or go back to the session", Words: "back", Footer: 20, Run: p.clearLine},
		{ID: "edit", Verb: keys.Edit, Label: "edit file", Help: "Open the configuration file at the entry in $VISUAL or $EDITOR", Words: "vim editor", Run: func() { a.OpenSource(stderr.Source{File: p.selected().File, Line: p.selected().Line}) }, Off: p.unless("This entry is not in a configuration file.", func(e *Entry) bool { return e.File != "" })},
		{ID: "target.tap", Keys: keys.On("f7"), Label: "record", Now: func() string { return p.selected().taps() }, Help: "Record this server in its application with mcptea tap, or stop that", Words: "wrap unwrap tap", Run: func() { p.tap(p.selected().Tap) }, Off: p.unless("This entry cannot be recorded with a tap.", func(e *Entry) bool { return e.Tap != nil })},
		{ID: "copy", Verb: keys.Copy, Label: "copy as command", Help: "Copy the command that opens the entry", Words: "cli script clipboard", Run: func() { a.Copy(p.selected().Command, nil, "command") }, Off: p.unless("This entry has no command.", func(e *Entry) bool { return e.Command != "" })},
	}
	return p
}

// opens returns the label of enter, in the words of the entry.
func (p *Pane) opens() string {
	if e := p.selected(); e != nil && e.Args != nil {
		return e.opens(p.mustRead(e))
	}
	return "open"
}

// mustRead reports whether the user has not yet seen all of what an entry starts.
func (p *Pane) mustRead(e *Entry) bool {
	return e.Ask != nil && (p.reading == nil || p.reading.Left() > 0)
}

// Line returns the content of the field as typed or pasted.
func (p *Pane) Line() Line {
	if p.isPasted() {
		return Line{Text: p.pasted.text, Pasted: true}
	}
	return Line{Text: p.input.Value()}
}

// isPasted reports whether the text in the field is one that was pasted.
func (p *Pane) isPasted() bool {
	line := strings.TrimSpace(p.input.Value())
	return line != "" && line == p.pasted.line
}

// unless returns a function that returns why a command does nothing now, or "". That is why if ok returns false
// for the selected entry.
func (p *Pane) unless(why string, ok func(e *Entry) bool) func() string {
	return func() string {
		switch e := p.selected(); {
		case e == nil:
			return "Nothing is selected."
		case !ok(e):
			return why
		}
		return ""
	}
}

func (l line) key() string {
	if l.entry == nil {
		return l.group.Title
	}
	return l.group.KeyOf(l.entry)
}

// Things implements [app.Finder]: the entries, by the kinds of their groups.
func (p *Pane) Things() (all []app.Things) {
	for i := range p.groups[1:] {
		g := &p.groups[i+1]
		all = append(all, g.Things(func(e *Entry) {
			p.whole = false
			p.input.SetValue("")
			p.edited()
			p.list.Select(g.KeyOf(e))
		}))
	}
	return all
}

// text returns the line in the field as pasted.
func (p *Pane) text() string {
	if p.isPasted() {
		return p.pasted.text
	}
	return strings.TrimSpace(p.input.Value())
}

// MaxPasted is the size of the largest text that can be pasted, in bytes.
const MaxPasted = 64 << 10

// A field is the line. It keeps a pasted text unchanged.
type field struct {
	textfield.Field
	p *Pane
}

// Paste implements [app.Field].
func (f field) Paste(text string) {
	if len(text) > MaxPasted {
		f.p.app.Fail("The pasted text has " + phrase.Size(int64(len(text))) + ", more than the maximum of " + phrase.Size(MaxPasted) + ". Save it in a file, and type FILE#NAME.")
		return
	}
	whole := f.Empty()
	f.Insert(text)
	if whole {
		text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text) // terminals send a carriage return
		f.p.pasted.line, f.p.pasted.text = strings.TrimSpace(f.Value()), strings.TrimSpace(text)
	}
	f.Changed()
}

// maxAsking bounds the concurrent lookups of lines, because a file system may be slow.
const maxAsking = 4

// ask starts looking up the meaning of a new line, or waits if too many lookups are running.
func (p *Pane) ask() {
	text := p.text()
	if text == p.asked || text != "" && p.asking >= maxAsking {
		return
	}
	p.asked = text
	if text == "" {
		return
	}
	p.asking++
	p.app.Go(func(context.Context) func() {
		found := p.options.Meaning(text)
		return func() {
			p.asking--
			p.setTyped(text, found)
			p.ask()
		}
	})
}

// setTyped sets the entries of a typed line, and opens the entry if the user has asked for it and there is only
// one.
func (p *Pane) setTyped(text string, found []Entry) {
	if text != p.text() {
		return // the line has changed since
	}
	if text == strings.TrimSpace(p.failed.Text) {
		p.tellFailed(found)
	}
	p.typed, p.groups[0].Entries = text, found
	p.filter()
	p.selectFirst()
	if asked := p.waiting; asked && len(found) < 2 {
		p.open()
	} else {
		p.waiting = false
	}
}

// filter lists the groups and entries that contain the words of the line. Entries with exactly this
// name are first. The entry for the line itself is listed if it can be opened, or if nothing else
// matches.
func (p *Pane) filter() {
	text := p.text()
	var named, others, typed []line
	first := slices.ContainsFunc(p.groups[0].Entries, func(e Entry) bool { return e.First })
	for i := range p.groups[1:] {
		lines := p.groups[i+1].containing(text, first)
		if len(lines) > 0 && lines[1].entry.takes(text, first) {
			named = append(named, lines...)
		} else {
			others = append(others, lines...)
		}
	}
	opens := func(e Entry) bool { return e.Args != nil }
	isLaunch := strings.ContainsAny(text, " /:") // a command or a URL: open no entry instead
	isOwn := func(l line) bool { return l.entry.takes(text, true) }
	isTaken := isLaunch && len(named) > 0 && !slices.ContainsFunc(named, isOwn) // taken by a project
	if g := &p.groups[0]; first || isTaken || slices.ContainsFunc(g.Entries, opens) || len(named)+len(others) == 0 {
		typed = g.lines(func(*Entry) bool { return true })
	}
	if isLaunch {
		p.lines = slices.Concat(typed, named, others)
		return
	}
	if first { // a command of mcptea, or a file
		p.lines = slices.Concat(named, typed, others)
		return
	}
	p.lines = slices.Concat(named, others, typed) // a single word is a word to search for
}

// selectFirst selects the first entry, once all are known.
func (p *Pane) selectFirst() {
	p.whole = false
	p.toTop(0)
	p.list.Pin(false)
	all := p.isComplete()
	if all && p.text() == "" && p.list.Select(p.options.Selected) {
		p.options.Selected = ""
	} else if all || p.text() != "" {
		p.skipTitle(1)
	}
}

// toTop selects a line near the first, and scrolls to the first.
func (p *Pane) toTop(i int) {
	p.list.Scroll(-len(p.lines))
	p.list.SelectIndex(i)
}

// skipTitle moves the cursor from the title of a group to the entry next to it.
func (p *Pane) skipTitle(step int) {
	at := p.list.Index()
	if at < 0 || p.lines[at].entry != nil {
		return
	}
	if at+step < 0 || at+step >= len(p.lines) {
		step = -step
	}
	p.list.SelectIndex(at + step)
}

func (p *Pane) selected() *Entry {
	if i := p.list.Index(); i >= 0 {
		return p.lines[i].entry
	}
	return nil
}

// edited looks up the new meaning of the line.
func (p *Pane) edited() {
	p.waiting = false
	p.groups[0].Entries = nil // entries of the previous text
	if p.text() == "" {
		p.typed = ""
	}
	p.filter()
	p.list.Refresh()
	p.selectFirst()
	p.ask()
}

// Refresh implements [app.Pane].
func (p *Pane) Refresh(app.Tick) bool { return false }

// Motion implements [app.Pane].
func (p *Pane) Motion(m keys.Motion) bool {
	if p.whole {
		return keys.Scroll(&p.window, m)
	}
	step := 1
	if m == keys.Up || m == keys.PageUp || m == keys.HalfUp || m == keys.Top {
		step = -1
	}
	taken := keys.Scroll(&p.list, m)
	if taken {
		p.skipTitle(step)
		if p.list.Index() == 1 {
			p.toTop(1) // and the title of its group
		}
	}
	return taken
}

// above reports whether the screen is above a session.
func (p *Pane) above() bool { return p.options.Above != nil && p.options.Above() }

// clears returns the label of esc, or "" if it does nothing.
func (p *Pane) clears() string {
	switch {
	case p.whole:
		return "list"
	case !p.input.Empty():
		return "clear"
	case p.above():
		return "back"
	}
	return ""
}

func (p *Pane) clearLine() {
	if p.waiting = false; p.whole {
		p.whole = false
		return
	}
	switch {
	case !p.input.Empty():
		p.input.SetValue("")
		p.edited()
	case p.above():
		p.options.Leave()
	default:
		p.app.Say("The line is empty. " + p.app.Key("interrupt") + " quits.")
	}
}
