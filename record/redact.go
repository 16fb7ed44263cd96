package record

import (
	"slices"

	"mcptea/client/secret"
	"mcptea/client/transport"
)

// Redactor redacts the texts of events. Each method returns its argument without the secrets. It
// does not change a value that the argument points to.
type Redactor interface {
	Text(text string) string
	URL(address string) string
	Target(target string) string // a command line or a URL, redacted by its forms
	Words(argv []string) []string
	Exchange(x *transport.Exchange) *transport.Exchange
	Frame(frame []byte) []byte // redacts a frame of a change; other frames are left to the caller
}

// Redact redacts all texts of an event that is not a frame. It replaces the values that the event
// points to, and does not change them. Marks of the user stay unchanged.
func (e *Event) Redact(r Redactor) {
	if e.Kind == KindMark || e.Kind == KindFrame {
		return
	}
	e.Text = r.Text(e.Text)
	switch e.Kind {
	case KindHTTP:
		e.Exchange = r.Exchange(e.Exchange)
	case KindProcess:
		p := e.Process.Redacted(r.Text, r.Words)
		e.Process = &p
	case KindConnection:
		c := *e.Connection
		c.Target, c.Reason, c.Server, c.Cause = r.Target(c.Target), r.Text(c.Reason), r.Text(c.Server), r.Text(c.Cause)
		e.Connection = &c
	case KindChange:
		c := *e.Change
		if c.Received != nil {
			c.Received = r.Frame(c.Received)
		}
		c.Sent = slices.Clone(c.Sent)
		for i := range c.Sent {
			c.Sent[i] = r.Frame(c.Sent[i])
		}
		c.Why = r.Text(c.Why)
		e.Change = &c
	case KindDelivery:
		d := *e.Delivery
		for _, field := range []*string{&d.Message, &d.Timestamp, &d.Signature, &d.Subscription, &d.ContentType, &d.Trouble, &d.What, &d.Method, &d.Path} {
			*field = r.Text(*field)
		}
		d.Callback = r.URL(d.Callback)
		e.Delivery = &d
	case KindStep, KindAuthorization:
		st := *e.Step
		st.Detail, st.Found, st.Expected, st.URL = r.Text(st.Detail), r.Text(st.Found), r.Text(st.Expected), r.URL(st.URL)
		st.Remarks = slices.Clone(st.Remarks)
		for i := range st.Remarks {
			st.Remarks[i] = r.Text(st.Remarks[i])
		}
		e.Step = &st
	}
}

// Known is the [Redactor] of a recording: it redacts the values of a set. A recording is already
// redacted by the form of secrets. Frames of a change stay exact.
type Known struct{ Values *secret.Values }

// Text implements [Redactor].
func (k Known) Text(text string) string { return k.Values.Redact(text) }

// URL implements [Redactor].
func (k Known) URL(address string) string { return k.Values.Redact(address) }

// Target implements [Redactor].
func (k Known) Target(target string) string { return k.Values.Redact(target) }

// Frame implements [Redactor].
func (k Known) Frame(frame []byte) []byte { return frame }

// Words implements [Redactor].
func (k Known) Words(argv []string) []string {
	argv = slices.Clone(argv)
	for i := range argv {
		argv[i] = k.Values.Redact(argv[i])
	}
	return argv
}

// Exchange implements [Redactor].
func (k Known) Exchange(x *transport.Exchange) *transport.Exchange {
	out := x.Redacted(k.Values.Redact)
	return &out
}
