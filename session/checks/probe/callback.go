package probe

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/session/events/webhook"
)

// Callback receives the deliveries of one subscription, at an address of this machine. Its methods may
// be called from any goroutine.
type Callback struct {
	URL, Secret string

	base     string
	receiver *webhook.Receiver

	mu    sync.Mutex
	hits  []Hit
	reply Reply
}

// Hit is a POST to a callback.
type Hit struct {
	Control              string // type of a control message; empty for an event
	EventID, Message     string // webhook-id
	Timestamp, Signature string
	Subscription         string // X-MCP-Subscription-Id
	Elsewhere            bool   // it came by a redirect
	At                   time.Time
	Data                 []byte // raw; nil without
}

// IsLater reports a hit so long after another one that their timestamps, in seconds, must differ.
func (h Hit) IsLater(than Hit) bool { return h.At.Sub(than.At) > time.Second }

// Reply is how a callback answers events and challenges. The zero value accepts them.
type Reply struct {
	Status    int  // of events; 0 to accept them
	Once      bool // the status is for the first event alone
	Redirects bool // events are redirected
	BadEcho   bool // challenges get another echo
}

const (
	// maxHits bounds the hits of a callback that are kept.
	maxHits = 1000
	// redirected is the end of the path that [Reply.Redirects] names.
	redirected = "/elsewhere"
)

// Callback opens a callback. It is closed at the end of the probe. ok is false if this machine does not let
// it listen.
func (r *Run) Callback() (*Callback, bool) {
	l, err := new(net.ListenConfig).Listen(r.ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		r.Unjudged("cannot listen for deliveries: %v", err)
		return nil, false
	}
	c := &Callback{Secret: webhook.NewSecret(), base: "http://" + l.Addr().String()}
	c.receiver = webhook.New(c.Secret)
	c.URL = c.base + c.receiver.Path()
	server := &http.Server{Handler: c, ReadHeaderTimeout: r.runner.requestTimeout()}
	go func() { _ = server.Serve(l) }() // ends with Close
	r.closers = append(r.closers, func() { _ = server.Close() })
	return c, true
}

// Next is another callback at the same address and path, with a secret of its own: what comes is verified
// with that one alone.
func (c *Callback) Next() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Secret = webhook.NewSecret()
	next := webhook.New(c.Secret)
	c.receiver = next
}

// Answer sets how it answers from now on.
func (c *Callback) Answer(reply Reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reply = reply
}

// Hits are the POSTs so far.
func (c *Callback) Hits() []Hit {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Hit(nil), c.hits...)
}

// Events are those that have an event.
func (c *Callback) Events() (events []Hit) {
	for _, h := range c.Hits() {
		if h.Control == "" {
			events = append(events, h)
		}
	}
	return events
}

// Troubles are what is wrong with the deliveries, as sentences without their ends.
func (c *Callback) Troubles() (all []string) {
	c.mu.Lock()
	receiver := c.receiver
	c.mu.Unlock()
	for _, t := range receiver.Troubles() {
		all = append(all, string(t.Trouble))
	}
	return all
}

// Subscribed tells it the id of its subscription.
func (c *Callback) Subscribed(id string) { c.receiver.Subscribed(id) }

// ServeHTTP implements [http.Handler].
func (c *Callback) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, hit := c.take(q)
	c.mu.Lock()
	reply, receiver := c.reply, c.receiver
	if hit.Control == "" && reply.Once {
		c.reply = Reply{}
	}
	c.mu.Unlock()
	switch {
	case hit.Elsewhere:
		w.WriteHeader(http.StatusOK)
	case hit.Control == "" && reply.Redirects:
		w.Header().Set("Location", c.URL+redirected)
		w.WriteHeader(http.StatusTemporaryRedirect)
	case hit.Control == "" && reply.Status != 0:
		w.WriteHeader(reply.Status)
	case hit.Control == "verification" && reply.BadEcho:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"challenge":"mcptea"}`)) // the server says what came
	default:
		again := q.Clone(context.WithoutCancel(q.Context()))
		again.Body = body
		again.URL.Path = receiver.Path() // the path of the first receiver stays
		receiver.ServeHTTP(w, again)
	}
}

// maxDelivery is the largest body of a delivery (SEP-3415), in bytes.
const maxDelivery = 256 << 10

// take reads a POST, and keeps it.
func (c *Callback) take(q *http.Request) (body io.ReadCloser, hit Hit) {
	raw, _ := io.ReadAll(io.LimitReader(q.Body, maxDelivery+1)) // one that is cut does not verify
	kind, _ := jsonrpc.Unquote(jsonrpc.Get(raw, "type"))
	hit = Hit{
		Control: kind, EventID: jsonrpc.Text(raw, "eventId"), Message: q.Header.Get("webhook-id"), Timestamp: q.Header.Get("webhook-timestamp"),
		Signature: q.Header.Get("webhook-signature"), Subscription: q.Header.Get("X-MCP-Subscription-Id"),
		Elsewhere: strings.HasSuffix(q.URL.Path, redirected),
		At:        time.Now(), Data: jsonrpc.Get(raw, "data"),
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.hits) < maxHits {
		c.hits = append(c.hits, hit)
	}
	return io.NopCloser(bytes.NewReader(raw)), hit
}
