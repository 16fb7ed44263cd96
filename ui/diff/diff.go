// Package diff implements the window that compares two things: values, frames, offers of servers, recordings.
// It shows the lines of both, side by side or unified, and the changes as a table.
//
// Tests: ui/parts/diff_test.go
package diff

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcptea/internal/words/display"
	"mcptea/offer/diff"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// A Dialog is the window.
type Dialog struct {
	app      app.Program
	commands []keys.Command
	doing    string // while it is not loaded
	subject  Subject
	again    func(context.Context) (Subject, error) // loads the subject again
	loaded   bool
	swapped  bool
	ignored  []string
	strict   bool // ids, times, cursors and tokens count
	whole    bool // show equal parts in full
	sides    bool // choice of the user, if chosen
	chosen   bool

	work  app.Work
	shown *Result // nil while it is being computed
	err   error
	spin  int

	list   widget.List[int] // list of the changed items
	lines  []Line
	first  []int  // first line of each differing item, or -1
	widths [4]int // widths of the item columns; see columns
	judged bool   // some items have an effect on clients
	counts [2]int
	at     int  // the item whose lines were shown
	top    int  // first visible line
	split  bool // show the lines of two sides
	rows   int  // rows for lines at the last painting
}

// Comparing is the status text while the window compares.
const Comparing = "Comparing."

// wide is the minimum width at which the sides are next to each other, in cells.
const wide = 120

// New returns the window without a subject.
func New(a app.Program) *Dialog {
	d := &Dialog{app: a}
	d.list.Items = widget.Items[int]{
		Len: func() int {
			if d.shown == nil {
				return 0
			}
			return len(d.shown.Entries)
		},
		Key: func(i int) int { return i },
		Row: d.itemRow,
	}
	without := func(why string, does func() bool) func() string {
		return func() string {
			if !does() {
				return why
			}
			return ""
		}
	}
	several := without("There are no other differences.", func() bool { return d.list.Len() > 1 })
	found := without("The comparison has not ended.", func() bool { return d.shown != nil && d.err == nil })
	compared := without("Nothing was compared.", func() bool { return d.loaded && d.err == nil })
	failed := without("The comparison did not fail.", func() bool { return d.err != nil && !d.loaded })
	d.commands = []keys.Command{
		{ID: "match.next", Verb: keys.NextMatch, Label: "next change", Help: "Go to the next difference", Footer: 10, Run: func() { d.next(1) }, Off: several},
		{ID: "match.previous", Verb: keys.PrevMatch, Label: "previous", Help: "Go to the previous difference", Run: func() { d.next(-1) }, Off: several},
		{ID: "view.shown", Verb: keys.NextView, Label: "sides", Help: "Show both side by side, or one below the other", Words: "unified split", Footer: 11, Run: func() { d.sides, d.chosen = !d.split, true }, Off: compared},
		{ID: "again", Verb: keys.Again, Label: "try again", Help: "Try again to get what is compared", Words: "retry connect", Footer: 9, Run: d.tryAgain, Off: failed},
		{
			ID: "pin.accept", Verb: keys.Pin, Label: "accept B in pin", Help: "Expect B in the pin of this call from now on", Words: "update snapshot", Footer: 12, Run: func() { d.app.Close(d); d.subject.Accept() },
			Off: without("This call has no pin, or A and B are swapped.", func() bool { return d.subject.Accept != nil && !d.swapped }),
		},
		{
			ID: "diff.ignore", Verb: keys.Ignore, Label: "ignore path", Help: "Leave out the values at this path, in all elements of arrays", Words: "rule", Footer: 13, Run: d.ignore,
			Off: without("The selected change has no path to ignore.", func() bool { it := d.selected(); return it != nil && !it.Ignored && it.Path != "" }),
		},
		{ID: "fold.toggle", Keys: keys.On("space"), Label: "unfold", Help: "Show all lines that are equal, or a few beside each difference", Words: "collapse expand whole", Footer: 16, Run: func() { d.whole = !d.whole; d.compare() }, Off: compared},
		{ID: "diff.strict", Label: "ids and times", Help: "Compare ids, times, cursors and tokens too, or leave them out", Words: "strict ignore volatile ignored", Run: func() { d.strict = !d.strict; d.compare() }, Off: compared},
		{ID: "diff.swap", Label: "swap", Help: "Swap A and B: what breaks is for clients of A", Words: "exchange direction reverse old new", Footer: 40, Run: d.swap, Off: compared},
		{ID: "copy", Verb: keys.Copy, Label: "copy", Help: "Copy the differences as text", Words: "clipboard", Footer: 17, Run: func() { d.app.Copy(d.text(), nil, "differences") }, Off: found},
		{
			ID: "copy.other", Verb: keys.CopyOther, Label: "copy command", Help: "Copy the command that makes the same comparison in a shell", Words: "cli clipboard", Footer: 18, Run: func() { d.app.Copy(d.command(), nil, "command") },
			Off: without("The session is not recorded, so no command can repeat this comparison.", func() bool { return d.command() != "" }),
		},
		{
			ID: "export", Verb: keys.Export, Label: "export", Help: "Export the two frames", Words: "save", Footer: 19, Run: func() { d.subject.Export() },
			Off: without("These are not two frames of the session.", func() bool { return d.subject.Export != nil }),
		},
		{
			ID: "diff.earlier", Keys: keys.On("["), Label: "earlier call", Help: "Compare B with the call before A of the same tool, prompt or resource", Words: "previous", Footer: 20, Run: func() { d.load(d.subject.Earlier) },
			Off: without("These are not two frames of the session.", func() bool { return d.subject.Earlier != nil }),
		},
	}
	return d
}

