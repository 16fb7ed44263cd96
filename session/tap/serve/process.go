package serve

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/server/rpcserver"
	"mcptea/internal/words/phrase"
	"mcptea/session/tap/relay"
)

// process is a server with its relay, and the conversations that use it.
type process struct {
	gateway *Gateway
	label   string
	common  bool // several hosts use it
	relay   *relay.Relay
	in      *io.PipeWriter // input of the relay
	began   chan struct{}  // closed when the first attempt to start the server has ended

	write sync.Mutex // serializes writes to in

	mu      sync.Mutex
	calls   map[jsonrpc.Key]*call    // calls by the id at the server; at most maxPending
	tokens  map[jsonrpc.Key]*call    // calls by the progress token at the server; at most maxPending
	order   []*call                  // oldest first; at most maxPending
	asked   map[jsonrpc.Key]question // requests of the server; at most maxPending
	members []*conversation          // oldest first
	waiting []*call                  // initialize of later hosts while the first one has no response; at most maxPending
	closing bool                     // the input of the relay is closed or about to be closed
	idle    *time.Timer              // ends a process without conversations; nil while there are any
	ready   bool                     // notifications/initialized was forwarded
	greeted bool                     // initialize was forwarded
	shares  bool                     // initialize has succeeded, and later hosts get its result, too
}

// maxPending bounds the requests without a response of each side. More are refused.
const maxPending = 4096

// send writes a frame to the relay. The end of the relay answers what cannot be written.
func (p *process) send(frame []byte) {
	p.write.Lock()
	defer p.write.Unlock()
	_, _ = p.in.Write(rpcserver.AppendLine(nil, frame))
}

// read handles the output of the relay until it ends.
func (p *process) read(out io.Reader) {
	r := bufio.NewReaderSize(out, 64<<10)
	for {
		line, err := r.ReadBytes('\n')
		if frame := line[:max(0, len(line)-1)]; err == nil && len(frame) > 0 {
			p.receive(frame)
		}
		if err != nil {
			break
		}
	}
	p.mu.Lock()
	left := append(p.order, p.waiting...)
	p.order, p.waiting = nil, nil
	p.mu.Unlock()
	for _, one := range left {
		one.fail(jsonrpc.CodeInternalError, "the server has ended, and with it the session")
	}
}

// receive handles a frame of the server. A line that is not JSON is only recorded: it has no place in HTTP.
func (p *process) receive(frame []byte) {
	e := jsonrpc.Scan(frame)
	switch {
	case e.Kind == jsonrpc.Batch:
		for part := range jsonrpc.Elements(frame) {
			if jsonrpc.Scan(part).Kind != jsonrpc.Batch {
				p.receive(part)
			}
		}
	case e.Kind.IsResponse():
		p.respond(frame, e)
	case e.Kind == jsonrpc.Request:
		p.ask(frame, e)
	case e.Kind == jsonrpc.Notification:
		p.notify(frame, e)
	}
}

// add records a request of a host, and returns the frame that goes to the server. It is nil if the request is answered
// here, or waits for the response to the initialize of another host. uri is the URI in its params.
func (p *process) add(one *call, frame []byte, uri string) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := one.from
	refuse := func(code int64, text string) []byte {
		go one.fail(code, text) // the host may read slowly
		return nil
	}
	switch {
	case p.calls[one.key] != nil:
		return refuse(jsonrpc.CodeInvalidRequest, fmt.Sprintf("the id %s is the id of a request without a response", one.id))
	case len(p.calls)+len(p.waiting) >= maxPending:
		return refuse(jsonrpc.CodeInternalError, phrase.Count(maxPending, "request")+" have no response")
	case one.method == "initialize" && p.common && p.shares:
		c.ready = true
		go p.greet(one)
		return nil
	case one.method == "initialize" && p.common && p.greeted:
		p.waiting = append(p.waiting, one)
		return nil
	case one.method == "initialize":
		p.greeted = true
	case one.method == "resources/subscribe" && !c.subscribed[uri] && len(c.subscribed) >= maxSubscribed:
		return refuse(jsonrpc.CodeInternalError, phrase.Count(maxSubscribed, "subscription")+" are open in this session")
	case one.method == "resources/subscribe":
		c.subscribed[uri] = true
	case one.method == "resources/unsubscribe":
		delete(c.subscribed, uri)
	}
	p.calls[one.key] = one
	if one.token != (jsonrpc.Key{}) {
		p.tokens[one.token] = one
	}
	p.order = append(p.order, one)
	return frame
}

