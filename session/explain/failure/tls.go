package failure

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/words/phrase"
)

// addTLS adds the facts of the TLS handshake of a failed request.
func (f Facts) addTLS(s situation, err error) {
	failed, _ := mcphttp.TLSFailureOf(err)
	if failed.Alert != 0 {
		s["alert"] = failed.Alert
	}
	if record, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		s["speaks_http"] = string(record.RecordHeader[:]) == "HTTP/"
	}
	s["cacert"], s["server_name"] = f.target.TLS.Roots != nil, f.target.TLS.ServerName
	s["node_ca"] = f.nodeCA
	s["elsewhere"], s["untrusted"] = f.isElsewhere(), f.isUntrusted(err)
	t := failed.TLS
	if t == nil {
		return
	}
	switch {
	case t.Client != "":
		s["client"], s["client_name"] = "sent", named(t.Client)
	case t.Requested:
		s["client"] = "none"
	}
	if n := len(t.Chain); n > 0 {
		leaf := t.Chain[0]
		s["subject"], s["issuer"] = phrase.Quote(leaf.Subject, knownName), phrase.Quote(t.Chain[n-1].Issuer, knownName)
		s["self_signed"], s["incomplete"] = n == 1 && leaf.SelfSigned, n == 1 && leaf.Fetch
		names := make([]string, len(leaf.Names))
		for i, name := range leaf.Names {
			names[i] = bare(name)
		}
		s["names"] = strings.Join(names, ", ")
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Cert != nil {
		s["invalid"] = phrase.Quote(transport.SubjectOf(invalid.Cert), knownName)
		s["from"], s["until"] = invalid.Cert.NotBefore.UTC().Format(time.RFC3339), invalid.Cert.NotAfter.UTC().Format(time.RFC3339)
		if m := verifiedAt().FindStringSubmatch(invalid.Detail); m != nil {
			s["clock"], s["early"] = m[1], m[2] == "before"
		}
	}
}

// isUntrusted reports whether a rejected certificate is not signed by a trusted authority. crypto/x509 checks
// the name first, and the chain only if the name is right.
func (f Facts) isUntrusted(err error) bool {
	refused, ok := errors.AsType[*tls.CertificateVerificationError](err)
	if !ok || len(refused.UnverifiedCertificates) == 0 {
		return false
	}
	between := x509.NewCertPool()
	for _, c := range refused.UnverifiedCertificates[1:] {
		between.AddCert(c)
	}
	_, err = refused.UnverifiedCertificates[0].Verify(x509.VerifyOptions{Roots: f.target.TLS.Roots, Intermediates: between})
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	return unknown
}

// verifiedAt finds the time of the verification, which crypto/x509 reports only in the text of its error.
var verifiedAt = lazyregexp.New(`^current time (\S+) is (before|after) `)

// isElsewhere reports whether the failed request went to another origin than the target, such as an
// authorization server.
func (f Facts) isElsewhere() bool {
	own, err := url.Parse(f.target.URL)
	to, err2 := url.Parse(f.exchange.URL)
	return err == nil && err2 == nil && f.exchange.URL != "" && !mcphttp.SameOrigin(own, to)
}

// ChainLines describes the certificates that a server presented, in one or two lines each, with names from the
// server. now determines the remaining days.
func ChainLines(t *transport.TLS, now time.Time) (lines []string) {
	for i, c := range t.Chain {
		validity := "from " + c.NotBefore.Format(time.DateOnly)
		switch days := int(c.NotAfter.Sub(now).Hours() / 24); {
		case now.Before(c.NotBefore):
		case now.After(c.NotAfter):
			validity = "expired " + c.NotAfter.Format(time.DateOnly)
		default:
			validity = fmt.Sprintf("until %s (%s)", c.NotAfter.Format(time.DateOnly), phrase.Count(days, "day"))
		}
		by := "issued by " + c.Issuer
		if c.SelfSigned {
			by = "self-signed"
		}
		sum := c.SHA256
		if len(sum) > 12 {
			sum = sum[:8] + "…" + sum[len(sum)-4:]
		}
		lines = append(lines, fmt.Sprintf("%s  %s  %s  SHA-256 %s", c.Subject, by, validity, sum))
		if i == 0 && len(c.Names) > 0 {
			lines = append(lines, "names "+strings.Join(c.Names, ", "))
		}
	}
	return lines
}
