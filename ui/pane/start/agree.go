package start

import (
	"errors"
	"slices"
	"time"

	"mcptea/session/question"
	"mcptea/ui/dialog"
)

// open opens the selected entry, after a question if there is one.
func (p *Pane) open() {
	if p.text() != p.typed {
		p.waiting = true // the meaning of the line is not known yet
		return
	}
	e := p.selected()
	if p.waiting = p.text() != "" && !p.isComplete() && (e == nil || e.Args == nil); p.waiting {
		return // the entry that is meant may be in a group that is still read
	}
	switch {
	case e == nil:
		p.app.Say("Nothing is selected.")
	case e.Args == nil && len(e.Problems) > 0:
		p.app.Fail("Cannot open it: " + e.Problems[0].Text)
	case e.Args == nil:
		p.app.Fail("This entry cannot be opened.")
	default:
		p.agree(e)
	}
}

// agree opens an entry if the user may agree to its question with this key. Otherwise it opens the window that
// asks it.
func (p *Pane) agree(e *Entry) {
	opens := func(a question.Agreement) { p.askInputs(e, a, p.inputs(e), map[string]string{}) }
	if e.Ask == nil {
		opens(question.Typed())
		return
	}
	if p.isOwn(e) && p.fits(e) {
		opens(question.Typed())
		return
	}
	if p.shows(e); p.reading != nil {
		if a, ok := p.reading.Agree(grace); ok {
			opens(a)
			return
		}
	}
	ask := e.Ask.Consent
	ask.Agree = opens
	ask.Open(p.app)
}

// isOwn reports whether the user has typed the action of an entry, now or before. Pasted text may come from
// others.
func (p *Pane) isOwn(e *Entry) bool {
	pasted := p.text() != "" && p.input.Value() != "" && p.text() == p.pasted.text && p.typed == p.text() && p.isTyped(e)
	return e.Ask.Own && !pasted
}

// isTyped reports whether an entry is of the typed line.
func (p *Pane) isTyped(e *Entry) bool {
	return slices.ContainsFunc(p.groups[0].Entries, func(o Entry) bool { return o.Key == e.Key && o.Ask == e.Ask })
}

// fits reports whether the detail has room for all of the question about an entry.
func (p *Pane) fits(e *Entry) bool {
	r := dialog.ReadBrief(e.Ask.Text)
	return r != nil && r.Layout(p.most.columns) <= p.most.rows
}

// grace is the time for which everything that matters for a decision must be visible before enter counts as
// agreement. An earlier key press is not an answer.
const grace = 250 * time.Millisecond

// inputs returns the values that an entry needs from the user.
func (p *Pane) inputs(e *Entry) []Input {
	if p.options.Inputs == nil {
		return nil
	}
	return p.options.Inputs(e)
}

// askInputs asks for the values of inputs, one by one, and opens the entry with them.
func (p *Pane) askInputs(e *Entry, agreed question.Agreement, inputs []Input, given map[string]string) {
	if len(inputs) == 0 {
		p.options.Run(e, agreed, given)
		return
	}
	in := inputs[0]
	take := func(value string) {
		given[in.ID] = value
		p.askInputs(e, agreed, inputs[1:], given)
	}
	const title = "Value for this server, not stored"
	if len(in.Choices) > 0 {
		dialog.Choose{
			Title: title, Text: in.Text, Verb: "use", Len: func() int { return len(in.Choices) },
			Entry: func(i int) dialog.Entry {
				c := in.Choices[i]
				return dialog.Entry{Key: c.Text, Name: c.Label, Summary: c.Text, Current: c.Text == in.Default}
			},
			Accept: func(i int) { take(in.Choices[i].Text) },
		}.Open(p.app)
		return
	}
	dialog.Prompt{
		Title: title, Text: in.Text, Value: in.Default, Whole: true, Secret: in.Secret, Verb: "use",
		Accept: func(text string) (func(), error) {
			if text == "" {
				return nil, errors.New("the input has no value yet")
			}
			return func() { take(text) }, nil
		},
	}.Open(p.app)
}
