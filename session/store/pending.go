package store

import (
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// correlation is all that is known of requests and their responses on the
// current connection. It is changed in correlate and abandon alone, under the
// lock of the store. What a peer can make it keep is bounded: a pending request
// takes a few hundred bytes and there are at most maxPending of them; a completed
// one is a hash and a row.
type correlation struct {
	seed maphash.Seed
	// pending finds a request without a response by the hash of its raw id, one
	// table for each sender.
	pending [2]map[uint64]*Flight
	// used finds the row of an id that is not pending: that of a completed
	// request, so that a second response can be told from one to nothing.
	used [2]recentRows
	// flights are the pending requests, sorted by row. A completed one stays as a
	// gap until the gaps outnumber the rest, so that completing is cheap however
	// many wait.
	flights []*Flight
	waiting int // requests without a response, also those of which no more is known
	// standing counts the subscriptions among the pending.
	standing int
	// inBatch counts the pending requests of a batch by its row.
	inBatch map[int32]int
	// tokens finds the pending request of a progress token, for each sender, and
	// taskTokens the row of one that has become a task.
	tokens     [2]map[uint64]*Flight
	taskTokens [2]recentRows
	// tasks finds the row of the request that has become a task, by the task's id.
	tasks recentRows
}

const (
	// maxPending bounds the requests that are remembered without a response. Of
	// more than these, the oldest is only known by its row.
	maxPending = 50_000
	// maxText is how many bytes of a text of the peer are kept for display.
	maxText = 256
	// maxTasks bounds what is remembered of tasks.
	maxTasks = 16 << 10
)

// Flight is a request without a response. Its texts are cut for display.
type Flight struct {
	Row    int32
	Dir    transport.Direction
	ID     string // raw
	Method string
	Name   string // of the tool, resource or prompt; empty for other methods
	Start  time.Time

	// What the last progress notification said.
	Reports         int // how many there were
	Progress, Total float64
	HasTotal        bool
	Message         string
	LastReport      time.Time

	Cancelled bool // a cancellation was sent
	key       uint64
	token     uint64 // hash of its progress token
	hasToken  bool
	completed bool
	// task says that its response was a task, for which its token stays good
	// (2025-11-25, basic / utilities / tasks).
	task bool
	// standing is a subscription: it lasts as long as it is wanted, and no
	// response is awaited (2026-07-28, basic / patterns / subscriptions).
	standing bool
}

func newCorrelation() correlation {
	return correlation{
		seed:       maphash.MakeSeed(),
		pending:    [2]map[uint64]*Flight{{}, {}},
		inBatch:    map[int32]int{},
		tokens:     [2]map[uint64]*Flight{{}, {}},
		taskTokens: [2]recentRows{{max: maxTasks}, {max: maxTasks}},
		tasks:      recentRows{max: maxTasks},
	}
}

func (c *correlation) key(id []byte) uint64 { return maphash.Bytes(c.seed, id) }

// rowOf finds the newest request of an id, pending or not.
func (c *correlation) rowOf(dir transport.Direction, key uint64) (int32, bool) {
	if f := c.pending[dir][key]; f != nil {
		return f.Row, true
	}
	return c.used[dir].get(key)
}

// cut returns a copy of a text that is short enough to be kept.
func cut[T string | []byte](text T) string {
	if len(text) <= maxText {
		return strings.Clone(string(text))
	}
	return strings.ToValidUTF8(string(text[:maxText]), "") + "…"
}

// add remembers a pending request.
func (c *correlation) add(f *Flight) {
	if len(c.pending[transport.Out])+len(c.pending[transport.In]) >= maxPending {
		c.shed()
	}
	c.pending[f.Dir][f.key] = f
	c.flights = append(c.flights, f)
	c.waiting++
	if f.standing {
		c.standing++
	}
	if f.hasToken {
		c.tokens[f.Dir][f.token] = f
	}
}

// shed turns the older half of the pending requests into rows.
func (c *correlation) shed() {
	open := slices.DeleteFunc(c.flights, func(f *Flight) bool { return f.completed })
	half := len(open) / 2
	for _, f := range open[:half] {
		f.completed = true
		if f.standing {
			c.standing--
			c.waiting--
		}
		c.drop(f)
	}
	c.flights = slices.Clone(open[half:])
}

// drop moves a request from the pending to the used ids.
func (c *correlation) drop(f *Flight) {
	if c.pending[f.Dir][f.key] == f {
		delete(c.pending[f.Dir], f.key)
		c.used[f.Dir].put(f.key, f.Row)
	}
	if f.hasToken && c.tokens[f.Dir][f.token] == f {
		delete(c.tokens[f.Dir], f.token)
	}
	if f.hasToken && f.task {
		c.taskTokens[f.Dir].put(f.token, f.Row)
	}
}

// Flights returns the requests without a response, oldest first, at most so
// many. Subscriptions are not among them. The caller owns the result.
func (s *Store) Flights(most int) []Flight {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var waiting []Flight
	for _, f := range s.pairs.flights {
		if len(waiting) == most {
			break
		}
		if !f.completed && !f.standing {
			waiting = append(waiting, *f)
		}
	}
	return waiting
}

// Related returns the rows of one exchange around a row: the request and its
// response.
func (s *Store) Related(i int32) (request, answer int32) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if i < 0 || int(i) >= s.rows.n {
		return None, None
	}
	row := s.rows.at(i)
	switch {
	case row.Kind == jsonrpc.Request:
		return i, row.Pair
	case row.Cause != None:
		return row.Cause, s.rows.at(row.Cause).Pair
	case row.Pair != None:
		return row.Pair, i
	}
	return None, None
}

// RequestRow finds the newest request that a side sent under a raw id on the
// current connection; None without one, or when it was too long ago.
func (s *Store) RequestRow(dir transport.Direction, id string) int32 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if row, ok := s.pairs.rowOf(dir, s.pairs.key([]byte(id))); ok {
		return row
	}
	return None
}
