package session

import (
	"bytes"
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/demo"
	"mcptea/record/store"
	"mcptea/session/requests"
)

// onStateless runs a script on a server of both eras, detected as stateless.
func onStateless(t *testing.T, p requests.Policies, script func(s *Session)) {
	t.Helper()
	runIn(t, "", demo.Options{}, p, script)
}

func TestDetect_BothErasIsStateless(t *testing.T) {
	onStateless(t, requests.Policies{}, func(s *Session) {
		st := s.State()
		if st.Detection.Era != revision.EraStateless || st.Detection.DetectedBy != client.EraProbed || len(st.Detection.Evidence) != 1 ||
			!strings.Contains(st.Detection.Evidence[0], `server/discover lists`) {
			t.Errorf("%+v", st.Detection)
		}
		if st.Handshake.Revision != revision.R20260728 || len(st.Lists["tools"].Items) == 0 {
			t.Errorf("revision %s, %d tools", st.Handshake.Revision, len(st.Lists["tools"].Items))
		}
	})
}

// What was found out is not asked again.
func TestTheEraIsRemembered(t *testing.T) {
	onStateless(t, requests.Policies{}, func(s *Session) {
		if err := s.Restart(context.Background()); err != nil {
			t.Fatal(err)
		}
		if v := s.State().Detection; v.DetectedBy != client.EraRemembered || v.Era != revision.EraStateless {
			t.Errorf("%+v", v)
		}
	})
}

func TestSubscription_Changes(t *testing.T) {
	onStateless(t, requests.Policies{}, func(s *Session) {
		if w := s.State().Subscription; w.Since.IsZero() || w.String() != "event types, prompts, resources, tools" {
			t.Errorf("granted: %s", w)
		}
		if n := len(s.Store().Pending(10)); n > 0 || s.Store().Snapshot().Counts.Pending > 0 {
			t.Errorf("%d requests wait, the subscription among them", n)
		}
		before := len(s.State().Lists["tools"].Items)
		<-s.Start("tools/call", []byte(`{"name":"change-tools","arguments":{}}`)).Done()
		time.Sleep(time.Second)
		if after := len(s.State().Lists["tools"].Items); after == before {
			t.Errorf("%d tools as before", after)
		}
	})
}

