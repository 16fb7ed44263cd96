package record

// Apps distinguishes events of connections with apps, which are separate from the session's connection.
// The zero value has seen no event.
type Apps struct{ conns map[uint16]bool }

// Of reports whether the next event is of a connection with an app. Events are given in their
// order, and may be given again.
func (a *Apps) Of(e *Event) bool {
	if c := e.Connection; e.Kind == KindConnection && c.Beside {
		if c.What == ConnectionOpened && c.Transport == App {
			if a.conns == nil {
				a.conns = map[uint16]bool{}
			}
			a.conns[c.Number] = true
		}
		return a.conns[c.Number]
	}
	return e.Beside && a.conns[e.Conn]
}
