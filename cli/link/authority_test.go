package link_test

import (
	"crypto/tls"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/authority"
	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/cli/settings"
	"mcptea/internal/test/certtest"
)

func TestStartAuthority_OwnCertificate(t *testing.T) {
	p := link.New(&settings.Settings{App: app.NewApp(os.Stdin, os.Stdout, os.Stderr, nil)})
	p.Ctx = t.Context()
	own := certtest.NewAuthority(t, "Test CA")
	chain, key := certtest.PEM(t, own.Issue(t, "localhost", nil))
	dir := t.TempDir()
	at := link.AuthorityPlace{Flag: "listen", Listen: "localhost:0", Path: "/tenant", Cert: filepath.Join(dir, "cert.pem"), Key: filepath.Join(dir, "key.pem")}
	for name, text := range map[string][]byte{at.Cert: chain, at.Key: key} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, stop, err := p.StartAuthority(at, authority.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if !strings.HasPrefix(a.Issuer(), "https://localhost:") || !strings.HasSuffix(a.Issuer(), "/tenant") {
		t.Errorf("the issuer is %s", a.Issuer())
	}
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: own.Pool(), MinVersion: tls.VersionTLS12}}}
	resp, err := client.Get(a.Metadata())
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("metadata: %s", resp.Status)
	}
	client.CloseIdleConnections()
	stop()
	at.Key = at.Cert
	if _, _, err := p.StartAuthority(at, authority.Options{}); err == nil || !strings.Contains(err.Error(), "--tls-cert") {
		t.Errorf("a file without a key: %v", err)
	}
}

// A request that is being handled ends before the authority does: its handler prints and records.
func TestStartAuthority_StopAwaitsHandlers(t *testing.T) {
	p := link.New(&settings.Settings{App: app.NewApp(os.Stdin, os.Stdout, os.Stderr, nil)})
	p.Ctx = t.Context()
	begun, ended := make(chan struct{}), false
	at := link.AuthorityPlace{Flag: "listen", Wrap: func(http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			close(begun)
			<-r.Context().Done()
			ended = true
		})
	}}
	a, stop, err := p.StartAuthority(at, authority.Options{})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		if resp, err := http.Get(a.Metadata()); err == nil {
			_ = resp.Body.Close()
		}
	}()
	<-begun
	stop()
	if !ended {
		t.Error("the handler still runs")
	}
}
