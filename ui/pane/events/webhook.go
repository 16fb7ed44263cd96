package events

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"

	"mcptea/client/revision"
	"mcptea/record/webhook"
	"mcptea/session/events"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/keys"
)

// received is a subscription whose deliveries this pane receives.
type received struct {
	server *webhook.Server
	shown  bool // the secret was shown: it is once
}

func (p *Pane) cannotReceive(k *kind) string {
	return keys.Reason(!k.Offers(revision.DeliveryWebhook), "This event type is not delivered by webhook.")
}

// receive asks for an address to listen at, and subscribes to deliveries.
func (p *Pane) receive(k *kind) {
	values, send := k.Check()
	if !send {
		p.toArguments(k)
		return
	}
	p.app.Online("Receive events by webhook", func() {
		dialog.Prompt{
			Title: "Webhook", Verb: "subscribe", Value: "127.0.0.1:0 ",
			Text: "The address to listen at (port 0 is a free one), and the URL of your tunnel to it, such as https://abc.example.com; without one the server is told the address. After them, write what to answer on purpose, such as " + planExample + ".",
			Hint: func(text string) string {
				at, err := readPlace(text)
				switch {
				case err == nil && at.public == "":
					return "Development mode: a server that follows SEP-3415 refuses a callback on this machine."
				case err == nil && !at.plan.IsEmpty():
					return planHint(at.plan)
				}
				return "The path of the callback is added, and cannot be guessed."
			},
			Check: func(text string) error { _, err := readPlace(text); return err },
			Accept: func(text string) (func(), error) {
				at, err := readPlace(text)
				if err != nil {
					return nil, err
				}
				return func() { p.listenAt(k.Name, values, at) }, nil
			},
		}.Open(p.app)
	})
}

// A place is an address to listen on, and the plan of responses there.
type place struct {
	address string
	public  string       // URL of a tunnel to it, or ""
	plan    webhook.Plan // deliberate responses
}

// readPlace parses the address of a listener, optionally followed by the URL of a tunnel to it and a plan of
// deliberate responses.
func readPlace(text string) (at place, err error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return place{}, errors.New("type an address, such as 127.0.0.1:8787")
	}
	if at.address = words[0]; !strings.Contains(at.address, ":") {
		at.address = "127.0.0.1:" + at.address
	}
	if _, port, err := net.SplitHostPort(at.address); err != nil || port == "" {
		return place{}, errors.New("an address is HOST:PORT, such as 127.0.0.1:8787")
	}
	rest := words[1:]
	if len(rest) > 0 && strings.Contains(rest[0], "://") {
		if err := webhook.CheckPublic(rest[0]); err != nil {
			return place{}, err
		}
		at.public, rest = rest[0], rest[1:]
	}
	if len(rest) > 0 {
		at.plan, err = webhook.ParsePlan(strings.Join(rest, " "))
	}
	return at, err
}

// listenAt begins to listen, and subscribes.
func (p *Pane) listenAt(name string, values []byte, at place) {
	p.app.Go(func(ctx context.Context) func() {
		var config net.ListenConfig
		l, err := config.Listen(ctx, "tcp", at.address)
		return func() {
			if err != nil {
				p.app.Fail("Cannot listen at " + at.address + ": " + err.Error())
				return
			}
			server := webhook.Serve(l, at.public)
			server.Respond(at.plan)
			p.s.Hide(server.Secret())
			f := p.s.Events().FollowWebhook(events.Params{Name: name, Arguments: values}, server, 0)
			p.followers[f.Number()], p.receivers[f.Number()] = f, &received{server: server}
			if at := slices.IndexFunc(p.kinds, func(k *kind) bool { return k.Name == name }); at >= 0 {
				p.kinds[at].at, p.kinds[at].inArguments = f.Number(), false
			}
			text := "Listening at " + server.Address() + "."
			if !server.IsPublic() {
				text += " Development mode: the callback has no TLS, or is on this machine, which shows nothing about other callbacks."
			}
			p.app.Say(text)
		}
	})
}

// ofWebhook returns the receiver of the visible subscription, or nil.
func (p *Pane) ofWebhook(k *kind) *received {
	if s := p.active(k); s != nil {
		return p.receivers[s.Number]
	}
	return nil
}

func (p *Pane) noSecret(k *kind) string {
	switch r := p.ofWebhook(k); {
	case r == nil:
		return "No webhook of this event type is received here."
	case r.shown:
		return "The secret was shown. It is shown once."
	}
	return ""
}

// showSecret shows the secret of a webhook, once. It is in no file.
func (p *Pane) showSecret(k *kind) {
	r := p.ofWebhook(k)
	secret := r.server.Secret()
	dialog.Choose{
		Title: "Secret of the webhook", Verb: "copy", Text: secret + "\nIt is made for this subscription and ends with it. It is shown once, and is in no recording.",
		Len: func() int { return 1 }, Entry: func(int) dialog.Entry { return dialog.Entry{Key: "secret", Name: "Copy the secret"} },
		Accept: func(int) { p.app.Copy(secret, nil, "secret of the webhook") },
	}.Open(p.app)
	r.shown = true
}

func (p *Pane) notReceived(k *kind) string {
	return keys.Reason(p.ofWebhook(k) == nil, "No webhook of this event type is received here.")
}

// rotate renews the webhook with another secret, which can be shown again.
func (p *Pane) rotate(k *kind) {
	if s := p.active(k); s != nil {
		p.followers[s.Number].Rotate()
		p.receivers[s.Number].shown = false
		p.app.Say("The webhook is renewed with another secret. Deliveries signed with the previous secret count until the next rotation.")
	}
}

// troublesOf counts the refused requests at the callback of a subscription.
func (p *Pane) troublesOf(s *events.State) (n int) {
	if r := p.receivers[s.Number]; r != nil {
		for _, t := range r.server.Troubles() {
			n += t.Count
		}
	}
	return n
}

var _ app.Pane = (*Pane)(nil)
