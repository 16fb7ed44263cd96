package watch

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/client"
	"mcptea/internal/shell"
	"mcptea/internal/signal"
	"mcptea/session/session"
)

// A Session is the session that a Loop restarts.
type Session interface {
	// Connect makes the first connection.
	Connect(ctx context.Context) error
	RestartAfter(ctx context.Context, cause session.Cause) error
	// Running returns the number of calls that a restart waits for.
	Running() int
	// Calls returns how many calls are running, and how many have ended. Files that change during a call count
	// as data of the server, see [Sources].
	Calls() (running int, ended uint64)
	// Settled returns a channel that has an element after calls have ended, and a function that ends the subscription.
	Settled() (<-chan struct{}, func())
	Target() client.Target
}

// A Follower is a Session whose requests wait after a save until its outcome is known.
type Follower interface {
	FollowSources(src session.Sources)
	// Covers records that the newest outcome holds for a later generation: no source has changed since.
	Covers(generation uint64)
	// Broken records that the build of a generation failed, and why.
	Broken(why string, generation uint64)
}

// Config configures a Loop.
type Config struct {
	// Changes receives the changes, in bursts. The loop ends when it is closed.
	Changes <-chan Burst
	// Generation returns the current generation of the sources, within limit; see [Watcher.Now].
	Generation func(limit time.Duration) uint64
	// Settle is like Generation, and has Changes send a burst that ends with it, without a wait for more changes;
	// nil if there is no build. See [Watcher.Settle].
	Settle func(limit time.Duration) uint64
	// Watching describes the watched paths to the user.
	Watching string
	// Build is the shell command that builds the server, or "" if there is nothing to build.
	Build string
	// Sources selects the files that Changes reports. If nil, Changes reports all files.
	Sources *Sources
	// Notify is called after each state change, on any goroutine.
	Notify func()
	// Note logs a message for the user.
	Note func(text string)
}

const (
	// callTimeout bounds the time that a restart waits for running calls.
	callTimeout  = 10 * time.Second
	callInterval = 50 * time.Millisecond // poll interval while waiting for calls
	buildTimeout = 10 * time.Minute
	// maxSettle bounds the wait for the changes before the start and the end of a build.
	maxSettle = 10 * time.Second
	maxOutput = 1 << 20 // bytes of stdout and of stderr kept from a build
)

// A Phase is the current activity of a Loop.
type Phase uint8

// The values of [Phase].
const (
	Watching   Phase = iota // idle
	Building                // the build command is running
	Broken                  // the build failed; the old server keeps running
	Waiting                 // the build passed; waiting for running calls
	Restarting              // connecting to the new server
	Slowed                  // pausing, because earlier restarts were each followed by a change
	Undecided               // the next build waits, since a file changed during each of the previous ones
)

// State is a snapshot of a Loop.
type State struct {
	Phase    Phase
	Since    time.Time // start of the phase
	Watching string    // description of the watched paths
	Saved    string    // newest change: "main.go saved", or ""
	Build    *Build    // newest build that has ended, or nil
	Calls    int       // running calls that the restart waits for
	Deadline time.Time // end of the wait or pause
	Repeated string    // the file that changed soon after the newest restart, or during builds; while Slowed or Undecided
	Refused  string    // host and port of a URL that accept no connections; empty while they do, or unless Restarting
	LeftOut  string    // newest sentence about a file that counts as data of the server, or ""
}

// A Build is a finished build.
type Build struct {
	Command string
	Took    time.Duration
	Err     error  // error, or nil if the build passed
	Output  []byte // stderr followed by stdout
	Places  []Place
	At      time.Time
	// Generation of the sources that were built, at least.
	Generation uint64
}

// A Loop builds and restarts a server. Its methods are safe for concurrent use.
type Loop struct {
	s        Session
	follower Follower // the session; nil if its requests do not wait
	cfg      Config
	now      chan struct{} // wakes the loop for Now; capacity 1
	// wanted is the newest generation that a request waits for; asked has an element after each new one.
	wanted atomic.Uint64
	asked  chan struct{}

	mu    sync.Mutex
	state State

	// The fields below are owned by the goroutine of Run.
	stop    context.CancelFunc                              // ends the loop
	run     func(ctx context.Context) (shell.Output, error) // the build
	outputs outputs
	starts  starts
	warned  bool      // the user was told that restarts cause changes
	taken   uint64    // generation of the newest burst
	begun   uint64    // generation of the newest build or start
	reached uint64    // generation of the newest one that was not ended, and so has an outcome
	notes   int       // number of notes about outputs
	until   time.Time // end of the wait for calls; zero if no restart waits
}

// New returns a Loop. Call Run to start it.
func New(s Session, cfg Config) *Loop {
	l := &Loop{
		s: s, cfg: cfg, now: make(chan struct{}, 1), asked: make(chan struct{}, 1), outputs: newOutputs(cfg.Sources),
		state: State{Watching: cfg.Watching, Since: time.Now()},
	}
	if f, ok := s.(Follower); ok && cfg.Generation != nil {
		l.follower = f
		f.FollowSources(session.Sources{Generation: cfg.Generation, Want: l.Want, Doing: func() string {
			st := l.State()
			return st.Line(time.Now())
		}})
	}
	l.run = func(ctx context.Context) (shell.Output, error) {
		return shell.Run(ctx, shell.Command{Line: cfg.Build, MaxStdout: maxOutput, MaxStderr: maxOutput, Timeout: buildTimeout})
	}
	return l
}

// State returns a snapshot of the loop.
func (l *Loop) State() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	st := l.state
	st.LeftOut = l.cfg.Sources.Said()
	return st
}

