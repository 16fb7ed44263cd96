package session

import (
	"errors"
	"slices"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/lint"
	"mcptea/session/store"
)

// judge lets the rules look at what is recorded, behind the back of the wire:
// nothing waits for it. When more comes in than it can look at, it takes a part
// of the time only and says how far behind it is.
type judge struct {
	s    *Session
	wake chan struct{} // 1 slot: a fact has come

	facts struct {
		sync.Mutex
		list []fact
		done int // how many at the beginning of the list were looked at
	}

	mu     sync.Mutex
	groups map[string]*Group
	muted  map[string]bool
	byRow  map[int32][]lint.Finding
	behind int
	gen    uint64 // 0 before anything was found
	said   uint64 // the generation that the store was poked about

	// The rest belongs to its goroutine.
	engine  *lint.Engine
	scanner *store.Scanner
	conn    uint16
	next    int32     // row
	told    time.Time // when the store was poked last
	phases  map[uint32]transport.ExchangePhase
	blind   bool // a body was not kept: what follows on this connection cannot be judged
}

// fact is something that is no row, and after which row it happened.
type fact struct {
	after    int32 // rows that come before it
	conn     uint16
	time     time.Time
	exchange *transport.Exchange
	process  *transport.ProcessEvent
	stderr   string
	// eventID and eventName belong to the frame of the row after.
	eventID, eventName string
}

// mostFacts bounds what waits to be looked at; what is too much is left out.
const mostFacts = 30_000

func (s *Session) startJudge() {
	j := &judge{
		s: s, wake: make(chan struct{}, 1), groups: map[string]*Group{}, muted: map[string]bool{},
		byRow: map[int32][]lint.Finding{}, phases: map[uint32]transport.ExchangePhase{},
	}
	j.engine, j.scanner = lint.New(lint.OfSelf(j.found)), s.store.NewScanner()
	for _, rule := range s.cfg.Mute {
		j.muted[rule] = true
	}
	s.judge = j
	s.wg.Go(j.run)
}

// note is called from the wire, with something that happened after all rows that
// there are.
func (j *judge) note(f fact) {
	if j == nil {
		return
	}
	f.after = int32(j.s.store.Snapshot().Rows)
	j.add(f)
}

// noteEvent is called from the wire, with what an event stream said of the frame
// of a row.
func (j *judge) noteEvent(row int32, id, name string) {
	if j == nil {
		return
	}
	j.add(fact{after: row + 1, eventID: id, eventName: name})
}

