package streamable

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"

	"mcptea/client/transport"
)

// ErrSessionExpired says that the server answered 404 to a request with a
// session id: the client must begin anew with "initialize" (2025-03-26,
// transports, "Session Management"). The error also is a
// *transport.StatusError.
var ErrSessionExpired = errors.New("the server does not know the session any more")

// ErrClosed says that the connection has been closed on our side.
var ErrClosed = errors.New("the connection is closed")

var (
	errTooLong  = fmt.Errorf("the body is longer than %d MiB", bodyLimit>>20)
	errNotOpen  = errors.New("the connection is not open")
	errSilent   = errors.New("the stream ended without a new event")
	errNoAnswer = errors.New("no answer to it came with the body")
)

// ContentError says that a successful answer has a content type that Streamable
// HTTP does not know, such as the HTML of a login page.
type ContentError struct {
	Method, URL string // URL with secrets masked
	Status      int
	ContentType string // verbatim, empty when there was none
	Head        []byte // the first bytes of the body
}

// Error names the type and the first bytes.
func (e *ContentError) Error() string {
	kind := e.ContentType
	if kind == "" {
		kind = "a body of no type"
	}
	text := fmt.Sprintf("%s %s answered %d with %s, which is neither JSON nor an event stream", e.Method, e.URL, e.Status, kind)
	if len(e.Head) > 0 {
		text += fmt.Sprintf(": %q", e.Head)
	}
	return text
}

func (ex *exchange) contentError(body []byte) error {
	const most = 100
	head := bytes.Clone(body[:min(len(body), most)])
	return &ContentError{ex.report.Method, ex.report.URL, ex.report.Status, ex.resp.Header.Get("Content-Type"), head}
}

// refusal makes an error of an answer that is no success.
func (ex *exchange) refusal(body []byte) error {
	status := &transport.StatusError{
		Method: ex.report.Method,
		URL:    ex.report.URL,
		Status: ex.report.Status,
		Header: ex.report.ResponseHeader,
		Body:   bytes.Clone(body[:min(len(body), statusHead)]),
	}
	if status.Status == http.StatusNotFound && lookup(ex.header, sessionHeader) != "" {
		return fmt.Errorf("%w: %w", ErrSessionExpired, status)
	}
	if to, why := ex.redirect(); to != nil {
		if why == "" {
			why = fmt.Sprintf("these are more than %d redirects", mostRedirects)
		}
		return fmt.Errorf("%w; redirect to %s not followed: %s", status, transport.MaskURL(to.String()), why)
	}
	return status
}

// wireError is a failure below HTTP, told in words, with its cause.
type wireError struct {
	text  string
	cause error
}

func (e *wireError) Error() string { return e.text }
func (e *wireError) Unwrap() error { return e.cause }

// unreachable tells why there are no headers.
func (ex *exchange) unreachable(err error) error {
	if ex.t.closed() {
		return ErrClosed
	}
	return &wireError{fmt.Sprintf("%s %s: %s", ex.report.Method, ex.report.URL, ex.explain(err)), err}
}

// broken tells why a body ended before its end.
func (ex *exchange) broken(err error) error {
	if ex.t.closed() {
		return ErrClosed
	}
	text := "the body broke: " + err.Error()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		text = "the server closed the connection in the middle of the body"
	} else if errors.Is(err, syscall.ECONNRESET) {
		text = "the connection was reset in the middle of the body"
	}
	return &wireError{fmt.Sprintf("%s %s: %s", ex.report.Method, ex.report.URL, text), err}
}

// explain says in words what went wrong on the way to the headers.
func (ex *exchange) explain(err error) string {
	address := net.JoinHostPort(ex.url.Hostname(), port(ex.url))
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "proxyconnect" {
		address = "the proxy " + op.Addr.String()
	}
	if text := explainTLS(err, address); text != "" {
		return text
	}
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return fmt.Sprintf("no host is called %q", dns.Name)
	case errors.As(err, &dns):
		return fmt.Sprintf("the address of %q could not be looked up: %v", dns.Name, err)
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens on " + address + " (connection refused)"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return address + " reset the connection before it answered"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "there is no way to " + address
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, net.ErrClosed), // net/http saw the end while it was writing
		strings.Contains(err.Error(), "server closed idle connection"):
		return address + " closed the connection before it answered"
	case strings.Contains(err.Error(), "malformed HTTP"):
		return address + " answered with something that is not HTTP"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return address + " did not answer in time"
	}
	return err.Error()
}

// explainTLS does the same for what may go wrong with TLS; it returns nothing
// when that was not it.
func explainTLS(err error, address string) string {
	var record tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	var alert tls.AlertError
	switch {
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return address + " does not speak TLS; perhaps the URL should start with http://"
	case errors.As(err, &certificate):
		return fmt.Sprintf("the certificate of %s is not accepted: %v", address, certificate.Err)
	case errors.As(err, &alert):
		return fmt.Sprintf("%s refused the TLS handshake: %v", address, alert)
	}
	return ""
}
