package probes_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mcptea/check/probe"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/test/hooktest"
	"mcptea/record"
	"mcptea/record/store"
)

// webhooks runs a probe of webhooks against the demo server over HTTP, which delivers to callbacks of the probe.
// A request without a token is refused, as the extension requires.
func webhooks(t *testing.T, id string, fault func(w http.ResponseWriter, q *http.Request, body string) bool) probe.Report {
	t.Helper()
	return webhooksIn(t, nil, id, fault)
}

// webhooksIn is webhooks with a record.
func webhooksIn(t *testing.T, s *store.Store, id string, fault func(w http.ResponseWriter, q *http.Request, body string) bool) probe.Report {
	t.Helper()
	server := httpServer{revision: revision.R20260728, change: func(cfg *probe.Config) {
		cfg.Record = s
		cfg.Events, cfg.Triggers = true, []probe.Trigger{{Tool: "emit-event", Arguments: `{"name":"order.placed"}`}}
		withToken(cfg)
	}, fault: func(w http.ResponseWriter, q *http.Request, body string) bool {
		if strings.Contains(body, "events/subscribe") && q.Header.Get("Authorization") == "" {
			reply(w, body, `"error":{"code":-32024,"message":"Not without a token","data":{"reason":"Authentication required"}}`)
			return true
		}
		return fault != nil && fault(w, q, body)
	}}
	for _, r := range server.run(t, id).Reports {
		if r.Entry.ID == id {
			return r
		}
	}
	t.Fatalf("no report of %s", id)
	return probe.Report{}
}

// reply answers the request of a body.
func reply(w http.ResponseWriter, body, member string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, jsonrpc.Scan([]byte(body)).ID.Of([]byte(body)).Shown(), member)
}

// granted is the result of a subscription that the server did not make.
func granted(id string) string {
	return `"result":{"resultType":"complete","id":"` + id + `","refreshBefore":"2099-01-01T00:00:00Z","cursor":"c","truncated":false,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}`
}

func TestEvents_SilentOnCorrectWebhooks(t *testing.T) {
	for _, id := range []string{"P-234", "P-235"} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			if r := webhooks(t, id, nil); r.Verdict != probe.Pass {
				t.Errorf("%s %s %+v", r.Verdict, r.Skip, r.Findings)
			}
		})
	}
}

func TestEvents_SubscriptionFaults(t *testing.T) {
	subscribes := func(n int, answer string) func(w http.ResponseWriter, _ *http.Request, body string) bool {
		seen := 0
		return func(w http.ResponseWriter, _ *http.Request, body string) bool {
			if !strings.Contains(body, `"events/subscribe"`) {
				return false
			}
			if seen++; n != 0 && seen != n {
				return false
			}
			reply(w, body, answer)
			return true
		}
	}
	for _, tt := range []struct {
		name  string
		fault func(w http.ResponseWriter, q *http.Request, body string) bool
		want  string // empty if the probe does not judge
	}{
		{"no challenge", subscribes(0, granted("sub_1")), "without a challenge"},
		{"another id for the same subscription", subscribes(2, granted("sub_other")), `gets the id "sub_other"`},
		{"callbacks on this machine are refused", subscribes(0, `"error":{"code":-32602,"message":"not a public address"}`), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := webhooks(t, "P-234", tt.fault)
			var messages []string
			for _, f := range r.Findings {
				messages = append(messages, f.Message)
			}
			all := strings.Join(messages, "\n")
			switch {
			case tt.want == "" && (r.Verdict != probe.Failure || len(messages) > 0):
				t.Errorf("%s %s: %s", r.Verdict, r.Skip, all)
			case tt.want != "" && (r.Verdict != probe.Fail || !strings.Contains(all, tt.want)):
				t.Errorf("%s %s: %s; want %q", r.Verdict, r.Skip, all, tt.want)
			}
		})
	}
}

// throughProxy has deliveries come through a proxy that changes them.
func throughProxy(t *testing.T, change func(h http.Header, body []byte) []byte) func(w http.ResponseWriter, q *http.Request, body string) bool {
	t.Helper()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		body = change(q.Header, body)
		next, err := http.NewRequestWithContext(q.Context(), http.MethodPost, q.URL.Query().Get("to"), bytes.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		next.Header = q.Header
		got, err := http.DefaultTransport.RoundTrip(next) // redirects are the server's
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer got.Body.Close()
		w.WriteHeader(got.StatusCode)
		_, _ = io.Copy(w, got.Body) // the server sees what is missing
	}))
	t.Cleanup(proxy.Close)
	return func(_ http.ResponseWriter, q *http.Request, body string) bool {
		if url := jsonrpc.Text([]byte(body), "params", "delivery", "url"); url != "" {
			body = strings.ReplaceAll(body, `"`+url+`"`, `"`+proxy.URL+"/?to="+url+`"`)
			q.Body, q.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		}
		return false
	}
}

