package store

import (
	"fmt"
	"sync"

	"mcptea/client/transport"
	"mcptea/record"
)

// A Writer writes a recording without an index, for a program that does not display the record. Its
// methods are safe for concurrent use.
type Writer struct {
	mu sync.Mutex
	lines
	rows    int32 // rows that a [Store] of this recording would have
	stopped bool  // the end of the recording was written
}

// NewWriter creates a recording; o.Path is required.
func NewWriter(o Options, h record.Header) (*Writer, error) {
	l, err := newLines(o, &h)
	if err != nil {
		return nil, err
	}
	return &Writer{lines: l}, nil
}

// Event records an event other than a frame. Its secrets must be redacted already.
func (w *Writer) Event(e *record.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.event(e)
	w.noteStop()
	if e.IsRow() {
		w.rows++
	}
}

// noteStop writes the last line of a journal that has stopped. The caller holds the lock.
func (w *Writer) noteStop() {
	if w.stopped || !w.journal.halted.Load() {
		return
	}
	w.stopped = true
	_, why := w.journal.stoppedAt()
	w.journal.finish(w.note(stopText, why))
}

// stopText is the note at the end of a recording that is not complete.
const stopText = "the recording stops here: %v; what follows is not in it"

// Frame records a frame and returns its row. The bytes are copied.
func (w *Writer) Frame(f transport.Frame) int32 {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.frame(0, &f)
	w.noteStop()
	w.rows++
	return w.rows - 1
}

// Failure returns why the recording is not complete, or nil.
func (w *Writer) Failure() error {
	if _, err := w.journal.failure(); err != nil {
		return err
	}
	return w.journal.goneError()
}

// Close writes the remaining bytes. The error says why the recording is not complete.
func (w *Writer) Close() error {
	w.journal.flushNow()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.noteStop()
	if _, why := w.journal.failure(); why != nil {
		w.journal.endWith(w.note(stopText, why))
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
