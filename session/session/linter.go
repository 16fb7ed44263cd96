package session

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/lint"
	"mcptea/lint/contract"
	"mcptea/lint/rules"
	"mcptea/record"
	"mcptea/record/store"
)

// A linter runs the lint rules over the recorded events on its own goroutine; the transport never waits for it.
// It reads the lines of the recording, like mcptea lint. If events arrive faster than it can check them, it
// works in short slices and reports how far behind it is.
type linter struct {
	s *Session

	last     chan struct{} // closed when the last event is recorded
	wake     chan struct{} // holds a token when a caller waits: see [Session.AwaitLint]
	finished sync.Once
	actions  atomic.Int64 // user actions so far

	mu       sync.Mutex
	groups   map[groupKey]*Group
	muted    map[string]bool
	subjects map[subject]*subjectFindings
	marks    marks
	behind   int
	checked  int    // rows
	gen      uint64 // 0 before the first finding
	shown    uint64 // the generation that the store was notified of
	begun    bool   // the first events were checked
	waiting  []chan error
	over     *lintEnd

	// The rest belongs to its goroutine.
	feed     *lint.Engine
	tail     *store.Tail
	notified time.Time // time of the last notification of the store
	acted    int64     // the actions that it knows of
	actedAt  time.Time // time at which the linter noticed the newest action of the user
	rows     int       // rows at the last measurement of the load, made at looked
	looked   time.Time
	conn     uint16           // newest connection with a read event
	frame    frameAt          // frame being checked
	ended    bool             // an event was not kept or the record is closed: the rest cannot be checked
	stopped  error            // why the linter has ended, or nil
	carried  map[uint32]int32 // newest row by HTTP exchange; cleared at maxCarried entries
}

type groupKey struct {
	rule     *lint.Entry
	severity lint.Severity
}

// maxCarried bounds the exchanges whose rows are remembered.
const maxCarried = 4096

func (s *Session) startLinter() {
	l := &linter{s: s, groups: map[groupKey]*Group{}, muted: map[string]bool{}, subjects: map[subject]*subjectFindings{}, marks: newMarks(maxMarks), tail: s.store.NewTail(), last: make(chan struct{}), wake: make(chan struct{}, 1), carried: map[uint32]int32{}}
	for _, rule := range s.cfg.Mute {
		l.muted[rule] = true
	}
	s.linter = l
	s.wg.Go(l.run)
}

// prepare binds the rules. That takes milliseconds at the first session of a
// program, which connecting need not wait for.
func (l *linter) prepare() {
	options := []lint.Option{lint.Redact(l.s.Redact)}
	if l.s.cfg.NoHeuristics {
		options = append(options, lint.NoHeuristics())
	}
	l.feed = rules.New(lint.OfSelf(l.found), options...)
	if l.s.recorded != nil { // an event for the beginning of a connection may be missing
		l.feed.Open(l.s.recorded.header)
	}
}

const (
	// startPause is the longest that it waits for the first connection.
	startPause = 500 * time.Millisecond
	// tickInterval is the interval at which the rules about silence run while requests are pending.
	tickInterval = time.Second
	// drainSlice bounds the time for checking the remaining frames when the session ends.
	drainSlice = 250 * time.Millisecond
	// behindInterval is the interval at which the number of unchecked frames is reported.
	behindInterval = 300 * time.Millisecond
	// foundInterval is the interval at which findings in a recording are reported before all frames are
	// checked.
	foundInterval = 50 * time.Millisecond
)

// leaveStart leaves the processors to the start of the server and to the screen.
func (l *linter) leaveStart() {
	if l.s.recorded != nil {
		return
	}
	changed, stop := l.s.store.Subscribe()
	defer stop()
	timer := time.NewTimer(startPause)
	defer timer.Stop()
	for l.s.starting() {
		select {
		case <-changed:
		case <-timer.C:
			return
		case <-l.wake:
			return
		case <-l.last:
			return
		}
	}
	timer.Reset(lintPause) // leave time to draw what is shown now
	select {
	case <-timer.C:
	case <-l.wake:
	case <-l.last:
	}
}

func (l *linter) run() {
	err := errLintEnded
	defer func() { l.end(err) }()
	l.leaveStart()
	l.prepare()
	if l.s.recorded != nil {
		select {
		case <-l.s.recorded.loaded:
		case <-l.last:
			return
		}
	}
	changed, stop := l.s.store.Subscribe()
	defer stop()
	timer := time.NewTimer(tickInterval)
	defer timer.Stop()
	var callers []chan error
	for !l.ended {
		now := l.measure()
		slice, _ := now.pace()
		callers = append(callers, l.takeCallers()...)
		more := !l.work(slice)
		if !more {
			release(callers, l.stopped)
			callers = nil
		}
		now.acts = l.userActs(time.Now())
		_, pause := now.pace()
		if len(callers) > 0 {
			pause = 0
		}
		if l.rest(timer, changed, more, pause) {
			callers = append(callers, l.takeCallers()...)
			if l.work(drainSlice) {
				err = l.stopped
			}
			release(callers, err)
			return
		}
	}
	err = l.stopped
}

// release sends the outcome to callers of [Session.AwaitLint].
func release(callers []chan error, err error) {
	for _, checked := range callers {
		checked <- err
	}
}

// measure returns the load since the last measurement.
func (l *linter) measure() load {
	rows, now := l.s.store.Snapshot().Rows, time.Now()
	m := load{recorded: l.s.recorded != nil, came: rows - l.rows, in: now.Sub(l.looked), acts: l.userActs(now)}
	l.rows, l.looked = rows, now
	return m
}

