package dialog

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptea/client/secret"
	"mcptea/internal/words/phrase"
	"mcptea/session/question"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

const (
	// askedGrace is the time in which the window ignores keys after a key of the user has opened it.
	askedGrace = 250 * time.Millisecond
	// agreePause is the pause without other keys that must precede the key that agrees, so that pasted text
	// does not agree.
	agreePause = 40 * time.Millisecond
)

// Consent asks the user before mcptea does something that untrusted text determines. It shows all of that text:
// wrapped, never shortened, with marks for text that could be overlooked. One key agrees after each row was
// visible, one declines; no other key has an effect.
//
// The key that agrees is y, which copies elsewhere: terminals ask for it, and so do the same questions without
// windows. To avoid an accidental y, it counts only after a pause without keys, and only after all lines were
// visible. Enter would be worse, because users press it without reading.
type Consent struct {
	Title string
	question.Text
	Warnings []string
	Yes, No  string // labels of the keys
	After    string // effect of declining
	All      string // label of the key for all later questions of this kind, or ""

	Accept    func()
	Agree     func(question.Agreement) // called instead of Accept if the action needs the agreement
	AcceptAll func()                   // called with All
	Decline   func()                   // called if the user declines, or nil
	Interrupt bool                     // ctrl+c agrees immediately, because the question is about it
	Unasked   bool                     // the window opens without an action of the user
	Deadline  time.Time
	Expires   string // effect of the deadline, if there is one
}

// Open opens the window.
func (q Consent) Open(a app.Program) app.Dialog {
	o := &asked{Consent: q, app: a, opened: time.Now(), grace: askedGrace}
	o.now = o.opened
	if q.Unasked {
		o.grace = question.Grace
	}
	o.reading = Read(q.Text)
	if o.large = q.IsLarge(); o.large {
		text := fmt.Sprintf("%s of text. More than %s is not shown, and cannot be agreed to.", phrase.Size(int64(q.Size())), phrase.Size(question.MaxText))
		o.Text = question.Text{Facts: []question.Fact{{Label: "too long", Text: text}}}
		o.reading, o.Warnings = Read(o.Text), nil
	}
	o.Warnings = append(o.Warnings[:len(o.Warnings):len(o.Warnings)], o.Notes...)
	o.commands = Questions()
	unseen := func() string {
		switch {
		case o.large:
			return "This is too long to be shown in full, so it cannot be agreed to."
		case o.reading.Left() > 0:
			return o.unread()
		}
		return ""
	}
	if q.Agree == nil {
		q.Agree = func(question.Agreement) { q.Accept() }
	}
	o.commands[0].Label, o.commands[0].Run, o.commands[0].Off = q.Yes, func() { o.agree(q.Agree) }, unseen
	o.commands[5].Label, o.commands[5].Run, o.commands[5].Off = q.All, func() { o.agree(func(question.Agreement) { q.AcceptAll() }) }, unseen
	if q.All == "" {
		o.commands = o.commands[:5]
	}
	o.commands[1].Label, o.commands[1].Run = q.No, func() { o.decide(q.Decline) }
	o.commands[2].Run = func() {
		if q.Interrupt {
			o.grace = 0
			o.decide(q.Accept)
			return
		}
		o.decide(q.Decline)
	}
	o.commands[3].Run = func() { o.Motion(keys.PageDown) }
	o.commands[4].Run = func() {
		o.Stray()
		a.Say("Enter decides nothing here: " + a.Key("question.agree") + " " + q.Yes + ", " + a.Key("question.decline") + " " + q.No + ".")
	}
	a.Open(o)
	return o
}

// Questions returns the commands of questions, for the list of keys.
func Questions() []keys.Command {
	return []keys.Command{
		{ID: "question.agree", Keys: keys.On("y"), Help: "Agree; works once each line of the question was shown", Footer: 10},
		{ID: "question.decline", Keys: keys.On("esc"), Help: "Do not agree", Footer: 12},
		{ID: "question.interrupt", Keys: keys.On("ctrl+c"), Label: "decline", Help: "Do not agree; quits where the question is whether to quit"},
		{ID: "question.read", Keys: keys.On("space"), Label: "read on", Help: "Scroll down a page"},
		{ID: "question.enter", Keys: keys.On("enter"), Label: "nothing", Help: "Decide nothing, and say which keys do"},
		{ID: "question.agree-all", Keys: keys.On("a"), Help: "Agree to all further questions of this kind, where the question offers it", Footer: 11},
	}
}

type asked struct {
	Consent
	app         app.Program
	commands    []keys.Command
	opened, now time.Time
	grace       time.Duration

	touched time.Time // time of the last key that does not decide
	reading *Reading
	scroll  doc.Scroll
	large   bool
}

// decide ends the question, unless the key was pressed for another purpose.
func (o *asked) decide(then func()) {
	if time.Since(o.opened) < o.grace {
		o.app.Say(tooSoon)
		return
	}
	o.app.Close(o)
	if then != nil {
		then()
	}
}

// agree ends the question with an agreement, after all of its text was visible.
func (o *asked) agree(then func(question.Agreement)) {
	switch a, ok := o.reading.Agree(0); { // decide checks how long the window has been open
	case o.large || !ok:
	case time.Since(o.touched) < agreePause:
		o.touched = time.Now()
		o.app.Say(tooSoon)
	default:
		o.decide(func() { then(a) })
	}
}

// tooSoon is the message about a key that may have been pressed for another purpose.
const tooSoon = "That key came too soon to count, it may have been meant for something else: press it again."

