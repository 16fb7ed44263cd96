package probe

import (
	"bytes"
	"slices"
	"sync"

	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/record/webhook"
)

// A journal records a run: the beginning of each frame of all connections, and the findings of the linter. Its
// methods are safe for concurrent use.
type journal struct {
	processes processes

	transport string
	secrets   *secret.Values
	hidden    secret.Hidden // secrets of callbacks
	record    *store.Store  // may be nil
	target    string        // redacted
	raw       *store.Beside // raw requests; nil before the first
	exchanges uint32        // number of raw exchanges

	feedMu sync.Mutex
	feed   *lint.Engine // linter for raw requests; nil before the first, guarded by feedMu

	mu       sync.Mutex
	live     []*link // linted connections that are open
	frames   []Frame // indexed by Seq-1; at most maxJournalFrames
	newest   int     // Seq of the newest frame
	bytes    int
	sent     int
	conns    int
	findings []located
	asked    map[string]bool        // names of invariants that had something to judge
	reported map[string]bool        // keys of the rule and message of each finding that a probe has reported; at most maxLinted
	authors  authorship             // evidence about the library of the server
	canary   string                 // value in the environment of the server that no frame should contain
	leaks    []Frame                // first frames of the server that contain the canary
	left     []transport.Descendant // processes that are still running; at most maxLeft
}

// ask records that an invariant had something to judge.
func (j *journal) ask(name string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.asked == nil {
		j.asked = map[string]bool{}
	}
	j.asked[name] = true
}

// located is a finding of the linter.
type located struct {
	lint.Finding
	on      *Conn
	correct bool // only correct frames had been sent on the connection
	taken   bool // reported by a probe
}

// textOnStdout is the rule about text on stdout. The frames that mcptea has sent never excuse such
// text.
const textOnStdout = "K001"

// everywhere lists the rules that apply to every connection until an odd frame is sent on it. The
// capabilities that a probe declares do not matter. The rules are about responses to correct
// requests, and about messages that the server sends by itself.
var everywhere = []string{
	"J001", "J004", "J005", "J006", "J013", "J014", "J015", "J025", "J030", "J031", "J032", "B001",
	"H010", "H011", "H012",
	"C003", "N003", "N004", "N005", "N026", "R009", "X054",
}

const (
	// maxJournal bounds the bytes kept. Later frames are kept without bytes.
	maxJournal = 64 << 20
	// maxJournalFrames bounds the frames kept, at 120 bytes each. Later frames are only counted. A flooding
	// server sends millions per run.
	maxJournalFrames = 200_000
)

// redact hides the secrets in a text.
func (j *journal) redact(text string) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.secrets.Redact(secret.Text(text))
}

// shown returns redacted copies of frames for a report.
func (j *journal) shown(frames []Frame) []Frame {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := slices.Clone(frames)
	for i := range out {
		f := &out[i]
		if f.redacted {
			continue
		}
		whole, cut := f.whole, false
		if whole == nil {
			whole, cut = f.Bytes, f.Size > len(f.Bytes)
		}
		e := lint.ExcerptOf(secret.JSON(whole, j.secrets, nil), f.Place, -1)
		e.After = e.After || cut
		f.show(e)
	}
	return out
}

// redactFrame hides the secrets in a frame. It may return the frame itself.
func (j *journal) redactFrame(frame []byte) []byte {
	j.mu.Lock()
	defer j.mu.Unlock()
	return secret.JSON(frame, j.secrets, nil)
}

// connection returns the number of a new connection.
func (j *journal) connection() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.conns++
	return j.conns
}

// add records a frame and returns its entry.
func (j *journal) add(conn int, f transport.Frame, row int32) Frame {
	head := bytes.Clone(f.Bytes[:min(len(f.Bytes), maxEvidence)])
	j.mu.Lock()
	defer j.mu.Unlock()
	if f.Dir == transport.Out {
		j.sent++
	}
	if j.bytes += len(head); j.bytes > maxJournal {
		head = nil
	}
	j.newest++
	j.authors.note(f)
	kept := Frame{Seq: j.newest, Conn: conn, Dir: f.Dir, Time: f.Time, Bytes: head, Size: len(f.Bytes), Row: row}
	if len(j.frames) < maxJournalFrames {
		j.frames = append(j.frames, kept)
	}
	if f.Dir == transport.In && len(j.leaks) < maxFrames && bytes.Contains(f.Bytes, []byte(j.canary)) {
		j.leaks = append(j.leaks, kept)
	}
	return kept
}

// release drops the frames at the end of a run.
func (j *journal) release() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.frames, j.leaks = nil, nil
}

// open starts a connection in the record. It returns nil if nothing is recorded.
func (j *journal) open() *store.Beside {
	if j.record == nil {
		return nil
	}
	return j.record.Beside(record.Connection{Transport: j.transport, Target: j.target})
}

// sentFrames returns the number of frames sent.
func (j *journal) sentFrames() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.sent
}

func (j *journal) last() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.newest
}

// frame returns a frame by number, if it is kept.
func (j *journal) frame(seq int) (Frame, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if seq < 1 || seq > len(j.frames) {
		return Frame{}, false
	}
	return j.frames[seq-1], true
}

// linted stores a finding of the linter if the finding is about the server.
func (j *journal) linted(on *Conn, f lint.Finding) {
	if f.Fault != lint.Server || f.Rule.ID == provoked {
		return
	}
	correct := on.correct || !on.linted && !on.odd.Load() && slices.Contains(everywhere, f.Rule.ID)
	if !on.linted && !correct && f.Rule.ID != textOnStdout {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.findings) < maxLinted {
		j.findings = append(j.findings, located{Finding: f, on: on, correct: correct})
	}
}

// begin and end add and remove the links that receive deliveries.
func (j *journal) begin(l *link) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.live = append(j.live, l)
}

func (j *journal) end(l *link) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.live = slices.DeleteFunc(j.live, func(one *link) bool { return one == l })
}

// delivered passes a delivery to the linters of all connections. The linter of its subscription recognizes the
// callback.
func (j *journal) delivered(d webhook.Delivery) {
	j.mu.Lock()
	links, newest := slices.Clone(j.live), j.newest
	j.mu.Unlock()
	for _, l := range links {
		l.mu.Lock()
		l.event(record.Event{Kind: record.KindDelivery, Delivery: &d.Delivery, Text: string(d.Body)}, newest)
		l.mu.Unlock()
	}
}

// maxLinted bounds the linter findings of a run.
const maxLinted = 10_000

// hasFinding reports whether the linter has a finding of one of the rules.
func (j *journal) hasFinding(rules []string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.ContainsFunc(j.findings, func(f located) bool { return slices.Contains(rules, f.Rule.ID) })
}

// take returns the unreported linter findings for which mine returns true, one per message, and marks them as
// reported.
func (j *journal) take(mine func(located) bool) []located {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.reported == nil {
		j.reported = map[string]bool{}
	}
	var taken []located
	for i, f := range j.findings {
		if f.taken || !mine(f) {
			continue
		}
		j.findings[i].taken = true
		if key := f.Rule.ID + f.Message; !j.reported[key] {
			j.reported[key] = true
			taken = append(taken, f)
		}
	}
	return taken
}
