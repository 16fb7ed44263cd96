package webhook

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/record"
)

func TestParsePlan(t *testing.T) {
	for text, want := range map[string]Plan{
		"500*2":           {Deliveries: []Response{{Status: 500, Count: 2}}},
		"200*3, 410":      {Deliveries: []Response{{Count: 3}, {Status: 410, Count: 1}}},
		"delay=12s,503*":  {Deliveries: []Response{{Delay: 12 * time.Second, Count: 1}, {Status: 503}}},
		"599":             {Deliveries: []Response{{Status: 599, Count: 1}}},
		"challenge=wrong": {Challenges: []Response{{WrongEcho: true, Count: 1}}},
		"307,challenge=delay=1s*2": {
			Deliveries: []Response{{Status: 307, Count: 1}}, Challenges: []Response{{Delay: time.Second, Count: 2}},
		},
	} {
		if got, err := ParsePlan(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
		if again, err := ParsePlan(want.String()); err != nil || !reflect.DeepEqual(again, want) {
			t.Errorf("%s is written as %s: %+v, %v", text, want, again, err)
		}
	}
	for text, want := range map[string]string{
		"":           "neither a status from 200 to 599 nor delay=TIME",
		"100":        "neither a status",
		"199":        "neither a status",
		"600":        "neither a status",
		"5000":       "neither a status",
		"0500":       "neither a status",
		"50x":        "neither a status",
		"+50":        "neither a status",
		"500*0":      "from 1 to 1000000",
		"500*2x":     "from 1 to 1000000",
		"delay=0s":   "a delay is from 1ms to 5m",
		"delay=1h":   "a delay is from 1ms to 5m",
		"wrong":      "neither a status",
		"500*,410":   `"410": the response before it is for all later ones`,
		"500,,410":   "neither a status",
		"a=500":      "neither a status",
		"challenge=": "neither a status",
	} {
		if got, err := ParsePlan(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
}

func FuzzParsePlan(f *testing.F) {
	for _, text := range []string{"500*2", "delay=1s*,challenge=wrong", "*", ",", "challenge=delay=1ms*3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePlan(text)
		if err != nil && !p.IsEmpty() || err == nil && p.IsEmpty() {
			t.Errorf("%q: %+v, %v", text, p, err)
		}
		if again, e := ParsePlan(p.String()); err == nil && (e != nil || !reflect.DeepEqual(again, p)) {
			t.Errorf("%q is written as %q: %+v, %v", text, p, again, e)
		}
		for _, r := range append(p.Deliveries, p.Challenges...) {
			if r.Count < 0 || r.Delay < 0 || r.Delay > maxDelay || r.Status != 0 && (r.Status < 300 || r.Status > 599) {
				t.Errorf("%q: %+v", text, r)
			}
		}
	})
}

// ready is a receiver whose subscription is live, which answers by a plan, and what it has told.
func ready(t *testing.T, plan string) (r *rig, told *[]Delivery) {
	t.Helper()
	p, err := ParsePlan(plan)
	if err != nil {
		t.Fatal(err)
	}
	r, told = newRig(t), new([]Delivery)
	r.Respond(p)
	r.Tell(func(d Delivery) { *told = append(*told, d) }, func() {})
	return r, told
}

// live answers the challenge of a receiver.
func (r *rig) live() {
	r.post("msg_1", `{"type":"verification","challenge":"c"}`, nil)
	r.Subscribed("sub_1")
}

// The first deliveries are refused, a retry says so with the time since the attempt before, and the message counts once.
func TestRespond_RefusesThenAccepts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, told := ready(t, "500*2")
		r.live()
		for i, want := range []struct {
			status int
			line   string
		}{
			{500, "500  refused, as asked  verified"},
			{500, "500  retry 1 after 2 s  refused, as asked  verified"},
			{200, "200  retry 2 after 2 s  verified"},
			{200, "200  verified, received before"},
		} {
			status, _ := r.post("e1", `{"eventId":"e1"}`, nil)
			if d := (*told)[len(*told)-1]; status != want.status || d.Line() != want.line {
				t.Errorf("attempt %d: %d, %q", i, status, d.Line())
			}
			time.Sleep(2 * time.Second)
		}
		if want := (Counts{Accepted: 2, Challenges: 1, Repeated: 1, Asked: 2}); r.Counts() != want || len(r.Troubles()) != 0 {
			t.Errorf("%+v, %v", r.Counts(), r.Troubles())
		}
	})
}

