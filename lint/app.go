package lint

import (
	"mcptea/client/transport"
	"mcptea/record"
)

// An App is an app of MCP Apps 2026-01-26 on the connection.
type App struct {
	Initialize int // number of ui/initialize messages that the app has sent before the current message
}

// maxApps bounds the apps that are remembered.
const maxApps = 1000

// appEvent checks an event of a connection with an app. It ignores events of other connections.
func (e *Engine) appEvent(event *record.Event, row int32) {
	switch c := event.Connection; {
	case event.Kind == record.KindConnection && c.What == record.ConnectionOpened && c.Transport == record.App:
		Keep(&e.apps, maxApps, c.Number, &App{})
	case event.Kind == record.KindConnection && c.What == record.ConnectionClosed:
		delete(e.apps, c.Number)
	case event.Kind == record.KindFrame && e.apps[event.Conn] != nil && event.Frame.Side == transport.Both:
		e.AppFrame(e.apps[event.Conn], Frame{Frame: event.Frame, Row: row})
	}
}

// AppFrame checks a frame between an app and its host.
func (e *Engine) AppFrame(a *App, f Frame) {
	e.st.Now = later(e.st.Now, f.Time)
	c := &Context{St: e.st, F: &f, App: a, engine: e}
	if !f.NonMessageEvent() {
		env := f.Envelope
		c.M = &Message{
			Frame: &f, Bytes: f.Bytes, Envelope: env, Index: -1, Method: env.MethodName(f.Bytes), ID: env.ID.Of(f.Bytes),
			Params: env.Params.Of(f.Bytes), Result: env.Result.Of(f.Bytes), Error: env.Error.Of(f.Bytes),
		}
	}
	e.run(e.rulesOf(e.st.Revision).app, c)
	e.flush()
	if c.M != nil && f.Dir == transport.In && c.M.Method == "ui/initialize" {
		a.Initialize++
	}
}
