package traffic

import (
	"mcptea/record/store"
	"mcptea/ui/paint"
)

// Two kinds of frames look wrong although they are not: the error response of a handshake server to
// server/discover, which tells a client the era, and all frames of a failed attempt to connect
// before a successful one. Their rows do not have the color of an error.

// calm removes the color from the outcome of such an exchange, and explains the first kind.
func (p *Pane) calm(pal *paint.Palette, e *exchange) {
	o := &e.outcome
	switch {
	case e.response != store.None && e.end.IsExpected():
		o.set(pal.Muted, pal.Absent, "handshake era: "+saidOf(&e.answer), pal.Muted)
	case p.mended(e.row.Conn):
		o.sign.Style, o.textStyle = pal.Muted, pal.Muted
	}
}

// mended reports whether a connection belongs to a failed attempt to connect before a successful one.
func (p *Pane) mended(conn uint16) bool { return p.state.IsMended(conn) }

// isPast reports whether a frame looks wrong although it is correct.
func (p *Pane) isPast(r *store.Row) bool {
	return p.mended(r.Conn) || r.IsExpected()
}

// errorStyle returns the style of an error in the row of a frame.
func (p *Pane) errorStyle(pal *paint.Palette, r *store.Row) paint.Style {
	if p.isPast(r) {
		return pal.Muted
	}
	return pal.Error
}
