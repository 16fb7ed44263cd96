package export

import (
	"net/http"
	"regexp"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/client/transport"
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

// Text redacts a text.
func (r *Redactor) Text(text string) string {
	return r.own(r.known.Redact(secret.Text(text)))
}

// Frame redacts a frame. Bytes outside of secrets stay as they are; the result may
// be the argument.
func (r *Redactor) Frame(frame []byte) []byte {
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

func (r *Redactor) header(h http.Header) http.Header {
	out := h.Clone() // headers of a recording are redacted already, with a mark that says more
	for _, values := range out {
		for i, v := range values {
			values[i] = r.Text(v)
		}
	}
	return out
}

// event redacts an event. What it points to is replaced, not changed.
func (r *Redactor) event(e *record.Event) {
	e.Text = r.Text(e.Text)
	switch e.Kind {
	case record.KindFrame:
		e.Frame.Bytes = r.Frame(e.Frame.Bytes)
		e.Frame.Envelope = jsonrpc.Envelope{} // of the bytes before
	case record.KindHTTP:
		e.Exchange = r.exchange(e.Exchange)
	case record.KindProcess:
		p := *e.Process
		p.Argv = secret.Args(p.Argv)
		for i, arg := range p.Argv {
			p.Argv[i] = r.own(r.known.Redact(arg))
		}
		p.Path, p.Dir = r.Text(p.Path), r.Text(p.Dir)
		e.Process = &p
	case record.KindConnection:
		c := *e.Connection
		c.Target, c.Reason, c.Server = r.Text(c.Target), r.Text(c.Reason), r.Text(c.Server)
		e.Connection = &c
	case record.KindStep, record.KindAuthorization:
		st := *e.Step
		st.Detail, st.Found, st.Expected, st.URL = r.Text(st.Detail), r.Text(st.Found), r.Text(st.Expected), r.url(st.URL)
		e.Step = &st
	}
}

func (r *Redactor) exchange(x *transport.Exchange) *transport.Exchange {
	out := *x
	out.URL = r.url(x.URL)
	out.Err = r.Text(x.Err)
	out.RequestHeader, out.ResponseHeader = r.header(x.RequestHeader), r.header(x.ResponseHeader)
	out.RequestBody, out.ResponseBody = r.Frame(x.RequestBody), r.Frame(x.ResponseBody)
	return &out
}