// rest waits for the pause if there is more to check, else until something comes or a rule may
// fire because nothing does. It reports whether the last event is recorded.
func (l *linter) rest(timer *time.Timer, changed <-chan struct{}, more bool, pause time.Duration) (last bool) {
	switch {
	case more:
		changed = nil // events wait already: a change means nothing
		timer.Reset(pause)
	case l.timeMatters():
		timer.Reset(tickInterval)
	default:
		timer.Stop() // an idle session must use no timer
	}
	select {
	case <-changed:
	case <-timer.C:
		if !more && l.timeMatters() {
			l.feed.Tick(time.Now())
		}
	case <-l.wake:
	case <-l.last:
		return true
	}
	return false
}

// Acts reports that the user presses a key, types or clicks. The linter then leaves the processors to drawing.
func (s *Session) Acts() {
	if s.linter != nil {
		s.linter.actions.Add(1)
	}
}

// userActs reports whether the user has acted a moment ago.
func (l *linter) userActs(now time.Time) bool {
	if n := l.actions.Load(); n != l.acted {
		l.acted, l.actedAt = n, now
	}
	return now.Sub(l.actedAt) < actedTime
}

// finish makes the linter check the remaining events and end. A nil linter does nothing.
func (l *linter) finish() {
	if l != nil {
		l.finished.Do(func() { close(l.last) })
	}
}

// timeMatters reports whether a rule may fire because nothing happens: in a live session a request is pending, or stdin was
// closed.
func (l *linter) timeMatters() bool {
	return l.s.recorded == nil && (l.s.store.Snapshot().Pending > 0 || !l.feed.State().StdinClosed.IsZero())
}

// work checks events for the length of a slice at most, and reports whether there
// are no more.
func (l *linter) work(slice time.Duration) (done bool) {
	start := time.Now()
	for n := 1; ; n++ {
		e, row, ok, err := l.tail.Next()
		if err != nil { // the bodies are not kept, or the record is closed
			l.ended, l.stopped = true, err
			if errors.Is(err, store.ErrNotKept) {
				l.s.note(fmt.Sprintf("frames from #%d on are not linted: their bodies were not kept", l.tail.Row()+1))
			}
		}
		if err != nil || !ok {
			done = true
			break
		}
		l.check(&e, row)
		if n%32 == 0 {
			if time.Since(start) > slice || slice != drainSlice && l.actions.Load() != l.acted {
				break
			}
			runtime.Gosched() // other goroutines need the processor only briefly
		}
	}
	l.report(start, done)
	return done
}

// check runs the rules on an event. A finding that is not about a row is shown at the newest row of its HTTP
// exchange, or at the row before it.
func (l *linter) check(e *record.Event, row int32) {
	if l.frame = (frameAt{}); e.Kind == record.KindFrame {
		l.frame = frameAt{row: row, bytes: e.Frame.Bytes}
		e.Frame.Envelope = jsonrpc.Scan(e.Frame.Bytes)
		if e.Frame.Exchange != 0 {
			if len(l.carried) >= maxCarried {
				clear(l.carried)
			}
			l.carried[e.Frame.Exchange] = row
		}
	}
	if c := e.Connection; e.Kind == record.KindConnection && c.What == record.ConnectionOpened && !c.Beside {
		l.conn = max(l.conn, c.Number)
	}
	if row == store.None {
		row = max(l.tail.Row()-1, 0)
		if e.Kind == record.KindHTTP {
			if own, ok := l.carried[e.Exchange.ID]; ok {
				row = own
			}
		}
	}
	if e.Kind == record.KindDrift {
		l.found(contract.Drifted(e, e.Drift.Row))
	}
	l.feed.Event(e, row)
	l.frame = frameAt{}
}

// report notifies the store if there is something new to show.
func (l *linter) report(start time.Time, done bool) {
	l.mu.Lock()
	behind := 0 // later events wake it again
	if !done {
		behind = max(0, l.s.store.Snapshot().Rows-int(l.tail.Row()))
	}
	found := l.gen != l.shown && (l.s.recorded == nil || behind == 0 || start.Sub(l.notified) > foundInterval)
	news := found || behind == 0 && l.behind != 0 || behind != 0 && start.Sub(l.notified) > behindInterval
	l.behind, l.checked, l.begun = behind, int(l.tail.Row()), true
	if news {
		l.shown = l.gen
	}
	if l.ended {
		l.checked = math.MaxInt // the remaining frames cannot be checked
	}
	l.mu.Unlock()
	if news {
		l.notified = start
		l.s.store.Notify()
	}
}

// found handles a finding of the rules.
func (l *linter) found(f lint.Finding) {
	if f.Self {
		return
	}
	of := l.subjectOf(&f)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gen++
	l.noteSubject(of, &f)
	key := groupKey{f.Rule, f.Severity}
	g := l.groups[key]
	if g == nil {
		g = &Group{Rule: f.Rule, Severity: f.Severity}
		l.groups[key] = g
	}
	if l.conn > g.Conn {
		g.Conn, g.Earlier = l.conn, g.Count
	}
	g.Count++
	g.Newest = f
	if g.Findings = append(g.Findings, f); len(g.Findings) == 2*maxFindings {
		g.Findings = append(g.Findings[:0], g.Findings[maxFindings:]...)
	}
	if f.Row >= 0 {
		l.marks.add(&f, l.between(f.Row))
	}
}

// between returns the root of a row's exchange if the row is neither its request nor its response, or None.
func (l *linter) between(row int32) int32 {
	root := l.s.store.Root(row)
	if first, ok := l.s.store.Row(root); !ok || root == row || first.Pair == row {
		return store.None
	}
	return root
}
