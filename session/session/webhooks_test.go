package session

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/test/inmemory"
	"mcptea/internal/test/sessiontest"
	"mcptea/record/webhook"
	"mcptea/session/events"
)

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
			`{"name":"tock","timestamp":"yesterday","data":[],"cursor":1}`:                        "/data /cursor /eventId /name /timestamp /data",
		} {
			faults, checked := s.Events().Check("tick", &events.Entry{Event: events.ReadOccurrence([]byte(raw))})
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
