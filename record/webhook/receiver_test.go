package webhook

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// rig is a receiver, and what it has passed on.
type rig struct {
	*Receiver
	t         *testing.T
	delivered []Delivery
}

func newRig(t *testing.T) *rig {
	r := &rig{Receiver: New(vectorSecret), t: t}
	r.Tell(func(d Delivery) {
		if d.Trouble == "" && d.What != "verification" {
			r.delivered = append(r.delivered, d)
		}
	}, func() {})
	return r
}

// post sends a delivery that is correct except for change, and returns the status and the body of the
// response.
func (r *rig) post(id, body string, change func(q *http.Request)) (int, string) {
	r.t.Helper()
	at := strconv.FormatInt(time.Now().Unix(), 10)
	q := httptest.NewRequest(http.MethodPost, r.Path(), strings.NewReader(body))
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("webhook-id", id)
	q.Header.Set("webhook-timestamp", at)
	q.Header.Set("X-MCP-Subscription-Id", "sub_1")
	if change != nil {
		change(q)
	}
	if q.Header.Get("webhook-signature") == "" {
		m := message{q.Header.Get("webhook-id"), q.Header.Get("webhook-timestamp"), []byte(body)}
		q.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(sum(keyOf(vectorSecret), m.content())))
	}
	w := httptest.NewRecorder()
	r.ServeHTTP(w, q)
	return w.Code, w.Body.String()
}

func TestReceiver_ChallengeThenEvents(t *testing.T) {
	r := newRig(t)
	if status, _ := r.post("e0", `{"eventId":"e0"}`, nil); status != 503 {
		t.Errorf("an event before the challenge: %d", status)
	}
	if status, body := r.post("msg_1", `{"type":"verification","challenge":"a\"b"}`, nil); status != 200 || body != `{"challenge":"a\"b"}` {
		t.Errorf("challenge: %d %s", status, body)
	}
	if status, _ := r.post("e1", `{"eventId":"e1"}`, nil); status != 503 {
		t.Errorf("an event before the result of subscribe: %d", status)
	}
	r.Subscribed("sub_1")
	for _, id := range []string{"e1", "e1", "e2"} {
		if status, _ := r.post(id, `{"eventId":"`+id+`"}`, nil); status != 200 {
			t.Errorf("%s: %d", id, status)
		}
	}
	r.Over()
	if status, _ := r.post("e3", `{"eventId":"e3"}`, nil); status != 410 {
		t.Errorf("after the end: %d", status)
	}
	if len(r.delivered) != 3 || r.delivered[0].Again || !r.delivered[1].Again || r.Counts() != (Counts{Accepted: 3, Challenges: 1, Repeated: 1, Refused: 3}) {
		t.Errorf("%+v, %+v", r.delivered, r.Counts())
	}
	if got := r.Troubles(); !slices.Equal(got, []Counted{{tooEarly, 1}, {beforeResult, 1}, {tooLate, 1}}) {
		t.Errorf("the reasons of the refusals are %v", got)
	}
}

func TestReceiver_Refusals(t *testing.T) {
	old := strconv.FormatInt(time.Now().Add(-time.Hour).Unix(), 10)
	for name, tt := range map[string]struct {
		body   string
		change func(q *http.Request)
		status int
		want   Trouble
	}{
		"elsewhere":    {`{}`, func(q *http.Request) { q.URL.Path = "/mcptea/other" }, 404, elsewhere},
		"longer path":  {`{}`, func(q *http.Request) { q.URL.Path += "x" }, 404, elsewhere},
		"path below":   {`{}`, func(q *http.Request) { q.URL.Path += "/x" }, 404, elsewhere},
		"part of path": {`{}`, func(q *http.Request) { q.URL.Path = q.URL.Path[:len(q.URL.Path)-1] }, 404, elsewhere},
		"GET":          {`{}`, func(q *http.Request) { q.Method = http.MethodGet }, 405, notPost},
		"unsigned":     {`{}`, func(q *http.Request) { q.Header.Del("webhook-id"); q.Header.Set("webhook-signature", "v1,x") }, 401, unsigned},
		"signature":    {`{}`, func(q *http.Request) { q.Header.Set("webhook-signature", "v1,AAAA") }, 401, unexplained},
		"old":          {`{}`, func(q *http.Request) { q.Header.Set("webhook-timestamp", old) }, 400, tooOld},
		"milliseconds": {`{}`, func(q *http.Request) { q.Header.Set("webhook-timestamp", old+"000") }, 400, inMilliseconds},
		"no number":    {`{}`, func(q *http.Request) { q.Header.Set("webhook-timestamp", "now") }, 400, noTime},
		"array":        {`[{}]`, nil, 400, notObject},
		"other id":     {`{}`, func(q *http.Request) { q.Header.Set("X-MCP-Subscription-Id", "sub_2") }, 410, otherID},
		"large":        {`{"a":"` + strings.Repeat("x", maxBody) + `"}`, nil, 413, tooLarge},
		"large, unsaid": {`{"a":"` + strings.Repeat("x", maxBody) + `"}`, func(q *http.Request) {
			q.ContentLength = -1
			q.Header.Set("webhook-signature", "v1,x")
		}, 413, tooLarge},
		"type": {`{"type":"party"}`, nil, 200, unknownType},
		"kind": {`{"eventId":"e"}`, func(q *http.Request) { q.Header.Set("Content-Type", "text/plain") }, 200, notJSON},
	} {
		r := newRig(t)
		r.post("msg_1", `{"type":"verification","challenge":"c"}`, nil)
		r.Subscribed("sub_1")
		status, _ := r.post("e1", tt.body, tt.change)
		if refused := r.Counts().Refused; (refused > 0) != (tt.status != 200) {
			t.Errorf("%s: %d are counted as refused", name, refused)
		}
		if got := r.Troubles(); status != tt.status || len(got) != 1 || got[0] != (Counted{tt.want, 1}) {
			t.Errorf("%s: %d, %v", name, status, got)
		}
	}
}

