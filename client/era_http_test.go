package client

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// site is what a server on HTTP does about each method; "GET" is what it does
// about a GET, and "*" what it does about every other request.
type site map[string]act

// act is how a server answers a request with an id.
type act func(w http.ResponseWriter, r *http.Request, id string)

func (s site) with(method string, r act) site {
	s[method] = r
	return s
}

func (s site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	e := jsonrpc.Scan(body)
	method := e.MethodName(body)
	if r.Method != http.MethodPost {
		method = r.Method
	}
	answer := s[method]
	switch {
	case answer != nil:
		answer(w, r, e.ID.Of(body).String())
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case e.Kind == jsonrpc.Notification:
		w.WriteHeader(http.StatusAccepted)
	default:
		s["*"](w, r, e.ID.Of(body).String())
	}
}

// gives answers with a status and a body; one that is JSON is called that.
func gives(status int, body string) act {
	return func(w http.ResponseWriter, _ *http.Request, id string) {
		if strings.HasPrefix(body, "{") {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, strings.ReplaceAll(body, "$id", id))
	}
}

func givesResult(result string) act {
	return gives(http.StatusOK, `{"jsonrpc":"2.0","id":$id,"result":`+result+`}`)
}

func givesError(status, code int, data string) act { return gives(status, errorOf("$id", code, data)) }

func errorOf(id string, code int, data string) string {
	if data != "" {
		data = `,"data":` + data
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"%s}}`, id, code, data)
}

// streams answers with an event stream.
func streams(result string) act {
	return func(w http.ResponseWriter, _ *http.Request, id string) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n\n", id, result)
	}
}

// taking does one act after the other, and the last one again and again.
func taking(acts ...act) act {
	var mu sync.Mutex
	n := 0
	return func(w http.ResponseWriter, r *http.Request, id string) {
		mu.Lock()
		do := acts[min(n, len(acts)-1)]
		n++
		mu.Unlock()
		do(w, r, id)
	}
}

func cuts(w http.ResponseWriter, _ *http.Request, _ string) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close() // which is all that the client sees
	}
}

func hangs(_ http.ResponseWriter, r *http.Request, _ string) { <-r.Context().Done() }

func leads(status int, to string) act {
	return func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.Header().Set("Location", to)
		w.WriteHeader(status)
	}
}

const child = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"child","version":"1"}}`

// oldSite is a server with a handshake and a session.
func oldSite() site {
	return site{
		"server/discover": gives(http.StatusBadRequest, `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Server not initialized"}}`),
		"initialize": func(w http.ResponseWriter, r *http.Request, id string) {
			if r.Header.Get("Mcp-Session-Id") != "" || r.Header.Get("MCP-Protocol-Version") != "" {
				gives(http.StatusBadRequest, "initialize begins a session and is in none")(w, r, id)
				return
			}
			w.Header().Set("Mcp-Session-Id", "s1")
			givesResult(child)(w, r, id)
		},
		"notifications/initialized": inSession(gives(http.StatusAccepted, "")),
		"tools/list":                inSession(givesResult(someTools)),
	}
}

// inSession does what it does only to what carries the session and the revision.
func inSession(do act) act {
	return func(w http.ResponseWriter, r *http.Request, id string) {
		if r.Header.Get("Mcp-Session-Id") != "s1" || r.Header.Get("MCP-Protocol-Version") != "2025-11-25" {
			gives(http.StatusBadRequest, errorOf("null", -32000, ""))(w, r, id)
			return
		}
		do(w, r, id)
	}
}

// statelessSite is a server without handshake.
func statelessSite() site {
	return site{
		"server/discover": givesResult(discovery), "tools/list": givesResult(someTools),
		"initialize": givesError(http.StatusBadRequest, -32022, `{"supported":["2026-07-28"],"requested":"2025-11-25"}`),
	}
}

// siteRow is a row over HTTP.
type siteRow struct {
	row
	site site
}