// Open opens the window. load finds what to compare, on another goroutine. doing is a sentence that describes
// it in the meantime.
func Open(a app.Program, doing string, load func(context.Context) (Subject, error)) {
	d := New(a)
	d.work.Ended = func() (what, how string) {
		if d.err != nil {
			return "The comparison", "error"
		}
		return "The comparison", "ok"
	}
	d.doing, d.again = doing, load
	a.Open(d)
	d.load(load)
}

// load loads a subject and compares it.
func (d *Dialog) load(load func(context.Context) (Subject, error)) {
	d.work.Start(d.app, func(ctx context.Context) func() {
		s, err := load(ctx)
		return func() {
			switch {
			case err == nil:
				d.subject, d.loaded, d.swapped, d.ignored, d.top = s, true, false, s.Ignore, 0
				d.compare()
			case d.loaded:
				d.app.Say(dialog.Sentence(err))
			default:
				d.shown, d.err = &Result{}, err
			}
		}
	})
}

// tryAgain loads the subject again.
func (d *Dialog) tryAgain() {
	d.shown, d.err = nil, nil
	d.app.Say("Trying again.")
	d.load(d.again)
}

// Close implements [app.Closer].
func (d *Dialog) Close() { d.work.Stop() }

// compare starts the comparison.
func (d *Dialog) compare() {
	if !d.loaded {
		return
	}
	o := Options{Swapped: d.swapped, Whole: d.whole}
	o.Options, _ = diff.OptionsOf(d.ignored, d.subject.Frames, d.strict) // an invalid rule ignores nothing
	compare := d.subject.Compare
	d.shown, d.err, d.lines, d.doing = nil, nil, nil, Comparing
	d.work.Start(d.app, func(ctx context.Context) func() {
		r, err := compare(ctx, o)
		if err != nil {
			err = fmt.Errorf("this cannot be compared: %w", err)
		}
		return func() {
			d.shown, d.err, d.widths, d.judged = &r, err, [4]int{}, slices.ContainsFunc(r.Entries, func(e diff.Entry) bool { return e.Effect != 0 })
			d.list.Refresh()
			d.list.SelectIndex(max(d.list.Index(), 0))
			if it := d.selected(); it != nil && it.Ignored {
				d.seek(1)
			}
			d.arrange()
		}
	})
}

// arrange makes the lines.
func (d *Dialog) arrange() {
	if d.lines = d.shown.Lines; !d.split {
		d.lines = diff.Unified(d.lines)
	}
	d.first, d.counts = slices.Repeat([]int{-1}, len(d.shown.Entries)), [2]int{}
	for i, l := range slices.Backward(d.lines) {
		if l.Entry >= 0 && (l.Kind != diff.Same || d.first[l.Entry] < 0) && l.Heading == "" {
			d.first[l.Entry] = i
		}
		d.counts = [2]int{max(d.counts[0], l.OldNumber), max(d.counts[1], l.NewNumber)}
	}
	d.at = -1
}

