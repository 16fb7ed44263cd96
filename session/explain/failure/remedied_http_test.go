//go:build unix

package failure_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/test/certtest"
	"mcptea/session/explain/remedy"
	"mcptea/session/session"
)

func revisionOf(version string) revision.Revision { return revision.Revision(version) }

// unless is a server that works if a request fulfills a condition, and else does something else.
func unless(is func(r *http.Request, body []byte) bool, not http.HandlerFunc) func(*testing.T) client.Target {
	return serves(func(w http.ResponseWriter, r *http.Request) {
		_, _ = asked(r) // so that the body can be read again
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		if is(r, body) {
			fine(w, r)
			return
		}
		not(w, r)
	})
}

// atPath is a server that works at a path alone.
func atPath(path string, not http.HandlerFunc) func(*testing.T) client.Target {
	return unless(func(r *http.Request, _ []byte) bool { return r.URL.Path == path }, not)
}

// withHeader is a server that requires a header.
func withHeader(name, value string, not http.HandlerFunc) func(*testing.T) client.Target {
	return unless(func(r *http.Request, _ []byte) bool { return r.Header.Get(name) == value }, not)
}

// once is a server that works after a time.
func once(not http.HandlerFunc) func(t *testing.T) (client.Target, func()) {
	return again(func(t *testing.T, healed func() bool) client.Target {
		return unless(func(*http.Request, []byte) bool { return healed() }, not)(t)
	})
}

// onceCalled is a server whose calls work after a time.
func onceCalled(not http.HandlerFunc) func(t *testing.T) (client.Target, func()) {
	return again(func(t *testing.T, healed func() bool) client.Target {
		return unless(func(_ *http.Request, body []byte) bool {
			return healed() || jsonrpc.Text(body, "method") != "tools/call"
		}, not)(t)
	})
}

// older is a server that takes only an older version, and says otherwise what it says.
func older(not http.HandlerFunc) func(*testing.T) client.Target {
	return unless(func(_ *http.Request, body []byte) bool {
		v := jsonrpc.Text(body, "params", "protocolVersion")
		return v == "2025-06-18" || v == "" && jsonrpc.Text(body, "method") != "server/discover"
	}, not)
}

// lists2026 is a server that lists the version 2026-07-28 and does something else with its requests.
func lists2026(not http.HandlerFunc) func(*testing.T) client.Target {
	return serves(func(w http.ResponseWriter, r *http.Request) {
		method, id := asked(r)
		switch version := r.Header.Get("MCP-Protocol-Version"); {
		case method == "server/discover":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, result(id, `{"resultType":"complete","supportedVersions":["2026-07-28","2025-11-25"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public"}`))
		case version == "2026-07-28":
			not(w, r)
		default:
			fine(w, r)
		}
	})
}

// hangs takes a request and never responds.
func hangs(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func pathOf(path string) func(string) string {
	return func(line string) string {
		u, err := url.Parse(line)
		if err != nil {
			return line
		}
		u.Path = path
		return u.String()
	}
}

func at(target func(*testing.T) client.Target, path string) func(*testing.T) (client.Target, func()) {
	return stays(over(target, func(c *client.Target) { c.URL = pathOf(path)(c.URL) }))
}

func giveToken(r remedy.Run) (remedy.Run, error) { return r.With("token", "t0k") }

func transportOf(name string) func(*session.Config) {
	return func(cfg *session.Config) { cfg.Target.Transport = name }
}

// elsewhere is a target whose host is another server, by its name.
func elsewhere(name string, not func(ctx context.Context, network, address string) (net.Conn, error), handler http.HandlerFunc) func(*testing.T) (client.Target, func()) {
	return stays(func(t *testing.T) client.Target {
		there := strings.TrimPrefix(strings.TrimSuffix(serves(handler)(t).URL, "/mcp"), "http://")
		return client.Target{URL: "http://" + name + "/mcp", Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if strings.HasPrefix(address, "good.test:") {
				address = there
			} else if not != nil {
				return not(ctx, network, address)
			} else {
				address = there
			}
			return new(net.Dialer).DialContext(ctx, network, address)
		}}
	})
}

