package failure

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"mcptea/client"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/words/phrase"
)

// noTransport explains a URL at which neither HTTP transport works. The error of Streamable HTTP decides; the
// error of HTTP+SSE is added.
func noTransport(err *client.FallbackError, f Facts) Explanation {
	f.sse = err.SSE
	e := classify(err.HTTP, f)
	decides, _ := errors.AsType[*transport.StatusError](err.HTTP)
	addBrief := func(kind Kind, err error) bool {
		status, ok := errors.AsType[*transport.StatusError](err)
		if ok && !isRepeated(decides, status) {
			e.Evidence = append(e.Evidence, Line{kind, brief(status), true})
		}
		return ok
	}
	if as[*mcphttp.OriginError](err.SSE) || as[*mcphttp.EndpointError](err.SSE) { // the server uses HTTP+SSE, and that failed
		e, decides = classify(err.SSE, f), nil
		addBrief("HTTP", err.HTTP)
	}
	addBrief("discover", err.Probe)
	addBrief("list", err.List)
	if !addBrief("HTTP+SSE", err.SSE) {
		e.Evidence = append(e.Evidence, Line{"HTTP+SSE", err.SSE.Error(), true})
	}
	return e
}

// isRepeated reports whether a refusal only repeats another one that is shown.
func isRepeated(shown, status *transport.StatusError) bool {
	return shown != nil && shown != status && shown.URL == status.URL && shown.Status == status.Status && shown.Said(textHead) == status.Said(textHead) &&
		(shown.Method == status.Method || status.Status != http.StatusMethodNotAllowed)
}

// brief returns an unsuccessful response in one line.
func brief(err *transport.StatusError) string {
	text := fmt.Sprintf("%s %s → %d", err.Method, err.URL, err.Status)
	if body := err.Said(textHead); body != "" {
		text += " " + body
	}
	return text
}

// requestLine matches the request in the text of an error of an exchange.
var requestLine = lazyregexp.New(`^[A-Z]+ https?://\S+: `)

var malformed = lazyregexp.New(`malformed HTTP [\w ]+ ("(?:[^"\\]|\\.)*")`)

// unreachable explains a connection that could not be made, or that broke.
func unreachable(err error, f Facts) (Explanation, bool) {
	// Another line has the URL.
	text := sentence(requestLine().ReplaceAllString(err.Error(), ""))
	s := f.seen(situation{
		"is": err, "error": strings.TrimSuffix(text, "."), "reason": mcphttp.ReasonOf(err),
		"plain": strings.HasPrefix(f.target.URL, "http:"), "spoken": f.spoken,
	})
	e := Explanation{Sentence: text}
	if plain, library, ok := strings.Cut(text, ": x509: "); ok { // the words of the library follow ours
		if !strings.HasPrefix(plain, "The ") { // the words are from crypto/tls
			plain = "The certificate of the server is not accepted"
		}
		library, _, _ = strings.Cut(library, " (possibly because of ") // from another certificate
		e.Sentence, e.Evidence = plain+".", []Line{{"error", "x509: " + strings.TrimSuffix(library, "."), true}}
	}
	f.addTLS(s, err)
	s["streamed"] = mcphttp.MediaType(f.exchange.ResponseHeader) == mcphttp.StreamType
	if x := f.exchange; mcphttp.ReasonOf(err) == "lost" && x.Status != 0 {
		e.Evidence = append(e.Evidence, addLength(s, x)...)
	}
	if quoted := malformed().FindStringSubmatch(rootText(err)); quoted != nil && s["reason"] == "not-http" {
		bytes, _ := strconv.Unquote(quoted[1]) // an invalid string matches no row
		s["said"], s["lines"] = true, []string{bytes}
		e.Evidence = []Line{{"said", cut(quoted[1]), true}}
	}
	why, ok := find("network", s)
	return e.because(why), ok
}

// addLength adds the received length of a body that ended too early, and returns the headers about the length.
func addLength(s situation, x transport.Exchange) (evidence []Line) {
	for _, name := range [...]string{"Content-Length", "Content-Encoding"} {
		if value := x.ResponseHeader.Get(name); value != "" {
			evidence = append(evidence, Line{KindHeader, name + ": " + cut(value), true})
		}
	}
	length, err := strconv.ParseInt(x.ResponseHeader.Get("Content-Length"), 10, 64)
	if err != nil || length <= x.Received {
		return evidence
	}
	s["length"], s["came"] = length, strconv.FormatInt(x.Received, 10)
	if encoding := x.ResponseHeader.Get("Content-Encoding"); encoding != "" {
		s["encoding"] = phrase.Quote(encoding, 20)
	}
	return evidence
}

// rootText returns the text of the innermost error.
func rootText(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}
