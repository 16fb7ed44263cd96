package http

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"

	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/internal/system"
	"mcptea/internal/words/phrase"
)

// errClosed reports that the client has closed the connection.
var errClosed = errors.New("the connection is closed")

// errCanceled is the error of an exchange that was closed to cancel its request.
var errCanceled = errors.New("closed by mcptea: the request was cancelled")

// errTooLong reports a body longer than [bodyLimit].
var errTooLong = fmt.Errorf("the body is longer than %d MiB", bodyLimit>>20)

// ContentError reports a successful response whose content type the transport
// cannot use, such as the HTML of a login page.
type ContentError struct {
	Method, URL string // URL with secrets masked
	Status      int
	ContentType string // unchanged, or "" if there is no such header
	Head        []byte // start of the body

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
		text += ". Body: " + e.Said()
	}
	return text
}

// Said returns the head of the body in one line. For a page of HTML it returns the title.
func (e *ContentError) Said() string {
	const most = 100
	if _, ok := phrase.Page(e.Head); ok {
		return phrase.Body(e.Head, -1, most)
	}
	return strconv.Quote(phrase.Clip(e.Head, most))
}

// contentError returns the error for a response of the wrong type, given the head
// of its body.
func (ex *Exchange) contentError(body []byte) *ContentError {
	const maxHead = 1 << 10 // enough for the title of a page
	return &ContentError{
		Method: ex.Report.Method, URL: ex.Report.URL, Status: ex.Report.Status,
		ContentType: ex.Response.Header.Get("Content-Type"),
		Head:        ex.excerpt(body, maxHead),
	}
}

// responseError returns the error for a response without status 2xx, given the head
// of its body: a *transport.StatusError, with the reason if a redirect was not
// followed.
func (ex *Exchange) responseError(body []byte) error {
	status := ex.statusError(body)
	to, reason := ex.redirect()
	if to == nil {
		return status
	}
	if reason == "" {
		reason = fmt.Sprintf("more than %d redirects", MaxRedirects)
	}
	return fmt.Errorf("%w; redirect to %s not followed: %s", status, ex.client.shownURL(to.String()), reason)
}

func (ex *Exchange) statusError(body []byte) *transport.StatusError {
	return &transport.StatusError{
		Method: ex.Report.Method,
		URL:    ex.Report.URL,
		Status: ex.Report.Status,
		Header: ex.Report.ResponseHeader,
		Body:   ex.excerpt(body, transport.MaxBodyHead),
	}
}

// excerpt returns the head of a body for an error. The secrets of this connection, and texts with the form of a
// secret, are redacted.
func (ex *Exchange) excerpt(body []byte, maxBytes int) []byte {
	const overlap = 1 << 10 // overlap, so that a secret at the cut is recognized
	head := ex.client.secrets.Redact(string(body[:min(len(body), maxBytes+overlap)]))
	head = secret.Text(head)
	return []byte(head[:min(len(head), maxBytes)])
}

// ReasonOf returns the class of a failure below HTTP, an error of net/http or of an [Exchange]:
//
//   - dns: the host cannot be resolved;
//   - refused: no process listens on the port;
//   - unreachable: no route to the host or its network;
//   - lost: the connection was closed or reset before the response;
//   - not-tls: the port does not speak TLS;
//   - tls-alert: the server ended the connection with a TLS alert;
//   - tls-version: there is no common TLS version;
//   - certificate: the certificate of the server is not valid here;
//   - not-http: the response is not HTTP;
//   - proxy: 407 of a proxy;
//   - proxy-status: another status of a proxy that does not connect to the server;
//   - timeout;
//   - proxy-dns, proxy-refused and so on: the same failure between this machine and the proxy;
//   - empty for others.
func ReasonOf(err error) string {
	if failed, ok := errors.AsType[*networkError](err); ok {
		return failed.reason
	}
	reason, _ := classify(err, "")
	return reason
}

