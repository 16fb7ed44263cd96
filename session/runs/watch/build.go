package watch

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"mcptea/internal/shell"
)

const (
	// minControl and maxControl bound the pause before a build. The pause decides whether builds or
	// a user change a file. It is as long as a build, so that it notices a user who saves as often.
	minControl = 2 * time.Second
	maxControl = 10 * time.Second
)

// build runs the build command, if there is one, and repeats it for changes in the meantime, until it has built
// all sources. A change of a source ends it; then again is not nil. later lists sources that each of several
// builds has changed.
func (l *Loop) build(ctx context.Context, t *trigger) (took time.Duration, passed bool, later []string, again *trigger) {
	if l.cfg.Build == "" {
		return 0, true, nil, nil
	}
	for {
		b, again := l.buildOnce(ctx, t)
		if b == nil {
			return 0, false, nil, again
		}
		v := l.outputs.decide()
		l.tellOutputs(v.outputs)
		switch {
		case again != nil:
			return 0, false, nil, again
		case len(v.more) == 0:
			return b.Took, b.Err == nil, v.later, nil
		case v.pause:
			if again := l.pauseBuilds(ctx, v.more[0], b.Took); again != nil {
				return 0, false, nil, again
			}
			l.outputs.isControlled = ctx.Err() == nil
		}
	}
}

// buildOnce runs the build command and returns its outcome, or nil if it was ended. again is not nil if a source has
// changed since the build began.
func (l *Loop) buildOnce(ctx context.Context, t *trigger) (b *Build, again *trigger) {
	l.set(func(s *State) { s.Phase = Building })
	l.cfg.Sources.build(true)
	defer l.cfg.Sources.build(false)
	t.paths = union(t.paths, l.receiveTo(ctx, l.settled(ctx)))
	l.begun = l.taken
	l.outputs.start(l.begun)
	start := time.Now()
	var out shell.Output
	var err error
	again = l.during(ctx, nil, func(ctx context.Context) { out, err = l.run(ctx) })
	took := time.Since(start)
	end := l.settled(ctx)
	l.outputs.end(end)
	if paths := l.receiveTo(ctx, end); len(paths) > 0 {
		if again == nil {
			b = &Build{}
		}
		again = again.with(paths)
	}
	if again != nil || ctx.Err() != nil {
		return b, again
	}
	b = &Build{Command: l.cfg.Build, Took: took, Err: err, At: time.Now(), Output: append(slices.Clip(out.Stderr), out.Stdout...), Generation: l.begun}
	if err != nil {
		b.Places = placesIn(b.Output)
		l.reached = b.Generation
	}
	l.set(func(s *State) {
		s.Build, s.Phase = b, Watching
		if b.Err != nil {
			s.Phase = Broken
		}
	})
	if b.Err != nil && l.follower != nil {
		l.follower.Broken(b.Summary(), b.Generation)
	}
	return b, nil
}

// settled returns the current generation of the sources, whose changes are received soon.
func (l *Loop) settled(ctx context.Context) uint64 {
	if l.cfg.Settle == nil || ctx.Err() != nil {
		return l.taken
	}
	return l.cfg.Settle(maxSettle)
}

// receiveTo receives bursts of changes up to a generation, and returns the paths that cause a restart.
func (l *Loop) receiveTo(ctx context.Context, generation uint64) (paths []string) {
	for l.taken < generation {
		select {
		case <-ctx.Done():
			return paths
		case burst, ok := <-l.cfg.Changes:
			if !ok {
				l.stop()
				return paths
			}
			paths = union(paths, l.receive(burst))
		}
	}
	return paths
}

// tellOutputs reports which files are taken for outputs although they may be sources.
func (l *Loop) tellOutputs(paths []string) {
	for _, path := range paths {
		if l.notes++; l.notes <= maxTold {
			l.cfg.Note(filepath.Base(path) + " changed during each of " + strconv.Itoa(maxTurns) +
				" builds: taken for an output of the build, not built again; add --watch=" + flagPath(path) + " to build for it")
		}
	}
}

// pauseBuilds waits before the build that decides whether a file is an output. It returns what ends the wait.
func (l *Loop) pauseBuilds(ctx context.Context, path string, took time.Duration) (again *trigger) {
	pause := min(max(took, minControl), maxControl)
	l.set(func(s *State) {
		s.Phase, s.Deadline, s.Repeated = Undecided, time.Now().Add(pause), filepath.Base(path)
	})
	return l.during(ctx, l.now, func(ctx context.Context) {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	})
}
