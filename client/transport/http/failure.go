package http

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"

	"mcptea/client/secret"
	"mcptea/client/transport"
)

// ErrClosed reports that the client has closed the connection.
var ErrClosed = errors.New("the connection is closed")

// ErrCanceled is the error of an exchange that was closed to cancel its request.
var ErrCanceled = errors.New("closed by mcptea: the request was cancelled")

// errTooLong reports a body of more than [BodyLimit] bytes.
// errTooLong reports a body longer than [BodyLimit].
var errTooLong = fmt.Errorf("the body is longer than %d MiB", BodyLimit>>20)

// ContentError reports a successful response whose content type the transport
// cannot use, such as the HTML of a login page.
type ContentError struct {
	Method, URL string // URL with secrets masked
	Status      int
	ContentType string // verbatim; empty without the header
	Head        []byte // the first bytes of the body

	// StreamOnly reports that only an event stream is possible here, not JSON.
	StreamOnly bool
}

// Error names the exchange, the type and the first bytes of the body.
func (e *ContentError) Error() string {
	returned := "Content-Type " + e.ContentType
	if e.ContentType == "" {
		returned = "no Content-Type"
	}
	wanted := JSONType + " or " + StreamType
	if e.StreamOnly {
		wanted = StreamType
	}
	text := fmt.Sprintf("%s %s returned %d with %s; expected %s", e.Method, e.URL, e.Status, returned, wanted)
	if len(e.Head) > 0 {
		text += fmt.Sprintf(". Body: %q", e.Head)
	}
	return text
}

// ContentError returns the error for a response of the wrong type, given the head
// of its body.
func (ex *Exchange) ContentError(body []byte) *ContentError {
	const maxHead = 100
	return &ContentError{
		Method: ex.Report.Method, URL: ex.Report.URL, Status: ex.Report.Status,
		ContentType: ex.Response.Header.Get("Content-Type"),
		Head:        ex.excerpt(body, maxHead),
	}
}

// ResponseError returns the error for a response without status 2xx, given the head
// of its body: a *transport.StatusError, with the reason if a redirect was not
// followed.
func (ex *Exchange) ResponseError(body []byte) error {
	status := ex.statusError(body)
	to, reason := ex.redirect()
	if to == nil {
		return status
	}
	if reason == "" {
		reason = fmt.Sprintf("more than %d redirects", MaxRedirects)
	}
	return fmt.Errorf("%w; redirect to %s not followed: %s", status, secret.URL(to.String()), reason)
}

func (ex *Exchange) statusError(body []byte) *transport.StatusError {
	return &transport.StatusError{
		Method: ex.Report.Method,
		URL:    ex.Report.URL,
		Status: ex.Report.Status,
		Header: ex.Report.ResponseHeader,
		Body:   ex.excerpt(body, statusHead),
	}
}

// excerpt returns the head of a body for an error. The secrets of this connection,
// and what has the form of a secret, are redacted.
func (ex *Exchange) excerpt(body []byte, maxBytes int) []byte {
	const overlap = 1 << 10 // so that a secret at the cut is recognized
	head := ex.client.secrets.Redact(string(body[:min(len(body), maxBytes+overlap)]))
	head = secret.Text(head)
	return []byte(head[:min(len(head), maxBytes)])
}

// Reason is the class of a failure below HTTP.
type Reason string

// The reasons, by the names that explanations have for them.
const (
	OtherReason       Reason = ""
	ResolveFailed     Reason = "dns"
	ConnectionRefused Reason = "refused"     // no process listens on the port
	HostUnreachable   Reason = "unreachable" // no route to the host or its network
	ConnectionLost    Reason = "lost"        // closed or reset before the response
	NotTLS            Reason = "not-tls"     // the port does not speak TLS
	TLSAlert          Reason = "tls-alert"   // the server ended the TLS handshake
	CertificateError  Reason = "certificate" // the certificate of the server is not valid here
	NotHTTP           Reason = "not-http"    // the response is not HTTP
	ProxyAuthRequired Reason = "proxy"       // 407 of a proxy
	TimedOut          Reason = "timeout"
)

