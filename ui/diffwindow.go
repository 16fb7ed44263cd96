package ui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/jsonrpc"
	"mcptea/session/diff"
	"mcptea/session/replay"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/difference"
	"mcptea/ui/paint"
	"mcptea/ui/widget/masterdetail"
)

// diff compares the two frames that were marked last, or a frame with the marked one.
func (m *model) diff(row int32) tea.Cmd {
	marks := m.marked()
	switch {
	case len(marks) >= 2:
		marks = marks[len(marks)-2:]
	case len(marks) == 1 && row != store.None && row != marks[0]:
		marks = []int32{marks[0], row}
	default:
		return m.act(action.Flash{Text: "Mark a frame with " + command.KeyIn(command.Traffic, command.MarkFrame, false) + ", then select another one to compare."})
	}
	return m.diffRows(min(marks[0], marks[1]), max(marks[0], marks[1]))
}

// diffValues opens the window of the differences of two values.
func (m *model) diffValues(a action.DiffValues) {
	m.overlay = newDiffWindow([2]string{a.OldName, a.NewName}, m.background, func(_ context.Context, o diff.Options) diffResult {
		return compareValues(a.Old, a.New, o)
	})
}

// newDiffWindow returns the window of the differences of two things with trusted names.
// compare finds them, on a goroutine that start begins.
func newDiffWindow(names [2]string, start func(work func(ctx context.Context)) (stop func()), compare func(context.Context, diff.Options) diffResult) *diffWindow {
	o := &diffWindow{names: names, start: start, compareAll: compare}
	o.list.Items = masterdetail.Items[int]{
		Len: func() int { return len(o.lines) },
		Key: func(i int) int { return i },
		Row: o.line,
	}
	o.compare()
	return o
}

// diffWindow shows the differences of two frames, or of two recordings.
type diffWindow struct {
	names      [2]string
	start      func(work func(ctx context.Context)) (stop func())
	compareAll func(context.Context, diff.Options) diffResult
	strict     bool // ids, times, cursors and tokens count
	sides      bool // as the user chose it, if chosen
	chosen     bool

	result chan diffResult
	stop   func()
	shown  *diffResult // nil while it is being made
	spin   int

	list  masterdetail.List[int]
	lines []diffLine
	split bool // the lines are those of two sides
	width int  // of a line at the last painting
}

// diffResult is what a comparison has found.
type diffResult struct {
	changes   []diff.Change       // of what a server offers
	rows      []diff.Row          // of two frames
	responses []replay.Difference // of two recordings
	count     int
	more      bool
	err       error
}

// diffLine is a line of the window: a change of what a server offers, a heading, or a
// row.
type diffLine struct {
	change  *diff.Change
	heading string    // untrusted
	only    diff.Kind // of a heading: Removed or Added if one side has the request
	row     diff.Row
}

// differs reports whether the keys that go to differences stop at a line.
func (l *diffLine) differs() bool {
	return l.change != nil || l.heading != "" || l.row.Kind != diff.Same
}

// sidesWidth is the width of the screen from which the sides are beside each other.
const sidesWidth = 120

// compare starts the comparison.
func (o *diffWindow) compare() {
	o.close()
	o.shown, o.lines = nil, nil
	result := make(chan diffResult, 1)
	o.result = result
	options := diff.Options{IgnoreVolatile: !o.strict}
	if !o.strict {
		id, _ := diff.ParseIgnore("/id")
		options.Ignore = []diff.Ignore{id}
	}
	compare := o.compareAll
	o.stop = o.start(func(ctx context.Context) { result <- compare(ctx, options) })
}

func compareValues(old, now []byte, o diff.Options) (r diffResult) {
	found, more, err := diff.Compare(old, now, o)
	if err != nil {
		r.err = err
		return r
	}
	r.count, r.more = len(found)+more, more > 0
	r.rows, r.err = diff.Rows(old, now, o)
	return r
}

// refresh implements [worker].
func (o *diffWindow) refresh(_ time.Time, spin int) bool {
	o.spin = spin
	if o.shown == nil {
		select {
		case r := <-o.result:
			o.shown = &r
			o.arrange()
		default:
		}
	}
	return o.shown == nil
}

