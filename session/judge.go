package session

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/lint"
	"mcptea/session/store"
)

// Findings are what the rules have found so far. It is a copy.
type Findings struct {
	Groups                  []Group // the worst first
	Errors, Warnings, Infos int     // muted rules left out
	// Behind is how many frames nobody has looked at yet.
	Behind int
}

// Group is what one rule has found.
type Group struct {
	Rule   *lint.Entry
	Count  int // how often it has fired, counted ones included
	Muted  bool
	Newest lint.Finding
	// Findings are single ones, oldest first, at most [mostFindings].
	Findings []lint.Finding
}

// mostFindings is how many findings of a rule are kept one by one.
const mostFindings = 200

// judge lets the rules look at what is recorded, behind the back of the wire:
// nothing waits for it. When more comes in than it can look at, it takes a part
// of the time only and says how far behind it is.
type judge struct {
	s    *Session
	wake chan struct{} // 1 slot: a fact has come

	facts struct {
		sync.Mutex
		list []fact
	}

	mu     sync.Mutex
	groups map[string]*Group
	muted  map[string]bool
	byRow  map[int32][]lint.Finding
	behind int
	gen    uint64

	// The rest belongs to its goroutine.
	engine  *lint.Engine
	scanner *store.Scanner
	conn    uint16
	next    int32 // row
	phases  map[uint32]transport.ExchangePhase
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
const mostFacts = 100_000

func (s *Session) startJudge() {
	j := &judge{
		s: s, wake: make(chan struct{}, 1), groups: map[string]*Group{}, muted: map[string]bool{},
		byRow: map[int32][]lint.Finding{}, phases: map[uint32]transport.ExchangePhase{},
	}
	j.engine, j.scanner = lint.New(j.found), s.store.NewScanner()
	s.judge = j
	s.wg.Go(j.run)
}

// note is called from the wire.
func (j *judge) note(f fact) {
	if j == nil {
		return
	}
	f.after = int32(j.s.store.Snapshot().Rows)
	f.conn = j.s.store.Conn()
	j.facts.Lock()
	if len(j.facts.list) < mostFacts {
		j.facts.list = append(j.facts.list, f)
	}
	j.facts.Unlock()
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// How the judge shares its time: so long at a stretch, and then a rest while
// there is more than that.
const (
	stretch = 3 * time.Millisecond
	breath  = 30 * time.Millisecond
	// second is how often time is let pass while requests wait.
	second = time.Second
)

func (j *judge) run() {
	changed, stop := j.s.store.Subscribe()
	defer stop()
	timer := time.NewTimer(second)
	defer timer.Stop()
	for {
		rest := second
		if !j.work(stretch) {
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
		if rest == breath {
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
	before := j.gen
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
	j.behind = max(0, j.s.store.Snapshot().Rows-int(j.next))
	news := j.gen != before
	j.mu.Unlock()
	if news {
		j.s.store.Poke()
	}
	return done
}

// factsBefore tells the engine what happened before a row.
func (j *judge) factsBefore(row int32) {
	j.facts.Lock()
	n := 0
	for n < len(j.facts.list) && j.facts.list[n].after <= row {
		n++
	}
	due := slices.Clone(j.facts.list[:n])
	j.facts.list = slices.Delete(j.facts.list, 0, n)
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
		j.conn = conn
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
	body := scanner.Body(r)
	if int(r.Size) > len(body) {
		whole, err := j.s.store.Body(i)
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
	return name != "" || len(j.facts.list) >= mostFacts
}

// event is what the event stream said of the frame of a row.
func (j *judge) event(row int32) (id, name string) {
	j.facts.Lock()
	defer j.facts.Unlock()
	for i := range j.facts.list {
		if f := &j.facts.list[i]; f.after > row+1 {
			break
		} else if f.after == row+1 && (f.eventID != "" || f.eventName != "") {
			return f.eventID, f.eventName
		}
	}
	return "", ""
}

// found is called by the engine.
func (j *judge) found(f lint.Finding) {
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
	if n := len(g.Findings); n > 0 && f.Times > mostSaid && g.Findings[n-1].Path == f.Path {
		g.Findings[n-1] = f
		return
	}
	if g.Findings = append(g.Findings, f); len(g.Findings) > mostFindings {
		g.Findings = slices.Delete(g.Findings, 0, 1)
	}
	if f.Row >= 0 && len(j.byRow) < mostRows {
		j.byRow[f.Row] = append(j.byRow[f.Row], f)
	}
}

const (
	// mostSaid is from which repetition on findings are only counted.
	mostSaid = 3
	// mostRows bounds the rows of which it is remembered what is wrong.
	mostRows = 100_000
)

// Findings returns what the rules have found; nothing when none look.
func (s *Session) Findings() Findings {
	j := s.judge
	if j == nil {
		return Findings{}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	found := Findings{Behind: j.behind}
	for _, g := range j.groups {
		copied := *g
		copied.Findings = slices.Clone(g.Findings)
		copied.Muted = j.muted[g.Rule.ID]
		found.Groups = append(found.Groups, copied)
		switch {
		case copied.Muted:
		case g.Rule.Severity == lint.Error:
			found.Errors += g.Count
		case g.Rule.Severity == lint.Warn:
			found.Warnings += g.Count
		default:
			found.Infos += g.Count
		}
	}
	slices.SortFunc(found.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.Rule.Severity, b.Rule.Severity), cmp.Compare(b.Newest.Row, a.Newest.Row), cmp.Compare(a.Rule.ID, b.Rule.ID))
	})
	return found
}

// FindingsAt returns what is wrong with the frame of a row, muted rules left
// out. The slice is not to be changed.
func (s *Session) FindingsAt(row int32) []lint.Finding {
	j := s.judge
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	all := j.byRow[row]
	if len(j.muted) == 0 {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(f lint.Finding) bool { return j.muted[f.Rule.ID] })
}

// Mute leaves a rule out of the counts, or no longer.
func (s *Session) Mute(rule string, on bool) {
	j := s.judge
	if j == nil {
		return
	}
	j.mu.Lock()
	j.muted[rule] = on
	if !on {
		delete(j.muted, rule)
	}
	j.gen++
	j.mu.Unlock()
	s.store.Poke()
}
