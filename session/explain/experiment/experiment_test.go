package experiment_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/record/store"
	"mcptea/session/explain/experiment"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

// failed is a server that cannot be connected to, and what an experiment says of it.
type failed struct {
	name   string
	script script
	change func(*client.Target)
	pinned revision.Revision
	cause  string   // words of it
	try    string   // words of it
	absent []string // words that are nowhere
	none   bool     // no request is made
}

// connect connects in vain, and returns the session and its error.
func connect(t *testing.T, to client.Target, pinned ...revision.Revision) (*session.Session, error) {
	t.Helper()
	cfg := session.Config{Target: to, Record: "off", Client: client.Config{Name: "test", Version: "0", ConnectTimeout: 20 * time.Second, Timeout: 20 * time.Second}}
	if len(pinned) > 0 {
		cfg.Client.Revision = pinned[0]
	}
	s, err := session.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Disconnect(t.Context()) })
	return s, s.Connect(t.Context())
}

func (f failed) check(t *testing.T) {
	t.Parallel()
	srv := serve(t, f.script)
	to := srv.target()
	if f.change != nil {
		f.change(&to)
	}
	s, err := connect(t, to, f.pinned)
	if err == nil {
		t.Fatal("it connects")
	}
	srv.later.Store(true)
	why := failure.Explain(err, failure.FactsOf(s))
	before := srv.count.Load()
	report := experiment.Run(t.Context(), s, err, why)
	made := srv.count.Load() - before
	why = report.Explain(why)
	if made > 8 || f.none && made > 0 {
		t.Errorf("%d requests were made", made)
	}
	said := why.Sentence + "\n"
	for _, l := range why.Lines() {
		said += string(l.Kind) + " " + l.Text + "\n"
	}
	if !strings.Contains(why.Cause(), f.cause) {
		t.Errorf("the cause %q does not contain %q", why.Cause(), f.cause)
	}
	if !strings.Contains(why.Try(), f.try) {
		t.Errorf("the advice %q does not contain %q", why.Try(), f.try)
	}
	for _, words := range f.absent {
		if strings.Contains(said, words) {
			t.Errorf("%q is said", words)
		}
	}
	// Each trial is an exchange of the session, with its purpose.
	rows, trials := s.Store().Snapshot().Rows, 0
	for i := range rows {
		if r, ok := s.Store().Row(int32(i)); ok && r.Kind == store.KindExchange && s.Store().Method(r.Method) == "trial" {
			trials++
		}
	}
	if trials != int(made) {
		t.Errorf("%d of %d requests are rows of the session", trials, made)
	}
	if t.Failed() {
		t.Log("\n" + said)
	}
}

const generic = "Fix what the message reports"

func always(w func(http.ResponseWriter) bool) script {
	return func(out http.ResponseWriter, _ ask) bool { return w(out) }
}

