package detail

import (
	"mcptea/session/failure/card"
	"mcptea/session/store"
	"mcptea/ui/command"
	"mcptea/ui/frames"
	"mcptea/ui/paint"
)

// cardOf is what a card depends on; another one asks for a new one.
type cardOf struct {
	row    int32
	flags  store.Flags
	status int
	http   bool
}

// explained is the card of the frame on show.
type explained struct {
	of    cardOf
	done  bool // it was looked up
	card  card.Card
	wrong bool // it is about something that failed
}

// brief is the card of the frame when something failed in it.
func (p *Pane) brief() (card.Card, bool) {
	x, _ := p.source.Store().ExchangeOf(p.info.Exchange)
	if of := (cardOf{p.row, p.info.Flags, x.Status, p.mode == HTTP}); p.explained.of != of || !p.explained.done {
		p.explained = explained{of: of, done: true}
		p.explained.card, p.explained.wrong, _ = frames.CardOfRow(p.source, p.row, of.http)
	}
	return p.explained.card, p.explained.wrong
}

// The heights from which on a card is shown beside the frame, and with all of
// its lines.
const shortCard, wholeCard = 6, 11

// cardRows are the first lines of the card, one row each.
func (p *Pane) cardRows(pal *paint.Palette, w, h int) []string {
	c, wrong := p.brief()
	if !wrong || h < shortCard {
		return nil
	}
	lines := c.Brief()
	if h < wholeCard {
		lines = lines[:1]
	}
	var r paint.Row
	rows := make([]string, 0, len(lines))
	for i, l := range lines {
		r.Start(w, paint.Style{})
		r.Gap(1)
		if i == 0 {
			if key := command.KeyOf(command.Explain); key != "" {
				r.Right(paint.Span{Style: pal.AccentBold, Text: key}, paint.Span{Style: pal.Muted, Text: " more "})
			}
			r.Put(pal.ErrorBold, c.Key+" ")
			r.Put(pal.Text, paint.Cut(l.Text, r.Left()))
		} else {
			r.Put(pal.Muted, l.Label+"  ")
			r.Put(pal.Text, paint.Cut(l.Text, r.Left()))
		}
		rows = append(rows, r.String())
	}
	return rows
}
