package watch_test

import (
	"time"

	"mcptea/session/runs/watch"
	"mcptea/session/tap/relay"
)

// wire connects a relay and what follows its sources, as the command does.
func wire(r *relay.Relay, w *watch.Watcher, sources *watch.Sources, build string, note func(string)) *watch.Loop {
	var loop *watch.Loop
	before := watch.State{}
	loop = watch.New(r, watch.Config{
		Changes: w.Changes(), Generation: w.Now, Settle: w.Settle, Covers: r.Covers, Watching: "w", Build: build, Sources: sources, Note: note,
		Notify: func() {
			s := loop.State()
			if s.Phase == watch.Waiting && before.Phase != s.Phase {
				r.Waits(s.Calls, s.Deadline)
			}
			if s.Phase == watch.Broken && s.Build != before.Build {
				r.Broken(s.Build.Summary(), s.Build.Generation)
			}
			before = s
		},
	})
	r.Generation, r.Want = loop.Generation, loop.Want
	r.Building = func() string {
		if loop.State().Phase == watch.Building {
			return build
		}
		return ""
	}
	r.Doing = func() string { s := loop.State(); return s.Line(time.Now()) }
	return loop
}