func (r siteRow) meets(t *testing.T) {
	t.Helper()
	c, w, err := r.reached(t)
	r.judge(t, c, w, err)
	ids := map[string]string{} // each is used once, also by what is sent again
	for _, frame := range w.sent {
		if id := jsonrpc.Scan([]byte(frame)).ID; id.Present() {
			if text := id.Of([]byte(frame)).String(); ids[text] != "" {
				t.Errorf("%s has the id of %s", frame, ids[text])
			} else {
				ids[text] = frame
			}
		}
	}
}

func (r siteRow) reached(t *testing.T) (*Client, *witness, error) {
	t.Helper()
	server := httptest.NewServer(r.site)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections) // Close alone would wait for what hangs
	return r.tries(t, Target{URL: server.URL})
}

func (r siteRow) but(change func(*row)) siteRow {
	change(&r.row)
	return r
}

func oldAt(name string, s site, evidence ...string) siteRow {
	r := isOld(name, nil, evidence...)
	r.story = "> server/discover > initialize > notifications/initialized > tools/list"
	return siteRow{r, s}
}

func statelessAt(name string, s site, evidence ...string) siteRow {
	r := isStatelessOne(name, nil, evidence...)
	r.story = "> server/discover > tools/list"
	return siteRow{r, s}
}

// stopsAt is a connection that ends with what the server makes of the question.
func stopsAt(name string, s site, story, because string, err ...string) siteRow {
	return siteRow{row{
		name: name, era: revision.EraUnknown, how: EraProbed, story: story, evidence: []string{because}, err: err,
	}, s}
}

// showsNothing are two servers whose answer to the question shows no era: one with a handshake, which is connected to, and
// one without. tries is how often the question is asked before initialize.
func showsNothing(name string, answer act, tries int, because string, err ...string) []siteRow {
	asked := strings.Repeat("> server/discover ", tries)
	evidence := slices.Clip(append(slices.Repeat([]string{"retried"}, tries-1), because))
	old := oldAt(name+", of a server with a handshake", oldSite().with("server/discover", answer), append(evidence, "and initialize succeeded")...)
	old.story = asked + "> initialize > notifications/initialized > tools/list"
	stateless := stopsAt(name, statelessSite().with("server/discover", answer), asked+"> initialize > server/discover", because, append(err, "initialize failed (the server supports 2026-07-28")...)
	stateless.era, stateless.how, stateless.evidence = revision.EraStateless, EraCorrected, append(evidence, "initialize failed")
	return []siteRow{old, stateless}
}

func again(r *row) {
	r.story = strings.Replace(r.story, "> server/discover", "> server/discover > server/discover", 1)
}