func toGood(string) string { return "http://good.test/mcp" }

// spoken is a port on which something that is not HTTP answers.
func spoken(text string) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer func() { _ = theirs.Close() }()
			if r, err := http.ReadRequest(bufio.NewReader(theirs)); err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = io.WriteString(theirs, text)
			}
		}()
		return ours, nil
	}
}

// secured is a server over TLS.
func secured(certificate tls.Certificate, settings mcphttp.TLS) func(*testing.T) (client.Target, func()) {
	return stays(func(t *testing.T) client.Target {
		s := certtest.Serve(&tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}, http.HandlerFunc(fine))
		t.Cleanup(s.Close)
		return client.Target{URL: s.URL + "/mcp", TLS: settings}
	})
}

// remediedHTTP are the remedies of servers over HTTP.
func remediedHTTP(t *testing.T) []remedied {
	t.Helper()
	text := func(status int, body string, headers ...string) http.HandlerFunc {
		return replies(status, "text/plain", body, headers...)
	}
	const refuses = "Bad Request: Unsupported protocol version"
	list := []remedied{
		{ids: []string{"session-expired"}, target: onceCalled(text(404, ""))},
		{ids: []string{"session-gone"}, target: onceCalled(text(401, "Unauthorized: Session not found"))},
		{ids: []string{"404-connected"}, target: onceCalled(text(405, ""))},
		{ids: []string{"version-offered"}, target: stays(lists2026(replies(400, "text/plain", `Bad Request: protocol version "2026-07-28" is only supported on stateless HTTP servers`)))},
		{ids: []string{"version-refused"}, target: stays(older(text(400, refuses+" (supported versions: 2025-06-18, 2024-11-05)")))},
		{ids: []string{"version-refused-unnamed"}, target: stays(older(text(400, refuses)))},
		{ids: []string{"400"}, target: stays(older(text(400, "")))},
		{ids: []string{"400-tls"}, target: bothSchemes},
		{ids: []string{"not-http-tls"}, target: alerting},
		{ids: []string{"400-session"}, change: pinned("2026-07-28"), target: stays(unless(func(_ *http.Request, body []byte) bool { return jsonrpc.Text(body, "method") != "server/discover" }, text(400, "no session id")))},
		{ids: []string{"403-origin"}, typed: "http://localhost", target: stays(withHeader("Origin", "http://localhost", text(403, "Origin not allowed")))},
		{ids: []string{"403-host-loopback"}, target: stays(unless(func(r *http.Request, _ []byte) bool { return strings.HasPrefix(r.Host, "localhost:") }, text(421, "Invalid Host header")))},
		{ids: []string{"403-host"}, edit: toGood, target: elsewhere("bad.test", nil, func(w http.ResponseWriter, r *http.Request) {
			if r.Host == "good.test" {
				fine(w, r)
				return
			}
			text(403, "Host not allowed")(w, r)
		})},
		{ids: []string{"3xx-slash"}, target: stays(atPath("/mcp/", text(307, "", "Location", "http://backend.internal:8000/mcp/")))},
		{ids: []string{"3xx-no-slash"}, target: at(atPath("/mcp", text(307, "", "Location", "http://backend.internal:8000/mcp")), "/mcp/")},
		{ids: []string{"3xx-tls"}, target: upgraded},
		{ids: []string{"3xx-login"}, told: giveToken, target: stays(withHeader("Authorization", "Bearer t0k", text(302, "", "Location", "/login")))},
		{ids: []string{"3xx-same-origin"}, target: stays(atPath("/v2", text(301, "", "Location", "/v2")))},
		{ids: []string{"3xx"}, target: stays(func(t *testing.T) client.Target {
			return serves(text(308, "", "Location", strings.Replace(serves(fine)(t).URL, "127.0.0.1", "localhost", 1)))(t)
		})},
		{ids: []string{"503"}, target: once(text(503, ""))},
		{ids: []string{"429"}, target: once(text(429, ""))},
		{ids: []string{"header"}, typed: "k", target: stays(withHeader("X-Api-Key", "k", text(401, "Missing header: X-Api-Key")))},
		{ids: []string{"401-says"}, change: wrongToken, told: giveToken, target: stays(withHeader("Authorization", "Bearer t0k", text(401, "The token has been revoked")))},
		{ids: []string{"401"}, change: wrongToken, told: giveToken, target: stays(withHeader("Authorization", "Bearer t0k", text(401, "")))},
		{ids: []string{"401-none"}, told: giveToken, target: stays(withHeader("Authorization", "Bearer t0k", text(401, "")))},
		{ids: []string{"401-basic"}, typed: "Basic bWU6eA==", target: stays(withHeader("Authorization", "Basic bWU6eA==", text(401, "", "WWW-Authenticate", `Basic realm="x"`)))},
		{ids: []string{"401-other"}, typed: "Key k", target: stays(withHeader("Authorization", "Key k", text(401, "", "WWW-Authenticate", `Key realm="x"`)))},
		{ids: []string{"403-none"}, told: giveToken, target: elsewhere("good.test", nil, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == "Bearer t0k" {
				fine(w, r)
				return
			}
			text(403, "")(w, r)
		})},
		{ids: []string{"404-sse"}, change: transportOf(client.TransportSSE), target: stays(serves(fine))},
		{ids: []string{"404-sse-says"}, change: transportOf(client.TransportSSE), target: stays(unless(func(r *http.Request, _ []byte) bool { return r.Method == http.MethodPost }, text(405, "This endpoint has POST only.")))},
		{ids: []string{"404-http"}, change: transportOf(client.TransportHTTP), target: streaming(http.StatusMethodNotAllowed)},
		{ids: []string{"405"}, target: at(atPath("/mcp", text(405, "")), "/page")},
		{ids: []string{"404"}, target: at(atPath("/mcp", text(404, "")), "/")},
		{ids: []string{"404-says"}, edit: pathOf("/mcp"), target: at(atPath("/mcp", text(404, "Tenant page is unknown")), "/page")},
		{ids: []string{"410"}, edit: pathOf("/v2"), target: stays(atPath("/v2", text(410, "")))},
		{ids: []string{"410-says"}, edit: pathOf("/v2"), target: stays(atPath("/v2", text(410, "It is at /v2 now")))},
		{ids: []string{"content-sse"}, change: transportOf(client.TransportSSE), target: stays(unless(func(r *http.Request, _ []byte) bool { return r.Method == http.MethodPost }, replies(200, "application/json", "{}")))},
		{ids: []string{"first-event"}, change: transportOf(client.TransportSSE), target: stays(unless(func(r *http.Request, _ []byte) bool { return r.Method == http.MethodPost }, replies(200, "text/event-stream", "event: hello\ndata: {}\n\n")))},
		{ids: []string{"timeout-endpoint"}, within: noReply, change: transportOf(client.TransportSSE), target: stays(unless(func(r *http.Request, _ []byte) bool { return r.Method == http.MethodPost }, hangs))},
		{ids: []string{"lost-other"}, edit: pathOf("/mcp"), target: at(atPath("/mcp", replies(200, "application/json", `{"ok":true}`)), "/")},
		{ids: []string{"timeout-http"}, within: noReply, target: once(hangs)},
		{ids: []string{"timeout-http-here"}, within: noReply, target: again(func(t *testing.T, healed func() bool) client.Target {
			return unless(func(_ *http.Request, body []byte) bool {
				return healed() || jsonrpc.Text(body, "method") == "server/discover"
			}, hangs)(t)
		})},
		{ids: []string{"timeout-call-sessionless"}, within: noReply, target: again(func(t *testing.T, healed func() bool) client.Target {
			return sessionless(func(w http.ResponseWriter, r *http.Request) {
				if !healed() {
					<-r.Context().Done()
					return
				}
				_, id := asked(r)
				_, _ = io.WriteString(w, result(id, `{"content":[]}`))
			})(t)
		})},
		{ids: []string{"timeout-discover"}, within: noReply, change: pinned("2026-07-28"), target: stays(unless(notDiscover, hangs))},
		{ids: []string{"timeout-buffer-discover"}, within: noReply, change: pinned("2026-07-28"), target: stays(unless(notDiscover, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"jsonrpc":`)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}))},
		{ids: []string{"dns"}, edit: toGood, target: elsewhere("bad.test", func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.DNSError{Name: "bad.test", IsNotFound: true}
		}, fine)},
		{ids: []string{"unreachable"}, edit: toGood, target: elsewhere("bad.test", func(context.Context, string, string) (net.Conn, error) { return nil, syscall.EHOSTUNREACH }, fine)},
		{ids: []string{"not-http"}, edit: toGood, target: elsewhere("bad.test", spoken("hello\r\n"), fine)},
		{ids: []string{"not-http-ssh"}, edit: toGood, target: elsewhere("bad.test", spoken("SSH-2.0-OpenSSH_9.6\r\n"), fine)},
		{ids: []string{"not-http-2"}, edit: toGood, target: elsewhere("bad.test", spoken("\x00\x00\x12\x04\x00\x00\x00\x00\x00\r\n"), fine)},
		{ids: []string{"not-tls-http"}, target: stays(over(serves(fine), func(c *client.Target) { c.URL = strings.Replace(c.URL, "http:", "https:", 1) }))},
		{ids: []string{"not-tls"}, edit: pathOf("/mcp"), target: stays(func(t *testing.T) client.Target {
			target := speaksTCP("https", func(c net.Conn) { _, _ = io.WriteString(c, "hello, no TLS here\r\n") })(t)
			good = serves(fine)(t).URL
			return target
		}), then: ""},
		{ids: []string{"refused"}, target: func(t *testing.T) (client.Target, func()) {
			s := httptest.NewUnstartedServer(http.HandlerFunc(fine))
			address := s.Listener.Addr().String()
			_ = s.Listener.Close()
			return client.Target{URL: "http://" + address + "/mcp"}, func() {
				l, err := net.Listen("tcp", address)
				if err != nil {
					t.Fatal(err)
				}
				s.Listener = l
				s.Start()
				t.Cleanup(s.Close)
			}
		}},
	}
	for i := range list {
		if list[i].ids[0] == "not-tls" {
			list[i].edit = func(string) string { return good }
		}
	}
	return append(list, trusted(t)...)
}

// good is the URL of a server that works.
var good string

func notDiscover(_ *http.Request, body []byte) bool {
	return jsonrpc.Text(body, "method") != "server/discover"
}

func wrongToken(cfg *session.Config) {
	cfg.Target.Header = http.Header{"Authorization": {"Bearer wrong"}}
}

// upgraded is a server that redirects to https, at another port.
func upgraded(t *testing.T) (client.Target, func()) {
	certificate := certtest.SelfSigned(t, "server")
	target, _ := secured(certificate, mcphttp.TLS{})(t)
	plain := serves(replies(308, "text/plain", "", "Location", target.URL))(t)
	plain.TLS.Roots = rootsOf(t, certificate)
	return plain, func() {}
}

func rootsOf(t *testing.T, c tls.Certificate) *x509.CertPool {
	t.Helper()
	leaf, err := x509.ParseCertificate(c.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return pool
}

// bothSchemes is a server over TLS whose URL has http.
func bothSchemes(t *testing.T) (client.Target, func()) {
	certificate := certtest.SelfSigned(t, "server")
	target, _ := secured(certificate, mcphttp.TLS{Roots: rootsOf(t, certificate)})(t)
	target.URL = strings.Replace(target.URL, "https:", "http:", 1)
	return target, func() {}
}

// alerting is the same, of a server that answers with an alert of TLS.
func alerting(t *testing.T) (client.Target, func()) {
	certificate := certtest.SelfSigned(t, "server")
	target, _ := secured(certificate, mcphttp.TLS{Roots: rootsOf(t, certificate)})(t)
	u, err := url.Parse(target.URL)
	if err != nil {
		t.Fatal(err)
	}
	var healed atomic.Bool
	target.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		if !healed.Load() {
			return spoken("\x15\x03\x03\x00\x02\x02\x0a")(ctx, network, address)
		}
		return new(net.Dialer).DialContext(ctx, network, u.Host)
	}
	target.URL = strings.Replace(target.URL, "https:", "http:", 1)
	return target, func() { healed.Store(true) }
}

// streaming is a server of HTTP+SSE that answers POST to the URL of its stream with a status.
func streaming(status int) func(*testing.T) (client.Target, func()) {
	return streamingWith(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
}

// streamingWith is a server of HTTP+SSE with an answer to POST to the URL of its stream.
func streamingWith(not http.HandlerFunc) func(*testing.T) (client.Target, func()) {
	return stays(func(t *testing.T) client.Target {
		events := make(chan string, 10)
		return serves(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodGet:
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(w, "event: endpoint\ndata: /messages\n\n")
				for {
					_ = http.NewResponseController(w).Flush()
					select {
					case e := <-events:
						fmt.Fprintf(w, "event: message\ndata: %s\n\n", e)
					case <-r.Context().Done():
						return
					}
				}
			case r.URL.Path == "/messages":
				method, id := asked(r)
				w.WriteHeader(http.StatusAccepted)
				switch {
				case id == "":
				case method == "initialize":
					events <- result(id, strings.Replace(welcome, "2025-11-25", "2024-11-05", 1))
				default:
					events <- result(id, `{"content":[]}`)
				}
			default:
				not(w, r)
			}
		})(t)
	})
}

// trusted are the certificates that are not accepted, and trusted then.
func trusted(t *testing.T) (list []remedied) {
	t.Helper()
	private, others := certtest.NewAuthority(t, "Corp Root"), certtest.NewAuthority(t, "Other Root")
	issuing := private.Intermediate(t, "Issuing 2")
	elsewhere := func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"a.test"} }
	nameless := func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, nil }
	past := func(c *x509.Certificate) { c.NotBefore, c.NotAfter = certtest.Begin, certtest.Begin.AddDate(0, 0, 1) }
	for id, c := range map[string]struct {
		certificate tls.Certificate
		settings    mcphttp.TLS
	}{
		"certificate-self-signed":       {certtest.SelfSigned(t, "server"), mcphttp.TLS{}},
		"certificate-authority":         {private.Issue(t, "server", nil), mcphttp.TLS{}},
		"certificate-cacert":            {private.Issue(t, "server", nil), mcphttp.TLS{Roots: others.Pool()}},
		"certificate-incomplete":        {issuing.Issue(t, "server", func(c *x509.Certificate) { c.IssuingCertificateURL = []string{"http://corp.test/ca"} }), mcphttp.TLS{}},
		"certificate-node":              {private.Issue(t, "server", nil), mcphttp.TLS{}},
		"certificate-host-self-signed":  {certtest.SelfSigned(t, "server"), mcphttp.TLS{ServerName: "wrong.test"}},
		"certificate-host-authority":    {private.Issue(t, "server", elsewhere), mcphttp.TLS{}},
		"certificate-server-name":       {private.Issue(t, "server", nil), mcphttp.TLS{Roots: private.Pool(), ServerName: "wrong.test"}},
		"certificate-host":              {private.Issue(t, "server", elsewhere), mcphttp.TLS{Roots: private.Pool()}},
		"certificate-no-name-authority": {private.Issue(t, "server", nameless), mcphttp.TLS{}},
		"certificate-no-name":           {private.Issue(t, "server", nameless), mcphttp.TLS{Roots: private.Pool()}},
		"certificate-expired":           {private.Issue(t, "server", past), mcphttp.TLS{Roots: private.Pool()}},
	} {
		node := ""
		if id == "certificate-node" {
			node = "/etc/ssl/corp.pem"
		}
		list = append(list, remedied{ids: []string{id}, target: secured(c.certificate, c.settings), before: func(t *testing.T) { t.Setenv("NODE_EXTRA_CA_CERTS", node) }})
	}
	return list
}