// arrange makes the lines of the result.
func (o *diffWindow) arrange() {
	o.lines = o.lines[:0]
	for i := range o.shown.changes {
		o.lines = append(o.lines, diffLine{change: &o.shown.changes[i]})
	}
	o.add(o.shown.rows)
	for i := range o.shown.responses {
		d := &o.shown.responses[i]
		line := diffLine{heading: responseText(d)}
		switch {
		case d.New == nil:
			line.only = diff.Removed
		case d.Old == nil:
			line.only = diff.Added
		}
		if o.lines = append(o.lines, line); len(o.lines) < maxDiffLines {
			o.add(d.Rows)
		}
	}
	o.list.Refresh()
	o.list.SelectIndex(0)
	if len(o.lines) > 0 && !o.lines[0].differs() {
		o.next(1)
	}
}

// maxDiffLines is the number of lines after which only headings of responses are added.
const maxDiffLines = 50_000

// add adds the rows of a view of two values.
func (o *diffWindow) add(rows []diff.Row) {
	if !o.split {
		rows = diff.Unified(rows)
	}
	for _, row := range rows {
		o.lines = append(o.lines, diffLine{row: row})
	}
}

// responseText describes a request whose responses differ.
func responseText(d *replay.Difference) string {
	turn := d.New
	if turn == nil {
		turn = d.Old
	}
	text := strings.TrimSpace(turn.Method + " " + d.Subject)
	switch {
	case d.New == nil || d.Old == nil:
		return fmt.Sprintf("%s  #%d, only in this recording", text, turn.Row+1)
	case d.Note != "":
		return fmt.Sprintf("%s  #%d and #%d: %s", text, d.Old.Row+1, d.New.Row+1, d.Note)
	}
	return fmt.Sprintf("%s  responses #%d and #%d", text, d.Old.Response+1, d.New.Response+1)
}

// next goes to the next line, or the previous one, where a difference begins.
func (o *diffWindow) next(step int) {
	for i := o.list.Index() + step; i >= 0 && i < len(o.lines); i += step {
		if o.lines[i].differs() && (i == 0 || !o.lines[i-1].differs() || o.lines[i].change != nil || o.lines[i].heading != "") {
			o.list.SelectIndex(i)
			return
		}
	}
}

func (o *diffWindow) close() {
	if o.stop != nil {
		o.stop()
	}
}

// do implements [worker].
func (o *diffWindow) do(k tea.KeyPressMsg) (action.Action, bool) {
	c, _ := command.Lookup(command.Difference, k.String())
	switch c.ID {
	case command.NextDifference:
		o.next(1)
	case command.LastDifference:
		o.next(-1)
	case command.ToggleSides:
		o.sides, o.chosen = !o.split, true
	case command.ToggleStrict:
		o.strict = !o.strict
		o.compare()
	case command.CopyDiff:
		if o.shown == nil || o.shown.err != nil {
			return nil, true
		}
		return action.Copy{Text: o.copied(), What: "differences"}, true
	default:
		return nil, command.ApplyScroll(&o.list, c.ID)
	}
	return nil, true
}

func (o *diffWindow) key(k tea.KeyPressMsg) (*command.Command, bool) {
	c, _ := command.Lookup(command.Difference, k.String())
	return nil, c.ID == command.Back || c.ID == command.Interrupt || c.ID == command.Quit || c.ID == command.DiffFrames
}

func (o *diffWindow) scroll(n int)                { o.list.Move(n) }
func (o *diffWindow) size(w, h int) (int, int)    { return w, h - 1 }
func (o *diffWindow) cursor() (x, y int, ok bool) { return 0, 0, false }

// frameName describes a frame in a few words.
func frameName(s *store.Store, row int32) string {
	r, _ := s.Row(row)
	text := fmt.Sprintf("#%d %s", row+1, r.Kind)
	if method := s.Method(r.Method); method != "" && r.Kind != jsonrpc.Request && r.Kind != jsonrpc.Notification {
		text += " of " + method
	} else if method != "" {
		text += " " + method
	}
	return paint.Sanitize(text)
}

// copied is the unified view as text.
func (o *diffWindow) copied() string {
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", o.names[0], o.names[1])
	for _, c := range o.shown.changes {
		fmt.Fprintf(&b, "%s\n", paint.Sanitize(changeText(&c)))
	}
	b.WriteString(difference.Text(o.shown.rows))
	for i := range o.shown.responses {
		fmt.Fprintf(&b, "%s\n", paint.Sanitize(responseText(&o.shown.responses[i])))
		b.WriteString(difference.Text(o.shown.responses[i].Rows))
	}
	return b.String()
}

// changeText is a change of what a server offers in a sentence.
func changeText(c *diff.Change) string {
	word := "compatible: "
	if c.Breaking {
		word = "breaking: "
	}
	return word + strings.TrimSpace(c.Section+" "+c.Item+" "+c.Path) + ": " + c.Reason
}
