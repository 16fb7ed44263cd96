package frames

import (
	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// View is a view of the traffic.
type View uint8

// The views, in the order in which a key goes through them.
const (
	ExchangeList View = iota
	FrameList
	Timeline
	Sequence
)

// IsList reports whether a view is a list of rows, of exchanges or of frames.
func (v View) IsList() bool { return v <= FrameList }

// Views returns the names of the views. The caller owns the slice.
func Views() []string { return []string{"exchanges", "frames", "timeline", "sequence"} }

// Clickable makes the names of the views, which are in the upper border of a box, show them on a click.
func (p *Program) Clickable(c *app.Canvas) {
	c.Click(0, 0, c.W, 1, func(x, _ int) {
		if i := paint.ChoiceAt(Views(), x, c.W); i >= 0 {
			p.Show(View(i))
		}
	})
}

// Next returns the command that cycles through the views. v is the view that it shows.
func (p *Program) Next(v View) keys.Command {
	help := [...]string{"Show a request and all that belongs to it as one row", "Show the frames one by one", "Show the requests in time: waterfall, latencies, phases", "Show the frames as a sequence diagram"}[v]
	words := [...]string{"list calls wire", "frames wire", "waterfall latency percentiles performance slow duration speed timing profile", "diagram mermaid arrows"}[v]
	return keys.Command{ID: "view", Verb: keys.NextShape, Label: Views()[v], Help: help, Words: words, Footer: 27, Run: func() { p.Show(v) }}
}
