package attach

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/jsonrpc"
)

// silent is a connection whose server answers nothing. A request ends when it is cancelled.
type silent struct {
	mu        sync.Mutex
	last      int
	running   int
	cancelled int
	sent      int          // frames that are no requests
	each      func([]byte) // gets notifications
	full      bool         // too many commands listen
}

func (*silent) Describe() Info { return Info{Kind: Inspector} }
func (*silent) Result() []byte { return []byte("{}") }

func (s *silent) Send([]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent++
}

func (s *silent) Notifications(each func([]byte)) (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full {
		return nil
	}
	s.each = each
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.each = nil
	}
}

func (s *silent) notify(frame string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.each != nil {
		s.each([]byte(frame))
	}
}

func (s *silent) NextID() (jsonrpc.ID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	id, _ := jsonrpc.ParseID(fmt.Sprint(s.last))
	return id, nil
}

func (s *silent) Start(_ []byte, _ func([]byte), done func([]byte, error)) (cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		s.running--
		s.cancelled++
		s.mu.Unlock()
		go done(nil, errors.New("it was cancelled"))
	})
}

func (s *silent) counts() (running, cancelled int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running, s.cancelled
}

// serveSilent serves a command over a pipe. lines reads what it gets; the first one is the
// description of the connection.
func serveSilent(t *testing.T) (s *silent, conn net.Conn, lines *bufio.Reader, ended chan struct{}) {
	s, ended = &silent{}, make(chan struct{})
	here, there := net.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	l := &Listener{shared: s, ctx: ctx, end: cancel}
	go func() {
		l.serve(there)
		close(ended)
	}()
	lines = bufio.NewReader(here)
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return s, here, lines, ended
}

// Two requests of a command with one id are both cancelled by their id, and a command that goes
// with requests outstanding leaves none behind: the process that shares can end.
func TestServe_TwoRequestsWithOneID(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"never-answer"}}` + "\n"
	for _, byID := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s, conn, lines, ended := serveSilent(t)
			go func() { _, _ = lines.WriteTo(discard{}) }()
			_, _ = conn.Write([]byte(call + call))
			synctest.Wait()
			if running, _ := s.counts(); running != 2 {
				t.Fatalf("%d requests are sent", running)
			}
			if byID {
				_, _ = conn.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77.0}}` + "\n"))
				synctest.Wait()
				if running, _ := s.counts(); running != 0 {
					t.Errorf("after the cancellation %d of 2 run", running)
				}
			}
			_ = conn.Close()
			<-ended // synctest fails if it waits for ever
			if running, cancelled := s.counts(); running != 0 || cancelled != 2 {
				t.Errorf("after the end of the command %d run, %d were cancelled", running, cancelled)
			}
		})
	}
}

// The request after the last that may be outstanding is refused with what to do.
func TestServe_BoundsOutstandingRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, conn, lines, ended := serveSilent(t)
		for i := range maxOutstanding + 1 {
			_, _ = fmt.Fprintf(conn, `{"jsonrpc":"2.0","id":"r%d","method":"ping"}`+"\n", i)
		}
		line, err := lines.ReadString('\n')
		if err != nil || !strings.Contains(line, `r256`) || !strings.Contains(line, "256 requests over this connection have no response yet; send it again when one has ended") {
			t.Errorf("%s %v", line, err)
		}
		if running, _ := s.counts(); running != maxOutstanding {
			t.Errorf("%d are sent", running)
		}
		go func() { _, _ = lines.WriteTo(discard{}) }()
		_, _ = conn.Write([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"r7"}}` + "\n" + `{"jsonrpc":"2.0","id":"more","method":"ping"}` + "\n"))
		synctest.Wait()
		if _, err := conn.Write([]byte(`{"jsonrpc":"2.0","id":"last","method":"ping"}` + "\n")); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if running, cancelled := s.counts(); running != maxOutstanding || cancelled != 1 {
			t.Errorf("%d run, %d were cancelled", running, cancelled)
		}
		_ = conn.Close()
		<-ended
	})
}

// A connection without a first line ends, since it takes the place of another; one with a line may be
// silent from then on.
func TestServe_SilentConnectionEnds(t *testing.T) {
	for text, ends := range map[string]bool{
		"": true, "{": true, "!notif": true, `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n": false, notificationsLine + "\n": false,
	} {
		synctest.Test(t, func(t *testing.T) {
			_, conn, _, ended := serveSilent(t)
			_, _ = conn.Write([]byte(text))
			time.Sleep(firstTimeout - time.Second)
			synctest.Wait()
			select {
			case <-ended:
				t.Errorf("%q: it ends too early", text)
			default:
			}
			time.Sleep(time.Hour)
			synctest.Wait()
			select {
			case <-ended:
				if !ends {
					t.Errorf("%q: it ends", text)
				}
			default:
				if ends {
					t.Errorf("%q: it does not end", text)
				}
			}
			_ = conn.Close()
			<-ended
		})
	}
}

// A line that begins with "!" says what the connection is for; with an unknown one, or one without an
// end, it ends, and none of it goes to the server.
func TestServe_FirstLine(t *testing.T) {
	for line, served := range map[string]string{
		Agent + "\n": "rest", Control + "\n": "", "!\n": "", "!agentx\n": "", "! agent\n": "", "!agent \n": "", "!notifications \n": "",
		"!" + strings.Repeat("x", 1<<16) + "\n": "", notificationsLine + "\n": "command", `{"jsonrpc":"2.0","id":1,"method":"initialize"}` + "\n": "command",
	} {
		synctest.Test(t, func(t *testing.T) {
			s, got := &silent{}, make(chan string, 1)
			here, there := net.Pipe()
			l := &Listener{shared: s, ctx: t.Context(), uses: map[string]Handler{Agent: func(_ context.Context, in io.Reader, _ net.Conn) {
				rest, _ := bufio.NewReader(in).ReadString('\n')
				got <- strings.TrimSpace(rest)
			}}}
			ended := make(chan struct{})
			go func() {
				l.serve(there)
				close(ended)
			}()
			lines := bufio.NewReader(here)
			if _, err := lines.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			go func() { _, _ = here.Write([]byte(line + "rest\n")) }()
			synctest.Wait()
			over := false
			select {
			case <-ended:
				over = true
			default:
			}
			use := ""
			select {
			case use = <-got:
			default:
			}
			if use != strings.TrimPrefix(served, "command") || over != (served != "command") {
				t.Errorf("%.20q: the use gets %q, ended is %v", line, use, over)
			}
			_ = here.Close()
			<-ended
		})
	}
}

// A process that sends invalid messages is not served forever: each line would be sent to the server and
// recorded. Empty lines are not even sent.
func TestServe_Garbage(t *testing.T) {
	for line, sent := range map[string]int{"\n": 0, "garbage\n": maxInvalid + 1, "\x00\x00\x00\n": maxInvalid + 1, "{\n": maxInvalid + 1} {
		synctest.Test(t, func(t *testing.T) {
			s, conn, lines, ended := serveSilent(t)
			go func() { _, _ = lines.WriteTo(discard{}) }()
			for range maxInvalid {
				if _, err := conn.Write([]byte(line)); err != nil {
					t.Fatalf("%q: the connection has ended too early: %v", line, err)
				}
			}
			synctest.Wait()
			select {
			case <-ended:
				t.Errorf("%q: the connection has ended too early", line)
			default:
			}
			_, _ = conn.Write([]byte(line))
			<-ended
			if s.sent != sent {
				t.Errorf("%q: %d frames are sent, want %d", line, s.sent, sent)
			}
		})
	}
}
