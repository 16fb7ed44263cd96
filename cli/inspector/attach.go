package inspector

import (
	"context"
	"errors"
	"os"

	"mcptea/session"
	"mcptea/session/intercept"
	"mcptea/session/store"
	"mcptea/session/tap"
	interceptpane "mcptea/ui/pane/intercept"
)

// AttachTo attaches to the active tap that writes a recording.
func AttachTo(ctx context.Context, recording string) (*interceptpane.Attached, error) {
	state, err := session.StateDir()
	if err != nil {
		return nil, err
	}
	taps, err := tap.List(ctx, state)
	if err != nil {
		return nil, err
	}
	file, err := os.Stat(recording)
	if err != nil {
		return nil, err
	}
	for _, t := range taps {
		for _, s := range t.Sessions {
			if info, err := os.Stat(s.Recording); err != nil || !os.SameFile(info, file) {
				continue
			}
			a, err := tap.Attach(ctx, t.Socket)
			if err != nil {
				return nil, err
			}
			name := t.Name
			if name == "" {
				name = t.Target
			}
			return &interceptpane.Attached{Gate: sessionGate{a, s.ID}, Name: name, Done: a.Done(), Close: a.Close}, nil
		}
	}
	return nil, errors.New("no active tap writes this recording: its frames cannot be held")
}

// sessionGate is the gate of a tap that may have other sessions than the one that is
// shown: their frames have rows in other recordings.
type sessionGate struct {
	*tap.Attached
	session string
}

// State is that of the tap.
func (g sessionGate) State() intercept.State {
	state := g.Attached.State()
	for i := range state.Held {
		if state.Held[i].Session != g.session {
			state.Held[i].Row = store.None
		}
	}
	return state
}