// ReasonOf classifies an error of net/http, or of an [Exchange].
func ReasonOf(err error) Reason {
	var failed *networkError
	if errors.As(err, &failed) {
		return failed.reason
	}
	var dns *net.DNSError
	var timeout net.Error
	var record tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	var alert tls.AlertError
	switch text := err.Error(); {
	case errors.As(err, &record), strings.Contains(text, "server gave HTTP response to HTTPS client"):
		return NotTLS
	case errors.As(err, &certificate):
		return CertificateError
	case errors.As(err, &alert):
		return TLSAlert
	case errors.As(err, &dns):
		return ResolveFailed
	case errors.Is(err, syscall.ECONNREFUSED):
		return ConnectionRefused
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return HostUnreachable
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		strings.Contains(text, "server closed idle connection"):
		return ConnectionLost
	case strings.Contains(text, "malformed HTTP"):
		return NotHTTP
	case strings.HasSuffix(text, http.StatusText(http.StatusProxyAuthRequired)):
		return ProxyAuthRequired
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return TimedOut
	}
	return OtherReason
}

// networkError is a failure below HTTP.
type networkError struct {
	text       string
	reason     Reason
	cause      error
	noResponse bool // the headers of a response were not received
}

func (e *networkError) Error() string { return e.text }
func (e *networkError) Unwrap() error { return e.cause }

// sendError returns the error of an exchange without response headers.
func (ex *Exchange) sendError(err error) error {
	if closed := ex.client.closedErr(); closed != nil {
		return closed
	}
	address := net.JoinHostPort(ex.URL.Hostname(), Port(ex.URL))
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "proxyconnect" {
		address = "the proxy " + op.Addr.String()
	}
	return &networkError{fmt.Sprintf("%s %s: %s", ex.Report.Method, ex.Report.URL, describe(err, address)), ReasonOf(err), err, true}
}

// IsUnreachable reports whether an exchange failed before any response: connection
// refused, no such host, or a connection that was closed at once.
func IsUnreachable(err error) bool {
	var e *networkError
	return errors.As(err, &e) && e.noResponse
}

// bodyError returns the error of a body that was cut off.
func (ex *Exchange) bodyError(err error) error {
	if closed := ex.client.closedErr(); closed != nil {
		return closed
	}
	text := "cannot read the body: " + err.Error()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		text = "the server closed the connection in the middle of the body: " + err.Error()
	} else if errors.Is(err, syscall.ECONNRESET) {
		text = "connection lost in the middle of the body: " + syscall.ECONNRESET.Error()
	}
	return &networkError{fmt.Sprintf("%s %s: %s", ex.Report.Method, ex.Report.URL, text), ReasonOf(err), err, false}
}

// describe is the text of an error without response headers. It contains the
// phrase of the operating system or of the library.
func describe(err error, address string) string {
	switch ReasonOf(err) {
	case ResolveFailed:
		var dns *net.DNSError
		if errors.As(err, &dns) && dns.IsNotFound {
			return fmt.Sprintf("cannot resolve host %q: no such host", dns.Name)
		}
		return fmt.Sprintf("cannot resolve host %q: %v", dns.Name, err)
	case ConnectionRefused, HostUnreachable:
		var errno syscall.Errno
		errors.As(err, &errno)
		return "cannot connect to " + address + ": " + errno.Error()
	case ConnectionLost:
		// net/http reports the end of the connection in several ways, some of
		// them only while it was writing.
		cause := io.EOF.Error()
		if errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) {
			cause = syscall.ECONNRESET.Error()
		}
		return "connection to " + address + " lost before the response: " + cause
	case NotTLS:
		cause := "server gave HTTP response to HTTPS client" // net/http has no type for it
		var record tls.RecordHeaderError
		if errors.As(err, &record) {
			cause = record.Error()
		}
		return address + " does not speak TLS: " + cause
	case TLSAlert:
		var alert tls.AlertError
		errors.As(err, &alert)
		return fmt.Sprintf("TLS handshake with %s failed: %v", address, alert)
	case CertificateError:
		var certificate *tls.CertificateVerificationError
		errors.As(err, &certificate)
		return fmt.Sprintf("certificate of %s rejected: %v", address, certificate.Err)
	case NotHTTP:
		return address + " did not respond with HTTP"
	case ProxyAuthRequired:
		return "the proxy for " + address + " requires authentication: 407 " + http.StatusText(http.StatusProxyAuthRequired)
	case TimedOut:
		return "timed out waiting for " + address + ": " + err.Error()
	}
	return err.Error()
}
