package client

import (
	"errors"
	"fmt"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
)

const (
	// MaxID bounds the id of a server request that gets a response, in bytes.
	MaxID = 64 << 10
	// maxQueued bounds the responses that wait for the server to read them, in bytes. More
	// requests of a server that does not read them get no response.
	maxQueued = 4 << 20
	// maxMethod bounds the part of an unknown method that a response repeats, in bytes.
	maxMethod = 100
)

// errQueueFull reports that a response is not sent because the queue is full.
var errQueueFull = errors.New("too many responses wait for the server to read them")

// queuedReply is a response that waits to be sent.
type queuedReply struct {
	id     jsonrpc.ID
	method string // id of a request that the client answers by itself
	frame  []byte // frame of a complete response, or nil
}

// size returns the approximate size in memory.
func (r queuedReply) size() int { return 96 + len(r.id.String()) + len(r.method) + len(r.frame) }

// replyQueue is a queue of responses. The lock of the client guards it.
type replyQueue struct {
	list []queuedReply
	next int // index of the oldest
	size int // bytes
	// stuck reports that the server has read nothing for queueGrace while the queue
	// was full.
	stuck bool
}

func (q *replyQueue) put(r queuedReply) bool {
	if q.size+r.size() > maxQueued && q.next < len(q.list) {
		return false
	}
	q.size += r.size()
	q.list = append(q.list, r)
	return true
}

func (q *replyQueue) dequeue() (queuedReply, bool) {
	if q.next == len(q.list) {
		*q = replyQueue{}
		return queuedReply{}, false
	}
	r := q.list[q.next]
	q.list[q.next] = queuedReply{}
	q.next++
	q.size -= r.size()
	q.stuck = false
	if q.next >= 1024 && q.next >= len(q.list)/2 {
		q.list, q.next = append([]queuedReply(nil), q.list[q.next:]...), 0
	}
	return r, true
}

// queueGrace bounds how long reading pauses while the queue is full. Room appears only if the
// server reads. If a server writes without reading, the client does not wait again, because the
// server may be waiting for the client to read. On a busy machine, a server may not read for a long
// time.
const queueGrace = 2 * time.Second

// enqueue queues a response.
func (c *Client) enqueue(r queuedReply) error {
	var timeout <-chan time.Time
	for {
		var fits, stuck bool
		c.update(func(s *state) { fits, stuck = s.replies.put(r), s.replies.stuck })
		switch {
		case fits:
			signal(c.wake)
			return nil
		case stuck:
			return errQueueFull
		case timeout == nil:
			timer := time.NewTimer(queueGrace)
			defer timer.Stop()
			timeout = timer.C
		}
		select {
		case <-c.room:
		case <-c.quit:
			return ErrClosed
		case <-timeout:
			c.update(func(s *state) { s.replies.stuck = true })
			c.emitNote("some requests of the server get no response: it does not read the responses")
			return errQueueFull
		}
	}
}

func (c *Client) nextReply() (r queuedReply, ok bool) {
	c.update(func(s *state) { r, ok = s.replies.dequeue() })
	signal(c.room)
	return r, ok
}

// emitNote reports a note.
func (c *Client) emitNote(text string) {
	if c.cfg.Note != nil {
		c.cfg.Note(text)
	}
}

// shortMethod truncates the name of a method.
func shortMethod(name string) string {
	if len(name) > maxMethod {
		return fmt.Sprintf("%s (%d bytes)", phrase.Clip(name, maxMethod), len(name))
	}
	return name
}