// greet responds to the initialize of a later host that shares the process, whose server has a handshake with the first one.
func (p *process) greet(one *call) {
	result := p.relay.InitializeResult()
	p.relay.Note(fmt.Sprintf("session %s shares the server: its initialize has the result of the first session, with the capabilities that this session has declared", one.from.label))
	one.answer(jsonrpc.EncodeResult(one.id, result), 0)
}

// forget removes a call. The caller holds the lock.
func (p *process) forget(one *call) {
	if one.timer != nil {
		one.timer.Stop()
	}
	if p.calls[one.key] == one {
		delete(p.calls, one.key)
	}
	if p.tokens[one.token] == one {
		delete(p.tokens, one.token)
	}
	if i := slices.Index(p.order, one); i >= 0 {
		p.order = slices.Delete(p.order, i, i+1)
	}
}

// remove removes the call with a key and returns it, or nil if there is none.
func (p *process) remove(key jsonrpc.Key) *call {
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.calls[key]
	if one != nil {
		p.forget(one)
	}
	return one
}

// takesResponse reports whether a response of a host goes to the server: the request was sent to this host, or only one
// host uses the process.
func (p *process) takesResponse(c *conversation, key jsonrpc.Key) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	isMine := p.asked[key].to == c
	if isMine {
		delete(p.asked, key)
	}
	return isMine || !p.common
}

// isFirstReady reports whether notifications/initialized is sent to the server: a server that several hosts
// share receives only one.
func (p *process) isFirstReady() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	isFirst := !p.ready || !p.common
	p.ready = true
	return isFirst
}

// cancel cancels a request whose host no longer waits for the response.
func (p *process) cancel(one *call, why string) {
	p.mu.Lock()
	isPending := p.calls[one.key] == one
	if isPending {
		p.forget(one)
	}
	p.mu.Unlock()
	if !isPending {
		return
	}
	id := one.id
	if p.common {
		id = one.from.name(one.id.Token())
	}
	p.send(jsonrpc.EncodeNotification("notifications/cancelled", fmt.Appendf(nil, `{"requestId":%s,"reason":%s}`, id, jsonrpc.Quote(why))))
	one.answer(nil, 0)
}

// limitDiscover bounds the wait for the response to server/discover.
func (p *process) limitDiscover(one *call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls[one.key] != one {
		return
	}
	one.timer = time.AfterFunc(discoverTimeout, func() {
		if p.remove(one.key) == nil {
			return
		}
		p.gateway.isSilent(p)
		text := "the server has not responded to server/discover within " + phrase.Duration(discoverTimeout)
		one.answer(jsonrpc.EncodeError(one.id, jsonrpc.CodeMethodNotFound, text, nil), http.StatusNotFound)
	})
}

// join adds a conversation.
func (p *process) join(c *conversation) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.members = append(p.members, c)
	if p.idle != nil {
		p.idle.Stop()
		p.idle = nil
	}
}

// leave removes a conversation, and reports whether it was the last one. Its requests are cancelled if other hosts use the
// process; else the process ends.
func (p *process) leave(c *conversation) (isLast bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.members = slices.DeleteFunc(p.members, func(other *conversation) bool { return other == c })
	p.waiting = slices.DeleteFunc(p.waiting, func(one *call) bool { return one.from == c })
	for key, q := range p.asked {
		if q.to == c && p.common {
			delete(p.asked, key)
			p.later(func() { p.refuse(q.id, "the host has ended its session") })
		}
	}
	for _, one := range p.order {
		if one.from == c && p.common && one.method != "initialize" {
			p.later(func() { p.cancel(one, "the host has ended its session") })
		}
	}
	return len(p.members) == 0
}

// later runs a function that may wait for the server to read.
func (p *process) later(do func()) { p.gateway.running.Go(do) }