// classify returns the class of an error without response headers, and its text, which
// contains the phrase of the operating system or of the library.
func classify(err error, address string) (reason, text string) {
	const gaveHTTP = "server gave HTTP response to HTTPS client"           // net/http has no error type for it
	const tlsVersion = "tls: server selected unsupported protocol version" // nor crypto/tls
	text = err.Error()
	record, noRecord := errors.AsType[tls.RecordHeaderError](err)
	certificate, badCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, hasAlert := alertOf(err)
	dns, unresolved := errors.AsType[*net.DNSError](err)
	network, ofNetwork := errors.AsType[net.Error](err)
	refusal, refusesTunnel := errors.AsType[*tunnelError](err)
	lost := "connection to " + address + " lost before the response: "
	switch {
	case noRecord:
		return "not-tls", address + " does not speak TLS: " + record.Error()
	case strings.Contains(text, gaveHTTP):
		return "not-tls", address + " does not speak TLS: " + gaveHTTP
	case badCertificate:
		return "certificate", fmt.Sprintf("the certificate of %s is not accepted: %v", address, certificate.Err)
	case hasAlert:
		return "tls-alert", fmt.Sprintf("%s ended the TLS connection: %s", address, remoteText(err))
	case strings.Contains(text, tlsVersion):
		return "tls-version", fmt.Sprintf("TLS handshake with %s failed: %v", address, err)
	case unresolved && dns.IsNotFound:
		return "dns", fmt.Sprintf("cannot resolve host %q: no such host", dns.Name)
	case unresolved:
		return "dns", fmt.Sprintf("cannot resolve host %q: %v", dns.Name, err)
	case system.IsErrno(err, syscall.ECONNREFUSED):
		return "refused", "cannot connect to " + address + ": " + syscall.ECONNREFUSED.Error()
	case system.IsErrno(err, syscall.EHOSTUNREACH):
		return "unreachable", "cannot connect to " + address + ": " + syscall.EHOSTUNREACH.Error()
	case system.IsErrno(err, syscall.ENETUNREACH):
		return "unreachable", "cannot connect to " + address + ": " + syscall.ENETUNREACH.Error()
	case system.IsErrno(err, syscall.ECONNRESET), system.IsErrno(err, syscall.EPIPE):
		return "lost", lost + syscall.ECONNRESET.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), strings.Contains(text, "server closed idle connection"):
		// net/http reports the end of the connection in several ways, some of them only
		// while it was writing.
		return "lost", lost + io.EOF.Error()
	case strings.Contains(text, "malformed HTTP"):
		return "not-http", address + " did not respond with HTTP"
	case refusesTunnel && refusal.code == http.StatusProxyAuthRequired:
		return "proxy", "the proxy for " + address + " requires authentication: " + refusal.status
	case refusesTunnel:
		return "proxy-status", "the proxy does not connect to " + address + ": " + refusal.status
	case errors.Is(err, context.DeadlineExceeded), ofNetwork && network.Timeout():
		return "timeout", "timed out waiting for " + address + ": " + text
	}
	return "", text
}

// networkError is a failure below HTTP.
type networkError struct {
	text       string
	reason     string
	cause      error
	noResponse bool           // the headers of a response were not received
	tls        *transport.TLS // handshake of the exchange, or nil
}

func (e *networkError) Error() string { return e.text }
func (e *networkError) Unwrap() error { return e.cause }

// sendError returns the error of an exchange without response headers.
func (ex *Exchange) sendError(err error) error {
	if closed := ex.client.closedErr(); closed != nil {
		return closed
	}
	reason, text := classify(err, net.JoinHostPort(ex.URL.Hostname(), Port(ex.URL)))
	if op, ok := errors.AsType[*net.OpError](err); ok && isProxyError(err) { // the error does not contain the address of the proxy
		reason, text = classify(op.Err, ex.client.proxyFor(ex.URL))
		if reason != "" {
			reason = "proxy-" + reason
		}
	}
	return &networkError{fmt.Sprintf("%s %s: %s", ex.Report.Method, ex.Report.URL, text), reason, err, true, ex.Report.TLS}
}

// TLSFailure describes a failure caused by certificates or by TLS itself, so that sending the request again
// does not help. ok is false for other failures.
type TLSFailure struct {
	TLS    *transport.TLS // facts of the TLS handshake, or nil
	Alert  uint8          // alert of the server (RFC 8446 section 6), or 0, or for close_notify
	During bool           // the handshake failed, and not the request after it
}

// TLSFailureOf returns the failure of TLS in an error of an [Exchange].
func TLSFailureOf(err error) (f TLSFailure, ok bool) {
	failed, ok := errors.AsType[*networkError](err)
	if !ok {
		return f, false
	}
	alert, _ := alertOf(err)
	f = TLSFailure{failed.tls, uint8(alert), failed.tls == nil || failed.tls.Failed}
	switch failed.reason {
	case "certificate", "not-tls", "tls-alert", "tls-version":
		return f, true
	case "lost":
		// In TLS 1.3 the server refuses a client certificate after the handshake: the end of the
		// connection may be noticed before its alert is read.
		f.During = false
		return f, f.TLS != nil && f.TLS.Requested
	}
	return f, false
}

// remoteText returns the text of an alert as crypto/tls writes it.
func remoteText(err error) string {
	op, _ := errors.AsType[*net.OpError](err)
	return op.Error()
}

// proxyFor names the proxy that requests of a URL go through.
func (c *Client) proxyFor(u *url.URL) string {
	proxy := c.http.proxy(u)
	if proxy == nil {
		return "the proxy"
	}
	return "the proxy " + strings.TrimSuffix(net.JoinHostPort(proxy.Hostname(), Port(proxy)), ":")
}

// tunnelError is the response of a proxy that does not connect to the server (RFC 9110,
// section 9.3.6).
type tunnelError struct {
	code   int
	status string // status with its text
}

func (e *tunnelError) Error() string { return "CONNECT returned " + e.status }

// checkTunnel checks the response of a proxy to CONNECT.
func checkTunnel(_ context.Context, _ *url.URL, _ *http.Request, r *http.Response) error {
	if r.StatusCode == http.StatusOK {
		return nil
	}
	return &tunnelError{r.StatusCode, r.Status}
}

// IsUnreachable reports whether an exchange failed before any response: connection refused, no such host, or a
// connection that was closed immediately.
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
	} else if system.IsErrno(err, syscall.ECONNRESET) {
		text = "connection lost in the middle of the body: " + syscall.ECONNRESET.Error()
	}
	return &networkError{fmt.Sprintf("%s %s: %s", ex.Report.Method, ex.Report.URL, text), ReasonOf(err), err, false, nil}
}
