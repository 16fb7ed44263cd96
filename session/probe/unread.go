package probe

import (
	"sync"
	"time"
)

// awaitReading waits while messages of the server are not read.
func (l *link) awaitReading() {
	l.mu.Lock()
	held := l.held
	l.mu.Unlock()
	if held != nil {
		<-held // [Run.Unread] always closes it
	}
}

// Unread sends frames on a connection whose messages are not read for a while, and
// waits for all responses. The order of the outcomes is that of the frames.
func (r *Run) Unread(c *Conn, name string, frames [][]byte, d time.Duration) []Outcome {
	if r.use(c); r.ended != "" {
		return nil
	}
	l := c.link
	held := make(chan struct{})
	l.mu.Lock()
	l.held = held
	l.mu.Unlock()
	release := sync.OnceFunc(func() {
		l.mu.Lock()
		l.held = nil
		l.mu.Unlock()
		close(held)
	})
	defer release() // also when the run is stopped
	timer := time.AfterFunc(d, release)
	defer timer.Stop()
	return r.Burst(c, name, frames)
}

// Pid is the process of a connection; 0 without one.
func (c *Conn) Pid() int {
	if c.link == nil {
		return 0
	}
	return c.link.pid
}
