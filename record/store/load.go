package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"

	"mcptea/internal/system"

	"mcptea/record"
	"mcptea/record/flow"
)

// A source is the recording that a store is loaded from. Another process may still be writing it.
type source struct {
	loading sync.Mutex // serializes calls of Load
	file    *os.File
	decoder record.Decoder

	// observe may be nil.
	observe  func(e *record.Event, row int32, r Row, matches []Match)
	concerns func(*record.Event, []Match) bool

	// The fields below are guarded by mu, which is never held during a read.
	mu       sync.Mutex
	offset   int64 // offset of the first unread line
	size     int64 // size of the file when it was last checked
	line     int   // number of the first unread line, from 1
	partial  int64 // bytes of the last line, which has no ending yet
	problems []string
	skipped  int
}

const (
	// maxProblems is the number of problems of a recording that are described.
	maxProblems = 20
	// loadNotify is the number of lines read before the subscribers are first woken. It doubles each time.
	loadNotify = 512
	// maxLocked is the number of lines that are indexed before the lock is released for readers of
	// rows.
	maxLocked = 128
)

// Open opens a recording for reading. The store is empty until [Store.Load] is called. Then it has
// the rows, flows and log of the session, and reads bodies from the file. Nothing may be recorded
// in the store. Open fails for a device or a pipe. It fails with [record.ErrNotARecording] for
// another file.
func Open(path string) (*Store, error) {
	if err := checkFile(path); err != nil {
		return nil, err
	}
	file, _, err := system.OpenRegular(path)
	if err != nil {
		return nil, fmt.Errorf("cannot open the recording: %w", err)
	}
	header, size, err := readHeader(file)
	for wait := headerTimeout; err != nil && wait > 0 && InUse(path); wait -= headerInterval {
		time.Sleep(headerInterval)
		header, size, err = readHeader(file)
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("cannot read the recording %s: %w", path, err)
	}
	j := newJournal(file, nil, 0)
	j.flushed, j.buf = size, nil
	s := newStore(lines{journal: j, path: path}, header)
	s.source = &source{file: file, offset: size, line: 2}
	s.readMarks()
	if size == 0 {
		s.source.line = 1
	}
	if header.Version > record.Version {
		s.source.problem(fmt.Sprintf("the recording has version %d of the format; this program knows up to %d, and skips what is new", header.Version, record.Version))
	}
	return s, nil
}

// errNotAFile is returned if a path names a device or a pipe: it may have no end, and opening it may block
// forever.
var errNotAFile = errors.New("it is not a regular file")

// checkFile returns why a path cannot be opened as a recording: [errNotAFile], or the
// error of the operating system. It does not open the file.
func checkFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Errorf("cannot open the recording: %w", err)
	case info.IsDir():
		return fmt.Errorf("cannot open the recording: %s is a directory", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("cannot open the recording %s: %w", path, errNotAFile)
	}
	return nil
}

const (
	// headerTimeout bounds the wait for the first line. Another process may be writing that line to
	// a new recording.
	headerTimeout  = time.Second
	headerInterval = 20 * time.Millisecond
)

// readHeader reads the first line of a recording, and returns its length. If the first line is
// damaged, a file with events still counts as a recording. Then the header is empty and the length
// is 0.
func readHeader(file *os.File) (record.Header, int64, error) {
	info, err := file.Stat()
	if err != nil {
		return record.Header{}, 0, err
	}
	start := make([]byte, min(record.MaxHeader, info.Size()))
	n, err := file.ReadAt(start, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return record.Header{}, 0, err
	}
	line := start[:n]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i+1]
	}
	h, err := record.ParseHeader(line)
	if err != nil && hasEvent(start[len(line):n]) {
		return record.Header{Version: record.Version}, 0, nil
	}
	return h, int64(len(line)), err
}

// hasEvent reports whether one of the lines is an event or a header.
func hasEvent(text []byte) bool {
	for line := range bytes.Lines(text) {
		var d record.Decoder
		if e, err := d.Decode(line); err == nil && e.Kind != record.KindUnknown && e.Seq > 0 {
			return true
		}
		if _, err := record.ParseHeader(line); err == nil {
			return true
		}
	}
	return false
}

