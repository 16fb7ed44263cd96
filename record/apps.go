package record

// Apps finds the events of connections with apps. These connections are separate from the session's
// connection. The zero value has seen no event.
type Apps struct{ conns map[uint16]bool }

// Of reports whether the next event belongs to a connection with an app. Events must be passed in
// their order. An event may be passed again.
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
