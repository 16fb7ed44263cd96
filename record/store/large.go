package store

import (
	"bytes"
	"encoding/base64"
	"unsafe"
	"weak"

	"mcptea/record"
)

const (
	// largeSize is the size above which the bytes of a frame are shared between their readers.
	largeSize = keepBuffer
	// maxLarge bounds the large frames that can be shared: the frames of one call and its neighbors. No
	// frame is kept in memory.
	maxLarge = 8
	// maxLineHead bounds the part of a line before the frame: the id, the method, the name of the
	// event. If that part is longer, the whole line is read.
	maxLineHead = 64 << 10
	// base64Piece is the number of bytes of Base64 decoded at a time: a multiple of four.
	base64Piece = 1 << 20
)

// large holds the newest large frames that were received or read, while their bytes are in use.
// Such a frame is not read again, and is in memory only once.
type large struct {
	frames [maxLarge]largeFrame
	next   int // index of the next frame
}

type largeFrame struct {
	row   int32
	first weak.Pointer[byte]
	size  int
}

// keep records a frame.
func (l *large) keep(row int32, frame []byte) {
	if len(frame) > largeSize {
		l.frames[l.next] = largeFrame{row, weak.Make(&frame[0]), len(frame)}
		l.next = (l.next + 1) % maxLarge
	}
}

// find returns the bytes of a row, or nil if they must be read.
func (l *large) find(row int32) []byte {
	for _, f := range l.frames {
		if first := f.first.Value(); f.row == row && first != nil {
			return unsafe.Slice(first, f.size) //nolint:gosec // the pointer is to the first of f.size bytes
		}
	}
	return nil
}

// shared returns the bytes of a large frame. Other readers may have the same bytes.
func (s *Store) shared(row int32, r *Row) ([]byte, error) {
	s.mu.RLock()
	b := s.large.find(row)
	s.mu.RUnlock()
	if b != nil {
		return b, nil
	}
	b = make([]byte, r.Size)
	if err := s.readFrame(b, r); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.large.keep(row, b)
	s.mu.Unlock()
	return b, nil
}

// readFrame fills b with the first bytes of a frame. It decodes Base64 in pieces, so that the whole encoded
// form is never in memory.
func (s *Store) readFrame(b []byte, r *Row) error {
	if !r.id.base64 {
		return s.journal.read(b, r.off)
	}
	piece := make([]byte, min(base64Piece, base64.StdEncoding.EncodedLen(len(b))))
	for done, off := 0, r.off; done < len(b); off += int64(len(piece)) {
		piece = piece[:min(len(piece), base64.StdEncoding.EncodedLen(int(r.Size)-done))]
		if err := s.journal.read(piece, off); err != nil {
			return err
		}
		n, err := base64.StdEncoding.Decode(piece, piece)
		if err != nil {
			return err
		}
		done += copy(b[done:], piece[:n])
	}
	return nil
}

// large returns the next event if it is a large frame. Its bytes are shared with other readers, and the rest of
// its line is not in memory. ok is false for other events, which remain in the lines.
func (t *Tail) large() (e record.Event, ok bool) {
	in := t.source
	at := in.off - int64(t.lines.Rest())
	_, in.end = in.journal.size() // a later call reads later bytes
	if in.end <= at {
		return e, false
	}
	r, _ := t.store.Row(t.row) // waits until the store has the row of a line
	head := r.off - at
	if r.Size <= largeSize || head <= 0 || head > maxLineHead {
		return e, false // other events have a different end of the head; see DecodeFrame
	}
	ahead, after := r.off, r.off+r.stored()
	line := make([]byte, ahead-at)
	if in.journal.read(line, at) != nil || bytes.IndexByte(line, '\n') >= 0 {
		return e, false // the line is already the next event
	}
	rest := make([]byte, min(int64(len("\"}\r\n")), in.end-after))
	if in.end < after || in.journal.read(rest, after) != nil {
		return e, false
	}
	ending := bytes.IndexByte(rest, '\n')
	if ending < 0 {
		return e, false
	}
	frame, err := t.store.shared(t.row, &r)
	if err != nil {
		return e, false
	}
	if e, err = t.decoder.DecodeFrame(line, frame, rest[:ending]); err != nil {
		return e, false
	}
	in.off = after + int64(ending) + 1
	t.lines.Restart()
	return e, true
}
