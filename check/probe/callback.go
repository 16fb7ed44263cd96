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
	"mcptea/record"
	"mcptea/record/webhook"
)

// A Callback receives the webhook deliveries of one subscription on the loopback interface. Its methods are
// safe for concurrent use.
type Callback struct {
	URL, Secret string

	base     string
	journal  *journal
	handlers sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	receiver *webhook.Receiver
	hits     []Hit
	reply    Reply
	current  int // deliveries that the newest secret has signed
}

// A Hit is a POST to a Callback.
type Hit struct {
	Control              string // type of a control message; "" for an event
	EventID, Message     string // webhook-id
	Timestamp, Signature string
	Subscription         string // X-MCP-Subscription-Id
	Elsewhere            bool   // arrived through a redirect
	At                   time.Time
	Data                 []byte // raw JSON, or nil
	Cursor               []byte // raw JSON, or nil
}

// IsLater reports whether h is so much later than another hit that their timestamps, in seconds,
// must differ.
func (h Hit) IsLater(than Hit) bool { return h.At.Sub(than.At) > time.Second }

// A Reply is the response of a Callback to events and challenges. The zero Reply accepts both.
type Reply struct {
	Status    int  // HTTP status for events; 0 accepts them
	Once      bool // use Status for the first event only
	Redirects bool // redirect events
	BadEcho   bool // answer challenges with a wrong echo
}

const (
	// maxHits bounds the hits kept per Callback.
	maxHits = 1000
)

// Callback starts a Callback, which is closed when the probe ends. If listening fails, Callback ends the probe
// and returns false.
func (r *Run) Callback() (*Callback, bool) {
	listen := r.runner.cfg.Listen
	if listen == nil {
		listen = listenOnLoopback
	}
	l, err := listen(r.ctx)
	if err != nil {
		r.Unjudged("cannot listen for deliveries: %v", err)
		return nil, false
	}
	c := &Callback{base: "http://" + l.Addr().String(), journal: r.runner.journal}
	c.receiver = c.newReceiver()
	c.URL = c.base + c.receiver.Path()
	server := &http.Server{Handler: c, ReadHeaderTimeout: r.runner.requestTimeout()}
	go func() { _ = server.Serve(l) }() // returns when the server is closed
	r.closers = append(r.closers, func() {
		_ = server.Close()
		c.end()
	})
	return c, true
}

func listenOnLoopback(ctx context.Context) (net.Listener, error) {
	return new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
}

// begin reports whether a request may be handled. If so, the caller must call c.handlers.Done.
func (c *Callback) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.handlers.Add(1)
	}
	return !c.closed
}

// end rejects further requests and waits for the running ones, so that nothing is recorded after the end of the
// run.
func (c *Callback) end() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.handlers.Wait()
}

// newSecret returns a secret that no other test uses.
func (c *Callback) newSecret() string {
	secret := webhook.NewSecret()
	c.journal.secrets.Add(secret)
	c.journal.hidden.Add(secret)
	return secret
}

// newReceiver returns a receiver with a new secret of the callback, whose deliveries are recorded.
func (c *Callback) newReceiver() *webhook.Receiver {
	c.Secret = c.newSecret()
	r := webhook.New(c.Secret)
	r.Tell(c.recorded, func() {})
	return r
}

// recorded records a delivery, and passes it to the linter.
func (c *Callback) recorded(d webhook.Delivery) {
	d.Callback = c.URL
	if d.Signed == record.SignedCurrent || d.Signed == record.SignedBoth {
		c.mu.Lock()
		c.current++
		c.mu.Unlock()
	}
	c.journal.delivered(d)
	if record := c.journal.record; record != nil {
		record.Delivery(d.At, &d.Delivery, d.Body)
	}
}

// Rotate changes the secret of the callback. Deliveries that are signed with the previous secret
// are still accepted, because they may be on their way.
func (c *Callback) Rotate() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Secret, c.current = c.newSecret(), 0
	c.receiver.Rotate(c.Secret)
}

// SignedCurrent returns how many deliveries the newest secret has signed.
func (c *Callback) SignedCurrent() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current
}

