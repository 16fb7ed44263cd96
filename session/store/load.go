package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/session/record"
)

// source is what a store is loaded from: a recording that another process may
// still write.
type source struct {
	mu       sync.Mutex // one Load at a time
	file     *os.File
	header   record.Header
	decoder  record.Decoder
	offset   int64 // of the first line that was not read yet
	line     int   // its number, from 1
	partial  int   // bytes of the last line, which has no end yet
	problems []string
	skipped  int
}

const (
	// maxProblems is how many problems of a recording are described.
	maxProblems = 20
	// followInterval is how often a recording is looked at for more events.
	followInterval = 200 * time.Millisecond
	// loadNotify is how many lines of a recording are read before the subscribers
	// are woken for the first time; then it doubles each time.
	loadNotify = 512
)

// Open opens a recording for reading. The store is empty until [Store.Load] or
// [Store.Follow] is called; then it has the rows, flows and log that the session
// had, and reads bodies from the file. Nothing may be recorded in it. The error is
// that of the file, or [record.ErrNotARecording].
func Open(path string) (*Store, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot open the recording: %w", err)
	}
	header, size, err := readHeader(file)
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("cannot read the recording %s: %w", path, err)
	}
	j := newJournal(file, nil, 0)
	j.flushed, j.buf = size, nil
	s := newStore(j, path)
	s.source = &source{file: file, header: header, offset: size, line: 2}
	if header.Version > record.Version {
		s.source.problem(fmt.Sprintf("the recording has version %d of the format; this program knows up to %d, and skips what is new", header.Version, record.Version))
	}
	return s, nil
}

// maxHeader bounds the first line, in bytes.
const maxHeader = 1 << 20

// readHeader reads the first line of a recording, and returns its length.
func readHeader(file *os.File) (record.Header, int64, error) {
	info, err := file.Stat()
	if err != nil {
		return record.Header{}, 0, err
	}
	start := make([]byte, min(maxHeader, info.Size()))
	n, err := file.ReadAt(start, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return record.Header{}, 0, err
	}
	line := start[:n]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i+1]
	}
	h, err := record.ParseHeader(line)
	return h, int64(len(line)), err
}

// Header is the first line of a recording that was opened.
func (s *Store) Header() record.Header { return s.source.header }

// Problems describes what of an opened recording could not be read, such as an
// incomplete last line after a crash, and how many problems there are.
func (s *Store) Problems() (texts []string, count int) {
	src := s.source
	src.mu.Lock()
	defer src.mu.Unlock()
	texts, count = append([]string(nil), src.problems...), src.skipped
	if src.partial > 0 && !InUse(s.path) {
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

// Follow loads the recording, and what is appended to it until the context ends.
// The error is that of reading the file; it is nil when the context has ended.
func (s *Store) Follow(ctx context.Context) error {
	ticker := time.NewTicker(followInterval)
	defer ticker.Stop()
	for {
		if err := s.Load(ctx); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// Load takes the events into the index that the recording has beyond those that
// were loaded. Rows can be read while it works. What cannot be read is skipped;
// see [Store.Problems]. The error is that of the file or of the context.
func (s *Store) Load(ctx context.Context) error {
	src := s.source
	src.mu.Lock()
	defer src.mu.Unlock()
	info, err := src.file.Stat()
	if err != nil {
		return err
	}
	if info.Size() < src.offset {
		return fmt.Errorf("the recording %s became shorter while it was read: %d bytes, %d were read", s.path, info.Size(), src.offset)
	}
	if info.Size() == src.offset+int64(src.partial) {
		return nil
	}
	defer s.Notify()
	lines := record.NewLines(ctx, io.NewSectionReader(src.file, src.offset, info.Size()-src.offset))
	defer lines.Close()
	next := loadNotify
	for n := 1; ; n++ {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			src.partial = len(line)
			return nil
		}
		if err != nil {
			return err
		}
		s.load(line)
		if n == next {
			s.Notify()
			next *= 2
		}
	}
}

// load takes a line into the index.
func (s *Store) load(line []byte) {
	src := s.source
	at := src.offset
	e, err := src.decoder.Decode(line)
	switch {
	case err != nil:
		src.problem(fmt.Sprintf("line %d is not an event and was skipped: %v", src.line, err))
	case e.Kind == record.KindFrame:
		e.Frame.Envelope = jsonrpc.Scan(e.Frame.Bytes)
	}
	src.offset, src.line = at+int64(len(line)), src.line+1
	s.journal.loaded(src.offset)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq = e.Seq
	if e.Kind == record.KindFrame {
		s.gen++
		s.frame(&e.Frame, at+int64(e.Payload.Offset), e.Payload.Base64)
		return
	}
	s.apply(&e, at, len(line)-len("\n"))
}
