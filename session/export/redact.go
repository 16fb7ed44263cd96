package export

import (
	"bytes"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/internal/shell"
	"mcptea/session/record"
)

// Redactor redacts the secrets of a session: those that package secret recognizes,
// what matches one of the caller's patterns, and all repetitions of a value that a
// name has shown to be secret. It is used for one export at a time.
type Redactor struct {
	patterns []*regexp.Regexp
	known    secret.Values
}

// NewRedactor returns a redactor that also redacts what matches a pattern.
func NewRedactor(patterns ...*regexp.Regexp) *Redactor { return &Redactor{patterns: patterns} }

func (r *Redactor) own(text string) string {
	for _, p := range r.patterns {
		text = p.ReplaceAllLiteralString(text, secret.Mark)
	}
	return text
}

// text redacts a text.
func (r *Redactor) text(text string) string {
	return r.own(r.known.Redact(secret.Text(text)))
}

// frame redacts a frame. Bytes outside of secrets stay as they are; the result may
// be the argument.
func (r *Redactor) frame(frame []byte) []byte {
	if len(r.patterns) == 0 {
		return secret.JSON(frame, &r.known, nil)
	}
	return secret.JSON(frame, &r.known, r.own)
}

func (r *Redactor) url(address string) string {
	if address == "" {
		return ""
	}
	return r.own(r.known.Redact(secret.URL(address)))
}

// header redacts a header. Those that mcptea has recorded are redacted already, with a
// mark that says more; another writer may have recorded them in clear.
func (r *Redactor) header(h http.Header) http.Header {
	open := http.Header{}
	for name, values := range h {
		for _, v := range values {
			if !isWhollyRedacted(v) {
				open[name] = append(open[name], v)
			}
		}
	}
	r.known.AddHeader(open)
	out := h.Clone()
	for name, values := range out {
		for i, v := range values {
			if !isWhollyRedacted(v) {
				v = secret.Header(http.Header{name: {v}})[name][0]
			}
			values[i] = r.text(v)
		}
	}
	return out
}

// isWhollyRedacted reports that nothing is left of the value of a secret header but its
// scheme.
func isWhollyRedacted(value string) bool {
	rest := strings.TrimSpace(redacted.ReplaceAllLiteralString(value, ""))
	return rest != value && strings.HasPrefix(value, rest) && len(rest) <= 12 && !strings.ContainsAny(rest, " =;,")
}

// command redacts a command line or URL.
func (r *Redactor) command(line string) string {
	words, err := shell.Split(line, func(name string) (string, bool) { return "$" + name, true })
	if err != nil {
		return r.text(line)
	}
	for _, f := range secret.FindArgs(words) {
		r.known.AddFound([]secret.Found{f}, words...)
	}
	return r.text(line)
}

// ahead looks at a frame before it is its turn; see [record.Lines.Ahead]. It returns which
// values were known when there was nothing to redact; else 0. It may be called from several
// goroutines.
func (r *Redactor) ahead(e *record.Event) uint64 {
	known := r.known.Version() + 1
	var more func(string) string
	if len(r.patterns) > 0 {
		more = r.own
	}
	f := &e.Frame.Envelope
	valid := f.Kind != jsonrpc.Invalid && f.Flaws&jsonrpc.FlawBOM == 0
	if !secret.IsClean(e.Frame.Bytes, valid, &r.known, more) {
		return 0
	}
	return known
}

// event redacts an event. What it points to is replaced, not changed.
func (r *Redactor) event(e *record.Event) {
	if e.Kind == record.KindFrame {
		if e.Ahead == r.known.Version()+1 {
			return // no value has become known since
		}
		before := e.Frame.Bytes
		if e.Frame.Bytes = r.frame(before); !bytes.Equal(before, e.Frame.Bytes) {
			e.Frame.Envelope = jsonrpc.Envelope{}
		}
		return
	}
	e.Text = r.text(e.Text)
	switch e.Kind {
	case record.KindHTTP:
		e.Exchange = r.exchange(e.Exchange)
	case record.KindProcess:
		p := e.Process.Masked(r.words)
		p.Path, p.Dir = r.text(p.Path), r.text(p.Dir)
		e.Process = &p
	case record.KindConnection:
		c := *e.Connection
		c.Target, c.Reason, c.Server = r.command(c.Target), r.text(c.Reason), r.text(c.Server)
		e.Connection = &c
	case record.KindChange:
		c := *e.Change
		if c.Received != nil {
			c.Received = r.frame(c.Received)
		}
		c.Sent = slices.Clone(c.Sent)
		for i := range c.Sent {
			c.Sent[i] = r.frame(c.Sent[i])
		}
		c.Why = r.text(c.Why)
		e.Change = &c
	case record.KindStep, record.KindAuthorization:
		st := *e.Step
		st.Detail, st.Found, st.Expected, st.URL = r.text(st.Detail), r.text(st.Found), r.text(st.Expected), r.url(st.URL)
		e.Step = &st
	}
}

func (r *Redactor) exchange(x *transport.Exchange) *transport.Exchange {
	out := *x
	out.URL = r.url(x.URL)
	out.Err = r.text(x.Err)
	out.RequestHeader, out.ResponseHeader = r.header(x.RequestHeader), r.header(x.ResponseHeader)
	out.RequestBody, out.ResponseBody = r.frame(x.RequestBody), r.frame(x.ResponseBody)
	if x.TLS != nil {
		t := *x.TLS
		t.Client, t.Chain = r.text(t.Client), slices.Clone(t.Chain)
		for i := range t.Chain {
			c := &t.Chain[i]
			c.Subject, c.Issuer, c.Names = r.text(c.Subject), r.text(c.Issuer), slices.Clone(c.Names)
			for j := range c.Names {
				c.Names[j] = r.text(c.Names[j])
			}
		}
		out.TLS = &t
	}
	return &out
}

// words are those of a command line, redacted. What they show to be a secret is one from then on.
func (r *Redactor) words(argv []string) []string {
	r.known.AddFound(secret.FindArgs(argv), argv...)
	masked := secret.Args(argv)
	for i, arg := range masked {
		masked[i] = r.own(r.known.Redact(arg))
	}
	return masked
}
