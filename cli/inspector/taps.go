package inspector

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"mcptea/cli/app"
	"mcptea/internal/backoff"
	"mcptea/internal/system"
	"mcptea/session/attach"
	"mcptea/session/runs/watch"
	"mcptea/session/tap/control"
	"mcptea/ui"
)

// betweenAsked determines the pauses before a tap without a session is asked again.
var betweenAsked = backoff.Backoff{First: 250 * time.Millisecond, Most: 8 * time.Second}

// FollowTaps shows the active taps of this machine after the sessions, until stop is called. It lists them when
// a socket appears or disappears, and occasionally while one has no recording yet. Without a directory of
// sockets it shows none.
func (p *Inspector) FollowTaps() (stop func()) {
	state, err := system.StateDir()
	if err != nil {
		return func() {}
	}
	dir, err := attach.Directory(state)
	if err != nil {
		return func() {}
	}
	w, err := watch.Open(dir)
	if err != nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(p.Ctx)
	var following sync.WaitGroup
	following.Go(func() {
		followTaps(ctx, w.Changes(), func() ([]control.Info, error) { return control.List(ctx, state) }, func(recorded []control.Info) {
			p.Host.SetTaps(p.tapsOf(recorded, state))
		})
	})
	return func() {
		cancel()
		w.Close()
		following.Wait()
	}
}

// followTaps shows the taps that have a recording until the context ends: initially, after each change, and
// repeatedly while one has none.
func followTaps(ctx context.Context, changes <-chan watch.Burst, list func() ([]control.Info, error), show func(recorded []control.Info)) {
	again := time.NewTimer(0)
	defer again.Stop()
	for waits := (backoff.Series{Backoff: betweenAsked}); ; {
		select {
		case <-ctx.Done():
			return
		case <-changes:
			waits.Reset()
		case <-again.C:
		}
		taps, err := list()
		if err != nil || ctx.Err() != nil {
			continue
		}
		recorded := slices.DeleteFunc(slices.Clone(taps), func(t control.Info) bool { return newestRecording(t) == "" })
		if len(recorded) < len(taps) {
			again.Reset(waits.Next())
		}
		show(recorded)
	}
}

// tapsOf returns the chips of taps that have a recording.
func (p *Inspector) tapsOf(taps []control.Info, state string) []ui.Tap {
	all := make([]ui.Tap, len(taps))
	for i, t := range taps {
		name := cmp.Or(t.Name, shortName(t.Target))
		all[i] = ui.Tap{Name: name, Recording: newestRecording(t), Open: func() {
			p.beside(func(q *Inspector) error { return q.openTap(t.Socket, state, name) })
		}}
	}
	return all
}

// newestRecording returns the file of the newest session of a tap, or empty.
func newestRecording(t control.Info) string {
	if n := len(t.Sessions); n > 0 {
		return t.Sessions[n-1].Recording
	}
	return ""
}

// openTap follows the newest session of a tap, which may have started after its chip was made.
func (p *Inspector) openTap(socket, state, name string) error {
	taps, err := control.List(p.Ctx, state)
	if err != nil {
		return err
	}
	recording, err := recordingOf(taps, socket, name)
	if err != nil {
		return err
	}
	p.called = name
	return p.runArguments([]string{"open", recording})
}

// recordingOf returns the file of the newest session of the tap with a socket.
func recordingOf(taps []control.Info, socket, name string) (string, error) {
	i := slices.IndexFunc(taps, func(t control.Info) bool { return t.Socket == socket })
	if i < 0 {
		return "", app.Failed("the tap of %s has ended", name)
	}
	recording := newestRecording(taps[i])
	if recording == "" {
		return "", app.Failed("no session of the tap of %s is being recorded", name)
	}
	return recording, nil
}
