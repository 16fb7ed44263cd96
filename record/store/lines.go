package store

import (
	"fmt"
	"os"
	"time"

	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/record"
)

// lines writes the lines of a recording into a journal, in order. The caller of a method holds the
// lock of the owner.
type lines struct {
	journal *journal
	path    string // path of the recording, or ""
	seq     int64
	secrets *secret.Values // secrets to redact; see [Options]
}

// newLines starts a recording, and completes its header. A record without a path does not need a
// writable directory; see spill.
func newLines(o Options, h *record.Header) (lines, error) {
	var file *os.File
	var nameless *spill
	var err error
	if o.Path == "" {
		nameless = newSpill(maxOverflow)
		err = nameless.ready()
	} else {
		file, err = os.OpenFile(o.Path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if err != nil {
		return lines{}, fmt.Errorf("cannot create the recording: %w", err)
	}
	if file != nil {
		lock(file)
	}
	if h.Time == 0 {
		h.Time = time.Now().UnixNano()
	}
	h.Version = record.Version
	l := lines{journal: newJournal(file, nameless, o.Limit), path: o.Path, secrets: o.Secrets}
	l.journal.add(func(dst []byte) []byte { return record.AppendHeader(dst, *h) })
	return l, nil
}

// event redacts and writes an event. It returns the offset of the line and its length without the newline.
func (l *lines) event(e *record.Event) (at int64, size int) {
	if l.secrets != nil && e.Kind != record.KindStderr { // the client has already redacted lines of stderr
		e.Redact(record.Known{Values: l.secrets})
	}
	l.seq++
	at = l.journal.add(func(dst []byte) []byte {
		start := len(dst)
		dst = record.AppendEvent(dst, l.seq, e)
		size = len(dst) - start - len("\n")
		return dst
	})
	return at, size
}

// frame writes a frame and returns the offset of its payload. beside is the number of an additional connection,
// or 0 for the session's.
func (l *lines) frame(beside uint16, f *transport.Frame) (at int64, b64 bool) {
	l.seq++
	if len(f.Bytes) > keepBuffer {
		large := *f // a copy, because the parts keep it: only a large frame may cost an allocation
		parts, size, p := record.FrameParts(l.seq, beside, &large)
		return l.journal.addParts(parts, int64(size)) + int64(p.Offset), p.Base64
	}
	var payload record.Payload
	at = l.journal.add(func(dst []byte) []byte {
		dst, payload = record.AppendFrame(dst, l.seq, beside, f)
		return dst
	})
	return at + int64(payload.Offset), payload.Base64
}

// note returns the line of a note that ends the recording.
func (l *lines) note(format string, args ...any) []byte {
	l.seq++
	return record.AppendEvent(nil, l.seq, &record.Event{Kind: record.KindNote, Time: time.Now(), Text: fmt.Sprintf(format, args...)})
}

// Path returns the path of the recording, or "" if nothing is written.
func (l *lines) Path() string { return l.path }
