package relay

import (
	"io"
	"sync"
	"time"
)

const (
	// maxSpool bounds the bytes of the host that wait while its server is restarted. Then the host must wait.
	maxSpool = 16 << 20
	// aheadAfter is the time that the consumer gets to use the bytes before the stream is read ahead.
	aheadAfter = 5 * time.Millisecond
)

// spool is the stream of the host. The reading goroutine forwards the bytes itself. If that takes long,
// the stream is read ahead, so that its end is known while earlier bytes wait.
type spool struct {
	src  io.Reader
	late *time.Timer // reads ahead

	mu      sync.Mutex
	changed sync.Cond
	came    []came        // arrival times of the bytes
	at      time.Time     // arrival time of the bytes that Read returned last
	bytes   []byte        // bytes read ahead
	err     error         // error of src, returned after bytes
	reads   int           // number of finished reads
	direct  bool          // a call of Read is reading src
	ahead   bool          // a goroutine reads src
	waits   bool          // a Read waits for that goroutine, which ends when it has read
	ended   chan struct{} // closed with err
}

func newSpool(src io.Reader) *spool {
	s := &spool{src: src, ended: make(chan struct{})}
	s.changed.L = &s.mu
	s.late = time.AfterFunc(time.Hour, s.readAhead)
	s.late.Stop()
	return s
}

// Read implements [io.Reader], for one goroutine.
func (s *spool) Read(p []byte) (n int, err error) {
	s.late.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits = true
	for len(s.bytes) == 0 && s.err == nil {
		if !s.ahead {
			n = s.read(p)
			break
		}
		s.changed.Wait()
	}
	s.waits = false
	if n > 0 {
		s.at = time.Now()
	} else if len(s.bytes) > 0 {
		n = s.take(p)
	}
	if n == 0 {
		return 0, s.err
	}
	s.reads++
	s.late.Reset(aheadAfter)
	return n, nil
}

// came is the arrival time of some bytes.
type came struct {
	n  int
	at time.Time
}

// maxCame bounds the times that are kept; later ones are as the last one.
const maxCame = 4096

// take copies bytes that arrived at the same time. The caller holds the lock.
func (s *spool) take(p []byte) (n int) {
	first := &s.came[0]
	n = copy(p, s.bytes[:first.n])
	s.at = first.at
	if first.n -= n; first.n == 0 {
		s.came = s.came[1:]
	}
	if s.bytes = s.bytes[n:]; len(s.bytes) == 0 {
		s.bytes, s.came = nil, nil
	}
	s.changed.Broadcast()
	return n
}

// keep stores bytes that have just arrived. The caller holds the lock.
func (s *spool) keep(b []byte, at time.Time) {
	s.bytes = append(s.bytes, b...)
	if last := len(s.came) - 1; last+1 >= maxCame {
		s.came[last].n += len(b)
	} else if len(b) > 0 {
		s.came = append(s.came, came{len(b), at})
	}
}

// progress returns how many reads have brought something.
func (s *spool) progress() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reads
}

// read reads src. The caller holds the lock, which is released during the read.
func (s *spool) read(p []byte) (n int) {
	s.direct = true
	s.mu.Unlock()
	n, err := s.src.Read(p)
	s.mu.Lock()
	s.direct = false
	s.end(err)
	return n
}

// end takes the error of a read. The caller holds the lock.
func (s *spool) end(err error) {
	if err != nil && s.err == nil {
		s.err = err
		close(s.ended)
	}
}

// readAhead reads until a Read waits for the bytes. If nothing arrives, the goroutine lasts until the program
// ends: a read of stdin cannot be interrupted.
func (s *spool) readAhead() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.direct || s.ahead || s.err != nil {
		return
	}
	s.ahead = true
	go func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for buf := make([]byte, 64<<10); s.err == nil && !(s.waits && len(s.bytes) > 0); {
			s.mu.Unlock()
			n, err := s.src.Read(buf)
			at := time.Now()
			s.mu.Lock()
			for len(s.bytes) > 0 && len(s.bytes)+n > maxSpool {
				s.changed.Wait()
			}
			s.keep(buf[:n], at)
			s.end(err)
			s.changed.Broadcast()
		}
		s.ahead = false
	}()
}

// hasEnded reports whether the stream has ended, whatever is left to be read.
func (s *spool) hasEnded() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}