// What the receiver does not accept anyway does not use up the plan.
func TestRespond_CountsWhatIsAcceptable(t *testing.T) {
	r, _ := ready(t, "200,410")
	r.live()
	r.post("e0", `{}`, func(q *http.Request) { q.Header.Set("webhook-signature", "v1,AAAA") })
	for i, want := range []int{200, 410, 200} {
		if status, _ := r.post("e"+string(rune('1'+i)), `{"eventId":"e"}`, nil); status != want {
			t.Errorf("delivery %d: %d", i, status)
		}
	}
}

// A challenge is answered with another one, or refused, and then echoed.
func TestRespond_Challenges(t *testing.T) {
	r, told := ready(t, "challenge=wrong,challenge=500")
	for i, want := range []struct {
		status int
		body   string
	}{{200, `{"challenge":"mcptea"}`}, {500, "refused, as asked\n"}, {200, `{"challenge":"c"}`}} {
		status, body := r.post("msg_"+string(rune('1'+i)), `{"type":"verification","challenge":"c"}`, nil)
		if status != want.status || body != want.body {
			t.Errorf("challenge %d: %d %s", i, status, body)
		}
	}
	if r.verified != true || !(*told)[0].WrongEcho || !strings.Contains((*told)[0].Line(), "another challenge echoed, as requested") {
		t.Errorf("%+v", *told)
	}
}

// A response comes late; a sender that has left gets none, and its retry counts.
func TestRespond_Late(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, told := ready(t, "delay=3s,delay=10s")
		r.live()
		began := time.Now()
		if status, _ := r.post("e1", `{"eventId":"e1"}`, nil); status != 200 || time.Since(began) != 3*time.Second {
			t.Errorf("%d after %v", status, time.Since(began))
		}
		if d := (*told)[len(*told)-1]; d.Line() != "200  answered after 3 s, as asked  verified" {
			t.Errorf("%q", d.Line())
		}
		ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
		defer stop()
		r.post("e2", `{"eventId":"e2"}`, func(q *http.Request) { *q = *q.WithContext(ctx) })
		if d := (*told)[len(*told)-1]; d.Status != 0 || d.Line() != "the sender did not wait for the response, held back for 5 s  verified" {
			t.Errorf("%q", d.Line())
		}
		r.post("e2", `{"eventId":"e2"}`, nil)
		if d := (*told)[len(*told)-1]; d.Retry != 1 || d.After != 5*time.Second || d.Again {
			t.Errorf("%+v", d)
		}
	})
}

// A sender that follows a redirect is seen where it leads.
func TestRespond_Redirect(t *testing.T) {
	r, told := ready(t, "307*")
	server := httptest.NewServer(r)
	defer server.Close()
	r.live()
	post := func(address string) (status int, location *url.URL) {
		q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(`{"eventId":"e1"}`))
		if err != nil {
			t.Fatal(err)
		}
		m := message{"e1", strconv.FormatInt(time.Now().Unix(), 10), []byte(`{"eventId":"e1"}`)}
		q.Header.Set("webhook-id", m.id)
		q.Header.Set("webhook-timestamp", m.timestamp)
		q.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(sum(keyOf(vectorSecret), m.content())))
		response, err := http.DefaultTransport.RoundTrip(q) // follows no redirect
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		location, _ = response.Location()
		return response.StatusCode, location
	}
	first, to := post(server.URL + "/tunnel" + r.Path())
	if first != 307 || to == nil || to.Path != "/tunnel"+r.Path()+record.RedirectedPath {
		t.Fatal(first, to)
	}
	second, _ := post(to.String())
	if d := (*told)[len(*told)-1]; second != 200 || !d.Redirected || d.What != "event" || d.Line() != "200  by the requested redirect" {
		t.Errorf("%d %+v", second, d)
	}
}
