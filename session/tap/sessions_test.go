package tap

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/record/store"
)

// Recordings are open for at most maxSessions sessions: the one that is idle for longest makes room,
// and without an idle one the next session is not recorded, which the user is told.
func TestSessions_Bounded(t *testing.T) {
	var warned []string
	recorded := 0
	p := &Proxy{
		Warn:   func(text string) { warned = append(warned, text) },
		Record: func(string) (*store.Writer, error) { recorded++; return nil, nil },
	}
	l := &sessions{proxy: p}
	for i := range maxSessions {
		l.begin("http", "host").open = min(i, 1) // the first one is idle
	}
	l.begin("http", "host").open = 1
	if len(l.all) != maxSessions || l.all[0].label != "2" || recorded != maxSessions+1 || len(warned) > 0 {
		t.Errorf("with an idle session: %d, the oldest is %s; %d recorded, %q", len(l.all), l.all[0].label, recorded, warned)
	}
	s := l.begin("http", "host")
	if recorded != maxSessions+1 || len(warned) != 1 || !strings.Contains(warned[0], "256 sessions have open exchanges") {
		t.Errorf("without an idle session: %d recorded, %q", recorded, warned)
	}
	s.open = 0
	if l.begin("http", "host"); recorded != maxSessions+1 && len(warned) != 2 {
		t.Errorf("%d recorded, %q", recorded, warned)
	}
}

// A request without the id of the session belongs to the session of its host, which is reported once. A request that
// begins a session, or is of another host or of a version without sessions, does not.
func TestSessions_HostLeavesOutTheID(t *testing.T) {
	request := func(method, key string, header ...string) *exchange {
		x := &exchange{key: key, url: &url.URL{Path: "/mcp"}, header: http.Header{}}
		x.report.Method = method
		for i := 0; i+1 < len(header); i += 2 {
			x.header.Set(header[i], header[i+1])
		}
		return x
	}
	var warned []string
	p := &Proxy{Warn: func(text string) { warned = append(warned, text) }}
	l := &sessions{proxy: p}
	first := l.find(request("GET", "host")) // before initialize
	begin := request("POST", "host")
	begin.initialize, begin.report.Status = true, 200
	if s := l.find(begin); s != first {
		t.Error("initialize after a refused GET is of another session")
	}
	first.begun(begin, http.Header{"Mcp-Session-Id": {"s1"}})
	again := request("POST", "host")
	again.initialize = true
	discover := request("POST", "host")
	discover.discover = jsonrpc.TokenOf([]byte("7")).ID()
	for name, c := range map[string]struct {
		x    *exchange
		same bool
	}{
		"POST":             {request("POST", "host"), true},
		"GET":              {request("GET", "host"), true},
		"DELETE":           {request("DELETE", "host"), true},
		"with its version": {request("POST", "host", "MCP-Protocol-Version", "2025-11-25"), true},
		"with the id":      {request("POST", "host", "Mcp-Session-Id", "s1"), true},
		"another host":     {request("POST", "other"), false},
		"another id":       {request("POST", "host", "Mcp-Session-Id", "s2"), false},
		"initialize":       {again, false},
		"server/discover":  {discover, false},
		"stateless":        {request("POST", "host", "MCP-Protocol-Version", "2026-07-28"), false},
	} {
		if s := l.find(c.x); (s == first) != c.same {
			t.Errorf("%s: session %s", name, s.label)
		} else if s != first {
			s.ended = true // the rows are alone
		}
	}
	if len(warned) != 1 || !strings.HasPrefix(warned[0], "the host sends a request without Mcp-Session-Id after session 1 has begun with one") {
		t.Errorf("%q", warned)
	}
	first.ended = true
	if s := l.find(request("POST", "host")); s == first {
		t.Error("a request joins a session that has ended")
	}
}
