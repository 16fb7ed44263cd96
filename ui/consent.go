package ui

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"mcptea/session/pins"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

const (
	// consentGrace is how long the window takes no key after it has opened by itself: one
	// that was pressed for something else must not agree.
	consentGrace = 600 * time.Millisecond
	// ownConsentGrace is that of a window that a key of the user has opened.
	ownConsentGrace = 250 * time.Millisecond
	// maxConsent is how much can be shown to agree to, in bytes: more is not read.
	maxConsent = 64 << 10
)

// consentFact is a line above the text of a question. Its text may be untrusted.
type consentFact struct {
	label, text string
	style       func(*paint.Palette) paint.Style // nil for that of texts
}

// consent asks the user before something is done that untrusted text decides. It shows
// all of that text: wrapped, never shortened, with what could be overlooked marked. The
// key that agrees works after the last row was in sight.
type consent struct {
	title string
	facts []consentFact
	// name says what the lines are. Each of them is shown on a row of its own, numbered.
	name  string
	lines []string
	// blanks marks each blank of the lines, not only those that are easily overlooked.
	blanks   bool
	warnings []string
	yes, no  string // what the keys do
	after    string // what follows if the user does not agree

	accept, decline action.Action
	// interrupt is set if ctrl+c agrees at once: it is what the question is about.
	interrupt bool
	id        int            // of the question of an agent
	pins      *pins.Question // about the pins
	deadline  time.Time      // when the answer is no by itself; zero if it never is
	expires   string         // what happens then

	opened, now time.Time
	grace       time.Duration

	width  int // of the rows
	rows   []consentRow
	top    int
	height int // of the part of the rows in sight
	seen   bool
	large  bool
}

// openConsent readies a question that is asked now.
func openConsent(o *consent) *consent {
	o.opened = time.Now()
	o.now = o.opened
	o.grace = cmp.Or(o.grace, ownConsentGrace)
	size := 0
	for _, f := range o.facts {
		size += len(f.text)
	}
	for _, line := range o.lines {
		size += len(line)
	}
	if size > maxConsent {
		o.large = true
		text := fmt.Sprintf("%s of text. More than %s is not shown, and cannot be agreed to.", paint.HumanSize(int64(size)), paint.HumanSize(maxConsent))
		o.facts, o.lines, o.warnings = []consentFact{{label: "too long", text: text}}, nil, nil
	}
	return o
}

var _ worker = (*consent)(nil)

func (o *consent) close()                      {}
func (o *consent) cursor() (x, y int, ok bool) { return 0, 0, false }

// refresh implements [worker].
func (o *consent) refresh(now time.Time, _ int) bool {
	o.now = now
	return !o.deadline.IsZero()
}

// scroll implements [overlay].
func (o *consent) scroll(n int) {
	o.top = max(0, min(o.top+n, len(o.rows)-o.height))
}

func (o *consent) key(tea.KeyPressMsg) (*command.Command, bool) { return nil, false }

// do implements [worker]. Keys that neither decide nor scroll do nothing.
func (o *consent) do(k tea.KeyPressMsg) (action.Action, bool) {
	c, _ := command.Lookup(command.Question, k.String())
	if interrupt, _ := command.Named(command.Interrupt); o.interrupt && key.Matches(k, interrupt.Binding) {
		return action.Accepted{Action: o.accept}, true
	}
	if time.Since(o.opened) < o.grace && (c.ID == command.Agree || c.ID == command.Decline) {
		return nil, true
	}
	page := max(1, o.height-1)
	switch c.ID {
	case command.Agree:
		if o.seen && !o.large {
			return action.Accepted{Action: o.accept}, true
		}
	case command.Decline:
		if o.decline == nil {
			return action.CloseWindow{}, true
		}
		return action.Accepted{Action: o.decline}, true
	case command.Up:
		o.scroll(-1)
	case command.Down:
		o.scroll(1)
	case command.PageUp:
		o.scroll(-page)
	case command.PageDown:
		o.scroll(page)
	case command.Top:
		o.scroll(-len(o.rows))
	case command.Bottom:
		o.scroll(len(o.rows))
	}
	return nil, true
}

// size implements [overlay].
func (o *consent) size(w, h int) (int, int) {
	w = min(w-4, 96)
	o.layout(w - 6)
	return w, min(h-2, len(o.rows)+o.below(w)+2)
}

// below is the number of rows under the text, where there is room for all.
func (o *consent) below(w int) int {
	n := 2 // the two keys
	if len(o.lines)+len(o.warnings) > 0 {
		n += 2 // a rule, and what the marks are
	}
	for _, warning := range o.warnings {
		n += len(paint.Wrap(warning, max(1, w-6)))
	}
	return n
}

