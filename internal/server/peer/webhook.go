package peer

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// The bounds of webhooks.
const (
	// maxHooks bounds the webhooks of a server. Further ones are rejected.
	maxHooks     = 100
	hookTTL      = time.Hour
	minHookTTL   = time.Minute
	maxHookTTL   = 24 * time.Hour
	hookTimeout  = 5 * time.Second
	secretPrefix = "whsec_"
)

// hookRetries are the pauses before a delivery is retried.
var hookRetries = []time.Duration{1500 * time.Millisecond, 3 * time.Second, 6 * time.Second}

// hook is a subscription by webhook. Its fields are guarded by the lock of the log.
type hook struct {
	id      string
	url     string
	secret  []byte
	entry   *Entry
	args    map[string]json.RawMessage
	at      int
	expires time.Time
	end     context.CancelFunc
}

// hookSecret decodes a secret: whsec_ and the base64 of 24 to 64 bytes.
func hookSecret(text string) ([]byte, bool) {
	encoded, ok := strings.CutPrefix(text, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(encoded)
	return key, ok && err == nil && len(key) >= 24 && len(key) <= 64
}

// callback checks the URL of a callback. It must be https, or http on the loopback interface of the
// demo server's machine.
func callback(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return invalidParams("delivery.url is not a URL")
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	local := host == "localhost" || ip != nil && ip.IsLoopback()
	if u.Scheme != "https" && (u.Scheme != "http" || !local) {
		return invalidParams("delivery.url must be https")
	}
	return nil
}

// hookKey returns a text that identifies a webhook: its principal, its subject and its URL.
func hookKey(principal, name, url string, arguments []byte) string {
	if len(arguments) == 0 {
		arguments = []byte("{}")
	}
	sum, _ := jsonrpc.Hash(arguments)
	return principal + " " + name + " " + url + " " + strconv.FormatUint(sum, 16)
}

func subscribeToEvents(ctx context.Context, c *Call) (any, error) {
	p, err := c.eventTarget(revision.DeliveryWebhook)
	if err != nil {
		return nil, err
	}
	if p.Delivery.Mode != revision.DeliveryWebhook {
		return nil, invalidParams(`delivery.mode must be "webhook"`)
	}
	secret, ok := hookSecret(p.Delivery.Secret)
	if !ok {
		return nil, invalidParams("delivery.secret must be whsec_ and the base64 of 24 to 64 bytes")
	}
	if err := callback(p.Delivery.URL); err != nil {
		return nil, err
	}
	ttl, err := p.ttl()
	if err != nil {
		return nil, err
	}
	s, l := c.server(), &c.server().events
	key := hookKey(c.principal, p.entry.Key, p.Delivery.URL, jsonrpc.Get(c.message.Params, "arguments"))
	sum := sha256.Sum256([]byte(key))
	l.mu.Lock()
	l.init()
	l.expire()
	h, full := l.hooks[key], len(l.hooks) >= maxHooks
	l.mu.Unlock()
	truncated := false
	if h == nil {
		if full {
			return nil, eventError(revision.EventExhausted, map[string]any{"limit": "subscriptions", "max": maxHooks}, "at most %d webhooks are possible", maxHooks)
		}
		h = &hook{id: "sub_" + hex.EncodeToString(sum[:8]), url: p.Delivery.URL, secret: secret, entry: p.entry, args: p.Arguments}
		if err := s.verify(ctx, h); err != nil {
			return nil, err
		}
		l.mu.Lock()
		at, gap := l.position(p.entry, p.Cursor)
		h.at, truncated = p.aged(l, at, gap)
		life, end := context.WithCancel(c.session.life)
		h.end = end
		l.hooks[key] = h
		l.mu.Unlock()
		go s.deliver(life, h)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	h.secret, h.expires = secret, time.Now().Add(ttl)
	result := map[string]any{
		"id": h.id, "refreshBefore": h.expires.UTC().Format(time.RFC3339Nano), "cursor": l.shown(p.entry, h.at), "truncated": truncated,
	}
	return result, nil
}

// ttl returns how long a webhook is granted.
func (p *eventParams) ttl() (time.Duration, error) {
	switch {
	case len(p.TTLMS) == 0:
		return hookTTL, nil
	case string(p.TTLMS) == "null":
		return maxHookTTL, nil // the subscription does not survive a restart, so it must have an end
	}
	ms, ok := jsonrpc.Integer(p.TTLMS)
	if !ok || ms < 0 {
		return 0, invalidParams("ttlMs must be an integer, or null")
	}
	return min(max(time.Duration(min(ms, maxHookTTL.Milliseconds()))*time.Millisecond, minHookTTL), maxHookTTL), nil
}

// expire drops the webhooks whose time is over. The caller holds the lock.
func (l *eventLog) expire() {
	for key, h := range l.hooks {
		if time.Now().After(h.expires) {
			h.end()
			delete(l.hooks, key)
		}
	}
}

func unsubscribeFromEvents(_ context.Context, c *Call) (any, error) {
	var p eventParams
	if err := c.decodeParams(&p); err != nil {
		return nil, err
	}
	if p.Name == nil || p.Delivery.URL == "" {
		return nil, invalidParams("name or delivery.url is missing")
	}
	l := &c.server().events
	l.mu.Lock()
	defer l.mu.Unlock()
	l.init()
	key := hookKey(c.principal, *p.Name, p.Delivery.URL, jsonrpc.Get(c.message.Params, "arguments"))
	h := l.hooks[key]
	if h == nil {
		return nil, eventError(revision.EventNotFound, map[string]any{"kind": "subscription"}, "no such subscription")
	}
	h.end()
	delete(l.hooks, key)
	return struct{}{}, nil
}

// post sends one signed delivery.
func (s *Server) post(ctx context.Context, h *hook, id string, body []byte) (int, []byte, error) {
	ctx, stop := context.WithTimeout(ctx, hookTimeout)
	defer stop()
	s.events.mu.Lock()
	secret := h.secret
	s.events.mu.Unlock()
	at := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(id + "." + at + "."))
	mac.Write(body)
	return s.Events.Post(ctx, h.url, map[string]string{
		"Content-Type": "application/json", "webhook-id": id, "webhook-timestamp": at,
		"webhook-signature": "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), "X-MCP-Subscription-Id": h.id,
	}, body)
}

// verify makes the receiver of a webhook prove that it is one.
func (s *Server) verify(ctx context.Context, h *hook) error {
	b := make([]byte, 24)
	_, _ = rand.Read(b) // Read never returns an error
	challenge := base64.RawURLEncoding.EncodeToString(b)
	status, response, err := s.post(ctx, h, "msg_verification_"+hex.EncodeToString(b[:8]), Encode(map[string]string{"type": "verification", "challenge": challenge}))
	reason := "challenge_failed"
	if err != nil {
		reason = "connection_refused"
	} else if status/100 == 2 && jsonrpc.Text(response, "challenge") == challenge {
		return nil
	}
	return eventError(revision.EventCallback, map[string]any{"reason": reason}, "the callback endpoint failed the verification")
}

// deliver delivers the events of a webhook, one after the other, until it ends.
func (s *Server) deliver(ctx context.Context, h *hook) {
	l := &s.events
	for {
		l.mu.Lock()
		wake := l.wake
		found, at, _ := l.after(h.at, h.entry, h.args, 1)
		var body []byte
		if len(found) > 0 {
			params := found[0].wire()
			params["cursor"] = l.shown(h.entry, found[0].number)
			body = Encode(params)
		} else {
			h.at = at
		}
		l.mu.Unlock()
		if body == nil {
			select {
			case <-wake:
				continue
			case <-ctx.Done():
				return
			}
		}
		if !s.attempt(ctx, h, found[0].id, body) {
			return
		}
		l.mu.Lock()
		h.at = found[0].number
		l.mu.Unlock()
	}
}

// attempt delivers an event, again if that fails. It returns false when the webhook has ended.
func (s *Server) attempt(ctx context.Context, h *hook, id string, body []byte) bool {
	for _, pause := range append(hookRetries, 0) {
		status, _, err := s.post(ctx, h, id, body)
		if err == nil && (status/100 == 2 || status == http.StatusGone || status == http.StatusRequestEntityTooLarge) || pause == 0 {
			return ctx.Err() == nil
		}
		if (&Session{server: s}).sleep(ctx, pause.Seconds()) != nil && ctx.Err() != nil {
			return false
		}
	}
	return true
}