func (j *judge) add(f fact) {
	f.conn = j.s.store.Conn()
	j.facts.Lock()
	if list := j.facts.list; len(list)-j.facts.done < mostFacts {
		at := len(list) // streams run beside each other: a row may come behind a later one
		for at > j.facts.done && list[at-1].after > f.after {
			at--
		}
		j.facts.list = slices.Insert(list, at, f)
	}
	j.facts.Unlock()
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// How the judge shares its time: so long at a stretch, and then a rest while
// there is more than that, a shorter one when nothing new comes in. In a torrent
// it cannot keep up whatever it does, and leaves the core to those who record
// and show it; it makes up for that afterwards.
const (
	stretch = 3 * time.Millisecond
	breath  = 30 * time.Millisecond
	pause   = 6 * time.Millisecond

	torrent        = 80_000 // rows a second
	torrentStretch = time.Millisecond
	torrentBreath  = 200 * time.Millisecond
	// second is how often time is let pass while requests wait.
	second = time.Second
	// tellBehind is how often it is said how far behind it is.
	tellBehind = 300 * time.Millisecond
)

func (j *judge) run() {
	changed, stop := j.s.store.Subscribe()
	defer stop()
	timer := time.NewTimer(second)
	defer timer.Stop()
	var rows int
	var looked time.Time
	for {
		rest, most, before, since := second, stretch, rows, looked
		rows, looked = j.s.store.Snapshot().Rows, time.Now()
		rushing := float64(rows-before) > torrent*looked.Sub(since).Seconds()
		if rushing {
			most = torrentStretch
		}
		more := !j.work(most)
		switch {
		case more && rushing:
			rest = torrentBreath
		case more && rows == before:
			rest = pause
		case more:
			rest = breath
		}
		timer.Reset(rest)
		select {
		case <-j.s.ending:
			return
		case <-timer.C:
			j.passTime()
			continue
		default:
		}
		if more {
			select { // more waits: news are none
			case <-timer.C:
			case <-j.s.ending:
				return
			}
			continue
		}
		if !j.waits() {
			timer.Stop() // nothing is due: no clock runs
		}
		select {
		case <-changed:
		case <-j.wake:
		case <-timer.C:
			j.passTime()
		case <-j.s.ending:
			return
		}
	}
}

// waits reports whether somebody waits for an answer, so that time means
// something.
func (j *judge) waits() bool {
	return j.s.store.Snapshot().Pending > 0 || !j.engine.State().StdinClosed.IsZero()
}

func (j *judge) passTime() { j.engine.Tick(time.Now()) }

// work looks at what there is, for so long at most; false when there is more.
func (j *judge) work(most time.Duration) bool {
	start := time.Now()
	scanner := j.scanner
	done := true
	for {
		j.factsBefore(j.next)
		from := j.next
		j.next = scanner.Rows(from, 64, func(i int32, r *store.Row) bool {
			j.factsBefore(i)
			if r.Flags&store.OtherEvent != 0 && !j.knowsEvent(i) {
				return false // its name is on the way
			}
			j.row(scanner, i, r)
			return true
		})
		if j.next == from {
			break
		}
		if time.Since(start) > most {
			done = false
			break
		}
	}
	j.mu.Lock()
	behind := max(0, j.s.store.Snapshot().Rows-int(j.next))
	if done {
		behind = 0 // what has come since wakes it again
	}
	news := j.gen != j.said || behind == 0 && j.behind != 0 || behind != 0 && start.Sub(j.told) > tellBehind
	j.behind, j.said = behind, j.gen
	j.mu.Unlock()
	if news {
		j.told = start
		j.s.store.Poke()
	}
	return done
}

// factsBefore tells the engine what happened before a row.
func (j *judge) factsBefore(row int32) {
	j.facts.Lock()
	waiting := j.facts.list[j.facts.done:]
	n := 0
	for n < len(waiting) && waiting[n].after <= row {
		n++
	}
	due := slices.Clone(waiting[:n])
	clear(waiting[:n])
	if j.facts.done += n; j.facts.done > len(j.facts.list)/2 {
		j.facts.list = slices.Delete(j.facts.list, 0, j.facts.done)
		j.facts.done = 0
	}
	j.facts.Unlock()
	for i := range due {
		j.fact(&due[i], row)
	}
}

func (j *judge) fact(f *fact, row int32) {
	j.follow(f.conn)
	switch {
	case f.exchange != nil:
		j.exchange(*f.exchange, max(row-1, 0))
	case f.stderr != "":
		j.engine.Stderr(f.time, f.stderr)
	case f.process != nil:
		j.process(*f.process, max(row-1, 0))
	}
}

// follow begins anew with a new connection.
func (j *judge) follow(conn uint16) {
	link := links[j.s.Transport()]
	switch {
	case conn != j.conn:
		j.conn, j.blind = conn, false
		clear(j.phases)
		j.engine.Begin(link)
	case link == lint.SSE && j.engine.State().Link != lint.SSE:
		j.engine.Over(link) // the server knows the older transport alone
	}
}

var links = map[string]lint.Link{"stdio": lint.Stdio, "http": lint.HTTP, "sse": lint.SSE}

func (j *judge) exchange(x transport.Exchange, row int32) {
	if last, told := j.phases[x.ID]; told && last >= x.Phase && x.Phase != transport.ExchangeHeaders {
		return
	}
	j.phases[x.ID] = x.Phase
	delete(j.phases, x.ID-keepExchanges)
	j.engine.HTTP(x, row)
}

func (j *judge) process(e transport.ProcessEvent, row int32) {
	switch e.What {
	case transport.ProcessStdinClosed:
		j.engine.StdinClosed(e.Time)
	case transport.ProcessExited:
		by := lint.Server
		if e.Expected {
			by = lint.Client
		}
		j.engine.End(e.Time, lint.Ending{Row: row, By: by, Exited: true, ExitCode: e.ExitCode, Signal: e.Signal})
	}
}

// row gives a frame to the engine.
func (j *judge) row(scanner *store.Scanner, i int32, r *store.Row) {
	if !r.IsFrame() {
		return
	}
	j.follow(r.Conn)
	if j.blind {
		return
	}
	body := scanner.Body(r)
	if int(r.Size) > len(body) {
		whole, err := j.s.store.Body(i)
		if errors.Is(err, store.ErrNotKept) {
			j.blind = true // what is missing would make findings of the rest
			return
		}
		if err != nil {
			return // the record is closed
		}
		body = whole
	}
	f := lint.Frame{Row: i}
	f.Bytes, f.Envelope, f.Time = body, jsonrpc.Scan(body), time.Unix(0, r.Time)
	f.Dir, f.Exchange, f.Torn = r.Dir, r.Exchange, r.Flags&store.Torn != 0
	switch {
	case r.Exchange != 0:
	case r.Flags&store.OddEnding != 0:
		f.Ending = "\r\n"
	case !f.Torn:
		f.Ending = "\n"
	}
	f.EventID, f.EventName = j.event(i)
	j.engine.Frame(f)
}

// knowsEvent reports whether the name of a row's event has come.
func (j *judge) knowsEvent(row int32) bool {
	_, name := j.event(row)
	j.facts.Lock()
	defer j.facts.Unlock()
	return name != "" || len(j.facts.list)-j.facts.done >= mostFacts
}

// event is what the event stream said of the frame of a row.
func (j *judge) event(row int32) (id, name string) {
	j.facts.Lock()
	defer j.facts.Unlock()
	waiting := j.facts.list[j.facts.done:]
	for i := range waiting {
		if f := &waiting[i]; f.after > row+1 {
			break
		} else if f.after == row+1 && (f.eventID != "" || f.eventName != "") {
			return f.eventID, f.eventName
		}
	}
	return "", ""
}

// found is called by the engine.
func (j *judge) found(f lint.Finding) {
	if f.Self {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.gen++
	g := j.groups[f.Rule.ID]
	if g == nil {
		g = &Group{Rule: f.Rule}
		j.groups[f.Rule.ID] = g
	}
	g.Count++
	g.Newest = f
	if g.Findings = append(g.Findings, f); len(g.Findings) == 2*mostFindings {
		g.Findings = append(g.Findings[:0], g.Findings[mostFindings:]...)
	}
	if at := j.byRow[f.Row]; f.Row >= 0 && len(at) < mostAt && (at != nil || len(j.byRow) < mostRows) {
		j.byRow[f.Row] = append(at, f)
	}
}

const (
	// mostRows bounds the rows of which it is remembered what is wrong.
	mostRows = 100_000
	// mostAt is how much is remembered of one of them.
	mostAt = 50
)