// shown are failures whose cause a trial shows.
var shown = []failed{
	{name: "a filter of User-Agent", script: func(w http.ResponseWriter, a ask) bool {
		return !strings.Contains(a.UserAgent(), "node") && text(w, 403, "Forbidden")
	}, cause: "Only User-Agent differs: for mcptea the response is 403 Forbidden", try: "Allow the User-Agent"},
	{name: "Accept compared as a whole", script: func(w http.ResponseWriter, a ask) bool {
		return a.Header.Get("Accept") != "application/json" && text(w, 400, "Bad Request")
	}, cause: "Only Accept differs: with both types the response is 400 Bad Request", try: "-H 'Accept: application/json'"},
	{name: "the first type of Accept", script: func(w http.ResponseWriter, a ask) bool {
		return a.Method == http.MethodPost && !strings.HasPrefix(a.Header.Get("Accept"), "text/event-stream") && object(w, 406, refusal(-32000, "Not Acceptable: Client must accept both application/json and text/event-stream"))
	}, cause: "Only the order in Accept differs", try: "-H 'Accept: text/event-stream, application/json'", absent: []string{"Check whether -H"}},
	{name: "Accept is dropped", script: func(w http.ResponseWriter, a ask) bool {
		return a.Method == http.MethodPost && object(w, 406, refusal(-32000, "Not Acceptable: Client must accept both application/json and text/event-stream"))
	}, cause: "Accept does not reach the program that responds", try: "pass Accept on unchanged", absent: []string{"Check whether -H"}},
	{name: "Accept is dropped, in Chinese", script: func(w http.ResponseWriter, a ask) bool {
		return a.Method == http.MethodPost && object(w, 406, map[string]any{"error": "不接受的内容类型：客户端必须同时接受两种类型"})
	}, cause: "Accept does not reach the program that responds", absent: []string{generic}},
	{name: "a charset is required", script: func(w http.ResponseWriter, a ask) bool {
		return !strings.Contains(a.Header.Get("Content-Type"), "charset") && text(w, 415, "Unsupported")
	}, cause: "Only Content-Type differs", try: "charset=utf-8"},
	{name: "a header of the user", script: func(w http.ResponseWriter, a ask) bool {
		return a.Header.Get("Origin") != "" && text(w, 400, "bad request")
	}, change: func(t *client.Target) { t.Header = http.Header{"Origin": {"http://x"}} }, cause: "Without Origin the response is a result", try: "Omit or correct -H Origin"},
	{name: "an unknown method fails", script: func(w http.ResponseWriter, a ask) bool {
		return a.method == "server/discover" && text(w, 500, "KeyError: session")
	}, pinned: revision.R20260728, cause: "initialize is answered, and server/discover, which mcptea sends before it, is answered with 500", try: "--protocol 2025-11-25"},
	{name: "a member that the server does not know", script: func(w http.ResponseWriter, a ask) bool {
		return strings.Contains(string(a.body), "_meta") && text(w, 500, "TypeError: unknown field _meta")
	}, pinned: revision.R20260728, cause: "initialize is answered", try: "--protocol 2025-11-25"},
	{name: "the first requests fail", script: func(w http.ResponseWriter, a ask) bool {
		return !a.later && text(w, 500, "cold start")
	}, cause: "The same request works now", absent: []string{"a header", "initialize is answered"}},
	{name: "a slash is required", script: func(w http.ResponseWriter, a ask) bool {
		return a.URL.Path == "/mcp" && text(w, 404, "") || a.URL.Path != "/mcp/" && text(w, 404, "no")
	}, cause: "Only the slash at the end of the path differs"},
	{name: "another path", script: func(w http.ResponseWriter, a ask) bool {
		return a.URL.Path != "/api/mcp" && object(w, 404, map[string]any{"detail": "Not Found"})
	}, cause: "A made-up path gets the same response: there is nothing at \"/mcp\""},
	{name: "a tunnel without a route", script: always(func(w http.ResponseWriter) bool {
		return text(w, 404, "", "Server", "cloudflare")
	}), cause: "Cloudflare answers 404 Not Found to each path, even a made-up one", try: "where this host and path lead"},
	{name: "a content network without an origin", script: always(func(w http.ResponseWriter) bool {
		return text(w, 404, "Not Found", "Server", "CloudFront")
	}), cause: "answers 404 Not Found to each path", try: "where this host and path lead"},
	{name: "a proxy without a server", script: always(func(w http.ResponseWriter) bool {
		return text(w, 502, "Bad Gateway", "Server", "nginx/1.25")
	}), cause: "Nginx answers each path with 502 Bad Gateway", try: "Start the server"},
	{name: "a gateway that requires a key", script: always(func(w http.ResponseWriter) bool {
		return object(w, 403, map[string]any{"message": "Forbidden"}, "X-Amzn-Requestid", "a1")
	}), cause: "answers 403 Forbidden to everything", try: "rules for the whole host", absent: []string{"proxy_set_header"}},
	{name: "a body that was read before", script: func(w http.ResponseWriter, a ask) bool {
		return a.Method == http.MethodPost && object(w, 400, map[string]any{"error": "Unexpected end of JSON input"})
	}, cause: "the program that responds does not see the body", try: "body parsers", absent: []string{generic}},
	{name: "a body that was read before, by Python", script: func(w http.ResponseWriter, a ask) bool {
		return a.Method == http.MethodPost && object(w, 400, refusal(-32700, "Parse error: Expecting value: line 1 column 1 (char 0)"))
	}, cause: "the program that responds does not see the body", absent: []string{generic}},
	{name: "a session in one of two instances", script: sessions(2, 400, "Bad Request: No valid session ID provided"), cause: "In a new session 2 of 4 equal requests were answered", try: "sticky sessions", absent: []string{"starts with initialize"}},
	{name: "a session in one of two instances, 500", script: sessions(2, 500, "Internal Server Error"), cause: "In a new session 2 of 4 equal requests were answered", try: "sticky sessions", absent: []string{"starts with initialize"}},
	{name: "a session that is not kept", script: sessions(0, 404, "Session not found"), cause: "A session that the server has just created is unknown to the next request", try: "Keep sessions in the server"},
}

// sessions is a server whose sessions are in one of n instances that take turns; none keeps them if n is 0.
func sessions(n, status int, refusal string) script {
	return func(w http.ResponseWriter, a ask) bool {
		switch {
		case a.method == "server/discover":
			return object(w, 404, map[string]any{"jsonrpc": "2.0", "id": 1, "error": map[string]any{"code": -32601, "message": "Method not found"}})
		case a.method == "initialize":
			w.Header().Set("Mcp-Session-Id", "s"+string(rune('a'+a.n%max(n, 1))))
			return false
		case a.Method == http.MethodDelete:
			return text(w, 200, "")
		case n == 0, a.Header.Get("Mcp-Session-Id") != "s"+string(rune('a'+a.n%n)):
			return text(w, status, refusal)
		}
		return false
	}
}

func TestRun_ShowsTheCause(t *testing.T) {
	t.Parallel()
	for _, f := range shown {
		t.Run(f.name, f.check)
	}
}
