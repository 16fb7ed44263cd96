package probe

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"mcptea/client/transport/stdio"
)

// Bounds of the standby.
const (
	mostProcesses = 48 // maximum number of processes of the server
	reserved      = 3  // processes kept for when another one ends: one for a control, one to replace it
	mostReserved  = 5
	memoryPart    = 4 // the processes may use one part of the free memory
	idlePart      = 4 // a start counts as waiting if the processor works during at most this fraction of it
)

// standby holds processes that are started before a probe needs them, of a server whose start waits for something
// else than the processor. Nothing was sent to them: each may become any connection that is opened as usual. Its
// methods may be called from any goroutine.
type standby struct {
	ctx context.Context // context of the run
	wg  sync.WaitGroup  // starts

	// The fields below describe the first process; set before the first probe.
	limit  int // maximum number of processes, by the available memory; 0 if there is no standby
	atOnce int // maximum number of concurrent starts, by the number of processors

	mu      sync.Mutex
	links   []*link // started ones, oldest first
	opening int
	begun   []time.Time // start times of the processes that are starting; at most atOnce
	timer   *time.Timer // starts the rest; nil if nothing is left to start
	closed  bool        // no more processes are started
	ended   int         // processes that frames have ended
}

// costOf returns the cost of a process.
func (r *Runner) costOf(pid int) (stdio.Cost, bool) {
	if r.cfg.Cost != nil {
		return r.cfg.Cost(pid)
	}
	return stdio.CostOf(pid)
}

// prepareStandby enables the standby for a server with a slow first start whose processes can run in parallel.
// Otherwise probes start their processes when they need them.
func (r *Runner) prepareStandby() {
	cost, ok := r.costOf(r.shared.link().pid)
	s, alone := &r.standby, r.starters.alone
	if alone == 0 || !ok || cost.CPU*idlePart > alone {
		return
	}
	s.limit, s.atOnce = mostProcesses, mostProcesses
	if free := stdio.FreeMemory(); free > 0 && cost.Memory > 0 {
		s.limit = min(s.limit, int(free/memoryPart/cost.Memory))
	}
	if cost.CPU > 0 {
		s.atOnce = min(s.atOnce, max(lanes, int(time.Duration(runtime.NumCPU())*alone/(2*cost.CPU))))
	}
	r.starters.wait, r.starters.most = true, min(max(lanes, s.atOnce), lanesMost)
}

// take removes the oldest process from the standby and returns it. It returns nil if the standby is empty, or
// if the connection needs its own process.
func (s *standby) take(c *Conn) *link {
	if c.waits || c.fresh || len(c.config) > 0 || len(c.target) > 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
	if len(s.links) == 0 {
		return nil
	}
	l := s.links[0]
	s.links = s.links[1:]
	return l
}

// startedAhead marks the process as started ahead of need.
func (l *link) startedAhead() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ahead = true
}

// wasAhead reports a process that was started ahead of need.
func (l *link) wasAhead() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ahead
}

// drop removes processes that ended before any frame was sent. The server does not wait for a client then, so
// nothing more is started. The caller holds s.mu.
func (s *standby) drop() {
	s.links = slices.DeleteFunc(s.links, func(l *link) bool {
		isOver := !l.alive()
		s.closed = s.closed || isOver
		return isOver
	})
}

// end closes the standby and returns the processes that are left.
func (s *standby) end() []*link {
	s.mu.Lock()
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
	s.mu.Unlock()
	s.wg.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	links := s.links
	s.links = nil
	return links
}

// mayStart reports whether another process may be started ahead of need.
func (r *Runner) mayStart() bool {
	s := &r.standby
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.links) > 0 || r.journal.processes.now()+s.opening < cmp.Or(s.limit, lanesMost)
}

// stock starts as many processes as the rest of the plan needs, and a few in reserve for those that malformed frames end.
func (r *Runner) stock() {
	s := &r.standby
	if s.limit == 0 || !r.starters.waits() {
		return
	}
	need := r.need()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.drop()
	s.begun = slices.DeleteFunc(s.begun, func(t time.Time) bool { return time.Since(t) >= r.starters.alone })
	for !s.closed && s.ctx.Err() == nil && len(s.links)+s.opening < need {
		if r.journal.processes.now()+s.opening >= s.limit {
			return
		}
		if len(s.begun) >= s.atOnce {
			r.stockLater()
			return
		}
		s.begun = append(s.begun, time.Now())
		s.opening++
		s.wg.Go(r.startAhead)
	}
}

// stockLater calls stock after one of the processes that are starting has started. The caller holds s.mu.
func (r *Runner) stockLater() {
	s := &r.standby
	if s.timer != nil {
		return
	}
	s.timer = time.AfterFunc(r.starters.alone-time.Since(s.begun[0]), func() {
		s.mu.Lock()
		s.timer = nil
		s.mu.Unlock()
		r.stock()
	})
}

// startAhead starts a process of the standby. A first failure closes it.
func (r *Runner) startAhead() {
	s := &r.standby
	c := &Conn{r: r, raw: true, linted: true, waits: true}
	err := c.connect(s.ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opening--
	if err != nil {
		s.closed = true
		return
	}
	s.links = append(s.links, c.link())
}

// need returns how many processes the probes that have not begun will start.
func (r *Runner) need() (n int) {
	waiting, hasMalformed := r.waiting()
	for _, e := range waiting {
		if _, why := r.skips(e); why == nil && !e.Own {
			n += e.Starts + e.Ahead
		}
	}
	if hasMalformed {
		r.standby.mu.Lock()
		defer r.standby.mu.Unlock()
		n += min(reserved+r.standby.ended, mostReserved)
	}
	return n
}

// waiting returns the probes that have not started, and whether some of them send malformed frames.
func (r *Runner) waiting() (all []*Entry, hasMalformed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.queues == nil {
		return nil, false
	}
	for i := range r.queues {
		all = append(all, r.queues[i].probes...)
	}
	return all, slices.ContainsFunc(r.queues[queueShared].probes, func(e *Entry) bool { return e.Phase == phaseMalformed })
}

// noteEnd enlarges the reserve: if one frame has ended a process, other frames will, too.
func (r *Runner) noteEnd() {
	r.standby.mu.Lock()
	r.standby.ended++
	r.standby.mu.Unlock()
	r.stock()
}
