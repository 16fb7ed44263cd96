package cli

import (
	"crypto/tls"
	"net/http"
	"os"
	"slices"

	"github.com/rogpeppe/go-internal/testscript"

	"mcptea/internal/test/certtest"
)

// tlsServers starts an MCP server over HTTPS, $TLS, and one that requires a client certificate,
// $MUTUAL. It writes ca.pem, the certificate and key of a server and of a client, and both.pem with
// those of the client.
func tlsServers(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: tlsservers")
	}
	private := certtest.NewAuthority(ts, "test-ca")
	server, client := private.Issue(ts, "server", nil), private.Issue(ts, "client", nil)
	for name, c := range map[string]tls.Certificate{"ca": private.Certificate, "server": server, "client": client} {
		chain, key := certtest.PEM(ts, c)
		ts.Check(os.WriteFile(ts.MkAbs(name+".pem"), chain, 0o600))
		ts.Check(os.WriteFile(ts.MkAbs(name+".key"), key, 0o600))
	}
	chain, key := certtest.PEM(ts, client)
	ts.Check(os.WriteFile(ts.MkAbs("both.pem"), slices.Concat(chain, key), 0o600))
	for name, auth := range map[string]tls.ClientAuthType{"TLS": tls.NoClientCert, "MUTUAL": tls.RequireAndVerifyClientCert} {
		s := certtest.Serve(&tls.Config{Certificates: []tls.Certificate{server}, MinVersion: tls.VersionTLS12, ClientAuth: auth, ClientCAs: private.Pool()}, http.HandlerFunc(certtest.MCP))
		ts.Defer(s.Close)
		ts.Setenv(name, s.URL+"/mcp")
	}
}
