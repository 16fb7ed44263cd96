package failure

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/test/certtest"
	"mcptea/session/session"
)

// Each refusal of TLS says in words what is wrong, and one thing to try, by what the handshake
// has shown.
func TestTLS_CauseAndTry(t *testing.T) {
	t.Setenv("NODE_EXTRA_CA_CERTS", "")
	private, others := certtest.NewAuthority(t, "Corp Root"), certtest.NewAuthority(t, "Other Root")
	issuing := private.Intermediate(t, "Issuing 2")
	identity, stranger := private.Issue(t, "alice", nil), others.Issue(t, "mallory", nil)
	trusted := mcphttp.TLS{Roots: private.Pool()}
	past := func(c *x509.Certificate) { c.NotBefore, c.NotAfter = certtest.Begin, certtest.Begin.AddDate(0, 0, 1) }
	future := func(c *x509.Certificate) { c.NotBefore = certtest.End.AddDate(0, 0, -1) }
	expired := private.Issue(t, "alice", past)
	with := func(c *tls.Certificate) mcphttp.TLS { return mcphttp.TLS{Roots: private.Pool(), Certificate: c} }
	chain := func(leaf tls.Certificate, more ...*certtest.Authority) tls.Certificate {
		for _, a := range more {
			leaf.Certificate = append(leaf.Certificate, a.Leaf.Raw)
		}
		return leaf
	}
	for _, tt := range []struct {
		name       string
		server     tls.Certificate
		version    uint16 // the newest
		auth       tls.ClientAuthType
		settings   mcphttp.TLS
		cause, try string
	}{
		{"root", private.Issue(t, "server", nil), 0, 0, mcphttp.TLS{}, `The chain ends at the authority "Corp Root", which this machine does not trust.`, "Trust it: --cacert FILE, with \"Corp Root\" in PEM."},
		{"chain", chain(issuing.Issue(t, "server", nil), issuing), 0, 0, mcphttp.TLS{}, `the authority "Corp Root", which this machine`, "--cacert FILE, with \"Corp Root\""},
		{"another file", private.Issue(t, "server", nil), 0, 0, mcphttp.TLS{Roots: others.Pool()}, `"Corp Root", which neither the system nor the file of --cacert has.`, "Name the file with \"Corp Root\""},
		{"no intermediate", issuing.Issue(t, "server", func(c *x509.Certificate) { c.IssuingCertificateURL = []string{"http://corp.test/ca"} }), 0, 0, mcphttp.TLS{}, `without the certificate of its issuer, "Issuing 2"`, `Let the server send the certificate of "Issuing 2", too; or`},
		{"self-signed", certtest.SelfSigned(t, "server"), 0, 0, mcphttp.TLS{}, "The certificate is self-signed.", "--cacert FILE, with this certificate in PEM."},
		{"name", private.Issue(t, "server", func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"a.test", "b\x1b.test"} }), 0, 0, trusted, `It has these names: a.test, "b\x1b.test".`, "Use one of them in the URL; or verify it: --tls-server-name NAME"},
		{"name and root", private.Issue(t, "server", func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"a.test"} }), 0, 0, mcphttp.TLS{}, `It has these names: a.test; and its chain ends at the authority "Corp Root", which is not trusted.`, "Use one of them, in the URL or with --tls-server-name, and trust the authority: --cacert FILE, with \"Corp Root\""},
		{"name and another file", private.Issue(t, "server", func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"a.test"} }), 0, 0, mcphttp.TLS{Roots: others.Pool()}, `and its chain ends at the authority "Corp Root"`, "--cacert FILE"},
		{"name of a chain", chain(issuing.Issue(t, "server", func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"a.test"} }), issuing), 0, 0, trusted, "It has these names: a.test.", "Use one of them in the URL; or verify it"},
		{"name, self-signed", certtest.SelfSigned(t, "server"), 0, 0, mcphttp.TLS{ServerName: "wrong.test"}, "It has these names: localhost, 127.0.0.1; and it is self-signed.", "with this certificate in PEM."},
		{"no names and root", private.Issue(t, "server", func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, nil }), 0, 0, mcphttp.TLS{}, `the common name does not count; and its chain ends at "Corp Root", which is not trusted.`, "and trust its authority: --cacert FILE"},
		{"no names", private.Issue(t, "server", func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, nil }), 0, 0, trusted, "It has no host names", "Issue a certificate"},
		{"server name", private.Issue(t, "server", nil), 0, 0, mcphttp.TLS{Roots: private.Pool(), ServerName: "wrong.test"}, "It has these names: localhost, 127.0.0.1.", "Use one of them with --tls-server-name, or omit the option."},
		{"expired", private.Issue(t, "server", past), 0, 0, trusted, `"server" was valid until 2000-01-02T00:00:00Z, and the clock of this machine says 2`, "Renew the certificate; or correct the clock"},
		{"early", private.Issue(t, "server", future), 0, 0, trusted, `"server" is valid from 2199-12-31T00:00:00Z, and the clock of this machine says 2`, "Check the clock of this machine; or"},
		{"client certificate", private.Issue(t, "server", nil), 0, tls.RequireAndVerifyClientCert, trusted, "he server requires a client certificate, and none was sent", "--cert FILE --key FILE"},
		{"client certificate, TLS 1.2", private.Issue(t, "server", nil), tls.VersionTLS12, tls.RequireAndVerifyClientCert, trusted, "The server requires a client certificate, and none was sent.", "--cert FILE --key FILE"},
		{"client refused", private.Issue(t, "server", nil), tls.VersionTLS12, tls.RequireAndVerifyClientCert, with(&stranger), `The server does not trust the authority of the client certificate "mallory".`, "Use a certificate of an authority that"},
		{"client expired", private.Issue(t, "server", nil), tls.VersionTLS12, tls.RequireAndVerifyClientCert, with(&expired), `The client certificate "alice" has expired, or is not valid yet.`, "Renew the client certificate."},
		{"old", private.Issue(t, "server", nil), tls.VersionTLS11, 0, with(&identity), "The server supports neither TLS 1.2 nor TLS 1.3.", "Enable TLS 1.2 or 1.3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			connections := 0
			s := httptest.NewUnstartedServer(http.NotFoundHandler())
			s.Config.ErrorLog = log.New(io.Discard, "", 0)
			s.TLS = &tls.Config{
				Certificates: []tls.Certificate{tt.server}, MinVersion: tls.VersionTLS10, MaxVersion: tt.version, ClientAuth: tt.auth, ClientCAs: private.Pool(), //nolint:gosec // an old server
				GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
					connections++
					return nil, nil //nolint:nilnil // the same
				},
			}
			s.StartTLS()
			defer s.Close()
			e := explained(t, client.Target{URL: s.URL + "/mcp", TLS: tt.settings})
			if !strings.Contains(e.Cause(), tt.cause) || !strings.Contains(e.Try(), tt.try) || tt.version != 0 && e.Strength() != "proves" {
				t.Errorf("cause %q (%s)\nwant  %q\ntry   %q\nwant  %q", e.Cause(), e.Strength(), tt.cause, e.Try(), tt.try)
			}
			s.Close()
			if connections != 1 {
				t.Errorf("%d connections: what was refused once is refused again", connections)
			}
		})
	}
}

