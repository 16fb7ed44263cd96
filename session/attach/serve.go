package attach

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/client/jsonrpc"
)

// Connection is a connection that a process shares. Its methods may be called from any
// goroutine.
type Connection interface {
	// Describe describes the connection, except for Version and ID.
	Describe() Info
	// Result is the result of initialize.
	Result() []byte
	// NextID is an id that the connection has not used.
	NextID() (jsonrpc.ID, error)
	// Start sends a request with such an id. It calls progress, which does not block,
	// with the params of notifications about it, and done once, from a goroutine of its
	// own: with the response, or with why it is missing. cancel cancels the request.
	Start(frame []byte, progress func(params []byte), done func(response []byte, err error)) (cancel func())
	// Send sends another frame.
	Send(frame []byte)
	// Notifications calls each with each notification that is received after the call, until stop
	// is called. each must not block. Notifications returns nil if too many commands listen.
	Notifications(each func(frame []byte)) (stop func())
}

// Handler serves one connection to the socket until the context ends. The connection is closed
// afterwards.
type Handler func(ctx context.Context, in io.Reader, conn net.Conn)

// Listener lets commands use a connection.
type Listener struct {
	listener *socketListener
	shared   Connection
	uses     map[string]Handler
	ctx      context.Context
	end      context.CancelFunc
	name     string // name of the socket, without its suffix
	serving  sync.WaitGroup
}

// served counts the sockets of this process. An inspector has one for each session.
var served atomic.Int64

// nextName returns the id of the process or, for each later session, the id with a number, as in 4711-2. A
// number is not reused: a command for a session that has ended must not reach another server.
func nextName() string {
	pid := strconv.Itoa(os.Getpid())
	if n := served.Add(1); n > 1 {
		return pid + "-" + strconv.FormatInt(n, 10)
	}
	return pid
}

// Serve listens on a socket under the state directory. uses contains the uses that the process serves in
// addition to commands: [Agent] or [Control]. A nil Listener does nothing.
func Serve(state string, shared Connection, uses map[string]Handler) (*Listener, error) {
	name := nextName()
	s, err := listenSocket(dir(state), name)
	if err != nil {
		return nil, err
	}
	full, _ := json.Marshal(Info{Version: version, ID: name, Kind: shared.Describe().Kind, Full: true}) // strings alone
	s.refusal = append(full, '\n')
	l := &Listener{listener: s, name: name, shared: shared, uses: uses}
	l.ctx, l.end = context.WithCancel(context.Background())
	l.serving.Go(func() {
		for {
			conn, err := s.Accept()
			if err != nil {
				return
			}
			l.serving.Go(func() { l.serve(conn) })
		}
	})
	return l, nil
}

// Close ends all connections to the socket and removes it.
func (l *Listener) Close() {
	if l == nil {
		return
	}
	l.end()
	_ = l.listener.Close()
	l.serving.Wait()
}

const (
	// firstTimeout bounds the wait for the first line of a connection. A command sends it
	// immediately. A silent connection would occupy the slot of another.
	firstTimeout = 30 * time.Second
	// writeTimeout bounds each write to a command.
	writeTimeout = 10 * time.Second
	// queueSize is the maximum number of frames that wait for a command to read. When more wait, it is sent no
	// progress.
	queueSize = 256
	// maxOutstanding is the maximum number of requests of a command without a response, which bounds the memory
	// for a command that does not read. Further requests are refused.
	maxOutstanding = 256
	// maxInvalid is the maximum number of lines of a connection that are not messages: a user sends some on
	// purpose, but each is sent to the server and recorded. The connection ends at the next one.
	maxInvalid = 1000
)

var errOutstanding = fmt.Errorf("%d requests over this connection have no response yet; send it again when one has ended", maxOutstanding)

// command is a command that uses the connection.
type command struct {
	shared Connection
	conn   net.Conn
	queue  chan []byte
	ended  chan struct{} // closed when it is not served any more

	invalid int // lines that were no message; of the goroutine that reads

	mu          sync.Mutex
	outstanding []*request     // oldest first; at most maxOutstanding
	waiting     sync.WaitGroup // counts requests whose outcome is pending
}

// request is a request of a command. Two can have one id.
type request struct {
	id     jsonrpc.Key // id that the command sent
	cancel func()
}

func (l *Listener) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(l.ctx, func() { _ = conn.Close() })()
	info := l.shared.Describe()
	info.Version, info.ID = version, l.name
	first, _ := json.Marshal(info) // strings alone
	c := &command{
		shared: l.shared, conn: conn, queue: make(chan []byte, queueSize), ended: make(chan struct{}),
	}
	if c.write(first) != nil {
		return
	}
	_ = conn.SetReadDeadline(time.Now().Add(firstTimeout)) // if this fails, reading fails too
	in := bufio.NewReader(conn)
	switch start, err := in.Peek(1); {
	case err != nil:
		return // the description is enough
	case start[0] == '!':
		words, err := in.ReadSlice('\n') // a longer one than its buffer is not of ours
		line := string(words)
		_ = conn.SetReadDeadline(time.Time{})
		use := l.uses[strings.TrimSuffix(line, "\n")]
		switch {
		case err == nil && use != nil:
			_ = conn.SetWriteDeadline(time.Time{}) // if this fails, writing fails too
			use(l.ctx, in, conn)
			return
		case err != nil || line != notificationsLine+"\n":
			return
		case info.Problem == "":
			stop := l.shared.Notifications(c.notify)
			if stop == nil {
				return
			}
			defer stop()
		}
	}
	if info.Problem != "" {
		return
	}
	var writing sync.WaitGroup
	writing.Go(c.writeQueue)
	for lines := newScanner(in, maxOwn); lines.Scan(); {
		_ = conn.SetReadDeadline(time.Time{})
		if len(lines.Bytes()) == 0 {
			c.invalid++ // the line has no frame
		} else {
			c.handle(bytes.Clone(lines.Bytes()))
		}
		if c.invalid > maxInvalid {
			_ = conn.Close()
			break
		}
	}
	c.settleAll()
	writing.Wait()
}

