package attach

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"

	"mcptea/client/transport"
)

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

func (discard) Frame(transport.Frame) (at transport.Ref) { return at }
func (discard) Exchange(transport.Exchange)              {}
func (discard) Stderr(transport.Line)                    {}
func (discard) Process(transport.ProcessEvent)           {}

// TestSend_PartOfALine has a process that stops reading in the middle of a frame: no other frame
// is appended to that part, and the error says why.
func TestSend_PartOfALine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		s := &shared{info: Info{Kind: "inspector", ID: "7"}, receiver: discard{}, conn: here, done: make(chan struct{})}
		rest := make(chan string, 1)
		go func() {
			_, _ = io.ReadFull(there, make([]byte, 5))
			<-s.done
			b, _ := io.ReadAll(there)
			rest <- string(b)
		}()
		err := s.Send(t.Context(), transport.Outgoing{Bytes: []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)})
		if err == nil || !strings.Contains(err.Error(), "cannot write to the inspector 7, whose connection is used: ") {
			t.Error(err)
		}
		if err := s.Send(t.Context(), transport.Outgoing{Bytes: []byte(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)}); err == nil {
			t.Error("another frame is sent after a part of one")
		}
		close(s.done)
		if got := <-rest; got != "" {
			t.Errorf("the process gets %q after the part", got)
		}
	})
}

// A frame that is too long for the socket is told as that, and not as the end of the process.
func TestRead_FrameTooLong(t *testing.T) {
	s := &shared{info: Info{Kind: "inspector", ID: "7"}, receiver: discard{}, done: make(chan struct{})}
	s.read(bufio.NewReader(io.LimitReader(endless{}, maxLine+1)))
	if s.err == nil || !strings.Contains(s.err.Error(), "has sent a frame of more than 64 MiB") {
		t.Error(s.err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}