// Observe sets a function that [Store.Load] calls for each event after it has indexed the event.
// The calls are in order, on the goroutine of Load. The arguments are the event, its row number or
// None, a copy of its row, and its matches; see [flow.Matcher.Event]. They are valid during the
// call. Events for which concerns returns false are skipped. concerns is called with the store
// locked, and may be nil. Observe must be called before the first Load.
func (s *Store) Observe(concerns func(*record.Event, []Match) bool, observe func(e *record.Event, row int32, r Row, matches []Match)) {
	s.source.concerns, s.source.observe = concerns, observe
}

// Loaded returns the number of bytes read, and the size of the recording when last checked.
func (s *Store) Loaded() (read, size int64) {
	src := s.source
	src.mu.Lock()
	defer src.mu.Unlock()
	return src.offset + src.partial, src.size
}

// Problems describes the parts of an opened recording that could not be read, such as an incomplete
// last line after a crash. count is the number of all problems. If growing is set, an incomplete
// last line is not a problem.
func (s *Store) Problems(growing bool) (texts []string, count int) {
	src := s.source
	src.mu.Lock()
	defer src.mu.Unlock()
	texts, count = append([]string(nil), src.problems...), src.skipped
	if src.partial > 0 && !growing {
		texts = append(texts, fmt.Sprintf("line %d is incomplete: the recording was cut off after %d bytes of it", src.line, src.partial))
		count++
	}
	return texts, count
}

func (src *source) problem(text string) {
	if src.skipped++; len(src.problems) < maxProblems {
		src.problems = append(src.problems, text)
	}
}

// Load indexes the events that were added to the recording since the last call, even while the
// recording grows. Rows can be read in the meantime. Unreadable parts are skipped; see
// [Store.Problems]. The error is an error of the file or of the context.
func (s *Store) Load(ctx context.Context) error {
	src := s.source
	src.loading.Lock()
	defer src.loading.Unlock()
	info, err := src.file.Stat()
	if err != nil {
		return err
	}
	src.mu.Lock()
	offset, read := src.offset, src.offset+src.partial
	src.size = info.Size()
	src.mu.Unlock()
	if info.Size() < offset {
		return fmt.Errorf("the recording %s became shorter while it was read: %d bytes, %d were read", s.path, info.Size(), offset)
	}
	if info.Size() == read {
		return nil
	}
	defer s.Notify()
	text := record.NewLines(ctx, io.NewSectionReader(src.file, offset, info.Size()-offset))
	text.Ahead = flow.LookAhead
	partial, n, next := int64(0), 0, loadNotify
	for lines, err := range text.Blocks() {
		if err != nil {
			return err
		}
		if last := &lines[len(lines)-1]; !last.Ended() {
			partial, lines = last.Size, lines[:len(lines)-1]
		}
		for len(lines) > 0 {
			some := lines[:min(len(lines), maxLocked)]
			taken := len(some) - len(s.load(some))
			lines = lines[taken:]
			if n += taken; n >= next {
				s.Notify()
				next = 2 * n
			}
			runtime.Gosched() // readers of rows must not wait until the end
		}
	}
	src.mu.Lock()
	src.partial = partial
	src.mu.Unlock()
	return nil
}

// load indexes lines up to one for which the observer must be called, and returns the rest.
func (s *Store) load(lines []record.Line) (rest []record.Line) {
	src := s.source
	var row int32
	var r Row
	s.mu.Lock()
	at, from := src.offset, src.line // only this goroutine writes these fields
	n, observed := 0, false
	for n < len(lines) && !observed {
		line := &lines[n]
		n++
		src.decoder.Complete(line)
		if line.Err != nil {
			src.mu.Lock()
			src.problem(fmt.Sprintf("line %d is not an event and was skipped: %v", from+n-1, line.Err))
			src.mu.Unlock()
			at += line.Size
			continue
		}
		e := &line.Event
		s.seq = e.Seq
		if e.Kind == record.KindFrame {
			row = s.frame(e.ConnBeside(), &e.Frame, at+int64(e.Payload.Offset), e.Payload.Base64, flow.Ahead(e.Ahead))
		} else {
			row = s.apply(e, at, len(bytes.TrimRight(line.Text, "\r\n")))
		}
		at += line.Size
		observed = src.observe != nil && (src.concerns == nil || src.concerns(e, s.matches))
	}
	if observed && row != None {
		r = *s.rows.row(row)
	}
	s.journal.loaded(at)
	src.mu.Lock()
	src.offset, src.line = at, from+n
	src.mu.Unlock()
	s.mu.Unlock()
	if observed {
		src.observe(&lines[n-1].Event, row, r, s.matches)
	}
	return lines[n:]
}