// Answer sets the reply to later requests.
func (c *Callback) Answer(reply Reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reply = reply
}

// Hits returns the requests received so far.
func (c *Callback) Hits() []Hit {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Hit(nil), c.hits...)
}

// Events returns the hits that carry an event.
func (c *Callback) Events() (events []Hit) {
	for _, h := range c.Hits() {
		if h.Control == "" {
			events = append(events, h)
		}
	}
	return events
}

// Troubles returns the faults of the deliveries, as sentences without a period.
func (c *Callback) Troubles() (all []string) {
	c.mu.Lock()
	receiver := c.receiver
	c.mu.Unlock()
	for _, t := range receiver.Troubles() {
		all = append(all, string(t.Trouble))
	}
	return all
}

// Subscribed sets the id of the subscription.
func (c *Callback) Subscribed(id string) {
	c.mu.Lock()
	receiver := c.receiver
	c.mu.Unlock()
	receiver.Subscribed(id)
}

// ServeHTTP implements [http.Handler].
func (c *Callback) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if !c.begin() {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	defer c.handlers.Done()
	raw, hit := c.take(q)
	c.mu.Lock()
	reply, receiver := c.reply, c.receiver
	if hit.Control == "" && reply.Once {
		c.reply = Reply{}
	}
	c.mu.Unlock()
	if asked, ok := c.asked(reply, &hit); ok && len(raw) <= maxDelivery { // the receiver refuses a larger body
		d := receiver.Read(q, raw)
		d.Asked, d.WrongEcho, d.Redirected, d.Status = !hit.Elsewhere, asked == wrongEcho, hit.Elsewhere, asked
		if hit.Elsewhere {
			d.Path = q.URL.Path
		}
		if asked == wrongEcho {
			d.Status = http.StatusOK
		}
		if d.Status == http.StatusTemporaryRedirect {
			w.Header().Set("Location", c.URL+record.RedirectedPath)
		}
		c.recorded(d)
		webhook.Write(w, d)
		return
	}
	again := q.Clone(context.WithoutCancel(q.Context()))
	again.Body = io.NopCloser(bytes.NewReader(raw))
	again.URL.Path = receiver.Path() // keep the path of the first receiver
	receiver.ServeHTTP(w, again)
}

// wrongEcho is a special status: answer the challenge with a wrong echo.
const wrongEcho = -1

// asked returns the status that a deliberately wrong reply requires. ok is false if the hit gets a regular
// response.
func (c *Callback) asked(reply Reply, hit *Hit) (status int, ok bool) {
	switch {
	case hit.Elsewhere:
		return http.StatusOK, true
	case hit.Control == "" && reply.Redirects:
		return http.StatusTemporaryRedirect, true
	case hit.Control == "" && reply.Status != 0:
		return reply.Status, true
	case hit.Control == "verification" && reply.BadEcho:
		return wrongEcho, true
	}
	return 0, false
}

// maxDelivery is the maximum body size of a delivery (SEP-3415), in bytes.
const maxDelivery = 256 << 10

// take reads a request and stores it as a Hit.
func (c *Callback) take(q *http.Request) (raw []byte, hit Hit) {
	raw, _ = io.ReadAll(io.LimitReader(q.Body, maxDelivery+1)) // a truncated body fails verification
	kind, _ := jsonrpc.Unquote(jsonrpc.Get(raw, "type"))
	hit = Hit{
		Control: kind, EventID: jsonrpc.Text(raw, "eventId"), Message: q.Header.Get("webhook-id"), Timestamp: q.Header.Get("webhook-timestamp"),
		Signature: q.Header.Get("webhook-signature"), Subscription: q.Header.Get("X-MCP-Subscription-Id"),
		Elsewhere: strings.HasSuffix(q.URL.Path, record.RedirectedPath),
		At:        time.Now(), Data: jsonrpc.Get(raw, "data"), Cursor: jsonrpc.Get(raw, "cursor"),
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.hits) < maxHits {
		c.hits = append(c.hits, hit)
	}
	return raw, hit
}