// What answers the question over HTTP.
func TestProbe_HTTP(t *testing.T) {
	asked := func(r act) site { return statelessSite().with("server/discover", r) }
	oldAsked := func(r act) site { return oldSite().with("server/discover", r) }
	statelessList := `{"supported":["2025-11-25","2026-07-28"]}`
	rows := []siteRow{
		statelessAt("200 with a result", statelessSite(), `lists 2026-07-28`),
		statelessAt("200 with a result in a stream", asked(streams(discovery)), `lists 2026-07-28`),
		statelessAt("400 with -32020", asked(taking(givesError(400, -32020, ""), givesResult(discovery))), "-32020 no with HTTP 400; retried", "lists").but(again),
		statelessAt("400 with -32022", asked(taking(givesError(400, -32022, statelessList), givesResult(discovery))), "-32022 no with HTTP 400; retried", "lists").but(again),
		statelessAt("400 with -32022 and no id", asked(taking(gives(400, errorOf("null", -32022, statelessList)), givesResult(discovery))), "-32022 no with HTTP 400; retried", "lists").but(again),
		stopsAt("400 with -32022 for ever", asked(givesError(400, -32022, statelessList)), "> server/discover > server/discover", "retried", "error -32022").but(func(r *row) {
			r.era, r.evidence = revision.EraStateless, append(r.evidence, "error -32022 no with HTTP 400")
		}),
		stopsAt("400 with -32021", asked(givesError(400, -32021, `{"requiredCapabilities":{"elicitation":{}}}`)), "> server/discover", "-32021", "--answer elicitation=ask").but(func(r *row) { r.era = revision.EraStateless }),
		oldAt("400 with -32022 and older revisions alone", oldAsked(givesError(400, -32022, `{"supported":["2025-11-25"]}`)), `lists 2025-11-25 with HTTP 400`),
		statelessAt("404 with -32601 and a list", asked(givesError(404, -32601, "")), "error -32601 no with HTTP 404", "but tools/list of 2026-07-28 returned a result").but(func(r *row) {
			r.story, r.detail = "> server/discover > tools/list > tools/list", "an unnamed server, protocol version 2026-07-28"
		}),
		oldAt("404 with -32601 and a list of an older server", oldAsked(givesError(404, -32601, "")).with("tools/list", givesResult(`{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`)),
			"error -32601 no with HTTP 404", `has no "resultType", "ttlMs" or "cacheScope"`).but(func(r *row) {
			r.story = "> server/discover > tools/list > initialize > notifications/initialized > tools/list"
		}),
		statelessAt("404 with -32601 and a list with cache fields alone", asked(givesError(404, -32601, "")).with("tools/list", givesResult(`{"tools":[],"ttlMs":0}`)), "error -32601 no with HTTP 404", "but tools/list of 2026-07-28 returned a result").but(func(r *row) {
			r.story, r.detail = "> server/discover > tools/list > tools/list", "an unnamed server, protocol version 2026-07-28"
		}),
		oldAt("404 with -32601 and no list", oldAsked(givesError(404, -32601, "")), "error -32601 no with HTTP 404", "and tools/list of 2026-07-28 failed").but(func(r *row) {
			r.story = "> server/discover > tools/list > initialize > notifications/initialized > tools/list"
		}),
		stopsAt("404 with -32601 and tools/list unavailable, of a stateless server", asked(givesError(404, -32601, "")).with("tools/list", gives(503, "")),
			"> server/discover > tools/list > initialize > server/discover", "error -32601 no with HTTP 404",
			"initialize failed", "the server supports 2026-07-28", "server/discover", "error -32601: no").but(func(r *row) {
			r.era, r.how, r.evidence = revision.EraStateless, EraCorrected, append(r.evidence, "and tools/list of 2026-07-28 failed", "initialize failed")
		}),
		oldAt("200 with an empty result", oldAsked(givesResult(`{}`)), `no "supportedVersions"`),
		oldAt("200 with an error and no id", oldAsked(gives(200, errorOf("null", -32601, ""))), `error -32601 with id null`),
		oldAt("200 with versions of old", oldAsked(givesResult(`{"supportedVersions":["2025-11-25"]}`)), `lists 2025-11-25`),
		stopsAt("401", asked(gives(401, "who?")), "> server/discover", "HTTP 401", "401", "who?"),
		statelessAt("the connection breaks once", asked(taking(cuts, givesResult(discovery))), "retried", "lists").but(again),
		oldAt("nothing comes", oldAsked(hangs), "server/discover got no response within").but(func(r *row) {
			r.cfg.ConnectTimeout = 300 * time.Millisecond
		}),
		stopsAt("nothing comes, and initialize names a version without it", asked(hangs), "> server/discover > initialize > server/discover",
			"server/discover got no response within", "no response to server/discover within").but(func(r *row) {
			r.cfg.ConnectTimeout = 300 * time.Millisecond
			r.era, r.how, r.evidence = revision.EraStateless, EraCorrected, append(r.evidence, "initialize failed: the server supports 2026-07-28")
		}),
	}
	rows = slices.Concat(rows,
		showsNothing("200 with an HTML page", func(w http.ResponseWriter, r *http.Request, id string) {
			w.Header().Set("Content-Type", "text/html")
			gives(200, "<html>welcome")(w, r, id)
		}, 1, "text/html", "text/html"),
		showsNothing("202 without a body", gives(202, ""), 1, "HTTP 202", "202"),
		showsNothing("403", gives(403, "not you"), 1, "HTTP 403", "403", "not you"),
		showsNothing("302", leads(302, "/elsewhere"), 1, "HTTP 302", "302 Found"),
		showsNothing("307 to another origin", leads(307, "http://other.example/mcp"), 1, "HTTP 307", "307 Temporary Redirect"),
		showsNothing("410", gives(410, "moved out"), 1, "HTTP 410", "410", "moved out"),
		showsNothing("429 with a long pause", func(w http.ResponseWriter, r *http.Request, id string) {
			w.Header().Set("Retry-After", "3600")
			gives(429, "")(w, r, id)
		}, 1, "HTTP 429", "429"),
		showsNothing("the connection breaks always", cuts, 3, "lost before the response: EOF", "lost before the response: EOF"),
	)
	for _, code := range []int{-32601, -32602, -32600, -32603, -32000, -32001, 0} {
		rows = append(rows, oldAt(fmt.Sprintf("200 with error %d", code), oldAsked(givesError(200, code, "")), fmt.Sprintf("error %d no", code)))
	}
	for _, status := range []int{400, 404, 405, 406, 415, 422, 501} {
		evidence := fmt.Sprintf("HTTP %d", status)
		rows = append(rows,
			oldAt(fmt.Sprintf("%d without a body", status), oldAsked(gives(status, "")), evidence),
			oldAt(fmt.Sprintf("%d with a page", status), oldAsked(gives(status, "<html>what?")), evidence))
	}
	for _, status := range []int{408, 429, 500, 502, 503, 504} {
		evidence := fmt.Sprintf("HTTP %d; retried", status)
		rows = append(rows,
			statelessAt(fmt.Sprintf("%d once", status), asked(taking(gives(status, ""), givesResult(discovery))), evidence, "lists").but(again))
		rows = append(rows, showsNothing(fmt.Sprintf("%d always", status), gives(status, "busy"), 3, fmt.Sprintf("HTTP %d", status), fmt.Sprint(status), "busy")...)
	}
	// Signs of servers with sessions, whatever the status says.
	for _, code := range []int{-32000, -32001, -32600} {
		for _, status := range []int{400, 404} {
			evidence := fmt.Sprintf("error %d no with HTTP %d", code, status)
			rows = append(rows,
				oldAt(fmt.Sprintf("%d with error %d", status, code), oldAsked(givesError(status, code, "")), evidence),
				oldAt(fmt.Sprintf("%d with error %d and no id", status, code), oldAsked(gives(status, errorOf("null", code, ""))), evidence),
				oldAt(fmt.Sprintf("%d with error %d of a Python server", status, code), oldAsked(gives(status, errorOf(`"server-error"`, code, ""))), evidence))
		}
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) { r.meets(t) })
	}
}