// Now rebuilds and restarts the server without waiting for running calls.
func (l *Loop) Now() {
	signal.Wake(l.now)
}

// Want ends pauses between restarts until a server of a generation is started, since a request waits for it.
func (l *Loop) Want(generation uint64) {
	for {
		before := l.wanted.Load()
		if generation <= before {
			return
		}
		if l.wanted.CompareAndSwap(before, generation) {
			signal.Wake(l.asked)
			return
		}
	}
}

// Mark waits until all changes of the calls that have ended are reported, for at most a second. A later change is not
// attributed to these calls.
func (l *Loop) Mark() { l.cfg.Generation(maxMark) }

func (l *Loop) set(change func(*State)) {
	l.mu.Lock()
	before := l.state.Phase
	change(&l.state)
	if l.state.Phase != before {
		l.state.Since = time.Now()
	}
	l.mu.Unlock()
	l.cfg.Notify()
}

// Run builds, connects, and then handles changes until ctx is done. It calls connected once, after the first
// connection attempt or the first failed build.
func (l *Loop) Run(ctx context.Context, connected func()) {
	ctx, l.stop = context.WithCancel(ctx)
	defer l.stop()
	_, passed, later, again := l.build(ctx, &trigger{})
	if passed {
		_ = l.s.Connect(ctx) // the session state records the outcome
		l.settle()
	}
	if again == nil {
		again = l.after(later)
	}
	l.covers(again)
	connected()
	for {
		if again == nil {
			if again = l.await(ctx, nil, l.now); again == nil {
				return
			}
		}
		again = l.handle(ctx, again)
		l.covers(again)
	}
}

// covers reports the newest generation as covered if nothing is left to do, which is so without a trigger.
func (l *Loop) covers(again *trigger) {
	if again == nil && l.taken > l.begun {
		l.begun, l.reached = l.taken, l.taken
		if l.follower != nil {
			l.follower.Covers(l.taken)
		}
	}
}

// A trigger is the reason for a build or restart.
type trigger struct {
	paths []string // changed files
	user  bool     // requested by the user: do not wait for calls
}

// with returns a trigger for more paths; t may be nil.
func (t *trigger) with(paths []string) *trigger {
	if t == nil {
		return &trigger{paths: paths}
	}
	return &trigger{paths: union(t.paths, paths), user: t.user}
}

// await blocks until a source changes or now is signaled, and returns the trigger. It returns nil when done is
// closed, ctx is done, or the Changes channel is closed; the latter also ends the loop.
func (l *Loop) await(ctx context.Context, done, now <-chan struct{}) *trigger {
	idle := done == nil
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-done:
			return nil
		case <-now:
			return &trigger{user: true}
		case burst, ok := <-l.cfg.Changes:
			if !ok {
				l.stop()
				return nil
			}
			if paths := l.receive(burst); len(paths) > 0 {
				return &trigger{paths: paths}
			}
			if idle {
				l.covers(nil)
			}
		}
	}
}

// receive returns the paths of a burst that the loop must react to.
func (l *Loop) receive(burst Burst) (paths []string) {
	l.taken = burst.Generation
	if paths = l.outputs.sourcesOf(burst.Changes); len(paths) > 0 {
		l.starts.changed()
	}
	return paths
}

// during runs do and returns the trigger that interrupted it, or nil. A trigger cancels the context of do.
func (l *Loop) during(ctx context.Context, now <-chan struct{}, do func(ctx context.Context)) (again *trigger) {
	return l.duringUnless(ctx, now, func(*trigger) bool { return false }, do)
}

// duringUnless is like during, but a trigger for which waits returns true does not cancel do. It is
// returned after do has finished.
func (l *Loop) duringUnless(ctx context.Context, now <-chan struct{}, waits func(*trigger) bool, do func(ctx context.Context)) (again *trigger) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do(ctx)
	}()
	for {
		t := l.await(ctx, done, now)
		if t != nil && again != nil {
			t.paths = union(again.paths, t.paths)
		}
		if t != nil {
			again = t
		}
		if t == nil || !waits(t) {
			break
		}
	}
	stop()
	<-done
	return again
}

// handle builds and restarts. It returns a change from the meantime that requires starting over.
func (l *Loop) handle(ctx context.Context, t *trigger) (again *trigger) {
	if len(t.paths) > 0 {
		l.set(func(s *State) { s.Saved = saved(t.paths) })
	}
	if !t.user {
		l.slowDown(ctx, t)
	}
	l.begun = l.taken
	took, passed, later, again := l.build(ctx, t)
	if again != nil {
		again.user = again.user || t.user
		again.paths = union(t.paths, again.paths)
		return again
	}
	if ctx.Err() != nil {
		return nil
	}
	if !passed {
		return l.after(later)
	}
	if !t.user {
		if again := l.waitForCalls(ctx); again != nil {
			again.paths = union(t.paths, again.paths)
			return again
		}
	}
	l.until = time.Time{}
	again = l.restart(ctx, session.Cause{Text: saved(t.paths), Built: took, Generation: l.begun})
	if next := l.after(later); again == nil {
		again = next
	}
	return again
}

// after returns the trigger for what changed during the build before a restart, or nil if nothing has.
func (l *Loop) after(paths []string) *trigger {
	if len(paths) == 0 {
		return nil
	}
	l.starts.changed()
	return &trigger{paths: paths}
}

// saved describes the changed files, as in "main.go saved".
func saved(paths []string) string {
	switch len(paths) {
	case 0:
		return ""
	case 1:
		return filepath.Base(paths[0]) + " saved"
	}
	return strconv.Itoa(len(paths)) + " files saved"
}

func union(a, b []string) []string {
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}
