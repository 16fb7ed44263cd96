package probe

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// Limits on concurrent probes that start processes. The normal limit is lanes. If starts mostly
// wait for something other than the processor, such as the download of a container image, the limit
// is lanesMost.
const (
	lanes      = 3
	lanesMost  = 12
	slowStarts = time.Second // from this start time, more concurrent starts pay off
)

// starters limits the concurrent probes that start processes. It measures whether starts slow each other down,
// and raises the limit from lanes to lanesMost if they do not. The zero value is ready to use.
type starters struct {
	mu       sync.Mutex
	alone    time.Duration // start time of the first process, measured by itself; 0 if too short to measure
	starting int           // processes currently starting
	running  int           // probes running
	most     int           // maximum number of concurrent starts; 0 for [lanesMost]
	wait     bool          // starts mostly wait, so lanesMost may run
	judged   bool          // a concurrent start took too long, so only lanes may be used
	changed  chan struct{} // closed when a probe ends or the limit rises; nil if no probe is waiting
}

// enter blocks until a probe may run or ctx is done. The caller must call leave.
func (s *starters) enter(ctx context.Context) {
	for {
		s.mu.Lock()
		most := lanes
		if s.wait {
			most = cmp.Or(s.most, lanesMost)
		}
		if s.running < most || ctx.Err() != nil {
			s.running++
			s.mu.Unlock()
			return
		}
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

func (s *starters) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	s.tell()
}

// tell wakes the waiting probes. The caller holds s.mu.
func (s *starters) tell() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// begin records the start of a process. The caller must call end when it has started.
func (s *starters) begin() (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.starting++
	beside, began := s.starting > 1, time.Now()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		beside = beside || s.starting > 1
		s.starting--
		if took := time.Since(began); s.alone > 0 && beside {
			s.judge(took)
		}
	}
}

// took judges the duration of a start that ran in parallel with others.
func (s *starters) took(took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.alone > 0 {
		s.judge(took)
	}
}

// judge evaluates the duration of a start that ran in parallel with others. The caller holds s.mu.
func (s *starters) judge(took time.Duration) {
	switch {
	case took > s.alone*2: // the processor is overloaded
		s.wait, s.judged = false, true
	case !s.judged && took <= s.alone*7/5 && !s.wait:
		s.wait = true
		s.tell()
	}
}

// waits reports whether starts mostly wait, so that concurrent starts cost nothing.
func (s *starters) waits() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wait
}

// OpenAhead opens connections that later calls of [Run.Open] without changes return. It does so only if
// processes wait while starting, so that their starts overlap.
func (r *Run) OpenAhead(n int) {
	for range n {
		if !r.runner.starters.waits() || r.ended != "" || !r.runner.mayStart() {
			return
		}
		c := &Conn{r: r.runner, raw: true}
		r.open(c)
		r.ahead = append(r.ahead, c)
	}
}
