package transport

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"slices"
	"strings"
	"time"
)

// TLS is the result of a TLS handshake. It contains no key and no data of files. Reports share pointers to it;
// it is immutable.
type TLS struct {
	Version   string        `json:"version,omitempty"`          // TLS version, such as "TLS 1.3"; empty if none was negotiated or it is unknown
	Verified  bool          `json:"verified"`                   // the certificate of the server was accepted by its chain and its name
	Insecure  bool          `json:"insecure,omitempty"`         // the certificate was not verified (--insecure)
	Trusted   bool          `json:"trusted,omitempty"`          // the user trusted the certificate by its digest for this run
	Failed    bool          `json:"failed,omitempty"`           // the handshake did not complete
	Chain     []Certificate `json:"chain"`                      // certificate chain that the server presented, even if it was rejected
	Requested bool          `json:"client_requested,omitempty"` // the server requested a client certificate
	Client    string        `json:"client,omitempty"`           // the subject of the client certificate that was sent
	// Took is the duration of the handshake, or 0 if it was not measured.
	Took time.Duration `json:"-"`
}

// Certificate is a certificate of a chain. Its texts come from the server.
type Certificate struct {
	Subject    string    `json:"subject"`               // the common name, or else the whole name
	Issuer     string    `json:"issuer"`                // issuer of the certificate, written like the subject
	Names      []string  `json:"names,omitempty"`       // host names and IP addresses that it is valid for
	NotBefore  time.Time `json:"not_before"`            // the start of its validity
	NotAfter   time.Time `json:"not_after"`             // the end of its validity
	SHA256     string    `json:"sha256"`                // SHA-256 digest of the DER encoding, in hexadecimal
	SelfSigned bool      `json:"self_signed,omitempty"` // the issuer is the subject
	// Fetch reports whether the certificate contains a URL for its issuer's certificate.
	// Certificates of intermediate authorities do.
	Fetch bool `json:"-"`
}

// Limits of the certificates that a server presents.
const (
	maxChain     = 10
	maxNames     = 20
	maxNameBytes = 120
)

// NewTLS returns the result of a handshake. The chain is the chain of the state, or otherwise the rejected one.
func NewTLS(state tls.ConnectionState, refused []*x509.Certificate) *TLS {
	t := &TLS{Chain: []Certificate{}}
	if state.Version != 0 {
		t.Version = tls.VersionName(state.Version)
	}
	chain := state.PeerCertificates
	if len(chain) == 0 {
		chain = refused
	}
	for _, c := range chain[:min(len(chain), maxChain)] {
		t.Chain = append(t.Chain, certificateOf(c))
	}
	return t
}

func certificateOf(c *x509.Certificate) Certificate {
	sum := sha256.Sum256(c.Raw)
	d := Certificate{
		Subject: SubjectOf(c), Issuer: short(c.Issuer.CommonName, c.Issuer.String()), NotBefore: c.NotBefore.UTC(), NotAfter: c.NotAfter.UTC(),
		SHA256: hex.EncodeToString(sum[:]), SelfSigned: string(c.RawIssuer) == string(c.RawSubject), Fetch: len(c.IssuingCertificateURL) > 0,
	}
	for _, name := range c.DNSNames {
		d.Names = append(d.Names, short(name, ""))
	}
	for _, ip := range c.IPAddresses {
		d.Names = append(d.Names, ip.String())
	}
	d.Names = d.Names[:min(len(d.Names), maxNames)]
	return d
}

// SubjectOf names the subject of a certificate: its common name, or else the whole name.
func SubjectOf(c *x509.Certificate) string {
	return short(c.Subject.CommonName, c.Subject.String())
}

// short returns the first name that is not empty, cut.
func short(name, whole string) string {
	if name == "" {
		name = whole
	}
	if name == "" {
		return "(no name)"
	}
	return strings.ToValidUTF8(name[:min(len(name), maxNameBytes)], "")
}

// Redacted returns a copy with the texts redacted; text returns one without the secrets. It is nil
// for nil.
func (t *TLS) Redacted(text func(string) string) *TLS {
	if t == nil {
		return nil
	}
	c := *t
	c.Client, c.Chain = text(t.Client), slices.Clone(t.Chain)
	for i := range c.Chain {
		n := &c.Chain[i]
		n.Subject, n.Issuer, n.Names = text(n.Subject), text(n.Issuer), slices.Clone(n.Names)
		for j := range n.Names {
			n.Names[j] = text(n.Names[j])
		}
	}
	return &c
}
