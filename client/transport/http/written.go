package http

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/textproto"
	"net/url"
	"strings"
)

// ErrHeaderName reports that a header of the user has no name.
var ErrHeaderName = errors.New("the header has no valid name")

// ErrHeaderOfBody reports a header that net/http sets for each body, and drops in the headers of the user.
var ErrHeaderOfBody = errors.New("cannot be set: the HTTP library sets it for each body")

// ParseHeader reads a header as a user writes it, "Name: value". An error does not show the value, which
// may be a secret.
func ParseHeader(text string) (name, value string, err error) {
	name, value, ok := strings.Cut(text, ":")
	value = strings.TrimSpace(value)
	switch {
	case !ok || !IsToken(name):
		return "", "", ErrHeaderName
	case strings.ContainsFunc(value, func(r rune) bool { return r < 0x20 && r != '\t' || r == 0x7f }):
		return "", "", fmt.Errorf("the value of %s contains a control character", name)
	case isOfBody(name):
		return "", "", fmt.Errorf("the header %s %w", name, ErrHeaderOfBody)
	}
	return name, value, nil
}

// isOfBody reports whether net/http drops a header of the user, since the header is about the body.
func isOfBody(name string) bool {
	switch textproto.CanonicalMIMEHeaderKey(name) {
	case "Content-Length", "Transfer-Encoding", "Trailer":
		return true
	}
	return false
}

// ParseURL reads the URL of a server. An error does not show it, since it may contain a secret.
func ParseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, errors.New("the URL does not begin with http:// or https://, or has no host")
	}
	return u, nil
}

// WithAuthorities returns the pool, or the system's pool if it is nil, with the certificates of a PEM text
// added. ok is false if the text contains none.
func WithAuthorities(pool *x509.CertPool, text []byte) (more *x509.CertPool, ok bool) {
	switch {
	case pool != nil:
		more = pool.Clone()
	default:
		// The pool of the system is extended: on macOS and Windows a new one would lose the verifier of the
		// platform.
		var err error
		if more, err = x509.SystemCertPool(); err != nil {
			more = x509.NewCertPool() // a system without any
		}
	}
	return more, more.AppendCertsFromPEM(text)
}
