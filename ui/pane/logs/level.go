package logs

import (
	"mcptea/client/revision"
	"mcptea/session/session"
	"mcptea/ui/dialog"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// level is the level that was set with logging/setLevel (specification, server /
// utilities / logging). It is unknown until it was set once.
type level struct {
	attempt   int // connection attempt that it applies to
	inForce   string
	requested string
	call      *session.Call
	failed    string
}

func (v *level) running() bool { return v.call != nil && v.call.Running() }

// refresh checks for the response. After a new connection the level is unknown.
func (v *level) refresh(attempt int) {
	if attempt != v.attempt {
		*v = level{attempt: attempt}
	}
	if v.call == nil || v.call.Running() {
		return
	}
	_, err := v.call.Result()
	if v.call, v.failed = nil, ""; err != nil {
		v.failed = err.Error()
		return
	}
	v.inForce = v.requested
}

func (p *Pane) noServer() string {
	return keys.Reason(p.st.Phase != session.Ready, "Not connected: the level cannot be set.")
}

// chooseLevel lets the user choose the level, and requests it.
func (p *Pane) chooseLevel() {
	names := revision.Levels()
	text := "The server sends messages of this level and more severe ones."
	if p.level.inForce == "" {
		text += " mcptea has set no level on this connection."
	}
	dialog.Choose{
		Title: "Level of the server", Verb: "set", Text: text,
		Len: func() int { return len(names) },
		Entry: func(i int) dialog.Entry {
			return dialog.Entry{Key: names[i], Name: names[i], Current: names[i] == p.level.inForce}
		},
		Accept: func(i int) {
			p.app.Online("Set the level of log messages", func() {
				p.level.requested = names[i]
				p.level.call = p.session.SetLevel(names[i])
			})
		},
	}.Open(p.app)
}

// spans show the level, or the state of the request.
func (v *level) spans(pal *paint.Palette, spin int) []paint.Span {
	switch {
	case v.running():
		return []paint.Span{{Style: pal.Muted, Text: "server level "}, {Style: pal.Warn, Text: paint.Spinner(pal, spin) + " " + v.requested}}
	case v.failed != "":
		return []paint.Span{{Style: pal.Error, Text: "server level " + v.requested + ": error"}}
	case v.inForce != "":
		return []paint.Span{{Style: pal.Muted, Text: "server level "}, {Style: pal.Value, Text: v.inForce}}
	}
	return nil
}
