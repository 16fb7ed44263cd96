package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
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
	"mcptea/session/events/webhook"
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

// The end of a session ends its subscriptions by webhook at the server, which would go on to deliver, and the receiver.
func TestEvents_CloseUnsubscribesWebhooks(t *testing.T) {
	var asked []string
	withEvents(t, "off", func(p *sessiontest.Peer, m sessiontest.Message) {
		asked = append(asked, m.Method)
		p.Result(m, `{"resultType":"complete","id":"sub_1","refreshBefore":"`+time.Now().Add(100*time.Second).Format(time.RFC3339Nano)+`","cursor":"c0","truncated":false}`)
	}, func(s *Session) {
		l, dial := inmemory.Listen()
		server := webhook.Serve(l, "https://tunnel.example.com/")
		f := s.Events().FollowWebhook(events.Params{Name: "tick"}, server, 0)
		synctest.Wait()
		client := http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}
		for range 3 {
			r, err := client.Post(strings.Replace(server.Callback, "https:", "http:", 1), "application/json", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			_ = r.Body.Close()
		}
		time.Sleep(95 * time.Second)
		synctest.Wait()
		if got := told(s, f.Number()); got != "opened, trouble" || !strings.HasPrefix(f.State().URL, "https://tunnel.example.com/mcptea/") {
			t.Errorf("entries: %s, %+v", got, f.State())
		}
		s.Disconnect(context.Background())
		if got := strings.Join(asked, " "); got != "events/subscribe events/subscribe events/unsubscribe" {
			t.Errorf("asked: %s", got)
		}
		if _, err := dial(context.Background(), "tcp", ""); err == nil {
			t.Error("the receiver still listens")
		}
	})
}

// A rotation renews the subscription with another secret; neither is in the recording.
func TestEvents_RotatesTheSecret(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.mcptea.jsonl")
	var secrets []string
	withEvents(t, path, func(p *sessiontest.Peer, m sessiontest.Message) {
		if secret := jsonrpc.Text(m.Params, "delivery", "secret"); secret != "" {
			secrets = append(secrets, secret)
		}
		p.Result(m, `{"resultType":"complete","id":"sub_1","refreshBefore":"`+time.Now().Add(100*time.Second).Format(time.RFC3339Nano)+`","cursor":"c0","truncated":false}`)
	}, func(s *Session) {
		l, dial := inmemory.Listen()
		server := webhook.Serve(l, "https://tunnel.example.com/")
		first := server.Secret()
		s.Hide(first)
		f := s.Events().FollowWebhook(events.Params{Name: "tick"}, server, 0)
		synctest.Wait()
		f.Rotate()
		synctest.Wait()
		if second := server.Secret(); len(secrets) != 2 || secrets[0] != first || secrets[1] != second || first == second {
			t.Errorf("secrets: %q, %s, %s", secrets, first, second)
		}
		client := http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}
		q, err := http.NewRequest(http.MethodPost, strings.Replace(server.Callback, "https:", "http:", 1), strings.NewReader(`{"leaks":"`+strings.Join(secrets, " ")+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
			q.Header.Set(name, secrets[1])
		}
		if r, err := client.Do(q); err != nil {
			t.Error(err)
		} else {
			_ = r.Body.Close()
		}
		s.Disconnect(context.Background())
	})
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(written, []byte(`"k":"delivery"`)) {
		t.Error("the delivery is not recorded")
	}
	for _, secret := range secrets {
		if bytes.Contains(written, []byte(secret)) || bytes.Contains(written, []byte(strings.TrimPrefix(secret, "whsec_"))) {
			t.Errorf("%s is in the recording", secret)
		}
	}
}

