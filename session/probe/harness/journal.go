package harness

import (
	"bytes"
	"slices"
	"sync"

	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/session/lint"
	"mcptea/session/record"
	"mcptea/session/store"
)

// journal is the record of a run: the heads of all frames of all connections, and
// what the linter has found in them. Its methods may be called from any goroutine.
type journal struct {
	transport string
	secrets   *secret.Values
	record    *store.Store  // nil without
	target    string        // redacted
	raw       *store.Beside // of the raw requests; nil before the first
	exchanges uint32        // of it

	mu       sync.Mutex
	frames   []Frame // by Seq-1
	bytes    int
	sent     int
	conns    int
	findings []located
	canary   string  // no frame of the server should have it
	leaks    []Frame // that have it, the first few
}

// located is a finding of the linter and the connection that it is about.
type located struct {
	lint.Finding
	conn int
}

// maxJournal bounds the bytes that a journal keeps; the frames after it are counted
// but empty.
const maxJournal = 64 << 20

// redact hides the secrets in a text.
func (j *journal) redact(text string) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.secrets.Redact(secret.Text(text))
}

// shown returns frames as a report may show them.
func (j *journal) shown(frames []Frame) []Frame {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := slices.Clone(frames)
	for i, f := range out {
		out[i].Bytes = secret.JSON(f.Bytes, j.secrets, nil)
	}
	return out
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
	kept := Frame{Seq: len(j.frames) + 1, Conn: conn, Dir: f.Dir, Time: f.Time, Bytes: head, Size: len(f.Bytes), Row: row}
	j.frames = append(j.frames, kept)
	if f.Dir == transport.In && len(j.leaks) < maxFrames && bytes.Contains(f.Bytes, []byte(j.canary)) {
		j.leaks = append(j.leaks, kept)
	}
	return kept
}

// open begins a connection in the record; nil without a record. All but the first
// are beside it.
func (j *journal) open() *store.Beside {
	if j.record == nil {
		return nil
	}
	return j.record.Beside(record.Connection{Transport: j.transport, Target: j.target})
}

// sentFrames is how many frames were sent.
func (j *journal) sentFrames() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.sent
}

func (j *journal) last() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.frames)
}

// frame returns a frame by its number, with its text redacted.
func (j *journal) frame(seq int) (Frame, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if seq < 1 || seq > len(j.frames) {
		return Frame{}, false
	}
	return j.frames[seq-1], true
}

// linted keeps a finding of the linter about the server.
func (j *journal) linted(conn int, f lint.Finding) {
	if f.Fault != lint.Server {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.findings) < 10_000 {
		j.findings = append(j.findings, located{f, conn})
	}
}