// settleAll cancels the requests that have no response when the connection ends. It waits for their
// outcomes, which are no longer read.
func (c *command) settleAll() {
	close(c.ended)
	c.mu.Lock()
	left := slices.Clone(c.outstanding)
	c.mu.Unlock()
	for _, r := range left {
		r.cancel()
	}
	c.waiting.Wait()
}

func (c *command) write(line []byte) error {
	_ = c.conn.SetWriteDeadline(time.Now().Add(writeTimeout)) // if this fails, writing fails too
	_, err := c.conn.Write(append(line, '\n'))
	return err
}

// writeQueue writes what waits until the command has ended.
func (c *command) writeQueue() {
	for {
		select {
		case line := <-c.queue:
			if c.write(line) != nil {
				_ = c.conn.Close()
				return
			}
		case <-c.ended:
			return
		}
	}
}

// put queues a line for writing, when there is room.
func (c *command) put(line []byte) {
	select {
	case c.queue <- line:
	case <-c.ended:
	}
}

// notify forwards a notification. A command that reads too slowly is disconnected, because it would miss some.
func (c *command) notify(frame []byte) {
	if e := jsonrpc.Scan(frame); e.HasMethod(frame, "notifications/progress") {
		return // the responses to its own requests include that
	}
	var line bytes.Buffer
	if json.Compact(&line, frame) != nil {
		return
	}
	select {
	case c.queue <- line.Bytes():
	default:
		_ = c.conn.Close()
	}
}

// handle executes a frame of the command.
func (c *command) handle(frame []byte) {
	e := jsonrpc.Scan(frame)
	id := e.ID.Of(frame).ID()
	switch {
	case e.Kind == jsonrpc.Request && e.HasMethod(frame, "initialize"):
		c.put(jsonrpc.EncodeResult(id, c.shared.Result()))
	case e.Kind == jsonrpc.Request && e.IDType != jsonrpc.IDNull:
		c.start(id, frame, e)
	case e.Kind == jsonrpc.Request: // its response would be ambiguous, and the request would remain pending
		c.lose(id, errNullID)
	case e.HasMethod(frame, "notifications/initialized") && e.Kind == jsonrpc.Notification:
	case e.HasMethod(frame, "notifications/cancelled") && e.Kind == jsonrpc.Notification:
		c.cancel(jsonrpc.IDOf(jsonrpc.Get(e.Params.Of(frame), "requestId")).Key())
	default:
		if e.Kind == jsonrpc.Invalid {
			c.invalid++
		}
		c.shared.Send(frame)
	}
}

// start sends a request of the command.
func (c *command) start(id jsonrpc.ID, frame []byte, e jsonrpc.Envelope) {
	newID, err := c.shared.NextID()
	if err != nil {
		c.lose(id, err)
		return
	}
	token := jsonrpc.Get(e.Params.Of(frame), "_meta", "progressToken")
	r := &request{id: id.Key()}
	c.mu.Lock()
	if len(c.outstanding) == maxOutstanding {
		c.mu.Unlock()
		c.lose(id, errOutstanding)
		return
	}
	defer c.mu.Unlock() // until its cancel is set
	c.outstanding = append(c.outstanding, r)
	c.waiting.Add(1)
	r.cancel = c.shared.Start(withID(frame, e, newID), func(params []byte) {
		at := jsonrpc.SpanOf(params, jsonrpc.Get(params, "progressToken"))
		select {
		case c.queue <- jsonrpc.EncodeNotification("notifications/progress", at.Replace(params, token)):
		default: // the next one says more
		}
	}, func(response []byte, err error) {
		defer c.waiting.Done()
		if err != nil {
			c.lose(id, err)
		} else {
			c.put(jsonrpc.Scan(response).ID.Replace(response, id))
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.outstanding = slices.DeleteFunc(c.outstanding, func(other *request) bool { return other == r })
	})
}

// cancel cancels the requests with an id.
func (c *command) cancel(id jsonrpc.Key) {
	c.mu.Lock()
	var all []*request
	for _, r := range c.outstanding {
		if r.id == id {
			all = append(all, r)
		}
	}
	c.mu.Unlock()
	for _, r := range all {
		r.cancel()
	}
}

// lose reports that a request gets no response.
func (c *command) lose(id jsonrpc.ID, err error) {
	line, _ := json.Marshal(lost{id, err.Error()}) // strings alone
	c.put(append([]byte("!"), line...))
}