// next selects the next or previous item that counts. If there is none, it shows a message.
func (d *Dialog) next(step int) {
	if !d.seek(step) {
		d.app.Say("There are no more differences in this direction.")
	}
}

// seek selects the next or previous item that counts. It returns false if there is no such item.
func (d *Dialog) seek(step int) bool {
	for i := d.list.Index() + step; i >= 0 && i < d.list.Len(); i += step {
		if !d.shown.Entries[i].Ignored {
			d.list.SelectIndex(i)
			return true
		}
	}
	return false
}

// selected returns the selected item, or nil.
func (d *Dialog) selected() *diff.Entry {
	if i := d.list.Index(); i >= 0 && i < d.list.Len() {
		return &d.shown.Entries[i]
	}
	return nil
}

// Commands implements [app.Pane].
func (d *Dialog) Commands() []keys.Command {
	for i := range d.commands {
		switch c := &d.commands[i]; c.ID {
		case "view.shown":
			c.Label = map[bool]string{true: "unified", false: "side by side"}[d.split]
		case "fold.toggle":
			c.Label = map[bool]string{true: "fold", false: "unfold"}[d.whole]
		}
	}
	return d.commands
}

// Motion implements [app.Pane]. Page motions scroll the lines.
func (d *Dialog) Motion(m keys.Motion) bool {
	switch m {
	case keys.PageDown, keys.HalfDown:
		d.top += max(1, d.rows/2)
	case keys.PageUp, keys.HalfUp:
		d.top -= max(1, d.rows/2)
	default:
		return keys.Scroll(&d.list, m)
	}
	return true
}

// Refresh implements [app.Pane].
func (d *Dialog) Refresh(t app.Tick) bool {
	d.spin = t.Spin
	return d.work.Busy()
}

func (d *Dialog) swap() {
	d.swapped = !d.swapped
	s := &d.subject.Sides
	s[0], s[1] = s[1], s[0]
	d.compare()
}

// ignore leaves the place of the selected item out, in all elements of arrays.
func (d *Dialog) ignore() {
	rule := anyElement(d.selected().Path)
	d.ignored = append(d.ignored[:len(d.ignored):len(d.ignored)], rule)
	d.compare()
	if d.subject.Ignored != nil {
		d.subject.Ignored(rule)
		return
	}
	d.app.Say("Ignored: " + display.Sanitize(rule))
}

// anyElement replaces the numbers of elements in a JSON Pointer by "*".
func anyElement(pointer string) string {
	parts := strings.Split(pointer, "/")
	for i, part := range parts {
		if _, err := strconv.ParseUint(part, 10, 32); err == nil {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}

// command returns the shell command for the same comparison, or "".
func (d *Dialog) command() string {
	if d.subject.Command == nil {
		return ""
	}
	return d.subject.Command(d.swapped, d.ignored, d.strict)
}

// titles returns distinct names for the sides. If the names are equal, the place or the time is added.
func (d *Dialog) titles() (names [2]string) {
	s := &d.subject.Sides
	for i := range s {
		names[i] = strings.TrimSpace(s[i].Frame + " " + s[i].Name)
	}
	if names[0] == names[1] {
		for i := range s {
			names[i] += "  " + paint.If(s[0].Where == s[1].Where, s[i].Time, s[i].Where)
		}
	}
	return names
}

// text returns the unified view as text.
func (d *Dialog) text() string {
	var b strings.Builder
	names := d.titles()
	b.WriteString("--- " + display.Sanitize(names[0]) + "\n+++ " + display.Sanitize(names[1]) + "\n")
	for i := range d.shown.Entries {
		if it := &d.shown.Entries[i]; it.Effect != 0 {
			b.WriteString(display.Sanitize(it.Effect.String()+": "+it.Name+": "+it.Note) + "\n")
		}
	}
	lines := diff.Unified(d.shown.Lines)
	for i := range lines {
		b.WriteString(textOf(&lines[i]))
	}
	return b.String()
}
