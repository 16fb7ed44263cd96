package use

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptea/cli/app"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/offer"
	"mcptea/record/webhook"
	"mcptea/session/events"
	"mcptea/session/session"
)

// webhookFlags holds the flags of mcptea listen event:NAME --webhook.
type webhookFlags struct {
	enabled bool
	public  string
	listen  string
	ttl     time.Duration
	rotate  time.Duration // interval at which the secret changes; 0 for never

	respond string        // responses on purpose; see webhook.ParsePlan
	linger  time.Duration // how long deliveries are received after the end
}

// check reports flags that cannot be used.
func (f *webhookFlags) check(mode string) error {
	switch {
	case !f.enabled && *f != (webhookFlags{}):
		return app.Usage("Add --webhook, or omit them.", "--public-url, --listen, --ttl, --rotate, --respond and --linger require --webhook")
	case f.enabled && mode != "auto":
		return app.Usage("Omit one of them.", "--webhook and --mode exclude each other")
	case f.rotate != 0 && f.rotate < minRotation:
		return app.Usage("", "--rotate must be at least %s", app.DurationText(minRotation))
	case f.linger > maxLinger:
		return app.Usage("", "--linger must be at most %s", app.DurationText(maxLinger))
	}
	if _, err := f.plan(); err != nil {
		return app.Usage("Write it as 500*2, for two deliveries.", "--respond: %v", err)
	}
	if f.public == "" {
		return nil
	}
	if webhook.CheckPublic(f.public) != nil {
		return app.Usage("Write it as https://abc.example.com, as the tunnel prints it.", "--public-url %q is not the URL of a receiver", f.public)
	}
	return nil
}

// plan returns the plan of deliberate responses.
func (f *webhookFlags) plan() (webhook.Plan, error) {
	if f.respond == "" {
		return webhook.Plan{}, nil
	}
	return webhook.ParsePlan(f.respond)
}

// maxLinger is the longest time during which deliveries are received after the end.
const maxLinger = time.Hour

// minRotation is the least time between two secrets: a refresh takes a request.
const minRotation = time.Second

// rotations returns a channel that fires when a webhook must change its secret, or nil for never.
func (f *webhookFlags) rotations() (due <-chan time.Time, stop func()) {
	if f.rotate == 0 {
		return nil, func() {}
	}
	ticker := time.NewTicker(f.rotate)
	return ticker.C, ticker.Stop
}

// hookReceiver is the receiver of a subscription, with the count of each trouble when it was last printed.
type hookReceiver struct {
	*webhook.Server
	reported map[webhook.Trouble]int
}

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
	h := &hookReceiver{Server: webhook.Serve(l, f.public), reported: map[webhook.Trouble]int{}}
	plan, _ := f.plan() // the plan was checked before
	h.Respond(plan)
	h.Lingers = f.linger > 0
	s.Hide(h.Secret())
	return h, nil
}

// followWebhook subscribes to deliveries.
func (l *eventListener) followWebhook(p events.Params) {
	h := l.hook
	l.follower = l.s.Events().FollowWebhook(p, h.Server, l.flags.hook.ttl)
	l.say(fmt.Sprintf("listening: %s, by webhook, at %s", display.Sanitize(p.Name), h.Address()))
	l.say("callback: " + display.Sanitize(h.Callback))
	if !h.IsPublic() {
		l.say("development mode: the callback has no TLS, or is on this machine. A server that follows SEP-3415 refuses such a callback. A server that accepts it shows nothing about other callbacks.")
	}
}

// webhookMode checks that the events of a type are delivered by webhooks.
func (p *commands) webhookMode(name string, list offer.List) error {
	item, listed := list.Find(name)
	if of := events.ReadType(item.Raw); listed && !slices.Contains(of.Delivery, "webhook") && !p.Flags.NoValidate {
		return app.Usage("It is delivered by "+display.Sanitize(strings.Join(of.Delivery, ", "))+"."+sentAnyway, "the event type %s is not delivered by webhook", display.Sanitize(name))
	}
	return nil
}

// troubles prints faults of requests to the callback: each kind once, and its count at the end.
func (l *eventListener) troubles(last bool) error {
	if l.hook == nil {
		return nil
	}
	for _, t := range l.hook.Troubles() {
		if reported := l.hook.reported[t.Trouble]; reported == t.Count || reported > 0 && !last {
			continue
		}
		l.hook.reported[t.Trouble] = t.Count
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
