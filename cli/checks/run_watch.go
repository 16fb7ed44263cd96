package checks

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/session/runs/script"
	filewatch "mcptea/session/runs/watch"
	"mcptea/session/session"
)

// watchedScripts runs scripts at the start and after each save, instead of the server that the
// loop restarts elsewhere.
type watchedScripts struct {
	run   scriptRun
	files []string
	loop  *filewatch.Loop

	mu     sync.Mutex
	failed *filewatch.Build // newest build failure that was printed
	runs   int              // runs in progress; at most 1
	ended  uint64           // number of runs that have ended

	settled chan struct{} // 1 slot: a run has ended
}

// watch runs scripts until the user ends it.
func (r *scriptRun) watch(files []string) error {
	if r.flags.junit.Wanted() || r.flags.update {
		return app.Usage("Run it without --watch.", "--watch runs the scripts repeatedly: it excludes --junit and --update")
	}
	w := &watchedScripts{run: *r, files: files, settled: make(chan struct{}, 1)}
	w.run.flags.keepGoing = true
	loop, stop, err := r.p.target.Reload(w, r.target, w.built, w.note, files...)
	if err != nil {
		return err
	}
	defer stop()
	r.p.EndWithoutOutput()
	w.loop = loop
	loop.Run(r.p.Ctx, func() {})
	return context.Cause(r.p.Ctx)
}

// Connect implements [filewatch.Session].
func (w *watchedScripts) Connect(ctx context.Context) error { return w.all(ctx, "start") }

// RestartAfter implements [filewatch.Session].
func (w *watchedScripts) RestartAfter(ctx context.Context, cause session.Cause) error {
	return w.all(ctx, cause.Text)
}

// Running implements [filewatch.Session]. It returns 0: a save ends a run instead of waiting for it.
func (w *watchedScripts) Running() int { return 0 }

// Calls implements [filewatch.Session]: a run is a call, whose servers may write files.
func (w *watchedScripts) Calls() (running int, ended uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.runs, w.ended
}

// Settled implements [filewatch.Session].
func (w *watchedScripts) Settled() (<-chan struct{}, func()) { return w.settled, func() {} }

// began records the start of a run, and returns a function that records its end.
func (w *watchedScripts) began() (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs++
	return func() {
		w.mu.Lock()
		w.runs--
		w.ended++
		w.mu.Unlock()
		select {
		case w.settled <- struct{}{}:
		default:
		}
	}
}

// Target implements [filewatch.Session].
func (w *watchedScripts) Target() client.Target { return w.run.target }

// built prints why a build failed.
func (w *watchedScripts) built() {
	st := w.loop.State()
	w.mu.Lock()
	defer w.mu.Unlock()
	if st.Phase == filewatch.Broken && st.Build != w.failed {
		w.failed = st.Build
		w.line(st.Saved, w.run.p.Out.Bad("build failed")+"  "+w.run.p.Out.Safe(st.Build.Summary()))
	}
}

func (w *watchedScripts) note(text string) { w.run.p.Note(text) }

// line prints the line of a save.
func (w *watchedScripts) line(cause, text string) {
	p := w.run.p
	if cause == "" {
		cause = "start"
	}
	_ = p.Out.Line(p.Out.Faint(time.Now().Format("15:04:05")) + "  " + p.Out.Safe(cause) + "  " + text)
}

// all runs the scripts with the current content of their files, and prints a line. It returns an error if a
// server could not be connected. A save ends the run, which then prints nothing.
func (w *watchedScripts) all(ctx context.Context, cause string) error {
	text, err := w.outcome(ctx)
	if text == "" {
		return err
	}
	// A user who reads the line may save immediately. That change must not be attributed to the servers that ran.
	w.loop.Mark()
	w.line(cause, text)
	return err
}

// outcome runs the scripts, and returns the line about their outcome, or "".
func (w *watchedScripts) outcome(ctx context.Context) (text string, err error) {
	defer w.began()()
	r := w.run
	r.ctx, r.quiet = ctx, !r.flags.verbose && !r.p.JSON
	var scripts []*script.Script
	for _, name := range w.files {
		s, err := r.p.readScript(name)
		if err != nil {
			return r.p.Out.Bad("failed") + "  " + r.p.Out.Safe(err.Error()), nil
		}
		scripts = append(scripts, s)
	}
	var passed int
	var failed []string
	for _, s := range scripts {
		result, err := r.runScript(s)
		if ctx.Err() != nil || err != nil {
			return "", err
		}
		for _, one := range result.Sections {
			switch f := one.Failure; {
			case f == nil:
				passed++
			case f.Connect != nil:
				if !r.p.JSON {
					text = r.p.Out.Bad("not connected") + "  " + r.p.Out.Safe(f.Reason)
				}
				return text, f.Connect
			default:
				failed = append(failed, one.Section.Name)
			}
		}
	}
	if r.p.JSON {
		return "", nil
	}
	text = w.noun() + " " + r.p.Out.Good(fmt.Sprintf("✓ %d", passed))
	if len(failed) > 0 {
		text += " " + r.p.Out.Bad(fmt.Sprintf("✗ %d", len(failed))) + "  " + r.p.Out.Safe(strings.Join(failed, ", "))
	}
	return text, nil
}

// noun returns the noun for the sections of the files: pins, if all of them are files of pins.
func (w *watchedScripts) noun() string {
	for _, name := range w.files {
		if base := filepath.Base(name); base != "mcptea.txtar" && !strings.HasSuffix(base, ".mcptea.txtar") {
			return "sections"
		}
	}
	return "pins"
}