func (o *consent) paint(p *paint.Palette, w, h int) []string {
	o.layout(w - 6)
	s := paint.NewSheet(p, w-2, h-2)
	below := min(o.below(w), max(2, h-2-min(3, len(o.rows))))
	o.height = max(1, h-2-below)
	o.scroll(0)
	end := min(o.top+o.height, len(o.rows))
	if end == len(o.rows) {
		o.seen = true
	}
	for i := o.top; i < end; i++ {
		s.Line(func(r *paint.Row) {
			o.rows[i].paint(p, r)
			if len(o.rows) > o.height {
				r.To(w - 4)
				thumb := p.Vertical
				if at := i - o.top; at >= o.top*o.height/len(o.rows) && at <= end*o.height/len(o.rows) {
					thumb = p.Scroll
				}
				r.Put(p.Faint, thumb)
			}
		})
	}
	for len(s.Rows) < o.height {
		s.Blank()
	}
	if below > 3 {
		s.Rule()
		s.Line(o.legend(p))
	}
	for _, warning := range o.warnings {
		for _, row := range paint.Wrap(warning, max(1, w-6)) {
			if s.Left() > 2 {
				s.Line(func(r *paint.Row) { r.Put(p.Warn, row) })
			}
		}
	}
	s.Line(o.agreeRow(p))
	s.Line(func(r *paint.Row) {
		r.Put(p.AccentBold, command.KeyIn(command.Question, command.Decline, false))
		r.Put(p.Text, " "+o.no)
		r.Gap(3)
		r.Put(p.Muted, o.after)
	})
	var note []paint.Span
	if !o.deadline.IsZero() {
		note = []paint.Span{{Style: p.Muted, Text: o.expires + " "}, {Style: p.WarnBold, Text: paint.HumanCountdown(max(0, o.deadline.Sub(o.now)))}}
	}
	return paint.Box(p, w, h, true, []paint.Span{{Style: p.TextBold, Text: o.title}}, note, s.Rows)
}

// agreeRow names the key that agrees, and when it works.
func (o *consent) agreeRow(p *paint.Palette) func(*paint.Row) {
	return func(r *paint.Row) {
		agree := command.KeyIn(command.Question, command.Agree, false)
		switch {
		case o.large:
			r.Put(p.Muted, agree+" does nothing: this cannot be shown in full")
		case o.seen:
			r.Put(p.AccentBold, agree)
			r.Put(p.TextBold, " "+o.yes)
		default:
			r.Put(p.Muted, agree+" "+o.yes)
			r.Put(p.TextBold, fmt.Sprintf("   %d more below", len(o.rows)-o.top-o.height))
			r.Put(p.Muted, ": works after the last line was in sight")
		}
	}
}

// legend says what the marks mean.
func (o *consent) legend(p *paint.Palette) func(*paint.Row) {
	return func(r *paint.Row) {
		r.Put(p.Accent, blankMark(p))
		r.Put(p.Muted, " blank  ⏎ break  ")
		r.Put(p.Accent, wrapMark(p))
		r.Put(p.Muted, " wrapped  ‹U+…› invisible  ")
		r.Put(p.Muted, "Nothing is shortened.")
	}
}

// hints are the keys for the last row of the screen.
func (o *consent) hints() []paint.Hint {
	in := func(id command.ID) string { return command.KeyIn(command.Question, id, false) }
	hints := []paint.Hint{{Key: in(command.Decline), Label: o.no}}
	if len(o.rows) > o.height {
		hints = append([]paint.Hint{{Key: in(command.Down) + "/" + in(command.PageDown), Label: "read on"}}, hints...)
	}
	if o.seen && !o.large {
		hints = append([]paint.Hint{{Key: in(command.Agree), Label: o.yes}}, hints...)
	}
	return hints
}

// layout wraps the facts and the lines to a width.
func (o *consent) layout(w int) {
	w = max(w, 8)
	if w == o.width {
		return
	}
	o.width, o.rows = w, nil
	const margin = 10
	for _, f := range o.facts {
		label := f.label
		for _, part := range wrapMarked(marked(f.text, false), w-margin) {
			o.rows = append(o.rows, consentRow{label: label, margin: margin, parts: part, style: f.style})
			label = ""
		}
	}
	if len(o.lines) == 0 {
		return
	}
	digits := len(fmt.Sprint(len(o.lines)))
	o.rows = append(o.rows, consentRow{rule: fmt.Sprintf("%s: %s", o.name, paint.Plural(len(o.lines), "line"))})
	for i, line := range o.lines {
		number := fmt.Sprintf("%*d", digits+1, i+1)
		for _, part := range wrapMarked(marked(line, o.blanks), w-digits-3) {
			o.rows = append(o.rows, consentRow{label: number, margin: digits + 3, parts: part, wrapped: number == ""})
			number = ""
		}
	}
	o.rows = append(o.rows, consentRow{label: "", margin: digits + 3, end: true})
}

// consentRow is one row of a question.
type consentRow struct {
	rule    string // a line across with a title
	label   string
	margin  int
	parts   []markedText
	style   func(*paint.Palette) paint.Style
	wrapped bool // it goes on with the row before it
	end     bool // it says that nothing follows
}

func (row *consentRow) paint(p *paint.Palette, r *paint.Row) {
	if row.rule != "" {
		w := r.Left() - 3
		r.Painted(paint.Rule(p, w, paint.Span{Style: p.Muted, Text: row.rule}), w)
		return
	}
	label := row.label
	if row.wrapped {
		label = strings.Repeat(" ", max(0, row.margin-3)) + wrapMark(p)
	}
	r.Put(p.Muted, label)
	r.To(1 + row.margin)
	if row.end {
		r.Put(p.Muted, "end")
	}
	style := p.Text
	if row.style != nil {
		style = row.style(p)
	}
	for _, part := range row.parts {
		switch part.kind {
		case markBlank:
			r.Put(p.Accent, strings.Repeat(blankMark(p), len(part.text)))
		case markHidden:
			r.Put(p.WarnBold, part.text)
		default:
			r.Put(style, part.text)
		}
	}
}

func blankMark(p *paint.Palette) string {
	if p.Separator == "-" { // without characters outside of ASCII
		return "_"
	}
	return p.Separator
}

func wrapMark(p *paint.Palette) string { return p.Reply }

// decidesAgentCall is the question about a call of an agent that is open, if it is one.
func (m *model) decidesAgentCall() (o *consent, open bool) {
	o, open = m.overlay().(*consent)
	return o, open && o.id != 0
}
