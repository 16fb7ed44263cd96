package logs

import (
	"slices"

	"mcptea/client/revision"
	"mcptea/session"
	"mcptea/ui/action"
	"mcptea/ui/paint"
)

// level is what the server was told to send (specification, server /
// utilities / logging). Nothing is known until it was told once.
type level struct {
	attempt int // of the connection that it belongs to
	inForce string
	asked   string
	call    *session.Call
	failed  string
}

func (v *level) running() bool { return v.call != nil && v.call.Running() }

// refresh looks for the answer. A new connection knows of nothing.
func (v *level) refresh(attempt int) {
	if attempt != v.attempt {
		*v = level{attempt: attempt}
	}
	if v.call == nil || v.call.Running() {
		return
	}
	answer, err := v.call.Outcome()
	if err == nil {
		err = answer.Err()
	}
	if v.call, v.failed = nil, ""; err != nil {
		v.failed = err.Error()
		return
	}
	v.inForce = v.asked
}

// next asks for the level after the one asked for last.
func (v *level) next(st session.State) action.Action {
	if st.Phase != session.Ready {
		return action.Flash{Text: "not connected: nobody to set the level of", Wrong: true}
	}
	names := revision.Levels()
	v.asked = names[(slices.Index(names, v.asked)+1)%len(names)]
	return action.SetLevel{Ref: ref + v.asked, Level: v.asked}
}

// ref begins the references of the pane; the level follows.
const ref = "logs "

// Handle implements the contract of panes that take events.
func (p *Pane) Handle(e action.Event) {
	if s, ok := e.(action.Started); ok && s.Ref == ref+p.level.asked {
		p.level.call = s.Call
	}
}

// spans say how it stands.
func (v *level) spans(pal *paint.Palette, spin int) []paint.Span {
	switch {
	case v.running():
		return []paint.Span{{Style: pal.Muted, Text: "server level "}, {Style: pal.Warn, Text: paint.Spinner(pal, spin) + " " + v.asked}}
	case v.failed != "":
		return []paint.Span{{Style: pal.Error, Text: "server level " + v.asked + ": refused"}}
	case v.inForce != "":
		return []paint.Span{{Style: pal.Muted, Text: "server level "}, {Style: pal.Value, Text: v.inForce}}
	}
	return nil
}