// unread returns a sentence about the part of the text that was not visible yet.
func (o *asked) unread() string {
	first := o.reading.First()
	switch {
	case first >= o.scroll.Top()+o.scroll.Height():
		return "Scroll to the last line first."
	case first < o.scroll.Top():
		return fmt.Sprintf("Scroll up to line %d first: it was not in sight.", first+1)
	}
	return "Make the terminal larger first: a line has no room."
}

// Reached implements [app.Reached]: from now on, the user can read the question.
func (o *asked) Reached(now time.Time) {
	o.opened = now
	o.reading.Again()
}

// Stray implements [app.Alone].
func (o *asked) Stray() { o.touched = time.Now() }

// Commands implements [app.Pane].
func (o *asked) Commands() []keys.Command { return o.commands }

// Motion implements [app.Pane]. No motion closes the window.
func (o *asked) Motion(m keys.Motion) bool {
	o.touched = time.Now()
	keys.Scroll(&o.scroll, m)
	return true
}

// Refresh implements [app.Pane].
func (o *asked) Refresh(t app.Tick) bool {
	o.now = t.Now
	return !o.Deadline.IsZero()
}

// Size implements [app.Dialog].
func (o *asked) Size(s *app.Screen, w, h int) (int, int) {
	w = app.WindowWidth(min(w-4, width), w)
	return w, min(h-2, o.reading.Layout(w-6)+doc.Measure(s, w-2, h, o.foot)+2)
}

// Paint implements [app.Pane].
func (o *asked) Paint(c *app.Canvas, focused bool) {
	pal := c.Pal
	rows := o.reading.Layout(c.W - 6)
	var note []paint.Span
	if !o.Deadline.IsZero() {
		note = []paint.Span{{Style: pal.Muted, Text: o.Expires + " "}, {Style: pal.WarnBold, Text: phrase.Countdown(max(0, o.Deadline.Sub(o.now)))}}
	}
	c = c.Box([]paint.Span{{Style: pal.TextBold, Text: o.Title}}, note, focused)
	below := min(doc.Measure(c.Screen, c.W, c.H, o.foot), max(2, c.H-min(3, rows)))
	above, foot := c.Over(max(1, c.H-below))
	text, bar := above.Beside(above.W - 2)
	d := doc.On(text)
	d.Lines(rows, func(r *paint.Row, i int) { o.reading.Put(pal, r, i, focused) })
	o.scroll.Paint(d)
	from, to := o.scroll.Thumb()
	for i := range bar.H {
		bar.Line(func(r *paint.Row) {
			switch {
			case to == 0:
			case i >= from && i <= to:
				r.Put(pal.Faint, pal.Scroll)
			default:
				r.Put(pal.Faint, pal.Lines.Left)
			}
		})
	}
	d = doc.On(foot)
	o.foot(d)
	d.Paint()
}

// foot adds the lines under the text.
func (o *asked) foot(d *doc.Doc) {
	pal := d.Pal
	if len(o.Lines)+len(o.Warnings) > 0 {
		d.Rule().Give(2, 0)
		var spans []paint.Span
		for _, sign := range o.reading.Signs(blankMark(pal), pal.Reply) {
			spans = append(spans, paint.Span{Style: pal.Accent, Text: sign.Mark}, paint.Span{Style: pal.Muted, Text: " " + sign.Means + "  "})
		}
		d.Row(append(spans, paint.Span{Style: pal.Muted, Text: o.whole()})...).Give(2, 0)
	}
	for _, warning := range o.Warnings {
		d.Text(pal.Warn, warning, doc.All).Give(1, 0)
	}
	d.Row(o.agreeRow(d)...)
	decline := []paint.Span{{Style: pal.AccentBold, Text: d.Names.Name("question.decline")}, {Style: pal.Text, Text: " " + o.No + "   "}}
	if after := append(slices.Clip(decline), paint.Span{Style: pal.Muted, Text: o.After}); paint.SpansWidth(after) <= d.W {
		d.Row(after...)
		return
	}
	d.Row(decline...)
	d.Text(pal.Muted, o.After, doc.All).Give(1, 0)
}

// whole returns the sentence that the text is shown in full, except for masked parts.
func (o *asked) whole() string {
	masked := func(line string) bool { return strings.Contains(line, secret.Mark) }
	if slices.ContainsFunc(o.Lines, masked) || slices.ContainsFunc(o.Facts, func(f question.Fact) bool { return masked(f.Text) }) {
		return "All is shown, secrets as " + secret.Mark + "."
	}
	return "The text is shown in full."
}

// agreeRow names the key that agrees, and when it works.
func (o *asked) agreeRow(d *doc.Doc) []paint.Span {
	pal, agree := d.Pal, d.Names.Name("question.agree")
	switch {
	case o.large:
		return []paint.Span{{Style: pal.Muted, Text: agree + " does nothing: this cannot be shown in full"}}
	case o.reading.Left() == 0:
		spans := []paint.Span{{Style: pal.AccentBold, Text: agree}, {Style: pal.TextBold, Text: " " + o.Yes}}
		if o.All != "" {
			spans = append(spans, paint.Span{Style: pal.AccentBold, Text: "   " + d.Names.Name("question.agree-all")}, paint.Span{Style: pal.Text, Text: " " + o.All})
		}
		return spans
	}
	left, todo := "", o.unread()
	if n := o.scroll.Below(); n > 0 {
		left, todo = fmt.Sprintf("   %d more below", n), ": scroll to the last line first"
	} else {
		todo = "   " + todo
	}
	return []paint.Span{{Style: pal.Muted, Text: agree + " " + o.Yes}, {Style: pal.TextBold, Text: left}, {Style: pal.Muted, Text: todo}}
}
