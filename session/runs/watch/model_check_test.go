package watch_test

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"mcptea/session/runs/watch"
)

var versionOf = regexp.MustCompile(`\bv(\d+)\.`)

// watchPauses reports pauses between restarts while a call waits for a newer server. The pause before a
// build that decides about a file is not one of them.
func (w *world) watchPauses(ctx context.Context, loop *watch.Loop) {
	const known = 1500 * time.Millisecond // a call is read, and the generation of the sources then
	for look := time.NewTicker(200 * time.Millisecond); ; {
		select {
		case <-ctx.Done():
			look.Stop()
			return
		case <-look.C:
		}
		state := loop.State()
		if state.Phase != watch.Slowed || time.Since(state.Since) < known {
			continue
		}
		w.mu.Lock()
		for _, c := range w.calls {
			if !c.wrote.IsZero() && time.Since(c.wrote) > known && c.delivered.IsZero() && c.answered.IsZero() && c.cancelled.IsZero() {
				w.problem("(f) call %d waits, and the next restart for %s", c.id, time.Until(state.Deadline))
				break
			}
		}
		w.mu.Unlock()
	}
}

// counts returns how many servers and builds were started.
func (w *world) counts() (servers, builds int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.servers, w.buildCount
}

// checkQuiet checks that servers and builds are not started without end while all is quiet: servers and builds are
// their numbers two minutes ago.
func (w *world) checkQuiet(servers, builds int) {
	nowServers, nowBuilds := w.counts()
	bound := 4 // what was under way, and starts of a server that has ended
	if w.editsItself {
		bound += 14 // the longest pause is 10 s
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if nowServers-servers > bound || nowBuilds-builds > bound {
		w.problem("(g) %d servers and %d builds were started while all was quiet", nowServers-servers, nowBuilds-builds)
	}
}

// check checks the answers, and returns how many have the error that the time is over.
func (w *world) check() (late int) {
	for n := 1; n <= len(w.calls); n++ {
		c := w.calls[n]
		switch {
		case len(c.responses) == 0 && c.cancelled.IsZero():
			w.problem("(b) call %d has no response", n)
			continue
		case len(c.responses) > 1:
			w.problem("(b) call %d has %d responses: %q", n, len(c.responses), c.responses)
		}
		decided := c.delivered
		if decided.IsZero() {
			decided = c.answered
		}
		if wait := decided.Sub(c.wrote); wait > bound {
			w.problem("(d) call %d has waited for %s", n, wait)
		}
		if len(c.responses) == 0 {
			continue
		}
		text := c.responses[0]
		named := -1
		if m := versionOf.FindStringSubmatch(text); m != nil {
			named, _ = strconv.Atoi(m[1])
		}
		switch {
		case strings.Contains(text, `"result"`):
			if named < w.needed(c) || !strings.Contains(text, fmt.Sprintf(`"of %d v`, n)) {
				w.problem("(a) call %d came after save %d: %s", n, c.needs, text)
			}
		case strings.Contains(text, `"reason":"saved"`), strings.Contains(text, `"reason":"building"`):
			if !c.long {
				late++
			}
			if wait := c.answered.Sub(c.wrote); c.server != 0 || wait < 24*time.Second {
				w.problem("(d) call %d of server %d has the error that it waited, after %s: %s", n, c.server, wait, text)
			}
		case strings.Contains(text, `"reason":"restarted"`), strings.Contains(text, `"reason":"ended"`):
			if c.server == 0 { // the server has ended while it was sent to it
				w.unsent++
			}
		case named < w.needed(c): // the failure of a start or build
			w.problem("(a) call %d came after save %d and has the failure of another one: %s", n, c.needs, text)
		case c.server != 0:
			w.problem("(a) call %d was at server %d: %s", n, c.server, text)
		}
	}
	return late
}
