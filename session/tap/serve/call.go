package serve

import (
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/server/rpcserver"
)

// call is a request of a host that has no response.
type call struct {
	from   *conversation
	id     jsonrpc.ID  // id at the host
	key    jsonrpc.Key // key of the id at the server
	token  jsonrpc.Key // key of the progress token at the server, or the zero key
	method string
	to     *rpcserver.Stream
	batch  *batch      // batch of the request, or nil
	timer  *time.Timer // bounds the wait for the response; nil for no limit
}

// answer sends the response to the host, or ends the request without one if the frame is nil. The status
// is the status of a response without a frame before it, or 0 for 200.
func (c *call) answer(frame []byte, status int) {
	if c.batch != nil {
		c.batch.add(frame, c.to)
		return
	}
	c.to.Answer(frame, status)
}

// fail answers with an error.
func (c *call) fail(code int64, text string) {
	c.answer(jsonrpc.EncodeError(c.id, code, text, nil), 0)
}

// batch collects the responses to the requests of a batch (2025-03-26), which are sent together.
type batch struct {
	mu        sync.Mutex
	left      int
	responses [][]byte
}

// add adds a response, or none if it is nil. After the last one, it sends all to the host.
func (b *batch) add(frame []byte, to *rpcserver.Stream) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if frame != nil {
		b.responses = append(b.responses, frame)
	}
	if b.left--; b.left > 0 {
		return
	}
	if len(b.responses) == 0 {
		to.Answer(nil, 0)
		return
	}
	to.Answer(jsonrpc.EncodeBatch(b.responses...), 0)
}
