package export

import (
	"bytes"
	"net/http"
	"regexp"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/internal/shell"
	"mcptea/record"
)

// Redactor redacts the secrets of a session: secrets that package secret recognizes, text that
// matches a pattern of the caller, and each repetition of a value that has the name of a secret
// somewhere. It must be used for one export at a time.
type Redactor struct {
	patterns []*regexp.Regexp
	known    secret.Values
}

// NewRedactor returns a redactor that also redacts matches of the patterns.
func NewRedactor(patterns ...*regexp.Regexp) *Redactor { return &Redactor{patterns: patterns} }

// Knowing adds values to redact, and returns the redactor.
func (r *Redactor) Knowing(values *secret.Values) *Redactor {
	r.known.AddAll(values)
	return r
}

func (r *Redactor) byPatterns(text string) string {
	for _, p := range r.patterns {
		text = p.ReplaceAllLiteralString(text, secret.Mark)
	}
	return text
}

// text redacts a text.
func (r *Redactor) text(text string) string {
	return r.byPatterns(r.known.Redact(secret.Text(text)))
}

// frame redacts a frame. Bytes outside of secrets stay unchanged; the result may be the
// argument.
func (r *Redactor) frame(frame []byte) []byte {
	if len(r.patterns) == 0 {
		return secret.JSON(frame, &r.known, nil)
	}
	return secret.JSON(frame, &r.known, r.byPatterns)
}

func (r *Redactor) url(address string) string {
	if address == "" {
		return ""
	}
	return r.byPatterns(r.known.Redact(secret.URL(address)))
}

// header redacts a header. In a recording of mcptea, the values are already redacted, with a mark
// that has more information. Another program may have recorded unredacted values.
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

// isWhollyRedacted reports whether only the scheme is left of the value of a secret header.
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

// ahead checks a frame early; see [record.Lines.Ahead]. If there is nothing to redact, it returns
// the version of the known values plus 1, otherwise 0. It may be called from several goroutines.
func (r *Redactor) ahead(e *record.Event) uint64 {
	known := r.known.Version() + 1
	var more func(string) string
	if len(r.patterns) > 0 {
		more = r.byPatterns
	}
	f := &e.Frame.Envelope
	valid := f.Kind != jsonrpc.Invalid && f.Flaws&jsonrpc.FlawBOM == 0
	if !secret.IsClean(e.Frame.Bytes, valid, &r.known, more) {
		return 0
	}
	return known
}

// event redacts an event. It replaces the values that the event points to, and does not change
// them.
func (r *Redactor) event(e *record.Event) {
	if e.Kind == record.KindFrame {
		if e.Ahead == r.known.Version()+1 {
			return // no values were added since ahead
		}
		before := e.Frame.Bytes
		if e.Frame.Bytes = r.frame(before); !bytes.Equal(before, e.Frame.Bytes) {
			e.Frame.Envelope = jsonrpc.Envelope{}
		}
		return
	}
	e.Redact(texts{r})
	if d := e.Delivery; d != nil && d.Signature != "" {
		d.Signature = r.header(http.Header{"Webhook-Signature": {d.Signature}}).Get("Webhook-Signature")
	}
}

// texts are the parts of an event, as a [Redactor] redacts them.
type texts struct{ *Redactor }

var _ record.Redactor = texts{}

func (t texts) Text(text string) string                            { return t.text(text) }
func (t texts) URL(address string) string                          { return t.url(address) }
func (t texts) Target(target string) string                        { return t.command(target) }
func (t texts) Words(argv []string) []string                       { return t.words(argv) }
func (t texts) Frame(frame []byte) []byte                          { return t.frame(frame) }
func (t texts) Exchange(x *transport.Exchange) *transport.Exchange { return t.exchange(x) }

func (r *Redactor) exchange(x *transport.Exchange) *transport.Exchange {
	out := x.Redacted(r.text)
	out.URL = r.url(x.URL)
	out.RequestHeader, out.ResponseHeader = r.header(x.RequestHeader), r.header(x.ResponseHeader)
	out.RequestBody, out.ResponseBody = r.frame(x.RequestBody), r.frame(x.ResponseBody)
	return &out
}

// words redacts the words of a command line. It adds the secrets in the words to the redactor, so
// they are redacted everywhere.
func (r *Redactor) words(argv []string) []string {
	r.known.AddFound(secret.FindArgs(argv), argv...)
	masked := secret.Args(argv)
	for i, arg := range masked {
		masked[i] = r.byPatterns(r.known.Redact(arg))
	}
	return masked
}
