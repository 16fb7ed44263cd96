package sessiontest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
)

// Peer is a process of a server that is written by hand. Its methods may be called from any goroutine.
type Peer struct {
	// Number is the number of the process, from 1. Requests counts the requests of this process.
	Number, Requests int
	// Initialized reports that notifications/initialized has come.
	Initialized bool

	out   io.Writer
	write func(line string) string // writes lines in another way; nil for unchanged
	turn  chan struct{}            // held while a line is written: in a bubble, time passes while a goroutine waits for a channel
	ctx   context.Context
}

// Message is a request of the client, or a notification without ID.
type Message struct {
	Method, ID string
	Params     []byte
}

// Write writes a line.
func (p *Peer) Write(line string) {
	p.turn <- struct{}{}
	defer func() { <-p.turn }()
	if p.write != nil {
		line = p.write(line)
	}
	_, _ = io.WriteString(p.out, line+"\n") // the end shows in the input
}

// Result answers a request.
func (p *Peer) Result(m Message, result string) {
	p.Write(`{"jsonrpc":"2.0","id":` + m.ID + `,"result":` + result + `}`)
}

// Error answers a request with an error.
func (p *Peer) Error(m Message, code int, message string) {
	p.Write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, m.ID, code, message))
}

// After does something a while later, unless the process ends before.
func (p *Peer) After(d time.Duration, do func()) {
	go func() { // ends with the process
		select {
		case <-time.After(d):
			do()
		case <-p.ctx.Done():
		}
	}()
}

// Answering returns a server that passes each message to a function. It ends when the function returns true.
// Invalid JSON gets error -32700, invalid messages -32600, and params that are not an object -32602.
func Answering(handle func(p *Peer, m Message) (exit bool)) Serve { return Strict(handle, nil, nil) }

// Strict is like Answering, but ends at lines that are unreadable, and writes each line with write; both
// functions may be nil.
func Strict(handle func(p *Peer, m Message) (exit bool), unreadable func(line []byte) bool, write func(line string) string) Serve {
	numbers := make(chan int, 1)
	numbers <- 0
	return func(ctx context.Context, in io.Reader, out io.Writer) error {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		n := <-numbers + 1
		numbers <- n
		p := &Peer{Number: n, out: out, write: write, turn: make(chan struct{}, 1), ctx: ctx}
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			line := lines.Bytes()
			e := jsonrpc.Scan(line)
			if unreadable != nil && unreadable(line) {
				return errExit
			}
			if !jsonrpc.Valid(line) {
				p.Write(`{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}`)
				continue
			}
			m := Message{Method: e.MethodName(line), Params: append([]byte{}, e.Params.Of(line)...)}
			if id := e.ID.Of(line); id.Present() {
				m.ID = string(id.Shown())
				p.Requests++
			}
			switch {
			case m.ID == "null" || m.Method == "" && m.ID == "":
				continue
			case jsonrpc.Text(line, "jsonrpc") != "2.0" || m.Method == "":
				if m.ID != "" && jsonrpc.Get(line, "result") == nil && jsonrpc.Get(line, "error") == nil {
					p.Error(m, jsonrpc.CodeInvalidRequest, "Invalid request")
				}
				continue
			case m.ID == "" && !strings.HasPrefix(m.Method, "notifications/"):
				continue
			case m.ID != "" && len(m.Params) > 0 && m.Params[0] != '{':
				p.Error(m, jsonrpc.CodeInvalidParams, "Invalid params")
				continue
			}
			p.Initialized = p.Initialized || m.Method == "notifications/initialized"
			if handle(p, m) {
				return errExit
			}
		}
		return lines.Err()
	}
}

// Discarding returns a server that does not see some lines.
func Discarding(serve Serve, discards func(line []byte) bool) Serve {
	return func(ctx context.Context, in io.Reader, out io.Writer) error {
		from, to := io.Pipe()
		go func() { // ends with the input, or the server
			lines := bufio.NewScanner(in)
			lines.Buffer(nil, 64<<20)
			for lines.Scan() {
				if !discards(lines.Bytes()) {
					if _, err := to.Write(append(lines.Bytes(), '\n')); err != nil {
						break
					}
				}
			}
			_ = to.CloseWithError(lines.Err())
		}()
		defer func() { _ = from.Close() }()
		return serve(ctx, from, out)
	}
}
