package store

import (
	"fmt"
	"os"
	"sync"
	"time"

	"mcptea/client/transport"
	"mcptea/session/record"
)

// Writer writes a recording without an index of it, for a program that does not show
// what it records. Its methods may be called from any goroutine.
type Writer struct {
	journal *journal
	path    string

	mu      sync.Mutex
	seq     int64
	rows    int32 // rows that a [Store] of the recording has
	stopped bool  // the end of the recording was noted
}

// NewWriter creates a recording; o.Path is required.
func NewWriter(o Options, h record.Header) (*Writer, error) {
	file, err := os.OpenFile(o.Path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot create the recording: %w", err)
	}
	lock(file)
	w := &Writer{journal: newJournal(file, nil, o.Limit), path: o.Path}
	if h.Time == 0 {
		h.Time = time.Now().UnixNano()
	}
	w.journal.add(func(dst []byte) []byte { return record.AppendHeader(dst, h) })
	return w, nil
}

// Path is the file of the recording.
func (w *Writer) Path() string { return w.path }

// Event records an event other than a frame. Its secrets must be redacted already.
func (w *Writer) Event(e *record.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seq++
	w.journal.add(func(dst []byte) []byte { return record.AppendEvent(dst, w.seq, e) })
	w.noteStop()
	if e.IsRow() {
		w.rows++
	}
}

// noteStop writes that a journal that has stopped has done so, as its last line. The
// caller holds the lock.
func (w *Writer) noteStop() {
	if w.stopped || !w.journal.halted.Load() {
		return
	}
	w.stopped = true
	_, why := w.journal.stoppedAt()
	w.seq++
	w.journal.finish(record.AppendNote(nil, w.seq, time.Now(), stopText(why)))
}

// stopText is the note at the end of a recording that is not complete.
func stopText(why error) string {
	return fmt.Sprintf("the recording stops here: %v; what follows is not in it", why)
}

// Frame records a frame and returns its row. The bytes are copied.
func (w *Writer) Frame(f transport.Frame) int32 {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seq++
	w.journal.add(func(dst []byte) []byte {
		dst, _ = record.AppendFrame(dst, w.seq, f)
		return dst
	})
	w.noteStop()
	w.rows++
	return w.rows - 1
}

// Failure is why the recording is not complete, nil while it is.
func (w *Writer) Failure() error {
	_, err := w.journal.failure()
	return err
}

// Close writes out what is left. The error says why the recording is not complete.
func (w *Writer) Close() error {
	w.journal.flushLater()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.noteStop()
	if _, why := w.journal.failure(); why != nil {
		w.seq++
		w.journal.endWith(record.AppendNote(nil, w.seq, time.Now(), stopText(why)))
	}
	wrote, err := w.journal.close()
	if err == nil {
		_, err = w.journal.stoppedAt()
	}
	if err != nil {
		return fmt.Errorf("the recording %s is complete up to byte %d: %w", w.path, wrote, err)
	}
	return nil
}
