package rpchttp

import (
	"bytes"
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
	"time"

	"mcptea/client/secret"
	"mcptea/client/transport"
)

// ErrClosed says that the connection has been closed on our side.
var ErrClosed = errors.New("the connection is closed")

// ErrCanceled is why an exchange ended whose request was canceled.
var ErrCanceled = errors.New("closed by mcptea: the request was cancelled")

// errTooLong says that a body has more bytes than it may have.
var errTooLong = fmt.Errorf("the body is longer than %d MiB", BodyLimit>>20)

// ContentError says that a successful answer has a content type that the
// transport has no use for, such as the HTML of a login page.
type ContentError struct {
	Method, URL string // URL with secrets masked
	Status      int
	ContentType string // verbatim, empty when there was none
	Head        []byte // the first bytes of the body

	// StreamOnly says that JSON would have been as wrong: only an event stream
	// would do.
	StreamOnly bool
}

// Error names the type and the first bytes.
func (e *ContentError) Error() string {
	kind := e.ContentType
	if kind == "" {
		kind = "a body of no type"
	}
	wanted := "neither JSON nor an event stream"
	if e.StreamOnly {
		wanted = "not an event stream"
	}
	text := fmt.Sprintf("%s %s answered %d with %s, which is %s", e.Method, e.URL, e.Status, kind, wanted)
	if len(e.Head) > 0 {
		text += fmt.Sprintf(": %q", e.Head)
	}
	return text
}

// ContentError makes an error of an answer of the wrong type, given the head of
// its body.
func (ex *Exchange) ContentError(body []byte) *ContentError {
	const most = 100
	return &ContentError{
		Method: ex.Report.Method, URL: ex.Report.URL, Status: ex.Report.Status,
		ContentType: ex.Response.Header.Get("Content-Type"),
		Head:        ex.excerpt(body, most),
	}
}

// ResponseError makes an error of an answer that is no success, given the head of its
// body: a *transport.StatusError, and why a redirect was not followed.
func (ex *Exchange) ResponseError(body []byte) error {
	status := ex.statusError(body)
	if to, why := ex.redirect(); to != nil {
		if why == "" {
			why = fmt.Sprintf("these are more than %d redirects", MaxRedirects)
		}
		return fmt.Errorf("%w; redirect to %s not followed: %s", status, secret.URL(to.String()), why)
	}
	return status
}

// statusError makes an error of the status, given the head of the body.
func (ex *Exchange) statusError(body []byte) *transport.StatusError {
	return &transport.StatusError{
		Method: ex.Report.Method,
		URL:    ex.Report.URL,
		Status: ex.Report.Status,
		Header: ex.Report.ResponseHeader,
		Body:   ex.excerpt(body, statusHead),
	}
}

// excerpt returns the head of a body for an error, without the secrets that the
// server repeats and those that have the form of one.
func (ex *Exchange) excerpt(body []byte, most int) []byte {
	const reach = 1 << 10 // so that a secret at the cut is recognized
	head := ex.client.secrets.Redact(string(body[:min(len(body), most+reach)]))
	head = secret.Text(head)
	return []byte(head[:min(len(head), most)])
}

// wireError is a failure below HTTP, told in words, with its cause.
type wireError struct {
	text        string
	cause       error
	unreachable bool // there was no response at all
}

func (e *wireError) Error() string { return e.text }
func (e *wireError) Unwrap() error { return e.cause }

// sendError tells why there are no headers.
func (ex *Exchange) sendError(err error) error {
	if over := ex.client.closedErr(); over != nil {
		return over
	}
	return &wireError{fmt.Sprintf("%s %s: %s", ex.Report.Method, ex.Report.URL, ex.explain(err)), err, true}
}

// IsUnreachable reports whether an exchange broke before any response came:
// connection refused, no such host, a connection that was closed at once.
func IsUnreachable(err error) bool {
	var e *wireError
	return errors.As(err, &e) && e.unreachable
}

// bodyError tells why a body ended before its end.
func (ex *Exchange) bodyError(err error) error {
	if over := ex.client.closedErr(); over != nil {
		return over
	}
	text := "the body broke: " + err.Error()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		text = "the server closed the connection in the middle of the body"
	} else if errors.Is(err, syscall.ECONNRESET) {
		text = "the connection was reset in the middle of the body"
	}
	return &wireError{fmt.Sprintf("%s %s: %s", ex.Report.Method, ex.Report.URL, text), err, false}
}

// explain says in words what went wrong on the way to the headers.
func (ex *Exchange) explain(err error) string {
	address := net.JoinHostPort(ex.URL.Hostname(), port(ex.URL))
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
		return fmt.Sprintf("cannot resolve host %q: no such host", dns.Name)
	case errors.As(err, &dns):
		return fmt.Sprintf("cannot resolve host %q: %v", dns.Name, err)
	case errors.Is(err, syscall.ECONNREFUSED):
		return "cannot connect to " + address + ": connection refused"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "connection to " + address + " lost before the response: connection reset by peer"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "cannot connect to " + address + ": no route to host"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF),
		errors.Is(err, net.ErrClosed), // net/http saw the end while it was writing
		strings.Contains(err.Error(), "server closed idle connection"):
		return address + " closed the connection before it answered"
	case strings.Contains(err.Error(), "malformed HTTP"):
		return address + " answered with something that is not HTTP"
	case strings.HasSuffix(err.Error(), http.StatusText(http.StatusProxyAuthRequired)):
		return "the proxy for " + address + " requires authentication (407)"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return address + " did not respond in time"
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
		return explainCertificate(certificate, address)
	case errors.As(err, &alert):
		return fmt.Sprintf("%s refused the TLS handshake: %v", address, alert)
	}
	return ""
}

// explainCertificate says why the certificate of a server is not accepted.
func explainCertificate(err *tls.CertificateVerificationError, address string) string {
	var authority x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var first *x509.Certificate
	if len(err.UnverifiedCertificates) > 0 {
		first = err.UnverifiedCertificates[0]
	}
	text := strings.TrimPrefix(err.Err.Error(), "x509: ")
	switch {
	case errors.As(err.Err, &invalid) && invalid.Reason == x509.Expired && invalid.Cert != nil:
		text = "it was good until " + invalid.Cert.NotAfter.UTC().Format(time.DateTime) + " UTC"
		if time.Now().Before(invalid.Cert.NotBefore) {
			text = "it is good from " + invalid.Cert.NotBefore.UTC().Format(time.DateTime) + " UTC on"
		}
	case errors.As(err.Err, &authority) && first != nil && bytes.Equal(first.RawIssuer, first.RawSubject):
		text = "it is signed by itself, and by no authority that this machine trusts"
	}
	return fmt.Sprintf("the certificate of %s is not accepted: %s", address, text)
}
