package requests

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// fake is a session and its client.
type fake struct {
	Session // what tasks need
	mu      sync.Mutex
	sent    []string // written or queued responses
	changed []string // tasks
}

func (f *fake) Responder() Client { return f }
func (f *fake) Changed()          {}
func (f *fake) Go(do func())      { go do() }
func (f *fake) Note(string)       {}

func (f *fake) Respond(_ context.Context, id jsonrpc.ID, result []byte) error {
	return f.QueueResponse(id, result)
}

func (f *fake) RespondError(_ context.Context, id jsonrpc.ID, code int64, message string) error {
	return f.QueueErrorResponse(id, code, message)
}

func (f *fake) QueueResponse(id jsonrpc.ID, result []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent = append(f.sent, fmt.Sprintf("%s result %s", id, result))
	return nil
}

func (f *fake) QueueErrorResponse(id jsonrpc.ID, code int64, _ string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent = append(f.sent, fmt.Sprintf("%s error %d", id, code))
	return nil
}

func newInbox(mode PolicyMode) (*Inbox, *fake) {
	f := &fake{}
	p := Policy{Mode: mode, Result: []byte(`{"action":"accept","content":{"a":1}}`)}
	b, _ := New(f, Policies{Sampling: p, Elicitation: p}, 0)
	b.inputChanged = func(task string) { f.changed = append(f.changed, task) }
	return b, f
}

func elicitation(id int, params string) Request {
	return Request{ID: jsonrpc.IDOf(fmt.Sprint(id)), Method: client.MethodElicitation, Params: []byte(params), Conn: 1}
}

var largeForm = `{"message":"` + strings.Repeat("x", 1<<20) + `"}`

func TestAdd_Policies(t *testing.T) {
	tests := []struct {
		mode                  PolicyMode
		elicitation, sampling string
		state                 State
	}{
		{PolicyDecline, `1 result {"action":"decline"}`, "2 error -1", Declined},
		{PolicyCancel, `1 result {"action":"cancel"}`, "2 error -1", Cancelled},
		{PolicyError, "1 error -32603", "2 error -32603", Refused},
		{PolicyResult, `1 result {"action":"accept","content":{"a":1}}`, `2 result {"action":"accept","content":{"a":1}}`, Answered},
	}
	for _, tt := range tests {
		b, f := newInbox(tt.mode)
		b.Add(elicitation(1, `{}`))
		b.Add(Request{ID: jsonrpc.IDOf("2"), Method: client.MethodSampling, Task: "t"})
		b.Add(elicitation(3, `{"mode":"url"}`))
		if !slices.Equal(f.sent[:2], []string{tt.elicitation, tt.sampling}) || !slices.Equal(f.changed, []string{"t"}) {
			t.Errorf("mode %d sent %q, changed %q", tt.mode, f.sent, f.changed)
		}
		if tt.mode == PolicyResult && f.sent[2] != `3 result {"action":"accept"}` {
			t.Errorf("URL mode: %q", f.sent[2])
		}
		for _, r := range b.Requests() {
			want := tt.state
			if want == Cancelled && r.Method == client.MethodSampling { // no response to it cancels
				want = Declined
			}
			if r.State != want || r.By != "policy" {
				t.Errorf("mode %d: request %s is %v by %s", tt.mode, r.ID, r.State, r.By)
			}
		}
	}
}

func TestRespond_OnlyOnce(t *testing.T) {
	b, f := newInbox(PolicyUser)
	b.Add(elicitation(1, `{}`))
	if err := b.Respond(jsonrpc.IDOf("1"), []byte(`{oops`)); err != errNotJSON {
		t.Errorf("invalid JSON: %v", err)
	}
	if err := b.Respond(jsonrpc.IDOf("1"), []byte(`{"action":"accept"}`)); err != nil {
		t.Error(err)
	}
	if err := b.Decline(jsonrpc.IDOf("1")); err != errNotWaiting {
		t.Errorf("a second response: %v", err)
	}
	b.Add(elicitation(2, `{}`))
	b.Withdraw(jsonrpc.IDOf("2"), "server", time.Now())
	if err := b.Refuse(jsonrpc.IDOf("2"), 1, "m"); err != errNotWaiting {
		t.Errorf("a response to a withdrawn request: %v", err)
	}
	if !slices.Equal(f.sent, []string{`1 result {"action":"accept"}`}) {
		t.Errorf("sent %q", f.sent)
	}
}

// Input requests of one result: a response is kept while another one waits, and is never sent when
// one of them gets no result.
func TestRespond_KeptForItsRound(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(b *Inbox) error
		want []string
	}{
		{"all", func(b *Inbox) error {
			return errors.Join(b.Respond(jsonrpc.IDOf("2"), []byte(`{}`)), b.Decline(jsonrpc.IDOf("3")))
		}, []string{"answered", "answered", "declined"}},
		{"one is kept", func(b *Inbox) error { return b.Decline(jsonrpc.IDOf("2")) }, []string{"answered kept", "declined kept", "waiting"}},
		{"refused", func(b *Inbox) error {
			err := b.Refuse(jsonrpc.IDOf("2"), -1, "no")
			b.Withdraw(jsonrpc.IDOf("3"), "call", time.Now()) // the client does so
			return err
		}, []string{"withdrawn unsent", "refused unsent", "withdrawn unsent"}},
		{"cancelled", func(b *Inbox) error {
			b.Withdraw(jsonrpc.IDOf("2"), "call", time.Now())
			return nil
		}, []string{"withdrawn unsent", "withdrawn unsent", "waiting"}},
	} {
		b, _ := newInbox(PolicyUser)
		for id := range 3 {
			r := elicitation(id+1, `{}`)
			r.Round = 7
			b.Add(r)
		}
		other := elicitation(4, `{}`)
		other.Round = 8
		b.Add(other)
		if err := errors.Join(b.Respond(jsonrpc.IDOf("4"), []byte(`{}`)), b.Respond(jsonrpc.IDOf("1"), []byte(`{}`)), tt.end(b)); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		var got []string
		for _, r := range b.Requests() {
			text := r.State.String()
			if r.Kept() {
				text += " kept"
			}
			if r.Unsent() {
				text += " unsent"
			}
			got = append(got, text)
		}
		if want := append(tt.want, "answered"); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", tt.name, got, want)
		}
	}
}

