package tap_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/test/certtest"
	"mcptea/session/tap"
)

// A host learns of a refused certificate as of any failure; the user of the tap is told once.
func TestProxy_RefusedCertificate(t *testing.T) {
	private := certtest.NewAuthority(t, "private")
	server := certtest.Serve(&tls.Config{Certificates: []tls.Certificate{private.Issue(t, "server", nil)}, MinVersion: tls.VersionTLS12}, http.NotFoundHandler())
	defer server.Close()
	for _, settings := range []mcphttp.TLS{{}, {Roots: private.Pool()}} {
		trusted := settings.Roots != nil
		to, err := url.Parse(server.URL + "/mcp")
		if err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		warned := make(chan string, 10)
		p := &tap.Proxy{URL: to, Target: to.String(), TLS: settings, Warn: func(text string) { warned <- text }}
		ctx, end := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- p.Serve(ctx, l) }()
		for range 2 {
			response, err := http.Get("http://" + l.Addr().String() + "/mcp")
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if refused := strings.Contains(string(body), "unknown authority"); refused == trusted || trusted && response.StatusCode != http.StatusNotFound {
				t.Errorf("trusted %v: status %d, %s", trusted, response.StatusCode, body)
			}
		}
		end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		switch close(warned); {
		case trusted && len(warned) > 0:
			t.Errorf("warned of a trusted server: %s", <-warned)
		case !trusted && len(warned) != 1:
			t.Errorf("%d warnings, want one", len(warned))
		}
	}
}
