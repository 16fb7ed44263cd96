package watch_test

import (
	"mcptea/session/runs/watch"
	"mcptea/session/tap/relay"
)

// wire connects a relay and what follows its sources, as the command does.
func wire(r *relay.Relay, w *watch.Watcher, sources *watch.Sources, build string, note func(string)) *watch.Loop {
	var loop *watch.Loop
	before := watch.State{}
	loop = watch.New(r, watch.Config{
		Changes: w.Changes(), Generation: w.Now, Settle: w.Settle, Watching: "w", Build: build, Sources: sources, Note: note,
		Notify: func() {
			s := loop.State()
			if s.Phase == watch.Waiting && before.Phase != s.Phase {
				r.Waits(s.Calls, s.Deadline)
			}
			before = s
		},
	})
	r.Building = func() string {
		if loop.State().Phase == watch.Building {
			return build
		}
		return ""
	}
	return loop
}