func TestAdd_Deadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, f := newInbox(PolicyUser)
		b.Add(elicitation(1, `{}`))
		b.Add(elicitation(2, `{}`))
		b.WithdrawAll(time.Now())
		b.Add(elicitation(3, `{}`))
		b.Add(Request{ID: jsonrpc.IDOf("4"), Method: client.MethodSampling, Conn: 1})
		time.Sleep(requestTimeout)
		synctest.Wait()
		slices.Sort(f.sent)
		if !slices.Equal(f.sent, []string{`3 result {"action":"cancel"}`, "4 error -1"}) {
			t.Errorf("sent %q", f.sent)
		}
		if r := b.Requests()[2]; r.State != Cancelled || r.By != "deadline" || r.Failure != "" {
			t.Errorf("%v by %s, %s", r.State, r.By, r.Failure)
		}
		// There is no response to sampling that cancels.
		if r := b.Requests()[3]; r.State != Declined || r.By != "deadline" || r.Failure != "User rejected sampling request" {
			t.Errorf("%v by %s, %s", r.State, r.By, r.Failure)
		}
	})
}

func TestWithdraw_HoldsNoParams(t *testing.T) {
	b, _ := newInbox(PolicyUser)
	for i := range 40 {
		b.Add(elicitation(i, largeForm))
		b.Withdraw(jsonrpc.IDOf(fmt.Sprint(i)), "server", time.Now())
	}
	for _, r := range b.Requests() {
		if r.State != Withdrawn || !r.Dropped || r.Params != nil || r.expiry != nil {
			t.Fatalf("%s is %v, dropped %v, timer %v", r.ID, r.State, r.Dropped, r.expiry != nil)
		}
	}
}

func TestAdd_WaitingIsBounded(t *testing.T) {
	b, _ := newInbox(PolicyUser)
	for i := range 50 {
		b.Add(elicitation(i, largeForm))
	}
	waiting, refused, size := 0, 0, 0
	for _, r := range b.Requests() {
		switch r.State {
		case Waiting:
			waiting++
			size += len(r.Params)
		case Refused:
			refused++
		}
	}
	if size > maxWaitingBytes || waiting < maxWaitingBytes/len(largeForm) || waiting+refused != 50 {
		t.Errorf("%d wait with %d MB, %d are refused", waiting, size>>20, refused)
	}
}

func TestAdd_PolicyStartsNoGoroutines(t *testing.T) {
	const maxRequests = 500
	b, _ := newInbox(PolicyDecline)
	before := runtime.NumGoroutine()
	for i := range 2000 {
		b.Add(elicitation(i, `{}`))
	}
	if n := runtime.NumGoroutine() - before; n > 1 {
		t.Errorf("%d more goroutines", n)
	}
	if n := len(b.Requests()); n > maxRequests {
		t.Errorf("%d requests are kept", n)
	}
}

func TestRequired_PagesOfAnError(t *testing.T) {
	const maxCompleted = 100
	b, f := newInbox(PolicyUser)
	call := &struct{ name string }{"call"}
	b.Complete([]byte(`{"elicitationId":"e2"}`), time.Unix(1, 0))
	b.AddRequired(Request{Of: jsonrpc.IDOf("7"), Conn: 1}, []byte(`[{"mode":"url","elicitationId":"e1"},{"mode":"url","elicitationId":"e2"}]`), call)
	b.Complete([]byte(`{"elicitationId":"e1"}`), time.Unix(2, 0))
	all := b.Requests()
	if len(all) != 2 || !all[0].Completed.Equal(time.Unix(2, 0)) || !all[1].Completed.Equal(time.Unix(1, 0)) || !all[0].Required() {
		t.Fatalf("%+v", all)
	}
	if got, err := b.Retry(all[1].ID); got != call || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	for _, r := range b.Requests() {
		if r.State != Answered {
			t.Errorf("%s is %v", r.ID, r.State)
		}
	}
	if _, err := b.Retry(all[0].ID); err != errNotWaiting {
		t.Errorf("a second time: %v", err)
	}
	b.Complete([]byte(`{"elicitationId":"`+strings.Repeat("x", 2*maxElicitationID)+`"}`), time.Time{})
	for i := range 2 * maxCompleted {
		b.Complete(fmt.Appendf(nil, `{"elicitationId":"x%d"}`, i), time.Time{})
	}
	if len(b.completed) != maxCompleted || len(f.sent) != 0 {
		t.Errorf("%d remembered, sent %q", len(b.completed), f.sent)
	}
}