// The certificate of an authorization server is not that of the target: -k does not help.
func TestTLS_OfTheAuthorizationServer(t *testing.T) {
	status := &transport.StatusError{Method: "POST", URL: "https://a.test/mcp", Status: http.StatusUnauthorized}
	for _, err := range []error{x509.UnknownAuthorityError{}, &tls.CertificateVerificationError{Err: x509.HostnameError{Certificate: &x509.Certificate{}, Host: "b.test"}}} {
		e := Explain(&transport.AuthorizationError{Status: status, Err: fmt.Errorf("cannot fetch the metadata: %w", err)}, Facts{target: client.Target{URL: "https://a.test/mcp"}})
		if !strings.Contains(e.Cause(), "of the authorization server") || !strings.HasSuffix(e.Try(), "; -k applies only to the server.") {
			t.Errorf("%T: cause %q, try %q", err, e.Cause(), e.Try())
		}
	}
}

// A request that cannot be written because the server has closed the connection, as for want of a
// client certificate in TLS 1.3, is not about stdin.
func TestExplain_BrokenPipeOverHTTP(t *testing.T) {
	err := &net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", syscall.EPIPE)}
	e := Explain(&client.ConnectError{Step: client.StepDiscover, Err: err}, Facts{target: client.Target{URL: "https://a.test/mcp"}})
	if text := e.Sentence + e.Cause() + e.Try(); strings.Contains(text, "stdin") || strings.Contains(text, "stdio") || e.Cause() == "" {
		t.Errorf("%s\n%s\n%s", e.Sentence, e.Cause(), e.Try())
	}
}

// explained connects to a target, which fails, and explains it.
func explained(t *testing.T, target client.Target) Explanation {
	t.Helper()
	s, err := session.Open(session.Config{Target: target, Record: "off", Client: client.Config{Name: "test", Timeout: 20 * time.Second, ConnectTimeout: 20 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(t.Context()) }()
	err = s.Connect(t.Context())
	if err == nil {
		t.Fatal("connected")
	}
	return Explain(err, FactsOf(s))
}
