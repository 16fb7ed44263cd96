package probe

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// How many probes with processes of their own run at once: lanes of them, and more where starts are found
// to wait for something else than the processor, such as a container that is fetched.
const (
	lanes      = 3
	lanesMost  = 12
	slowStarts = time.Second // a start from which on more of them at once are worth it
)

// starters lets so many probes run at once that start processes. It finds out how many by how long the starts
// take: those that wait take no longer beside others. Its zero value lets lanes of them run.
type starters struct {
	mu       sync.Mutex
	alone    time.Duration // how long the first process took, alone; 0 if that is too short to look
	starting int           // processes that start now
	running  int           // probes
	most     int           // of these, where starts wait; 0 for [lanesMost]
	wait     bool          // starts wait: lanesMost may run
	judged   bool          // a start beside others took too long: they do not
	changed  chan struct{} // closed when one ends, or more may run; nil while none waits
}

// enter waits until a probe may run, or the context ends. leave has to follow.
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

// tell wakes those that wait. The caller holds mu.
func (s *starters) tell() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// begin notes the start of a process, which ends with the result. beside is how many others were starting then.
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

// took judges the duration of a start beside others.
func (s *starters) took(took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.alone > 0 {
		s.judge(took)
	}
}

// judge takes how long a start took beside others. The caller holds mu.
func (s *starters) judge(took time.Duration) {
	switch {
	case took > s.alone*2: // the processor has more to do than it can
		s.wait, s.judged = false, true
	case !s.judged && took <= s.alone*7/5 && !s.wait:
		s.wait = true
		s.tell()
	}
}

// waits reports that starts wait, so that many at once cost nothing.
func (s *starters) waits() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wait
}

// OpenAhead opens connections without negotiation that the next calls of [Run.Open] without changes return,
// where processes take long to start and wait meanwhile: so they start beside each other.
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
