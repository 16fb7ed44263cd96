package probe

import (
	"context"
	"slices"
	"time"
)

// A late is a request without a response although a later ping was answered. The server may handle requests
// concurrently, so it counts as silent only after the time that its other requests take.
type late struct {
	link *link
	wait *wait
	sent time.Time
	size int // size of the frame in bytes
}

// keep keeps a wait registered for a response with its id.
func (l *link) keep(w *wait, sent time.Time) *late {
	l.mu.Lock()
	defer l.mu.Unlock()
	w.anyNull = false
	return &late{link: l, wait: w, sent: sent, size: len(w.frame)}
}

// comes waits until the response arrives or responseTimeout has passed since the request, and reports whether
// it arrived. If the connection ends first, it returns true, because nothing can be concluded.
func (p *late) comes(ctx context.Context, responseTimeout time.Duration) bool {
	defer p.link.unregister(p.wait)
	return p.comesIn(ctx, p.link.client.Done(), responseTimeout)
}

// comesIn is like comes, but gives up when done is closed instead of when the connection ends.
func (p *late) comesIn(ctx context.Context, done <-chan struct{}, responseTimeout time.Duration) bool {
	select {
	case <-p.wait.complete: // even if it arrived before this call
		return true
	default:
	}
	timer := time.NewTimer(time.Until(p.sent.Add(responseTimeout)))
	defer timer.Stop()
	select {
	case <-p.wait.complete:
		return true
	case <-done:
		return true
	case <-timer.C:
		return false
	case <-ctx.Done():
		return true
	}
}

// forget stops waiting for responses that no finding depends on.
func (r *Run) forget() {
	for _, p := range r.silent {
		if !slices.ContainsFunc(r.report.Findings, func(f Finding) bool { return f.late == p }) {
			p.link.unregister(p.wait)
		}
	}
	r.silent = nil
}

// settle drops the findings about missing responses that arrive after all.
func (r *Run) settle(ctx context.Context) {
	came := map[*late]bool{}
	r.report.Findings = slices.DeleteFunc(r.report.Findings, func(f Finding) bool {
		if f.late == nil {
			return false
		}
		if _, known := came[f.late]; !known {
			came[f.late] = f.late.comes(ctx, r.runner.responseTimeoutOf(f.late.size))
		}
		if !came[f.late] && f.confirm != nil {
			if why := f.confirm(); why != nil {
				r.drop(why)
				return true
			}
		}
		return came[f.late]
	})
}

// isUnsettled reports whether a finding depends on a missing response.
func (r *Run) isUnsettled() bool {
	return slices.ContainsFunc(r.report.Findings, func(f Finding) bool { return f.late != nil })
}
