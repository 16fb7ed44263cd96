package http

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// countedWrites counts the writes to a connection.
type countedWrites struct {
	net.Conn
	n *atomic.Int32
}

func (c countedWrites) Write(b []byte) (int, error) {
	c.n.Add(1)
	return c.Conn.Write(b)
}

// nothing is a receiver that keeps nothing.
type nothing struct{}

func (nothing) Frame(transport.Frame) transport.Ref { return transport.Ref{} }
func (nothing) Exchange(transport.Exchange)         {}
func (nothing) Stderr(transport.Line)               {}
func (nothing) Process(transport.ProcessEvent)      {}
func (nothing) Closed(error)                        {}

// rawServer answers each request on a listener with a response, and ends with the test.
func rawServer(t *testing.T, response string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() { // ends with the listener
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = c.Close() }()
				for in := bufio.NewReader(c); ; {
					q, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, q.Body)
					_, _ = io.WriteString(c, response)
					if strings.Contains(response, "Connection: close") {
						return
					}
				}
			}()
		}
	}()
	return "http://" + l.Addr().String() + "/mcp"
}

// A POST of ordinary size leaves in one write, headers and body; a large one need not.
func TestExchange_OneWrite(t *testing.T) {
	const accepted = "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"
	for _, size := range []int{1, 100, 4000, 30_000, maxSmall - 100} {
		var writes atomic.Int32
		s := NewStreamable(Config{URL: rawServer(t, accepted), Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := (&net.Dialer{}).DialContext(ctx, network, address)
			return countedWrites{c, &writes}, err
		}})
		if err := s.Open(t.Context(), nothing{}); err != nil {
			t.Fatal(err)
		}
		frame := []byte(`{"jsonrpc":"2.0","method":"notifications/x","params":{"x":"` + strings.Repeat("x", size) + `"}}`)
		if err := s.Send(t.Context(), transport.Outgoing{Bytes: frame}); err != nil {
			t.Fatal(err)
		}
		if n := writes.Load(); n != 1 {
			t.Errorf("%d bytes leave in %d writes", len(frame), n)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// An error without the id belongs to the request of its POST, in a stream and in a body.
func TestPost_ErrorWithoutID(t *testing.T) {
	const refusal = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"JSON parse error: Unexpected end of JSON input"}}`
	without := strings.Replace(refusal, `"id":null,`, "", 1)
	stream := func(text string) string {
		return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\nevent: message\ndata: " + text + "\n\n"
	}
	body := func(text string) string {
		return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" + text
	}
	for name, response := range map[string]string{
		"stream": stream(refusal), "stream without id": stream(without), "body": body(refusal), "body without id": body(without),
	} {
		t.Run(name, func(t *testing.T) {
			lost := make(chan error, 1)
			address := rawServer(t, response)
			s := NewStreamable(Config{URL: address, Lost: func(_ jsonrpc.ID, err error) { lost <- err }})
			if err := s.Open(t.Context(), nothing{}); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close(t.Context()) }()
			frame := []byte(`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`)
			if err := s.Send(t.Context(), transport.Outgoing{Bytes: frame}); err != nil {
				t.Fatal(err)
			}
			err := <-lost
			var said *jsonrpc.Error
			if !errors.As(err, &said) || !said.Code.Is(jsonrpc.CodeParseError) || !strings.Contains(err.Error(), "Unexpected end of JSON input") {
				t.Errorf("%v", err)
			}
		})
	}
}
