package probe

import (
	"context"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"mcptea/client"
	"mcptea/session/lint"
)

// Ending is how a process has ended.
type Ending struct {
	HasProcess bool
	Exited     bool
	Code       int
	Signal     string // that ended it
	Signalled  string // that mcptea has sent; empty when it exited by itself
	Crashed    bool
	Stderr     []string
}

// FreshWith is Fresh with another target.
func (r *Run) FreshWith(change func(*client.Target)) *Conn {
	c := &Conn{r: r.runner, target: change}
	r.fresh = append(r.fresh, c)
	return r.use(c)
}

// OpenWith is Open with another target.
func (r *Run) OpenWith(change func(*client.Target)) *Conn {
	c := &Conn{r: r.runner, raw: true, target: change}
	r.fresh = append(r.fresh, c)
	return r.use(c)
}

// Send sends bytes and waits for nothing.
func (r *Run) Send(c *Conn, frame []byte) {
	if r.ended != "" {
		return
	}
	r.report.Sent++
	_ = c.send(r.ctx, frame) // the end of the server shows a failure
}

// Shutdown closes stdin of several processes at once, and waits for their end.
func (r *Run) Shutdown(conns []*Conn, limit time.Duration) []Ending {
	ctx, stop := context.WithTimeout(r.ctx, limit)
	defer stop()
	endings := make([]Ending, len(conns))
	if r.ended != "" {
		return endings
	}
	var wg sync.WaitGroup
	for i, c := range conns {
		wg.Go(func() {
			_ = c.link.client.Close(ctx) // how the process ended is in the link
			c.link.finish()
			endings[i] = c.link.ending()
		})
	}
	wg.Wait()
	return endings
}

// Terminate sends SIGTERM and waits for the end of the process. ok is false without
// a process, and on Windows.
func (r *Run) Terminate(c *Conn, limit time.Duration) (e Ending, ok bool) {
	if r.ended != "" || c.link.pid == 0 || runtime.GOOS == "windows" {
		return e, false
	}
	process, err := os.FindProcess(c.link.pid)
	if err != nil || process.Signal(syscall.SIGTERM) != nil {
		return e, false
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-c.link.gone:
	case <-timer.C:
	case <-r.ctx.Done():
	}
	return c.link.ending(), true
}

func (l *link) ending() Ending {
	x := l.exit(context.Background())
	l.mu.Lock()
	defer l.mu.Unlock()
	return Ending{
		HasProcess: l.pid != 0, Exited: l.exited != nil, Code: x.Code, Signal: x.Signal,
		Signalled: l.signalled, Crashed: x.Crashed && l.signalled == "", Stderr: x.Stderr,
	}
}

// Fatal reports the end of a process.
func (r *Run) Fatal(severity lint.Severity, e Ending, format string, args ...any) {
	r.found(severity, format, args...)
	if n := len(r.report.Findings); n > 0 {
		r.report.Findings[n-1].Exit = &Exit{Code: e.Code, Signal: e.Signal, Stderr: e.Stderr, Crashed: e.Crashed}
	}
}
