package use

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"mcptea/cli/app"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/events"
	"mcptea/session/events/webhook"
	"mcptea/session/offer"
	"mcptea/session/session"
)

// webhookFlags are those of mcptea listen event:NAME --webhook.
type webhookFlags struct {
	on     bool
	public string
	listen string
	ttl    time.Duration
}

// check reports flags that cannot be used.
func (f *webhookFlags) check(mode string) error {
	switch {
	case !f.on && (f.public != "" || f.listen != "" || f.ttl != 0):
		return app.Usage("Add --webhook, or omit them.", "--public-url, --listen and --ttl require --webhook")
	case f.on && mode != "auto":
		return app.Usage("Omit one of them.", "--webhook and --mode exclude each other")
	case f.ttl < 0:
		return app.Usage("", "--ttl must not be negative")
	case f.public == "":
		return nil
	}
	u, err := url.Parse(f.public)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.RawQuery != "" || u.User != nil {
		return app.Usage("Write it as https://abc.example.com, as the tunnel prints it.", "--public-url %q is not the URL of a receiver", f.public)
	}
	return nil
}

// hookReceiver is the receiver of a subscription, and what serves it.
type hookReceiver struct {
	*webhook.Receiver
	server   *http.Server
	listener net.Listener
	ended    chan error
	callback string
	secret   string
	told     map[webhook.Trouble]int
	changed  chan struct{} // 1 slot
}

// The limits of the requests to a callback.
const (
	hookReadTimeout = 10 * time.Second
	hookMaxHeader   = 32 << 10
)

// receive begins to listen for deliveries.
func (p *commands) receive(s *session.Session, f webhookFlags) (*hookReceiver, error) {
	address := f.listen
	if address == "" {
		address = "127.0.0.1:0"
	}
	l, err := p.ListenAt(address)
	if err != nil {
		return nil, err
	}
	secret := webhook.NewSecret()
	s.Hide(secret)
	h := &hookReceiver{
		Receiver: webhook.New(secret), listener: l, secret: secret, told: map[webhook.Trouble]int{}, ended: make(chan error, 1), changed: make(chan struct{}, 1),
	}
	h.Changed = func() {
		select {
		case h.changed <- struct{}{}:
		default:
		}
	}
	h.callback = strings.TrimSuffix(f.public, "/") + h.Path()
	if f.public == "" {
		h.callback = "http://" + l.Addr().String() + h.Path()
	}
	h.server = &http.Server{
		Handler: h, ReadHeaderTimeout: hookReadTimeout, ReadTimeout: hookReadTimeout, WriteTimeout: hookReadTimeout,
		IdleTimeout: time.Minute, MaxHeaderBytes: hookMaxHeader, ErrorLog: log.New(io.Discard, "", 0),
	}
	go func() { h.ended <- h.server.Serve(l) }()
	return h, nil
}

// stop ends the listener.
func (h *hookReceiver) stop(ctx context.Context) {
	ctx, done := context.WithTimeout(ctx, time.Second)
	defer done()
	if h.server.Shutdown(ctx) != nil {
		_ = h.server.Close()
	}
	if err := <-h.ended; !errors.Is(err, http.ErrServerClosed) {
		_ = h.server.Close()
	}
}

// isPublic reports a callback that a server may accept which keeps to SEP-3415.
func (h *hookReceiver) isPublic() bool {
	u, err := url.Parse(h.callback)
	ip := net.ParseIP(u.Hostname())
	return err == nil && u.Scheme == "https" && u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback() && !ip.IsPrivate())
}

// followWebhook subscribes to deliveries.
func (l *eventListener) followWebhook(p events.Params) {
	h := l.hook
	deliver := make(chan struct{})
	h.Delivered = func(d webhook.Delivery) {
		<-deliver // the follower is there then
		l.follower.Delivered(events.Delivery{MessageID: d.Message, Subscription: d.Subscription, Repeated: d.Again}, d.Kind, d.At, d.Body)
	}
	l.follower = l.s.Events().FollowWebhook(p, events.Webhook{URL: h.callback, Secret: h.secret, TTL: l.flags.hook.ttl, Subscribed: h.Subscribed, Over: h.Over})
	close(deliver)
	l.say(fmt.Sprintf("listening: %s, by webhook, at %s", display.Sanitize(p.Name), h.listener.Addr()))
	l.say("callback: " + display.Sanitize(h.callback))
	if !h.isPublic() {
		l.say("development mode: the callback has no TLS, or is on this machine. A server that keeps to SEP-3415 refuses it, and one that takes it shows nothing about other callbacks.")
	}
}

// webhookMode checks that the events of a type are delivered by webhooks.
func (p *commands) webhookMode(name string, list offer.List) error {
	item, listed := list.Find(name)
	if of := events.ReadType(item.Raw); listed && !slices.Contains(of.Delivery, "webhook") && !p.Flags.NoValidate {
		return app.Usage("It is delivered by "+strings.Join(of.Delivery, ", ")+"."+sentAnyway, "the event type %s is not delivered by webhook", display.Sanitize(name))
	}
	return nil
}

// troubles tells what was wrong with requests to the callback: once a kind, and at the end how often.
func (l *eventListener) troubles(last bool) error {
	if l.hook == nil {
		return nil
	}
	for _, t := range l.hook.Troubles() {
		if told := l.hook.told[t.Trouble]; told == t.Count || told > 0 && !last {
			continue
		}
		l.hook.told[t.Trouble] = t.Count
		if l.p.JSON {
			st := l.follower.State()
			doc := ListenEntry{Time: time.Now().UTC(), Kind: "trouble", Mode: st.Mode, Name: st.Name, Text: string(t.Trouble), Count: t.Count}
			if err := l.p.PrintDocument(doc); err != nil {
				return err
			}
			continue
		}
		text := string(t.Trouble)
		if t.Count > 1 {
			text += fmt.Sprintf(" (%s)", phrase.Count(t.Count, "time"))
		}
		l.say("refused or doubtful: " + text)
	}
	return nil
}