// A redirect within the origin that keeps the method is followed.
func TestProbe_RedirectWithinOrigin(t *testing.T) {
	for _, status := range []int{307, 308} {
		mux := http.NewServeMux()
		mux.Handle("/mcp", statelessSite())
		mux.Handle("/", http.RedirectHandler("/mcp", status))
		server := httptest.NewServer(mux)
		defer server.Close()
		statelessAt("", nil, `lists 2026-07-28`).reaches(t, Target{URL: server.URL})
	}
}

// To where else the server sends, no other protocol leads.
func TestProbe_RedirectToOtherOrigin(t *testing.T) {
	r := siteRow{row{}, statelessSite().with("server/discover", leads(302, "/elsewhere"))}
	if _, _, err := r.reached(t); err == nil || strings.Contains(err.Error(), "--protocol") {
		t.Errorf("error %v", err)
	}
}

func TestProbe_ConnectionRefused(t *testing.T) {
	server := httptest.NewServer(statelessSite())
	server.Close()
	r := stopsAt("", nil, "> server/discover > server/discover > server/discover", "retried", "refused")
	r.evidence = append(r.evidence, "retried", "refused")
	r.reaches(t, Target{URL: server.URL})
}

// What answers initialize over HTTP.
func TestInitialize_HTTP(t *testing.T) {
	greeted := func(r act) site { return oldSite().with("initialize", r) }
	const refused = "> server/discover > initialize"
	old := "-32000 Bad Request: Server not initialized with HTTP 400"
	loose := func(s site) site { // without a session
		return s.with("notifications/initialized", gives(202, "")).with("tools/list", givesResult(someTools))
	}
	stops := func(name string, r act, story string, err ...string) siteRow {
		return stopsAt(name, greeted(r), story, old, err...).but(func(r *row) { r.era = revision.EraHandshake })
	}
	rows := []siteRow{
		oldAt("200 with a session", oldSite(), old),
		oldAt("200 without a session", loose(greeted(givesResult(child))), old),
		oldAt("200 in a stream", loose(greeted(streams(child))), old),
		oldAt("200 with an error that lists revisions", loose(greeted(taking(givesError(200, -32602, `{"supported":["2025-03-26"]}`), givesResult(strings.Replace(child, "2025-11-25", "2025-03-26", 1))))), old).but(func(r *row) {
			r.revision, r.offered, r.detail = revision.R20250326, revision.R20250326, "protocol version 2025-03-26"
			r.story = "> server/discover > initialize > initialize > notifications/initialized > tools/list"
		}),
		statelessAt("400 with -32022", statelessSite().with("server/discover", taking(gives(404, ""), givesResult(discovery))), "HTTP 404", "initialize failed: the server supports 2026-07-28").but(func(r *row) {
			r.how, r.story = EraCorrected, "> server/discover > initialize > server/discover > tools/list"
		}),
		statelessAt("404 with -32601 and no id", statelessSite().with("server/discover", taking(gives(404, ""), givesResult(discovery))).with("initialize", gives(404, errorOf("null", -32601, ""))), "HTTP 404", "initialize failed").but(func(r *row) {
			r.how, r.story = EraCorrected, "> server/discover > initialize > server/discover > tools/list"
		}),
		stops("200 with another error", givesError(200, -32603, ""), refused, "error -32603: no"),
		stops("401", gives(401, "who?"), refused, "401", "who?"),
		stops("403", gives(403, "not you"), refused, "403", "not you"),
		stops("429", gives(429, ""), refused+" > initialize > initialize", "429"),
		stops("501", gives(501, ""), refused, "501"),
		stops("503", gives(503, "busy"), refused+" > initialize > initialize", "503", "busy"),
		oldAt("503 once", loose(greeted(taking(gives(503, ""), givesResult(child)))), old).but(func(r *row) {
			r.story = "> server/discover > initialize > initialize > notifications/initialized > tools/list"
		}),
	}
	for _, status := range []int{400, 404, 405} {
		rows = append(rows, stops(fmt.Sprint(status), gives(status, "no such thing"), refused+" GET stream",
			"no MCP server found", fmt.Sprintf("%d %s: no such thing", status, http.StatusText(status)), "400 Bad Request: {", "405 Method Not Allowed"))
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) { r.meets(t) })
	}
}

