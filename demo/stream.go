package demo

import (
	"bytes"
	"strconv"
	"strings"
	"sync"
)

// keepEvents is how many events of a stream can be had again.
const keepEvents = 256

// keepBytes bounds the memory of a stream's events; a single larger one stays.
const keepBytes = 8 << 20

// stream is the frames of one HTTP exchange, or the unasked ones of a session,
// numbered from 1. A writer never waits for a client that went away: old events
// are dropped then. With a reader attached it waits for the reader.
type stream struct {
	name string // unique in the session; part of the event ids

	mu      sync.Mutex
	changed sync.Cond
	events  []event // the last ones
	size    int     // bytes in events
	last    int     // number of the last event
	read    int     // number of the last event that the reader took
	readers int
	over    bool
}

type event struct {
	number int
	frame  []byte
	answer bool
}

func newStream(name string) *stream {
	s := &stream{name: name}
	s.changed.L = &s.mu
	return s
}

// Send adds a frame (see [peer.Reply]).
func (s *stream) Send(frame []byte) { s.add(frame, false) }

// Answer adds the last frame and closes the stream.
func (s *stream) Answer(frame []byte) {
	if frame != nil {
		s.add(frame, true)
	}
	s.close()
}

func (s *stream) add(frame []byte, answer bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.readers > 0 && s.last-s.read >= keepEvents && !s.over {
		s.changed.Wait()
	}
	if s.over {
		return
	}
	s.last++
	s.events = append(s.events, event{s.last, bytes.Clone(frame), answer})
	s.size += len(frame)
	for len(s.events) > 1 && (len(s.events) > keepEvents || s.size > keepBytes) {
		if s.readers > 0 && s.events[0].number > s.read {
			break // not seen yet; the wait above bounds how many
		}
		s.size -= len(s.events[0].frame)
		s.events = s.events[1:]
	}
	s.changed.Broadcast()
}

func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	s.changed.Broadcast()
}

// attach files a reader that has seen all up to the given number; -1 stands for
// all that other readers took. It reports false when there is one already.
func (s *stream) attach(after int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readers > 0 {
		return false
	}
	s.readers++
	if after >= 0 {
		s.read = min(after, s.last)
	}
	return true
}

func (s *stream) detach() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readers--
	s.changed.Broadcast()
}

// wake lets a waiting reader look whether it should go on.
func (s *stream) wake() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed.Broadcast()
}

// next waits for events that the reader has not seen, and takes them. None at
// the end of the stream, or when gone reports true.
func (s *stream) next(gone func() bool) []event {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.last == s.read && !s.over && !gone() {
		s.changed.Wait()
	}
	if gone() {
		return nil
	}
	var fresh []event
	for _, e := range s.events {
		if e.number > s.read {
			fresh = append(fresh, e)
		}
	}
	s.read = s.last
	s.changed.Broadcast()
	return fresh
}

// finished reports whether everything of a closed stream was read.
func (s *stream) finished() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over && s.read == s.last
}

// eventID is the SSE id of an event: the stream and the number in it.
func (s *stream) eventID(number int) string { return s.name + "-" + strconv.Itoa(number) }

// parseEventID takes an SSE id apart.
func parseEventID(id string) (name string, number int, ok bool) {
	name, digits, ok := strings.Cut(id, "-")
	number, err := strconv.Atoi(digits)
	return name, number, ok && err == nil && number >= 0
}

// appendEvent appends an SSE event. A frame of several lines becomes several
// data lines, and an empty id none.
func appendEvent(dst []byte, id string, frame []byte) []byte {
	dst = append(dst, "event: message"...)
	if id != "" {
		dst = append(append(dst, "\nid: "...), id...)
	}
	for line := range bytes.SplitSeq(frame, []byte("\n")) {
		dst = append(dst, "\ndata: "...)
		dst = append(dst, line...)
	}
	return append(dst, "\n\n"...)
}

// seen is the number of the last event before those that were just taken.
func (s *stream) seen(taken []event) int {
	if len(taken) > 0 {
		return taken[0].number - 1
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.read
}
