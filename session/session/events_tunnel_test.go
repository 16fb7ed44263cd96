package session

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/test/hooktest"
	"mcptea/internal/test/sessiontest"
	"mcptea/record/webhook"
	"mcptea/session/events"
)

// tunnel is a reverse proxy with TLS to a listener, as those that users start: it has a name and a path of its own, names
// the listener as Host, adds X-Forwarded headers, and sends bodies in chunks. The client reaches it by each name.
func tunnel(t *testing.T, to net.Addr) *http.Client {
	target := &url.URL{Scheme: "http", Host: to.String()}
	proxy := httptest.NewTLSServer(http.StripPrefix("/inbox", &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.SetXForwarded()
		r.Out.ContentLength = -1
	}}))
	t.Cleanup(proxy.Close)
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, proxy.Listener.Addr().String())
	}
	return &http.Client{
		Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{DialContext: dial, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
	}
}

// A delivery that comes through a tunnel is verified, answered and recorded as one to the URL of the tunnel: so are a
// challenge, a refusal, a redirect and a request to another path.
func TestEvents_ThroughATunnel(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	sender, echoed := hooktest.Sender{ID: "sub_1", Client: tunnel(t, l.Addr())}, make(chan string, 1)
	path := filepath.Join(t.TempDir(), "tunnel.mcptea.jsonl")
	s, err := Open(Config{
		Target: client.Target{Argv: []string{"ticker"}}, Record: path, Lists: []client.ListKind{client.Events},
		Client: client.Config{Name: "mcptea", Version: "test", Revision: revision.R20260728},
		Dial: sessiontest.Dial(eventServer(func(p *sessiontest.Peer, m sessiontest.Message) {
			if m.Method == revision.EventsSubscribe {
				sender.URL, sender.Secret = jsonrpc.Text(m.Params, "delivery", "url"), jsonrpc.Text(m.Params, "delivery", "secret")
				status, text, err := sender.Post("msg_1", []byte(`{"type":"verification","challenge":"abc"}`), nil)
				echoed <- fmt.Sprint(status, " ", text, " ", err)
			}
			p.Result(m, `{"resultType":"complete","id":"sub_1","refreshBefore":null,"cursor":"c0","truncated":false}`)
		})),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	if err := s.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	server := webhook.Serve(l, "https://abc.example.com/inbox/")
	plan, err := webhook.ParsePlan("503,307")
	if err != nil || !server.IsPublic() {
		t.Fatal(err, server.Callback)
	}
	server.Respond(plan)
	f := s.Events().FollowWebhook(events.Params{Name: "tick"}, server, 0)
	if got := <-echoed; got != `200 {"challenge":"abc"} <nil>` || !strings.HasPrefix(sender.URL, "https://abc.example.com/inbox/mcptea/") {
		t.Errorf("%s is answered %s", sender.URL, got)
	}
	for status := 0; status != 200; { // until the receiver knows the subscription
		if status, _, err = sender.Post("early", []byte(`{"type":"later"}`), nil); err != nil {
			t.Fatal(err)
		}
	}
	body := []byte(`{"eventId":"e1","name":"tick","timestamp":"2026-11-28T00:00:00Z","data":{"n":1},"cursor":"c1"}`)
	for _, want := range []int{503, 307, 200} {
		if status, _, err := sender.Post("e1", body, nil); err != nil || status != want {
			t.Errorf("%d, %v in place of %d", status, err, want)
		}
	}
	stranger := sender
	stranger.URL = "https://abc.example.com/inbox/other"
	if status, _, err := stranger.Post("e2", body, nil); err != nil || status != 404 {
		t.Errorf("another path: %d, %v", status, err)
	}
	has := func(text string) bool { return strings.Contains(told(s, f.Number()), text) }
	if err := s.Until(t.Context(), func() bool { return has("refused, refused, e1") }); err != nil || !has("challenge") || !has("opened") {
		t.Errorf("entries: %s", told(s, f.Number()))
	}
	if ids := f.State().Delivered.MessageIDs(); ids != "the eventId" {
		t.Errorf("webhook-id is %q", ids)
	}
	if status, _, err := sender.Post("msg_3", []byte(`{"eventId":"e3","name":"tick","timestamp":"2026-11-28T00:00:01Z","data":{"n":3},"cursor":"c3"}`), nil); err != nil || status != 200 {
		t.Errorf("%d, %v", status, err)
	}
	if err := s.Until(t.Context(), func() bool { return has("e3") }); err != nil || f.State().Events != 2 || f.State().Delivered.MessageIDs() != "the eventId of 1 event, and an id of the message of 1" {
		t.Errorf("%d events, webhook-id is %q, %v", f.State().Events, f.State().Delivered.MessageIDs(), err)
	}
	lines := map[string]int{}
	for row := range int32(s.Store().Snapshot().Rows) {
		d, err := s.Store().DeliveryOf(row)
		if err != nil {
			continue // a frame
		}
		if method, address := d.Request(); method != "POST" || !strings.HasPrefix(address, "https://abc.example.com/") {
			t.Errorf("a delivery by %s to %s", method, address)
		}
		line, _, _ := strings.Cut(d.Line(), " after")
		lines[line]++
	}
	for _, want := range []string{"200  verified", "503  refused, as asked  verified", "307  retry 1", "200  retry 2"} {
		if lines[want] == 0 {
			t.Errorf("no delivery is told as %q: %v", want, lines)
		}
	}
	elsewhere := 0
	for line, n := range lines {
		if strings.HasPrefix(line, "404  ") {
			elsewhere += n
		}
	}
	if elsewhere != 1 {
		t.Errorf("another path: %v", lines)
	}
}
