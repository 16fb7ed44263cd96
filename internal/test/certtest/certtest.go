// Package certtest has what tests of TLS need: authorities and certificates that are made for one
// test, and a small MCP server over HTTPS that names the client it sees.
package certtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"time"
)

// T is the part of testing.T that is needed.
type T interface {
	Fatalf(format string, args ...any)
}

// Begin and End are the validity of certificates: so long that no test depends on the clock.
var (
	Begin = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	End   = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
)

// Authority issues certificates.
type Authority struct {
	tls.Certificate
}

// NewAuthority makes an authority that signs its own certificate.
func NewAuthority(t T, name string) *Authority {
	made := template(name)
	made.IsCA, made.BasicConstraintsValid = true, true
	return &Authority{sign(t, made, nil)}
}

// Pool returns a pool with only the authority.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.Leaf)
	return pool
}

// Issue makes a certificate for localhost and 127.0.0.1. change may be nil.
func (a *Authority) Issue(t T, name string, change func(*x509.Certificate)) tls.Certificate {
	made := template(name)
	made.DNSNames, made.IPAddresses = []string{"localhost"}, []net.IP{net.IPv4(127, 0, 0, 1)}
	if change != nil {
		change(made)
	}
	return sign(t, made, a)
}

// SelfSigned makes a certificate like those of [Authority.Issue] that signs itself.
func SelfSigned(t T, name string) tls.Certificate {
	made := template(name)
	made.DNSNames, made.IPAddresses = []string{"localhost"}, []net.IP{net.IPv4(127, 0, 0, 1)}
	return sign(t, made, nil)
}

// Intermediate returns an authority below another authority.
func (a *Authority) Intermediate(t T, name string) *Authority {
	return &Authority{a.Issue(t, name, func(c *x509.Certificate) {
		c.DNSNames, c.IPAddresses, c.IsCA, c.BasicConstraintsValid = nil, nil, true, true
	})}
}

func template(name string) *x509.Certificate {
	return &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: Begin, NotAfter: End}
}

func sign(t T, made *x509.Certificate, by *Authority) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatalf("%v", err)
	}
	issuer, signer := made, any(key)
	if by != nil {
		issuer, signer = by.Leaf, by.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, made, issuer, &key.PublicKey, signer)
	if err != nil {
		t.Fatalf("%v", err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// PEM returns the chain and the key of a certificate.
func PEM(t T, c tls.Certificate) (chain, key []byte) {
	for _, der := range c.Certificate {
		chain = append(chain, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return chain, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// Serve starts a server with TLS settings. The caller closes it.
func Serve(c *tls.Config, h http.Handler) *httptest.Server {
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = c
	s.StartTLS()
	return s
}

// MCP implements a server with one tool, whose description is the common name of the client certificate.
func MCP(w http.ResponseWriter, r *http.Request) {
	var q struct {
		ID     json.RawMessage
		Method string
	}
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&q) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if q.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	client := "without a certificate"
	if len(r.TLS.PeerCertificates) > 0 {
		client = r.TLS.PeerCertificates[0].Subject.CommonName
	}
	reply, ok := map[string]string{
		"initialize": `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"tls","version":"1"}}`,
		"tools/list": fmt.Sprintf(`"result":{"tools":[{"name":"who","inputSchema":{"type":"object"},"description":%q}]}`, client),
		"ping":       `"result":{}`,
	}[q.Method]
	if !ok {
		reply = `"error":{"code":-32601,"message":"method not found"}`
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, q.ID, reply)
}
