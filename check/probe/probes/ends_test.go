package probes_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/check/probe"
	"mcptea/check/probe/probes"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/sessiontest"
	"mcptea/lint"
)

// A process that a frame ends after its response is told with that frame, and not with the one after it; one that ends
// after the last frame of a selection is told, too.
func TestRun_EndAfterAResponse(t *testing.T) {
	for name, tt := range map[string]struct {
		handle func(p *sessiontest.Peer, m sessiontest.Message) bool
		says   string
		sent   string // of the first frame that is shown
		level  lint.Severity
	}{
		"at the next frame": {
			handle: func() func(p *sessiontest.Peer, m sessiontest.Message) bool {
				doomed := map[*sessiontest.Peer]bool{}
				return func(p *sessiontest.Peer, m sessiontest.Message) bool {
					if doomed[p] {
						return true
					}
					doomed[p] = m.Method == "rpc.mcptea"
					return usual(p, m)
				}
			}(),
			says: `The server ended the connection after the unknown method "rpc.mcptea".`, sent: "rpc.mcptea", level: lint.Error,
		},
		"at the end of the run": {
			handle: func(p *sessiontest.Peer, m sessiontest.Message) bool {
				usual(p, m)
				if m.Method == "tools/list " {
					time.Sleep(20 * time.Millisecond)
				}
				return m.Method == "tools/list "
			},
			says: `The server ended the connection after the unknown method "tools/list ".`, sent: "tools/list ", level: lint.Error,
		},
		"at the end of the run, once": {
			handle: func() func(p *sessiontest.Peer, m sessiontest.Message) bool {
				ended := false
				return func(p *sessiontest.Peer, m sessiontest.Message) bool {
					usual(p, m)
					ends := m.Method == "tools/list " && !ended
					ended = ended || ends
					return ends
				}
			}(),
			says: `a frame before it may have, or the server ends by itself.`, sent: "tools/list ", level: lint.Warn,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				connect := sessiontest.Dial(sessiontest.Answering(tt.handle))
				summary, err := probes.Run(t.Context(), probe.Config{
					Client: client.Config{Name: "mcptea", Version: "1", Revision: revision.R20251125}, Only: []string{"P-023"}, Seed: 1,
					Dial: func(_ client.Target, tap client.Tap, cfg client.Config) *client.Client { return connect(tap, cfg) },
				}, nil)
				if err != nil {
					t.Fatal(err)
				}
				found := grave(summary)
				if len(found) != 1 || !strings.Contains(found[0].Message, tt.says) || found[0].Severity != tt.level {
					t.Fatalf("findings: %+v", found)
				}
				if frames := found[0].Frames; len(frames) == 0 || jsonrpc.Text(frames[0].Bytes, "method") != tt.sent {
					t.Errorf("frames: %+v", frames)
				}
			})
		})
	}
}

// grave are the findings of a run that are more than infos.
func grave(s *probe.Summary) (found []probe.Finding) {
	for _, r := range s.Reports {
		for _, f := range r.Findings {
			if f.Severity != lint.Info {
				found = append(found, f)
			}
		}
	}
	return found
}

// mortal is a server over HTTP that ends after the response to a request, which ends reports.
func mortal(t *testing.T, ends func(q *http.Request) bool) client.Target {
	t.Helper()
	inner := demo.New(demo.Options{}).HandlerContext(t.Context())
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if !ends(q) {
			inner.ServeHTTP(w, q)
			return
		}
		w.Header().Set("Connection", "close")
		_ = server.Listener.Close()
		respond(w, http.StatusForbidden, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Origin not allowed"}}`)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return client.Target{URL: server.URL + "/mcp", Transport: client.TransportHTTP}
}

// The end of a server over HTTP is told with the last request that it has answered: at the next request, which has never
// got there, and at the end of the run.
func TestRun_HTTPServerEndsAfterAResponse(t *testing.T) {
	for name, tt := range map[string]struct {
		ends func(q *http.Request) bool
		says string
	}{
		"at the next request": {
			ends: func(q *http.Request) bool { return q.Host == "evil.example" },
			says: "The server has ended during P-113 (dns-rebinding): it no longer accepts connections. The last request that was answered is a foreign Host and Origin, with HTTP status 403: this request, or one before it, has ended the server.",
		},
		"at the end of the run": {
			ends: func(q *http.Request) bool { return q.Host == "evil.example" && q.Header.Get("Origin") == "" },
			says: "The server has ended during P-113 (dns-rebinding): it no longer accepts connections. The last request that was answered is a foreign Host, with HTTP status 403: this request, or one before it, has ended the server.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			summary, err := probes.Run(context.Background(), probe.Config{
				Target: mortal(t, tt.ends), Client: client.Config{Name: "mcptea", Version: "1", Revision: revision.R20251125},
				Seed: 1, Only: []string{"P-113"},
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
			found := grave(summary)
			if len(found) != 1 || found[0].Message != tt.says {
				t.Fatalf("findings: %+v", found)
			}
			if frames := found[0].Frames; len(frames) != 2 || !strings.Contains(string(frames[0].Bytes), "evil.example") || !strings.HasPrefix(string(frames[1].Bytes), "403 ") {
				t.Errorf("frames: %+v", frames)
			}
		})
	}
}
