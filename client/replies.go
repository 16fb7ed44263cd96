package client

import (
	"errors"
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
)

const (
	// MaxID is how long the id of a server's request may be to get a response,
	// in bytes.
	MaxID = 64 << 10
	// maxQueued bounds the responses that wait for the server to read them, in
	// bytes. What a server asks beyond that while it does not read gets none; the
	// record has its requests.
	maxQueued = 8 << 20
	// maxMethod is how much of an unknown method is repeated in a response.
	maxMethod = 100
)

// errQueueFull is why a response is not sent.
var errQueueFull = errors.New("too many responses wait for the server to read them")

// queuedReply is a response that waits to be sent.
type queuedReply struct {
	id     jsonrpc.ID
	method string // of a request that the client answers by itself
	frame  []byte // of a response that is complete; nil for the others
}

// size is what a response takes in memory, about.
func (r queuedReply) size() int { return 96 + len(r.id) + len(r.method) + len(r.frame) }

// replyQueue is a queue of responses. The lock of the client guards it.
type replyQueue struct {
	list    []queuedReply
	next    int // index of the oldest
	size    int // bytes
	dropped int // since the queue was last empty
}

func (q *replyQueue) put(r queuedReply) bool {
	if q.size+r.size() > maxQueued && q.next < len(q.list) {
		q.dropped++
		return false
	}
	q.size += r.size()
	q.list = append(q.list, r)
	return true
}

func (q *replyQueue) take() (queuedReply, bool) {
	if q.next == len(q.list) {
		q.list, q.next, q.size, q.dropped = nil, 0, 0, 0
		return queuedReply{}, false
	}
	r := q.list[q.next]
	q.list[q.next] = queuedReply{}
	q.next++
	q.size -= r.size()
	if q.next >= 1024 && q.next >= len(q.list)/2 {
		q.list, q.next = append([]queuedReply(nil), q.list[q.next:]...), 0
	}
	return r, true
}

// enqueue queues a response. It never waits: a server that does not read while it
// writes would stop us from reading.
func (c *Client) enqueue(r queuedReply) error {
	c.mu.Lock()
	fits := c.replies.put(r)
	first := c.replies.dropped == 1
	c.mu.Unlock()
	if !fits {
		if first {
			c.say("requests of the server get no response: it sends them and does not read the responses")
		}
		return errQueueFull
	}
	select {
	case c.wake <- struct{}{}:
	default:
	}
	return nil
}

func (c *Client) nextReply() (queuedReply, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.replies.take()
}

// say passes a note on.
func (c *Client) say(text string) {
	if c.cfg.Note != nil {
		c.cfg.Note(text)
	}
}

// shortMethod is the name of a method as it is repeated.
func shortMethod(name string) string {
	if len(name) > maxMethod {
		return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(name[:maxMethod], ""), len(name))
	}
	return name
}
