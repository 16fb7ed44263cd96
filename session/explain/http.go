package explain

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"

	"mcptea/client"
	"mcptea/client/transport"
	"mcptea/client/transport/streamable"
	"mcptea/session/explain/card"
)

// badStatus is an HTTP answer that is no success.
func badStatus(err *transport.StatusError, expired bool) Explanation {
	e := Explanation{Sentence: fmt.Sprintf("%s %s answered %d %s.", err.Method, escape(err.URL), err.Status, http.StatusText(err.Status))}
	for _, name := range []string{"WWW-Authenticate", "Location", "Allow", "Retry-After"} {
		for _, v := range err.Header.Values(name) {
			e.Evidence = append(e.Evidence, Line{"header", name + ": " + cut(v), true})
		}
	}
	if body := strings.TrimSpace(string(err.Body)); body != "" {
		e.Evidence = append(e.Evidence, Line{"body", cut(body), true})
	}
	if expired {
		e.Sentence = "The server does not know the session any more: " + e.Sentence
		e.Cause = "It was restarted, or it ends sessions after a while."
		e.Try = "Connect again."
		return e
	}
	e.Cause, e.Try = statusCause(err)
	return e
}

func statusCause(err *transport.StatusError) (cause, try string) {
	switch s := err.Status; {
	case s == http.StatusUnauthorized:
		return "The server wants authorization, and the request had none that it accepts.",
			"Send another token, in MCPTEA_TOKEN or with -H \"Authorization: Bearer …\"; without one of your own, mcptea asks the authorization server."
	case s == http.StatusForbidden:
		return "The server knows who asks and does not allow it, or it does not accept the Origin or Host of the request.",
			"Check the token's scopes; for a local server, use the host name that it expects (127.0.0.1 or localhost)."
	case s == http.StatusNotFound:
		return "There is an HTTP server, but no MCP endpoint at the path of this URL.",
			"Many servers have it at /mcp; check the path in the server's documentation."
	case s == http.StatusMethodNotAllowed:
		return "This path takes no " + err.Method + ": it may be the page of something else, or the server speaks the older HTTP+SSE transport there.",
			"Check the path; many servers have the endpoint at /mcp."
	case s == http.StatusNotAcceptable, s == http.StatusUnsupportedMediaType:
		return "The server does not take the media types of Streamable HTTP (application/json, text/event-stream).",
			"Check whether -H overrides Accept or Content-Type."
	case s/100 == 3:
		return "The server sends the request to another origin, or in a way that loses its body; it was not followed, so that no secret leaves.",
			"Use the URL of the Location header; --lenient follows to other origins, without what may be secret."
	case s == http.StatusTooManyRequests:
		return "The server limits how often it may be asked.", "Wait, and try again."
	case s == http.StatusBadGateway, s == http.StatusServiceUnavailable, s == http.StatusGatewayTimeout:
		return "A proxy stands in front, and the server behind it does not answer.", "Look whether the server itself runs."
	case s/100 == 5:
		return "Something failed within the server.", "Look at the server's log."
	case s == http.StatusBadRequest:
		return "The server did not accept the request; the body may say what it missed.", "Another --protocol revision may help an old server."
	}
	m := card.OfStatus(err.Status, card.Where{Wire: true, Verb: err.Method}).Likely()
	return m.Means + " " + m.Cause, m.Check
}

// wrongContent is a success of a media type that Streamable HTTP does not have.
func wrongContent(err *streamable.ContentError) Explanation {
	kind := "a body without a type"
	if err.ContentType != "" {
		kind = quote(err.ContentType, 60)
	}
	e := Explanation{
		Sentence: fmt.Sprintf("%s %s answered %d with %s, where JSON or an event stream belongs.", err.Method, escape(err.URL), err.Status, kind),
		Cause:    "What answers at this URL does not speak MCP.",
		Try:      "Check host, port and path; many servers have the endpoint at /mcp.",
	}
	if len(err.Head) > 0 {
		e.Evidence = []Line{{"body", string(err.Head), true}}
	}
	if strings.HasPrefix(strings.ToLower(err.ContentType), "text/html") {
		e.Sentence = fmt.Sprintf("%s %s answered %d with an HTML page instead of JSON.", err.Method, escape(err.URL), err.Status)
		e.Cause = "It is a page for people: a login, a welcome page, or a proxy that stands in between."
	}
	return e
}

// noTransport is a URL that answers over neither transport. What the newer one
// said leads; what the older one said stands beside it.
func noTransport(err *client.FallbackError, f Facts) Explanation {
	e := judge(err.HTTP, f)
	var status *transport.StatusError
	text := err.SSE.Error()
	if errors.As(err.SSE, &status) {
		text = brief(status)
	}
	if errors.As(err.Probe, &status) {
		e.Evidence = append(e.Evidence, Line{"discover", brief(status), true})
	}
	e.Evidence = append(e.Evidence, Line{"as sse", text, true})
	return e
}

// brief is an answer that is no success on one line.
func brief(err *transport.StatusError) string {
	text := fmt.Sprintf("%s %s → %d", err.Method, err.URL, err.Status)
	if body := strings.Join(strings.Fields(string(err.Body)), " "); body != "" {
		text += " " + cut(body)
	}
	return text
}

// unreachable is a connection that could not be made, or that broke.
func unreachable(err error, f Facts) (Explanation, bool) {
	// The URL stands below already.
	text := strings.TrimPrefix(err.Error(), f.Exchange.Method+" "+f.Exchange.URL+": ")
	e := Explanation{Sentence: sentence(text)}
	var dns *net.DNSError
	var record tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var timeout net.Error
	switch {
	case errors.As(err, &dns):
		e.Cause = "The host name is misspelt, or this machine has no name service at the moment."
		e.Try = "Check the host in the URL."
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Cause = "The server does not run, or it listens on another port or address."
		e.Try = "Start the server, and compare its port with the one in the URL."
	case errors.As(err, &authority):
		e.Cause = "The certificate is signed by nobody whom this machine trusts, as those that one makes for oneself are."
		e.Try = "Add its authority to the system's trust store (or name it in SSL_CERT_FILE)."
	case errors.As(err, &certificate):
		e.Cause = "The certificate has expired, or it is that of another host."
	case errors.As(err, &record):
		e.Cause = "The server speaks plain HTTP on this port."
		e.Try = "Write http:// instead of https://."
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		e.Cause = "The server crashed, or something in between cut the connection."
		e.Try = "Look at the server's log."
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		e.Cause = "The host does not answer: it is down, or a firewall swallows the packets."
	default:
		return e, false
	}
	return e, true
}