// What the user reads of a refused delivery.
func TestTrouble_Texts(t *testing.T) {
	for trouble, want := range map[Trouble]string{
		elsewhere:      "a request is not for the callback",
		notPost:        "a request to the callback is not a POST",
		unsigned:       "a request has no webhook-id, webhook-timestamp or webhook-signature",
		tooLarge:       "a body is larger than 256 KiB",
		cutOff:         "a body was not complete",
		tooSlow:        "a body did not come within 5 s",
		unexplained:    "the signature does not verify, and none of the usual mistakes explains it",
		inMilliseconds: "webhook-timestamp is in milliseconds, not in seconds",
		noTime:         "webhook-timestamp is not a number of seconds",
		tooOld:         "webhook-timestamp is more than 5 minutes from now",
		notObject:      "a body is not a JSON object",
	} {
		if string(trouble) != want {
			t.Errorf("%q, want %q", trouble, want)
		}
	}
}

// What the headers of a delivery are is kept with it, for the rules and the recording.
func TestReceiver_KeepsHeaders(t *testing.T) {
	r, told := ready(t, "200*")
	r.live()
	r.post("e1", `{"eventId":"e1"}`, func(q *http.Request) { q.Header.Set("Content-Type", "text/plain") })
	d := (*told)[len(*told)-1]
	if d.ContentType != "text/plain" || d.Message != "e1" || d.Subscription != "sub_1" || d.Timestamp == "" || !strings.HasPrefix(d.Signature, "v1,") {
		t.Errorf("%+v", d.Delivery)
	}
}

// A flood is told once, with a count, and nothing of it is kept.
func TestReceiver_Flood(t *testing.T) {
	r := newRig(t)
	for i := range 1000 {
		r.post(fmt.Sprint(i), `{}`, func(q *http.Request) { q.Header.Set("webhook-signature", "v1,AAAA") })
	}
	if got := r.Troubles(); len(got) != 1 || got[0].Count != 1000 || len(r.messages) != 0 || len(r.delivered) != 0 {
		t.Errorf("%v", got)
	}
}

// A new secret verifies beside the one before it, and not beside the one before that: the delivery says which one it was.
func TestReceiver_Rotation(t *testing.T) {
	r := newRig(t)
	r.post("msg_1", `{"type":"verification","challenge":"c"}`, nil)
	r.Subscribed("sub_1")
	second, third := NewSecret(), NewSecret()
	signed := func(id string, secrets ...string) func(q *http.Request) {
		return func(q *http.Request) {
			var all []string
			for _, s := range secrets {
				m := message{id, q.Header.Get("webhook-timestamp"), []byte(`{"eventId":"` + id + `"}`)}
				all = append(all, "v1,"+base64.StdEncoding.EncodeToString(sum(keyOf(s), m.content())))
			}
			q.Header.Set("webhook-signature", strings.Join(all, " "))
		}
	}
	for i, step := range []struct {
		rotate  string
		secrets []string
		status  int
		want    string
	}{
		{"", []string{vectorSecret}, 200, "current"},
		{second, []string{vectorSecret}, 200, "previous"},
		{"", []string{vectorSecret, second}, 200, "both"},
		{"", []string{second}, 200, "current"},
		{third, []string{vectorSecret}, 401, ""},
		{"", []string{second}, 200, "previous"},
	} {
		if step.rotate != "" {
			r.Rotate(step.rotate)
		}
		id := fmt.Sprintf("e%d", i)
		status, _ := r.post(id, `{"eventId":"`+id+`"}`, signed(id, step.secrets...))
		got := ""
		if n := len(r.delivered); n > 0 && r.delivered[n-1].Message == id {
			got = string(r.delivered[n-1].Signed)
		}
		if status != step.status || got != step.want {
			t.Errorf("delivery %d: status %d, signed with %q", i, status, got)
		}
	}
}
