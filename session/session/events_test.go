package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/test/inmemory"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/events"
)

// eventServer declares events of the type tick, and hands each request for them to a function.
func eventServer(handle func(p *sessiontest.Peer, m sessiontest.Message)) sessiontest.Serve {
	return sessiontest.Answering(func(p *sessiontest.Peer, m sessiontest.Message) bool {
		switch {
		case m.Method == "server/discover":
			p.Result(m, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"events":{}},"ttlMs":0,"cacheScope":"private"}`)
		case m.Method == revision.EventsList:
			p.Result(m, `{"resultType":"complete","events":[{"name":"tick","delivery":["poll","push"],"payloadSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}]}`)
		case strings.HasPrefix(m.Method, "events/"), m.Method == "notifications/cancelled":
			handle(p, m)
		}
		return false
	})
}

// onStream sends a notification of the stream that a request has opened.
func onStream(p *sessiontest.Peer, m sessiontest.Message, kind, members string) {
	p.Write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/events/%s","params":{%s,"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`, kind, members, m.ID))
}

func event(n int) string {
	return fmt.Sprintf(`"eventId":"e%d","name":"tick","timestamp":"2026-11-28T00:00:00Z","data":{"n":%d},"cursor":"c%d"`, n, n, n)
}

// withEvents runs a script on a session with a server of events, in fake time.
func withEvents(t *testing.T, recording string, handle func(p *sessiontest.Peer, m sessiontest.Message), script func(s *Session)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(Config{
			Target: client.Target{Argv: []string{"ticker"}}, Record: recording, Lists: []client.ListKind{client.Events},
			Client: client.Config{Name: "mcptea", Version: "test", Revision: revision.R20260728}, Dial: sessiontest.Dial(eventServer(handle)),
		})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close(context.Background())
		if err := s.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		script(s)
	})
}

// told are the entries of a subscription, in words.
func told(s *Session, number int) string {
	var all []string
	for _, e := range s.Events().Entries(number, 0, 0) {
		text := e.Kind.String()
		if e.Kind == events.Occurred {
			text = e.Event.ID
		}
		if e.Repeated {
			text += " again"
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

func follow(s *Session, mode string) *events.Follower {
	return s.Events().Follow(events.Options{Params: events.Params{Name: "tick"}, Mode: mode})
}

func TestEvents_StreamIsOpenedAgainWhenSilent(t *testing.T) {
	var cursors []string
	cancelled := 0
	withEvents(t, "off", func(p *sessiontest.Peer, m sessiontest.Message) {
		if m.Method != revision.EventsStream {
			cancelled++
			return
		}
		cursor, _ := jsonrpc.Member(m.Params, "cursor")
		cursors = append(cursors, string(cursor))
		onStream(p, m, "active", `"cursor":"c0","truncated":false`)
		if len(cursors) == 1 {
			onStream(p, m, "event", event(1))
			p.After(40*time.Second, func() { onStream(p, m, "heartbeat", `"cursor":"c5"`) })
		}
	}, func(s *Session) {
		f := follow(s, revision.DeliveryPush)
		time.Sleep(99 * time.Second)
		synctest.Wait()
		if st := f.State(); st.Phase != events.Live || st.Lost != 0 || st.Heartbeats != 1 || st.Cursor.Text != "c5" {
			t.Fatalf("a minute after the heartbeat is not over: %+v", st)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := told(s, f.Number()); got != "opened, e1, lost, opened" {
			t.Errorf("entries: %s", got)
		}
		if cancelled != 1 || strings.Join(cursors, " ") != `null "c5"` {
			t.Errorf("%d cancelled, cursors %s", cancelled, cursors)
		}
	})
}

func TestEvents_GapDoesNotOpenTheStreamAgain(t *testing.T) {
	streams := 0
	withEvents(t, "off", func(p *sessiontest.Peer, m sessiontest.Message) {
		if m.Method != revision.EventsStream {
			return
		}
		streams++
		onStream(p, m, "active", `"cursor":"c0","truncated":false`)
		onStream(p, m, "active", `"cursor":"c9","truncated":true`)
		onStream(p, m, "error", `"error":{"code":-32603,"message":"upstream"}`)
		onStream(p, m, "event", event(10))
		onStream(p, m, "event", event(10))
		onStream(p, m, "terminated", `"error":{"code":-32024,"message":"revoked"}`)
	}, func(s *Session) {
		f := follow(s, revision.DeliveryPush)
		<-f.Done()
		if got := told(s, f.Number()); got != "opened, gap, error, e10, e10 again, terminated" || streams != 1 {
			t.Errorf("%d streams: %s", streams, got)
		}
		if st := f.State(); st.Err == nil || !st.Err.Code.Is(-32024) || st.Gaps != 1 || st.Repeated != 1 {
			t.Errorf("%+v", st)
		}
	})
}

func TestEvents_ClosedStreamIsOpenedAgain(t *testing.T) {
	var cursors []string
	withEvents(t, "off", func(p *sessiontest.Peer, m sessiontest.Message) {
		if m.Method != revision.EventsStream {
			return
		}
		cursors = append(cursors, jsonrpc.Text(m.Params, "cursor"))
		onStream(p, m, "active", `"cursor":"c0","truncated":false`)
		if len(cursors) == 1 {
			onStream(p, m, "event", event(3))
			p.Result(m, `{"resultType":"complete"}`)
		}
	}, func(s *Session) {
		f := follow(s, revision.DeliveryPush)
		time.Sleep(time.Second)
		synctest.Wait()
		if got := told(s, f.Number()); got != "opened, e3, closed, opened" || len(cursors) != 2 || cursors[1] != "c3" {
			t.Errorf("%q: %s", cursors, got)
		}
		f.Stop()
		<-f.Done()
		if got := told(s, f.Number()); !strings.HasSuffix(got, "stopped") {
			t.Errorf("%s", got)
		}
	})
}

// Who cancels the request of a stream wants no other one.
func TestEvents_StreamThatTheUserCancelsEnds(t *testing.T) {
	var requests []string
	withEvents(t, "off", func(p *sessiontest.Peer, m sessiontest.Message) {
		if m.Method == revision.EventsStream {
			requests = append(requests, m.ID)
			onStream(p, m, "active", `"cursor":"c0","truncated":false`)
		}
	}, func(s *Session) {
		f := follow(s, revision.DeliveryPush)
		time.Sleep(time.Second)
		synctest.Wait()
		id, err := strconv.ParseInt(requests[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Cancel(jsonrpc.IntID(id)); err != nil {
			t.Fatal(err)
		}
		<-f.Done()
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := told(s, f.Number()); got != "opened, stopped" || len(requests) != 1 {
			t.Errorf("%d requests: %s", len(requests), got)
		}
	})
}

func TestEvents_PollsInTime(t *testing.T) {
	var at []time.Duration
	start := time.Time{}
	results := []string{
		`{"events":[],"cursor":"c0","truncated":false,"hasMore":false,"nextPollMs":100}`, // below the floor
		`{"events":[{` + event(1) + `}],"cursor":"c1","truncated":false,"hasMore":true,"nextPollMs":9000}`,
		`{"events":[{` + event(2) + `}],"cursor":"c2","truncated":true,"hasMore":false,"nextPollMs":4000}`,
		`{"events":[],"cursor":"c2","truncated":false,"hasMore":true,"nextPollMs":3000}`, // it would never end
	}
	withEvents(t, "off", func(p *sessiontest.Peer, m sessiontest.Message) {
		if m.Method != revision.EventsPoll {
			return
		}
		if start.IsZero() {
			start = time.Now()
		}
		at = append(at, time.Since(start))
		p.Result(m, results[min(len(at), len(results))-1])
	}, func(s *Session) {
		f := follow(s, revision.DeliveryPoll)
		time.Sleep(8500 * time.Millisecond)
		synctest.Wait()
		if got := fmt.Sprint(at); got != "[0s 1s 1s 5s 8s]" {
			t.Errorf("polled at %s", got)
		}
		if got := told(s, f.Number()); got != "opened, e1, gap, e2" {
			t.Errorf("%s", got)
		}
	})
}

func TestEvents_RefusalEndsTheSubscription(t *testing.T) {
	for _, code := range []int{-32023, -32011, -32602, -32603} {
		var asked atomic.Int32
		withEvents(t, "off", func(p *sessiontest.Peer, m sessiontest.Message) {
			asked.Add(1)
			p.Error(m, code, "no")
		}, func(s *Session) {
			f := follow(s, revision.DeliveryPush)
			<-f.Done()
			if st := f.State(); st.Phase != events.Ended || st.Err == nil || !st.Err.Code.Is(int64(code)) || asked.Load() != 1 {
				t.Errorf("%d: asked %d times, %+v", code, asked.Load(), st)
			}
		})
	}
}

// A subscription that the server never begins to deliver ends: a command that listens does not wait for ever.
func TestEvents_GivesUpBeforeTheFirstDelivery(t *testing.T) {
	for name, first := range map[string]func(p *sessiontest.Peer, m sessiontest.Message){
		"silence":        func(*sessiontest.Peer, sessiontest.Message) {},
		"a result alone": func(p *sessiontest.Peer, m sessiontest.Message) { p.Result(m, `{"resultType":"complete"}`) },
		"a stream of another id": func(p *sessiontest.Peer, m sessiontest.Message) {
			m.ID = `"x"`
			onStream(p, m, "active", `"cursor":"c"`)
		},
	} {
		var asked atomic.Int32
		withEvents(t, "off", func(p *sessiontest.Peer, m sessiontest.Message) {
			if m.Method == revision.EventsStream {
				asked.Add(1)
				first(p, m)
			}
		}, func(s *Session) {
			f := follow(s, revision.DeliveryPush)
			select {
			case <-f.Done():
			case <-time.After(time.Hour):
				t.Fatalf("%s: %+v", name, f.State())
			}
			all := s.Events().Entries(f.Number(), 0, 0)
			if last := all[len(all)-1]; asked.Load() != 5 || last.Kind != events.Stopped || !strings.Contains(last.Text, "has not begun to deliver in 5 attempts") {
				t.Errorf("%s: asked %d times, %+v", name, asked.Load(), last)
			}
		})
	}
}

// severed is a transport that fails to send what opens a stream, while it is down.
type severed struct {
	*inmemory.Transport
	down     atomic.Bool
	attempts atomic.Int32
}

func (f *severed) Send(ctx context.Context, frame transport.Outgoing) error {
	err := f.Transport.Send(ctx, frame) // it is in the record, as where a connection is cut
	if f.down.Load() && bytes.Contains(frame.Bytes, []byte(`"`+revision.EventsStream+`"`)) {
		f.attempts.Add(1)
		return errors.New("connection refused")
	}
	return err
}

// While the server is away each attempt fails at once. The subscription stays the same one, and goes on from its cursor.
func TestEvents_AttemptsThatFailAreOfOneSubscription(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cursors := make(chan string, 10)
		f := &severed{}
		f.Transport = inmemory.New(eventServer(func(p *sessiontest.Peer, m sessiontest.Message) {
			if m.Method != revision.EventsStream || f.down.Load() {
				return
			}
			cursor := jsonrpc.Text(m.Params, "cursor")
			cursors <- cursor
			onStream(p, m, "active", `"cursor":"c0","truncated":false`)
			onStream(p, m, "event", event(len(cursors)))
			if cursor == "" {
				p.Result(m, `{"resultType":"complete"}`)
			}
		}))
		s, err := Open(Config{
			Target: client.Target{Argv: []string{"ticker"}}, Record: "off", Lists: []client.ListKind{client.Events},
			Client: client.Config{Name: "mcptea", Version: "test", Revision: revision.R20260728},
			Dial:   func(tap client.Tap, cfg client.Config) *client.Client { return client.NewOver(f, tap, cfg) },
		})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close(context.Background())
		if err := s.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		number := follow(s, revision.DeliveryPush).Number()
		synctest.Wait()
		f.down.Store(true)
		time.Sleep(20 * time.Second)
		synctest.Wait()
		if st, _ := s.Events().Of(number); st.Phase != events.Waiting || !st.Next.After(time.Now()) || int32(st.Lost) != f.attempts.Load() || st.Lost < 3 {
			t.Errorf("after %d attempts: %+v", f.attempts.Load(), st)
		}
		f.down.Store(false)
		time.Sleep(time.Minute)
		synctest.Wait()
		if all := s.Events().All(); len(all) != 1 || all[0].Phase != events.Live || all[0].Events != 2 {
			t.Errorf("%+v", all)
		}
		if first, second := <-cursors, <-cursors; first != "" || second != "c1" {
			t.Errorf("cursors %q, %q", first, second)
		}
	})
}
