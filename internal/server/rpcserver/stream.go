package rpcserver

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// maxEvents bounds the events of a stream that wait for its client or can be resent.
	maxEvents = 1000
	// maxEventBytes bounds their memory; a single larger one stays.
	maxEventBytes = 8 << 20
)

// Stream holds the frames for one request of the client, or the frames of a session that belong to none. A
// writer never waits for a client that has disconnected: old events are dropped then. It waits for a client
// that reads.
type Stream struct {
	name  string // unique in the session, part of the event ids; empty for events without ids
	lasts bool   // a response does not end the stream
	// keepAlive is the interval of comments between events, or zero for none.
	keepAlive time.Duration
	// writeTimeout bounds the wait of a writer for a reader, or is zero for no limit.
	writeTimeout time.Duration

	mu      sync.Mutex
	changed sync.Cond
	events  []event // newest events
	size    int     // bytes in events
	unread  int     // bytes since next
	chunk   []byte  // memory for copies of frames; an allocation for each would cost more
	last    int     // number of the last event, from 1
	read    int     // number of the last event that a reader took
	readers int
	left    bool // the stream had a reader, but has none now
	over    bool
}

type event struct {
	number     int
	frame      []byte
	isResponse bool
	status     int // status of a response that is the first frame; 0 for 200
}

func newStream(name string) *Stream {
	s := &Stream{name: name}
	s.changed.L = &s.mu
	return s
}

// nowhere returns a stream that nothing is kept of.
func nowhere() *Stream {
	s := newStream("")
	s.close()
	return s
}

// Send sends a request or notification. The frame is copied.
func (s *Stream) Send(frame []byte) { s.add(event{frame: frame}) }

// Answer sends the last frame, or none if it is nil. The status applies to a response that is the first frame;
// 0 for 200.
func (s *Stream) Answer(frame []byte, status int) {
	if frame != nil {
		s.add(event{frame: frame, isResponse: true, status: status})
	}
	if !s.lasts {
		s.close()
	}
}

func (s *Stream) add(e event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isBehind() && s.writeTimeout > 0 {
		defer time.AfterFunc(s.writeTimeout, s.giveUp).Stop()
	}
	for s.isBehind() && !s.over {
		s.changed.Wait()
	}
	if s.over {
		return
	}
	s.last++
	e.number, e.frame = s.last, s.copy(e.frame)
	s.events = append(s.events, e)
	s.size += len(e.frame)
	s.unread += len(e.frame)
	for len(s.events) > 1 && (len(s.events) > maxEvents || s.size > maxEventBytes) {
		if s.readers > 0 && s.events[0].number > s.read {
			break // not read yet; the wait above bounds their number
		}
		s.size -= len(s.events[0].frame)
		s.events = s.events[1:]
	}
	s.changed.Broadcast()
}

// isBehind reports whether a writer waits for the reader. The caller holds s.mu.
func (s *Stream) isBehind() bool {
	return s.readers > 0 && (s.last-s.read >= maxEvents || s.unread > maxEventBytes)
}

// giveUp closes the stream if a writer waits for the reader.
func (s *Stream) giveUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isBehind() {
		s.over = true
		s.changed.Broadcast()
	}
}

// SetWriteTimeout bounds the wait of a writer for a client that reads too slowly; then the stream is closed. It
// must be called before the first frame is sent.
func (s *Stream) SetWriteTimeout(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writeTimeout = d
}

// maxChunk is the size of a chunk of memory that frames share. The first chunks of a stream are smaller.
const maxChunk = 64 << 10

func (s *Stream) copy(frame []byte) []byte {
	if len(frame) > cap(s.chunk)-len(s.chunk) {
		s.chunk = make([]byte, 0, max(len(frame), min(2*cap(s.chunk), maxChunk)))
	}
	start := len(s.chunk)
	s.chunk = append(s.chunk, frame...)
	return s.chunk[start:len(s.chunk):len(s.chunk)]
}

// HasReader reports whether a client reads the stream.
func (s *Stream) HasReader() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.readers > 0
}

// IsClosed reports whether the stream drops everything that is sent to it.
func (s *Stream) IsClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

