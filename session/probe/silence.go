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
}

// keep leaves a wait registered for a response with its id.
func (l *link) keep(w *wait, sent time.Time) *late {
	l.mu.Lock()
	defer l.mu.Unlock()
	w.anyNull = false
	return &late{link: l, wait: w, sent: sent}
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
	responseTimeout := r.runner.responseTimeout()
	r.report.Findings = slices.DeleteFunc(r.report.Findings, func(f Finding) bool {
		if f.late == nil {
			return false
		}
		if _, known := came[f.late]; !known {
			came[f.late] = f.late.comes(ctx, responseTimeout)
		}
		return came[f.late]
	})
}

// isUnsettled reports whether a finding is about a missing response.
func (r *Run) isUnsettled() bool {
	return slices.ContainsFunc(r.report.Findings, func(f Finding) bool { return f.late != nil })
}

// The pace of a server is how long its responses to correct requests take.
const (
	// maxPaced bounds how many responses it is taken from, the newest.
	maxPaced = 50
	// paceFactor is how many times longer a response may take than others.
	paceFactor = 4
	// minResponseTimeout is how long a missing response is waited for in any case.
	minResponseTimeout = 3 * time.Second
)

// note remembers how long a response took.
func (r *Runner) note(window *[]time.Duration, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if *window = append(*window, took); len(*window) > maxPaced {
		*window = (*window)[1:]
	}
}

// pace is the median; 0 before the first response.
func (r *Runner) pace() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return median(r.paces)
}

func median(all []time.Duration) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

// latency is how long a request that costs nothing takes: the way, and what delays every
// response alike. What a tool needs is what is left.
func (r *Runner) latency() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return median(r.pings)
}

// responseTimeout is how long a response may take before it is called missing.
func (r *Runner) responseTimeout() time.Duration {
	// What was sent first on a connection waits for the start of the process.
	return max(min(minResponseTimeout, r.cfg.Timeout), paceFactor*r.pace()) + time.Duration(r.server.Took)*time.Millisecond
}

// quietTime is how long a response is waited for after a ping behind the request was
// answered: eight times what a ping usually takes, or twice what other requests take.
func (r *Runner) quietTime() time.Duration {
	pace := r.pace()
	r.mu.Lock()
	defer r.mu.Unlock()
	return max(min(max(8*median(r.pings), minQuiet), maxQuiet), 2*pace)
}
