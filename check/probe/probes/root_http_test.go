package probes_test

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"mcptea/check/probe"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
)

// One check that a server over HTTP lacks is one finding, with those of the other probes below it.
func TestLinkRoots_HTTP(t *testing.T) {
	for name, tt := range map[string]struct {
		server httpServer
		only   []string
		first  string
		leads  []string
	}{
		"Origin is not checked": {
			server: httpServer{revision: revision.R20251125, fault: func(w http.ResponseWriter, q *http.Request, _ string) bool {
				q.Header.Del("Origin")
				q.Host = "127.0.0.1"
				w.Header().Set("Access-Control-Allow-Origin", "*")
				return q.Method == http.MethodOptions && respond(w, http.StatusOK, "")
			}},
			only: []string{"P-113", "P-114", "P-123"}, first: "P-113", leads: []string{"P-114", "P-123"},
		},
		"an unknown session gets 400": {
			server: httpServer{revision: revision.R20251125, fault: func() func(w http.ResponseWriter, q *http.Request, body string) bool {
				var sessions sync.Map
				right := sessionsOf(func() string {
					id := rand.Text()
					sessions.Store(id, true)
					return id
				})
				return func(w http.ResponseWriter, q *http.Request, body string) bool {
					id := q.Header.Get("Mcp-Session-Id")
					_, known := sessions.Load(id)
					switch {
					case strings.Contains(body, `"initialize"`):
					case !known:
						return respond(w, http.StatusBadRequest, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"No session"}}`)
					case q.Method == http.MethodDelete:
						sessions.Delete(id)
						return respond(w, http.StatusOK, "")
					}
					return right(w, q, body)
				}
			}()},
			only: []string{"P-115", "P-116"}, first: "P-116", leads: []string{"P-115"},
		},
		"an unknown method gets 200": {
			server: httpServer{revision: revision.R20260728, fault: func(w http.ResponseWriter, _ *http.Request, body string) bool {
				e := jsonrpc.Scan([]byte(body))
				known := []string{"server/discover", "tools/list", "resources/list", "prompts/list"}
				if e.Kind != jsonrpc.Request || slices.Contains(known, e.MethodName([]byte(body))) {
					return false
				}
				id := e.ID.Of([]byte(body))
				return respond(w, http.StatusOK, `{"jsonrpc":"2.0","id":`+id.String()+`,"error":{"code":-32601,"message":"Method not found"}}`)
			}},
			only: []string{"P-023", "P-147", "P-033"}, first: "P-023", leads: []string{"P-147"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reports := tt.server.run(t, tt.only...).Reports
			probe.LinkRoots(reports)
			var first *probe.Finding
			for _, r := range reports {
				for i := range r.Findings {
					f := &r.Findings[i]
					if r.Entry.ID == tt.first && len(f.LeadsTo) > 0 {
						first = f
					}
					if slices.Contains(tt.leads, r.Entry.ID) && f.Severity != lint.Info && f.Follows != tt.first {
						t.Errorf("%s does not follow from %s: %s", r.Entry.ID, tt.first, f.Message)
					}
				}
			}
			if first == nil {
				t.Fatalf("%s leads to nothing", tt.first)
			}
			for _, id := range tt.leads {
				if !slices.Contains(first.LeadsTo, id) {
					t.Errorf("%s leads to %v, not to %s", tt.first, first.LeadsTo, id)
				}
			}
		})
	}
}