func (s *Stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	s.changed.Broadcast()
}

// attach adds a reader that has seen all events up to the given number; -1 stands for all that other readers
// took. It returns false if the stream has a reader and its events have ids.
func (s *Stream) attach(after int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readers > 0 && s.name != "" {
		return false
	}
	s.readers++
	s.left = false
	if after >= 0 {
		s.read = min(after, s.last)
	}
	s.unread = 0
	return true
}

func (s *Stream) detach() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readers--
	s.left = s.readers == 0
	s.changed.Broadcast()
}

// next waits for events that no reader has seen, and takes them. It returns none at the end of the stream, and
// when ctx ends.
func (s *Stream) next(ctx context.Context) []event {
	defer context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.changed.Broadcast()
	})()
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.last == s.read && !s.over && ctx.Err() == nil {
		s.changed.Wait()
	}
	if ctx.Err() != nil {
		return nil
	}
	i := slices.IndexFunc(s.events, func(e event) bool { return e.number > s.read })
	fresh := slices.Clone(s.events[max(i, 0):])
	if i < 0 {
		fresh = nil
	}
	if s.name == "" { // no event can be requested again
		clear(s.events)
		s.events, s.size = s.events[:0], 0
	}
	s.read, s.unread = s.last, 0
	s.changed.Broadcast()
	return fresh
}

// nextWithin is like next, but waits for at most d, or without a limit if d is zero.
func (s *Stream) nextWithin(ctx context.Context, d time.Duration) []event {
	if d == 0 {
		return s.next(ctx)
	}
	ctx, stop := context.WithTimeout(ctx, d)
	defer stop()
	return s.next(ctx)
}

// finished reports whether all of a closed stream was read.
func (s *Stream) finished() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over && s.read == s.last
}

// unattended reports whether the client has left, be it after the last event or before.
func (s *Stream) unattended() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left
}

// seen returns the number of the last event before the ones just taken.
func (s *Stream) seen(taken []event) int {
	if len(taken) > 0 {
		return taken[0].number - 1
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.read
}

// id returns the SSE id of an event: the stream and the number in it.
func (s *Stream) id(number int) string {
	if s.name == "" {
		return ""
	}
	return s.name + "-" + strconv.Itoa(number)
}

// parseEventID returns the reverse of [Stream.id].
func parseEventID(id string) (name string, number int, ok bool) {
	name, digits, ok := strings.Cut(id, "-")
	number, err := strconv.Atoi(digits)
	return name, number, ok && err == nil && number >= 0
}

// pour writes the stream as server-sent events, with head and then the given events first,
// until it or ctx ends.
func (s *Stream) pour(ctx context.Context, w http.ResponseWriter, head []byte, events []event) {
	w.Header().Set("Content-Type", typeStream)
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	out := http.NewResponseController(w)
	for buf := head; ; buf = buf[:0] {
		for _, e := range events {
			buf = appendEvent(buf, "message", s.id(e.number), e.frame)
		}
		if _, err := w.Write(buf); err != nil || out.Flush() != nil || s.finished() {
			return
		}
		events = s.nextWithin(ctx, s.keepAlive)
		for len(events) == 0 {
			if s.keepAlive == 0 || ctx.Err() != nil || s.finished() {
				return
			}
			if _, err := io.WriteString(w, ": keep-alive\n\n"); err != nil || out.Flush() != nil {
				return
			}
			events = s.nextWithin(ctx, s.keepAlive)
		}
	}
}

// lineEnds replaces the line endings of a frame with the line ending of SSE.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// appendEvent appends a server-sent event. Data of several lines becomes several fields.
func appendEvent(dst []byte, name, id string, data []byte) []byte {
	dst = append(append(dst, "event: "...), name...)
	if id != "" {
		dst = append(append(dst, "\nid: "...), id...)
	}
	if bytes.IndexByte(data, '\r') >= 0 {
		data = []byte(lineEnds.Replace(string(data)))
	}
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		dst = append(append(dst, "\ndata: "...), line...)
	}
	return append(dst, "\n\n"...)
}
