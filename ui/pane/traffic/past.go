package traffic

import (
	"mcptea/session/record/store"
	"mcptea/ui/paint"
)

// What looks wrong and is not: the response of a server of the handshake era to server/discover, with which
// a client finds out of which era it is, and all frames of an attempt to connect after which a later one has
// succeeded. Their rows have no color of an error.

// calm takes the color off the outcome of such an exchange, and says of the first kind what it means.
func (p *Pane) calm(pal *paint.Palette, e *exchange) {
	o := &e.outcome
	switch {
	case e.response != store.None && e.end.IsExpected():
		o.set(pal.Muted, pal.Absent, "handshake era: "+saidOf(&e.answer), pal.Muted)
	case p.mended(e.row.Conn):
		o.sign.Style, o.textStyle = pal.Muted, pal.Muted
	}
}

// mended reports a connection of an attempt to connect that has failed before one that has not.
func (p *Pane) mended(conn uint16) bool { return p.state.IsMended(conn) }

// isPast reports a frame that looks wrong and is not.
func (p *Pane) isPast(r *store.Row) bool {
	return p.mended(r.Conn) || r.IsExpected()
}

// errorStyle is that of what a frame says is wrong.
func (p *Pane) errorStyle(pal *paint.Palette, r *store.Row) paint.Style {
	if p.isPast(r) {
		return pal.Muted
	}
	return pal.Error
}