func TestResource_Followed(t *testing.T) {
	onStateless(t, requests.Policies{}, func(s *Session) {
		c := s.SubscribeResource("demo://readme", true)
		<-c.Done()
		if _, err := c.Outcome(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // what was granted is noted by another goroutine
		if w := s.State().Subscription; !strings.Contains(w.String(), "single resources") || !strings.Contains(string(w.granted), "demo://readme") {
			t.Errorf("granted: %s", w.granted)
		}
		if n := sent(s, "subscriptions/listen"); n != 2 {
			t.Errorf("subscribed %d times", n)
		}
		<-s.SubscribeResource("demo://readme", false).Done()
		synctest.Wait()
		if w := s.State().Subscription; strings.Contains(string(w.granted), "demo://readme") {
			t.Errorf("still granted: %s", w.granted)
		}
	})
}

// A subscription that the server ends is asked for again.
func TestSubscription_RenewedAfterEnd(t *testing.T) {
	onStateless(t, requests.Policies{}, func(s *Session) {
		<-s.Start("tools/call", []byte(`{"name":"end-subscriptions","arguments":{}}`)).Done()
		synctest.Wait()
		if w := s.State().Subscription; w.Err == nil || !strings.Contains(w.String(), "the server ended the subscription") {
			t.Errorf("granted: %s", w)
		}
		time.Sleep(2 * betweenSubscriptions.First)
		if w := s.State().Subscription; w.Err != nil || w.Since.IsZero() {
			t.Errorf("granted: %s", w)
		}
	})
}

func TestLogLevel_InEachRequest(t *testing.T) {
	onStateless(t, requests.Policies{}, func(s *Session) {
		log := func() int {
			<-s.Start("tools/call", []byte(`{"name":"log","arguments":{}}`)).Done()
			synctest.Wait()
			return s.State().Logs
		}
		if n := log(); n != 0 {
			t.Errorf("%d unexpected messages", n)
		}
		<-s.SetLevel("debug").Done()
		if n := log(); n == 0 {
			t.Error("no message, though each request asks for them")
		}
	})
}

// What a result asks for comes into the inbox, and its answer sends the request
// again.
func TestResult_RequestsInput(t *testing.T) {
	onStateless(t, requests.Policies{Elicitation: requests.Policy{Mode: requests.PolicyUser}}, func(s *Session) {
		c := ask(s, "ask-user")
		synctest.Wait()
		asks := s.Inbox().Requests()
		if len(asks) != 1 || asks[0].State != requests.Waiting || !asks[0].Of.Present() || asks[0].Key == "" || asks[0].Row < 0 {
			t.Fatalf("%+v", asks)
		}
		if err := s.Inbox().Respond(asks[0].ID, []byte(`{"action":"accept","content":{"tea":"green"}}`)); err != nil {
			t.Fatal(err)
		}
		if got := said(t, c); !strings.Contains(got, "green") || c.Last().Same(c.ID) {
			t.Errorf("%s as request %s, first sent as %s", got, c.Last(), c.ID)
		}
	})
}

func TestPolicies_InputRequestsOfResults(t *testing.T) {
	model := requests.Policy{Mode: requests.PolicyResult, Result: []byte(`{"role":"assistant","content":{"type":"text","text":"canned"},"model":"m"}`)}
	onStateless(t, requests.Policies{Elicitation: requests.Policy{Mode: requests.PolicyDecline}, Sampling: model}, func(s *Session) {
		for tool, want := range map[string]string{"ask-user": "decline", "ask-model": "canned", "think-twice": "", "list-roots": ""} {
			if got := said(t, ask(s, tool)); !strings.Contains(got, want) {
				t.Errorf("%s: %s", tool, got)
			}
		}
		for _, a := range s.Inbox().Requests() {
			if a.By != "policy" {
				t.Errorf("%s by %s", a.Method, a.By)
			}
		}
	})
}

// Giving the call up takes its questions out of the inbox.
func TestCancel_WithdrawsServerRequests(t *testing.T) {
	onStateless(t, requests.Policies{Elicitation: requests.Policy{Mode: requests.PolicyUser}}, func(s *Session) {
		c := ask(s, "ask-user")
		synctest.Wait()
		c.Cancel()
		<-c.Done()
		synctest.Wait()
		if a := s.Inbox().Requests()[0]; a.State != requests.Withdrawn || a.By != "call" {
			t.Errorf("%v by %s", a.State, a.By)
		}
	})
}

func TestCancel_OverStatelessHTTP(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	server := httptest.NewServer(demo.New(demo.Options{Fault: "no-answer-call"}).HandlerContext(ctx))
	defer server.Close()
	defer stop()
	s, err := Open(Config{Target: client.Target{URL: server.URL + "/modern"}, Record: "off", Client: client.Config{Revision: revision.R20260728}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	if err := s.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	call := s.Start("tools/call", []byte(`{"name":"echo","arguments":{"message":"x"}}`))
	awaits(t, s, "sent", func(State) bool { return s.Store().RequestRow(transport.Out, call.ID) != store.None })
	call.Cancel()
	<-call.Done()
	row, _ := s.Store().Row(s.Store().RequestRow(transport.Out, call.ID))
	if row.Flags&store.Cancelled == 0 || row.Flags&(store.Abandoned|store.Pending) != 0 {
		t.Errorf("flags %b", row.Flags)
	}
	if n := s.Store().Snapshot().Counts.Pending; n != 0 {
		t.Errorf("%d requests wait", n)
	}
}

// A request that is sent again beside the first one has a progress token of its own, and the rest of
// its params byte for byte.
func TestAgain_HasItsOwnToken(t *testing.T) {
	onStateless(t, requests.Policies{}, func(s *Session) {
		call := s.Start("tools/call", []byte(`{"name": "echo","arguments":{"message":"hi"},"_meta":{}}`))
		<-call.Done()
		frameOf := func(id jsonrpc.ID) (frame []byte) {
			for row := range int32(s.Store().Snapshot().Rows) {
				if body, err := s.Store().Body(row); err == nil && jsonrpc.Scan(body).HasMethod(body, "tools/call") && jsonrpc.Scan(body).ID.Of(body).ID().Key() == id.Key() {
					frame = body
				}
			}
			return frame
		}
		first := frameOf(call.ID)
		withToken := bytes.Replace(first, []byte(`"_meta":{`), []byte(`"_meta":{"progressToken":`+call.ID.String()+`,"own":"x",`), 1)
		again := s.Again(withToken)
		<-again.Done()
		now := frameOf(again.ID)
		want := bytes.Replace(withToken, []byte(`"progressToken":`+call.ID.String()), []byte(`"progressToken":`+again.ID.String()), 1)
		if e, was := jsonrpc.Scan(now), jsonrpc.Scan(want); again.ID.Key() == call.ID.Key() || !bytes.Equal(e.Params.Of(now), was.Params.Of(want)) {
			t.Errorf("sent %s\nwant %s", now, want)
		}
		other := s.Again(bytes.Replace(withToken, []byte(`"progressToken":`+call.ID.String()), []byte(`"progressToken":"mine"`), 1))
		<-other.Done()
		if sent := frameOf(other.ID); !bytes.Contains(sent, []byte(`"progressToken":"mine"`)) {
			t.Errorf("a token of the user became another one: %s", sent)
		}
	})
}
