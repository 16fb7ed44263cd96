package cli

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcptea/cli/app"
	"mcptea/demo"
)

// cardServer is the demo server over HTTP at /mcp with a card and a catalog, and the requests that it got.
func cardServer(t *testing.T) (base string, asked *[]string) {
	t.Helper()
	handler := demo.New(demo.Options{}).HandlerContext(t.Context())
	asked = new([]string)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.Method+" "+r.URL.Path)
		serve := func(media, body string) {
			if r.Header.Get("X-Api-Key") != "" {
				t.Errorf("a header of the user was sent to %s", r.URL)
			}
			w.Header().Set("Content-Type", media)
			_, _ = w.Write([]byte(strings.ReplaceAll(body, "BASE", "http://"+r.Host)))
		}
		switch r.URL.Path {
		case "/.well-known/ai-catalog.json":
			serve("application/ai-catalog+json", `{"specVersion":"1.0","entries":[{"identifier":"urn:air:x:mcp:demo","type":"application/mcp-server-card+json","url":"BASE/mcp/server-card"}]}`)
		case "/mcp/server-card":
			serve("application/mcp-server-card+json", `{"$schema":"https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json","name":"com.example/mcptea-demo","description":"d\u001b[31m","version":"0.9","remotes":[{"type":"streamable-http","url":"BASE/mcp"}]}`)
		case "/mcp":
			handler.ServeHTTP(w, r)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

// The card is compared with the server, and nothing of the user is sent for it.
func TestInfo_Discover(t *testing.T) {
	base, _ := cardServer(t)
	out, _, code := called(t, "info", "--discover", "-H", "X-Api-Key: abc", base+"/mcp")
	for _, want := range []string{
		base + "/.well-known/ai-catalog.json  1 server card\n", base + "/mcp/server-card  com.example/mcptea-demo 0.9\n",
		"there is no Access-Control-Allow-Origin: no page can read it. (CARD-05)", "The card has the version 0.9, but serverInfo has 1.0.0. (CARD-08)",
	} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), strings.Join(strings.Fields(want), " ")) {
			t.Errorf("there is no %q in\n%s", want, out)
		}
	}
	if code != app.ExitOK || strings.Contains(out, "\x1b[31m") {
		t.Errorf("exit code %d:\n%q", code, out)
	}
}

// A host without a server is looked up, and the endpoint that its card names is not connected to.
func TestInfo_HostAlone(t *testing.T) {
	base, asked := cardServer(t)
	out, stderr, code := called(t, "info", base)
	if code != app.ExitConnect || !strings.Contains(out, "com.example/mcptea-demo 0.9") || !strings.Contains(stderr, "mcptea info --discover "+base+"/mcp connects") {
		t.Errorf("exit code %d:\n%s%s", code, out, stderr)
	}
	for _, request := range *asked {
		if strings.HasSuffix(request, " /mcp") {
			t.Errorf("the endpoint was connected to: %s", request)
		}
	}
}

// Commands other than info and check fetch nothing that was not asked for.
func TestList_DiscoversNothing(t *testing.T) {
	base, asked := cardServer(t)
	if _, stderr, code := called(t, "list", "tools", base+"/mcp"); code != app.ExitOK {
		t.Fatal(stderr)
	}
	for _, request := range *asked {
		if !strings.HasSuffix(request, " /mcp") {
			t.Errorf("it asked for %s", request)
		}
	}
}

func TestCheck_Discover(t *testing.T) {
	base, _ := cardServer(t)
	out, stderr, _ := called(t, "check", "--discover", "--only", "P-001", base+"/mcp")
	for _, want := range []string{"CARD-05 card-cors", "CARD-08 card-identity"} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %q in\n%s%s", want, out, stderr)
		}
	}
	if _, stderr, code := called(t, "check", "--discover", "--", "mcptea-no-such-server"); code != app.ExitUsage || !strings.Contains(stderr, "--discover requires a URL") {
		t.Errorf("of a command: %d, %s", code, stderr)
	}
}