// A recording shows what the session has shown.
func TestEvents_RecordingIsTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "events.mcptea.jsonl")
	live := ""
	withEvents(t, path, func(p *sessiontest.Peer, m sessiontest.Message) {
		switch m.Method {
		case revision.EventsStream:
			onStream(p, m, "active", `"cursor":"c0","truncated":false`)
			onStream(p, m, "event", event(1))
			onStream(p, m, "active", `"cursor":"c9","truncated":true`)
		case revision.EventsPoll:
			p.Result(m, `{"events":[{`+event(2)+`}],"cursor":"c2","truncated":false,"hasMore":false,"nextPollMs":60000}`)
		}
	}, func(s *Session) {
		push := follow(s, revision.DeliveryPush)
		synctest.Wait()
		poll := follow(s, revision.DeliveryPoll)
		synctest.Wait()
		live = told(s, push.Number()) + "; " + told(s, poll.Number())
		if live != "opened, e1, gap; opened, e2" {
			t.Errorf("%s", live)
		}
	})
	s, err := OpenRecording(path, Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	if err := s.Until(ctx, func() bool { return len(s.Events().All()) == 2 && s.Events().All()[1].Events == 1 }); err != nil {
		t.Fatalf("%v: %+v", err, s.Events().All())
	}
	all := s.Events().All()
	got := told(s, all[0].Number) + "; " + told(s, all[1].Number)
	if !strings.HasPrefix(got, live[:len("opened, e1, gap")]) || !strings.Contains(got, "; opened, e2") || all[0].Mode != revision.DeliveryPush || all[0].Cursor.Text != "c9" {
		t.Errorf("%s, live %s: %+v", got, live, all)
	}
}

// A stream of twenty seconds with a thousand events a second is in the record from its first event to its last, and what
// is kept beside it has a bound.
func TestEvents_FloodLosesNothing(t *testing.T) {
	const events = 20_000
	path := filepath.Join(t.TempDir(), "flood.mcptea.jsonl")
	withEvents(t, path, func(p *sessiontest.Peer, m sessiontest.Message) {
		if m.Method != revision.EventsStream {
			return
		}
		onStream(p, m, "active", `"cursor":"c0","truncated":false`)
		for n := range events {
			onStream(p, m, "event", event(n+1))
			if n%10 == 9 {
				time.Sleep(10 * time.Millisecond)
			}
		}
	}, func(s *Session) {
		f := follow(s, revision.DeliveryPush)
		time.Sleep(events*time.Millisecond + time.Second)
		synctest.Wait()
		st, kept := f.State(), s.Events().Entries(f.Number(), 0, 0)
		if st.Events != events || st.Repeated+st.Gaps+st.Lost != 0 || st.Cursor.Text != "c20000" || len(kept) != 10_000 || st.Dropped != st.Entries-len(kept) {
			t.Errorf("%d entries are kept: %+v", len(kept), st)
		}
		for i, e := range kept {
			if want := fmt.Sprint("e", events-len(kept)+i+1); e.Event.ID != want {
				t.Fatalf("entry %d is %s, want %s", i, e.Event.ID, want)
			}
		}
	})
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := bytes.Count(written, []byte(`"eventId":"e`)); got != events {
		t.Errorf("%d events are in the recording", got)
	}
}

func TestEvents_Check(t *testing.T) {
	withEvents(t, "off", func(*sessiontest.Peer, sessiontest.Message) {}, func(s *Session) {
		for raw, want := range map[string]string{
			`{` + event(1) + `}`: "",
			`{"eventId":"e","name":"tick","timestamp":"2026-11-28T00:00:00Z","data":{"n":"one"}}`: "/data/n",
			`{"name":"tock","timestamp":"yesterday","data":[],"cursor":1}`:                        "/eventId /name /timestamp /data /cursor /data",
		} {
			faults, checked := s.Events().Check("tick", events.ReadOccurrence([]byte(raw)))
			var places []string
			for _, f := range faults {
				places = append(places, f.Place)
			}
			if got := strings.Join(places, " "); got != want || !checked {
				t.Errorf("%s: %s, checked %v", raw, got, checked)
			}
		}
	})
}

func TestHide_MasksFrames(t *testing.T) {
	withEvents(t, "off", func(*sessiontest.Peer, sessiontest.Message) {}, func(s *Session) {
		s.Hide("whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0")
		call := s.StartFrame([]byte(`{"jsonrpc":"2.0","method":"x","params":{"secret":"whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"}}`))
		<-call.Done()
		last := int32(s.Store().Snapshot().Rows) - 1
		body, err := s.Store().Body(last)
		if err != nil || string(body) != `{"jsonrpc":"2.0","method":"x","params":{"secret":"whsec_`+strings.Repeat("*", 32)+`"}}` {
			t.Errorf("%s, %v", body, err)
		}
	})
}
