package probe

import (
	"context"
	"slices"
	"time"
)

// late is a request that has no response yet although a ping behind it has one. The
// server may work on requests concurrently: whether it stays silent is known only
// after as long as its other requests take.
type late struct {
	link *link
	wait *wait
	sent time.Time
	size int // of the frame
}

// keep leaves a wait registered for a response with its id.
func (l *link) keep(w *wait, sent time.Time) *late {
	l.mu.Lock()
	defer l.mu.Unlock()
	w.anyNull = false
	return &late{link: l, wait: w, sent: sent, size: len(w.frame)}
}

// comes waits for the response, at most until responseTimeout has passed since the request
// was sent, and reports whether it has come. The end of the connection leaves open
// whether it would have.
func (p *late) comes(ctx context.Context, responseTimeout time.Duration) bool {
	defer p.link.unregister(p.wait)
	timer := time.NewTimer(time.Until(p.sent.Add(responseTimeout)))
	defer timer.Stop()
	select {
	case <-p.wait.complete:
		return true
	case <-p.link.client.Done():
		return true
	case <-timer.C:
		return false
	case <-ctx.Done():
		return true
	}
}

// forget ends the waits for responses whose absence is no finding.
func (r *Run) forget() {
	for _, p := range r.silent {
		if !slices.ContainsFunc(r.report.Findings, func(f Finding) bool { return f.late == p }) {
			p.link.unregister(p.wait)
		}
	}
	r.silent = nil
}

// settle drops the findings about missing responses that come after all.
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

// isUnsettled reports whether a finding is about a missing response.
func (r *Run) isUnsettled() bool {
	return slices.ContainsFunc(r.report.Findings, func(f Finding) bool { return f.late != nil })
}
