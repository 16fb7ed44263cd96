package probe

import (
	"context"
	"slices"
)

// exclusiveRounds is the number of times that a process must end when another one starts. The first time, it may
// have ended by itself.
const exclusiveRounds = 2

// becauseExclusive is the reason for drawing no conclusion from an end.
var becauseExclusive = &Because{Cause: "a new process ends the one before", Why: "each new process of the server ends the one before"}

// becauseLone returns the reason for not judging a probe that needs its own process. It contains
// the detail.
func becauseLone(detail string) *Because {
	return &Because{Probe: ownsProcesses, Cause: "a second process does not start", Why: "a second process of the server does not start beside the first" + detail}
}

// EndsOthers reports whether each new process of the server ends the previous one, for example by
// taking over a port or a lock. Probes run concurrently, each with its own processes. So no frame
// is blamed for an end then.
func (r *Run) EndsOthers() bool { return r.runner.exclusive }

// startsProcesses reports whether a probe of the run starts its own processes.
func (r *Runner) startsProcesses() bool {
	return r.cfg.Target.URL == "" && slices.ContainsFunc(r.ordered(), func(e *Entry) bool {
		_, why := r.skips(e)
		return why == nil && e.Starts > 0
	})
}

// startSecond starts a second process besides the process of the shared connection, before the
// first probe. If the first process ends, startSecond starts more processes. It sets exclusive if
// each new process ends the previous one. isBeside reports whether both processes run;
// [Run.Calling] then uses the second. Nothing else is started or sent at that time.
func (r *Runner) startSecond(ctx context.Context) (isBeside bool) {
	before := r.shared.link()
	for range exclusiveRounds {
		next := &Conn{r: r, linted: true, correct: true}
		err := next.connect(ctx)
		l := next.link()
		if err == nil && sleep(ctx, r.quietTime()) && before.alive() && l.alive() {
			r.calling = next
			return true
		}
		defer next.close(ctx)
		if err != nil || ctx.Err() != nil || before.alive() {
			return false
		}
		before = l
	}
	r.exclusive = true
	return false
}

// startsBeside reports whether another process starts if it gets only a handshake. It is the
// control for a process that ends while starting. A server at a URL has a single process.
func (r *Run) startsBeside() bool {
	if r.runner.cfg.Target.URL != "" {
		return true
	}
	plain := &Conn{r: r.runner}
	defer r.abandon(plain)
	return r.runner.restarted() == nil && plain.connect(r.ctx) == nil && plain.link().alive()
}

// abandon closes connections in the background. The run waits for that at its end.
func (r *Run) abandon(all ...*Conn) {
	ctx := context.WithoutCancel(r.ctx)
	for _, c := range all {
		r.runner.closing.Go(func() { c.close(ctx) })
	}
}
