package inspector

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"mcptea/cli/app"
	"mcptea/internal/system/userdir"
	"mcptea/session/attach"
	"mcptea/session/runs/watch"
	"mcptea/session/tap"
	"mcptea/ui"
)

// FollowTaps shows the active taps of this machine behind the sessions, until stop is called. It looks
// at them when a socket comes or goes; without a directory of sockets there are none.
func (p *Inspector) FollowTaps() (stop func()) {
	state, err := userdir.State()
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
		for {
			if taps, err := tap.List(ctx, state); err == nil && ctx.Err() == nil {
				p.Host.SetTaps(p.tapsOf(taps, state))
			}
			select {
			case <-ctx.Done():
				return
			case <-w.Changes():
			}
		}
	})
	return func() {
		cancel()
		w.Close()
		following.Wait()
	}
}

// tapsOf are the taps that have a recording or will have one.
func (p *Inspector) tapsOf(taps []tap.Info, state string) []ui.Tap {
	all := make([]ui.Tap, len(taps))
	for i, t := range taps {
		name := cmp.Or(t.Name, shortName(t.Target))
		all[i] = ui.Tap{Name: name, Recording: newestRecording(t), Open: func() {
			p.beside(func(q *Inspector) error { return q.openTap(t.Socket, state, name) })
		}}
	}
	return all
}

// newestRecording is the file of the newest session of a tap; empty without one.
func newestRecording(t tap.Info) string {
	if n := len(t.Sessions); n > 0 {
		return t.Sessions[n-1].Recording
	}
	return ""
}

// openTap follows the newest session of a tap, which may be another one than when its chip was made.
func (p *Inspector) openTap(socket, state, name string) error {
	taps, err := tap.List(p.Ctx, state)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(taps, func(t tap.Info) bool { return t.Socket == socket })
	switch {
	case i < 0:
		return app.Failed("the tap of %s has ended", name)
	case newestRecording(taps[i]) == "":
		return app.Failed("no session of the tap of %s is being recorded", name)
	}
	p.called = name
	return p.runArguments([]string{"open", newestRecording(taps[i])})
}