func TestEvents_DeliveryFaults(t *testing.T) {
	isEvent := func(body []byte) bool { return bytes.Contains(body, []byte(`"eventId"`)) }
	for _, tt := range []struct {
		name, want string // empty where nothing is changed
		change     func(h http.Header, body []byte) []byte
	}{
		{"as it is", "", func(_ http.Header, body []byte) []byte { return body }},
		{"no subscription id", "no X-MCP-Subscription-Id", func(h http.Header, body []byte) []byte {
			if isEvent(body) {
				h.Del("X-MCP-Subscription-Id")
			}
			return body
		}},
		{"serialized again", "The signature", func(_ http.Header, body []byte) []byte {
			if isEvent(body) {
				return append(body, '\n')
			}
			return body
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := webhooks(t, "P-235", throughProxy(t, tt.change))
			var messages []string
			for _, f := range r.Findings {
				messages = append(messages, f.Message)
			}
			if all := strings.Join(messages, "\n"); tt.want == "" && r.Verdict != probe.Pass || !strings.Contains(strings.ToLower(all), strings.ToLower(tt.want)) {
				t.Errorf("%s %s: %s; want %q", r.Verdict, r.Skip, all, tt.want)
			}
		})
	}
}

// The deliveries to the callbacks of a check are rows of its recording, below the requests that have subscribed to them:
// challenges, events, and those that were refused on purpose with their retries. The secrets are in no byte of it.
func TestEvents_DeliveriesAreRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "check.mcptea.jsonl")
	s, err := store.Create(store.Options{Path: path}, record.Header{Tool: "t", Transport: "http"})
	if err != nil {
		t.Fatal(err)
	}
	if r := webhooksIn(t, s, "P-235", nil); r.Verdict != probe.Pass {
		t.Fatalf("%s %s %+v", r.Verdict, r.Skip, r.Findings)
	}
	seen := map[string]int{}
	for i := 0; ; i++ {
		row, ok := s.Row(int32(i))
		if !ok {
			break
		}
		if row.Kind != store.KindDelivery {
			continue
		}
		d, err := s.DeliveryOf(int32(i))
		if err != nil {
			t.Fatal(err)
		}
		root, _ := s.Row(s.Root(int32(i)))
		if s.Method(root.Method) != revision.EventsSubscribe || d.Callback == "" {
			t.Errorf("delivery %d belongs to %s: %+v", i, s.Method(root.Method), d)
		}
		seen[d.What]++
		if d.Asked && d.IsRefused() {
			seen["refused"]++
		}
		if d.Retry > 0 {
			seen["retry"]++
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"verification", "event", "refused", "retry"} {
		if seen[want] == 0 {
			t.Errorf("no %s is recorded: %v", want, seen)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile(`"whsec_[^"]*"`).FindAll(text, -1) {
		if bytes.Trim(found, `"`)[len("whsec_")] != '*' {
			t.Errorf("a secret is recorded: %s", found)
		}
	}
}

// What ends a subscription is not the 410 of a delivery where each trigger does.
func TestEvents_EndAfter410(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		verdict    probe.Verdict
		lasts      bool // a subscription that is made again goes on
	}{
		{"the 410", "After status 410 for one delivery, no later event was delivered", probe.Fail, true},
		{"each trigger", "the triggers end subscriptions to order.placed", probe.Failure, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			live, pulls := true, 0
			r := webhooks(t, "P-235", func(w http.ResponseWriter, _ *http.Request, body string) bool {
				switch {
				case strings.Contains(body, `"events/subscribe"`):
					live = true
				case strings.Contains(body, `"tools/call"`) && !live:
					reply(w, body, `"result":{"resultType":"complete","content":[],"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}}`)
					return true
				case strings.Contains(body, `"tools/call"`):
					pulls++
					live = tt.lasts && pulls > 1
				}
				return false
			})
			text := r.Skip
			for _, f := range r.Findings {
				text += "\n" + f.Message
			}
			if r.Verdict != tt.verdict || !strings.Contains(text, tt.want) || tt.verdict == probe.Failure && len(r.Findings) > 0 {
				t.Errorf("%s: %s; want %q", r.Verdict, text, tt.want)
			}
		})
	}
}

// A delivery that was under way when its subscription ended is no event after the end; one that the callback beside it has got
// since is.
func TestEvents_DeliveryAfterTheEnd(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		everywhere bool // it comes to the other callback, too
	}{
		{"under way", "", false},
		{"after the end", "An event is delivered after events/unsubscribe (1).", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			secrets, gone, newest := map[string]string{}, "", ""
			r := webhooks(t, "P-235", func(_ http.ResponseWriter, _ *http.Request, body string) bool {
				url := jsonrpc.Text([]byte(body), "params", "delivery", "url")
				switch {
				case strings.Contains(body, `"events/subscribe"`):
					secrets[url], newest = jsonrpc.Text([]byte(body), "params", "delivery", "secret"), url
				case strings.Contains(body, `"events/unsubscribe"`) && gone == "":
					gone = url
				case strings.Contains(body, `"tools/call"`) && gone != "":
					to := []string{gone}
					if tt.everywhere {
						to = append(to, newest)
					}
					for _, url := range to {
						_, _, err := hooktest.Sender{URL: url, Secret: secrets[url]}.Post("evt_late", []byte(`{"eventId":"evt_late","name":"order.placed","timestamp":"2026-11-28T00:00:00Z","data":{},"cursor":null}`), nil)
						if err != nil {
							t.Error(err)
						}
					}
					gone = ""
				}
				return false
			})
			text := r.Skip
			for _, f := range r.Findings {
				if f.Rule == nil { // rules are about the form of the late delivery, which names no subscription
					text += f.Message
				}
			}
			if text != tt.want {
				t.Errorf("%s: %s; want %q", r.Verdict, text, tt.want)
			}
		})
	}
}