// What answers the GET.
func TestFallback_HTTPSSE(t *testing.T) {
	t.Run("an event with the endpoint", func(t *testing.T) {
		s := newOldServer(t)
		r := oldAt("", nil, "HTTP 404", "GET opened an event stream with an endpoint")
		r.revision, r.offered, r.detail = revision.R20241105, revision.R20251125, "old 1, protocol version 2024-11-05, negotiated down from 2025-11-25"
		r.story = "> server/discover > initialize GET stream > initialize > notifications/initialized > tools/list"
		c, _ := r.reaches(t, Target{URL: s.URL + "/sse"})
		if got := c.Target().TransportName(); got != "sse" {
			t.Errorf("connected over %s", got)
		}
	})
	nowhere := func(get act) site {
		return site{"*": gives(404, "no page"), "GET": get}
	}
	for name, tt := range map[string]struct {
		get act
		err []string
	}{
		"an event of another kind": {func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "event: weather\ndata: rain\n\n")
		}, []string{"endpoint"}},
		"404":    {gives(404, "no page"), []string{"GET", "404 Not Found: no page"}},
		"405":    {gives(405, "no GET"), []string{"405 Method Not Allowed: no GET"}},
		"a page": {gives(200, "hello"), []string{"text/plain", "hello"}},
	} {
		t.Run(name, func(t *testing.T) {
			err := append([]string{"server/discover (POST", "404 Not Found: no page), initialize (POST", "HTTP+SSE ("}, tt.err...)
			r := stopsAt("", nowhere(tt.get), "> server/discover > initialize GET stream", "HTTP 404", err...)
			r.era = revision.EraHandshake
			r.meets(t)
		})
	}
}
