package probe

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"

	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

// maxLost is the number of probes without a connection after which the server is considered gone.
const maxLost = 5

// lost ends the probe because no connection can be opened.
func (r *Run) lost(err error) {
	if r.isStopped() {
		return
	}
	if r.runner.limits.isOver() {
		r.limited()
		return
	}
	if r.checkAlive(nil); r.ended != "" {
		return
	}
	text := r.runner.journal.redact(err.Error())
	r.runner.mu.Lock()
	if r.runner.lost++; r.runner.runsBeside() {
		why := becauseLone(": " + text)
		if r.runner.lost >= maxLost {
			r.runner.lone = why // the shared connection still works
		}
		r.runner.mu.Unlock()
		if r.report.Entry.ID == ownsProcesses {
			r.Case("a second process beside the first").Info("A second process of the server does not start beside the first: %s. Only one client at a time can use the server.", text)
			r.Skip(why.Why)
			return
		}
		r.unjudged(why)
		return
	}
	if r.runner.lost >= maxLost && r.runner.gone == nil {
		r.runner.gone = &Because{Cause: "the server can no longer be reached", Why: "the server can no longer be reached: " + text}
	}
	r.runner.mu.Unlock()
	r.Unjudged("the server can no longer be reached: %s", text)
}

// runsBeside reports whether the target is a command and its first process is alive and responding.
// Then a failed start is a failure of a second process.
func (r *Runner) runsBeside() bool {
	l := r.shared.link()
	return r.cfg.Target.URL == "" && l != nil && l.alive() && !l.mute.Load()
}

// isLone returns the reason why no second process can be started, or nil.
func (r *Runner) isLone() *Because {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lone
}

// noteSent records whether a frame may have reached the server, or at least its former address.
func (r *Run) noteSent(o Outcome) { r.sent = r.sent || o.arrived() }

// arrived reports whether a connection for the frame was accepted, or may have been.
func (o *Outcome) arrived() bool {
	var op *net.OpError
	return o.written || o.Err == nil || !errors.As(o.Err, &op) || op.Op != "dial"
}

// isGone returns the reason why the server can no longer be reached, or nil.
func (r *Runner) isGone() *Because {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.gone
}

// How long to wait for an HTTP server that ended. A supervisor may restart it.
const (
	returnTimeout  = 3 * time.Second
	returnInterval = 200 * time.Millisecond
)

// checkAlive ends the probe with one finding if an HTTP server no longer accepts connections. The
// process of the server has ended, so later findings would not be about the server. failed is the
// outcome of the frame without a response, or nil.
func (r *Run) checkAlive(failed *Outcome) {
	if r.report.Sent == 0 || r.isUp() {
		return
	}
	who := "during " + r.report.Entry.ID + " (" + r.report.Entry.Slug + ")"
	r.runner.mu.Lock()
	if previous := r.runner.previous; previous != nil && !r.reached {
		before := "after " + previous.ID + " (" + previous.Slug + ")"
		if who = before; r.sent { // the frame may have arrived
			who = "at the first frame of " + r.report.Entry.ID + " (" + r.report.Entry.Slug + "), or " + before
		}
	}
	r.runner.mu.Unlock()
	var unanswered []Frame
	if failed != nil && failed.arrived() {
		unanswered = failed.evidence
	}
	back := false
	for end := time.Now().Add(r.runner.atLeast(returnTimeout)); !back && time.Now().Before(end); {
		if r.Sleep(r.runner.returnInterval()); r.ended != "" {
			return
		}
		back = r.isUp()
	}
	message, why := "The server has ended "+who+": it no longer accepts connections.", "the server has ended "+who
	if back {
		message, why = "The server has ended "+who+", and was started again.", why+" and was started again"
	} else {
		r.runner.mu.Lock()
		r.runner.gone = &Because{Probe: r.report.Entry.ID, Why: why, Cause: "the server has ended"}
		r.runner.mu.Unlock()
	}
	last := r.runner.lastContact()
	Judgment{r: r, generic: true, name: "the process of the server", frames: last.before(unanswered)}.add("", Finding{
		Severity: lint.Error, Message: message + r.suspects(last, unanswered), Hint: "Read what the server has written before it ended. Send the frames below again, in their order: one request of any client must not end it.",
	})
	r.Unjudged("%s", why)
}

// suspects returns a sentence that names the frames that may have ended the server: the last frame that was
// answered, and the frame without a response.
func (r *Run) suspects(last *contact, unanswered []Frame) string {
	switch {
	case last == nil:
		return ""
	case len(unanswered) > 0:
		return " " + phrase.Capital(r.name) + " got no response; the last request that was answered is " + last.shown(r.report.Entry) + ". Either may have ended it."
	}
	return " The last request that was answered is " + last.shown(r.report.Entry) + ": this request, or one before it, has ended the server."
}

// isUp reports whether an HTTP server accepts connections. It returns true if the server is behind a proxy.
func (r *Run) isUp() bool {
	u, err := url.Parse(r.runner.cfg.Target.URL)
	if err != nil || u.Host == "" {
		return true
	}
	dial := r.runner.cfg.Target.Dial
	if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: u}); dial == nil && (err != nil || proxy != nil) {
		return true
	}
	port := cmp.Or(u.Port(), map[string]string{"https": "443"}[u.Scheme], "80")
	ctx, stop := context.WithTimeout(r.ctx, interfaceTimeout)
	defer stop()
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	c, err := dial(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil
	}
	_ = c.Close()
	return true
}

// interfaceTimeout bounds the connection attempt of isUp. A slow server counts as up.
const interfaceTimeout = 2 * time.Second
