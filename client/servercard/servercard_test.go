package servercard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"mcptea/client/hosts/syntax"
	mcphttp "mcptea/client/transport/http"
)

const schemaOfCards = `"$schema":"https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"`

// cardHost serves documents by their paths: a media type, a space and the body. Requests with credentials
// fail the test.
func cardHost(t *testing.T, documents map[string]string) (s *httptest.Server, asked *[]string) {
	t.Helper()
	asked = new([]string)
	var mu sync.Mutex // several cards are asked for at once
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		*asked = append(*asked, r.URL.Path)
		mu.Unlock()
		for _, name := range []string{"Authorization", "Cookie", "X-Key"} {
			if r.Header.Get(name) != "" {
				t.Errorf("%s was sent to %s", name, r.URL)
			}
		}
		text, there := documents[r.URL.Path]
		media, body, _ := strings.Cut(strings.NewReplacer("{base}", "http://"+r.Host, "{login}", "http://user:hunter2@"+r.Host).Replace(text), " ")
		switch {
		case !there:
			http.NotFound(w, r)
		case media == "redirect":
			http.Redirect(w, r, body, http.StatusFound)
		default:
			w.Header().Set("Content-Type", media)
			w.Header().Set("Access-Control-Allow-Origin", "*")
			_, _ = w.Write([]byte(body))
		}
	}))
	t.Cleanup(s.Close)
	return s, asked
}

func discovered(t *testing.T, url string) Discovery {
	t.Helper()
	d, err := Discover(t.Context(), Where{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// problems are those of each rule that has any.
func problems(d *Discovery, live *Live) map[string]string {
	all := map[string]string{}
	for _, o := range d.Check(live) {
		if len(o.Problems) > 0 {
			all[o.Rule.ID] = strings.Join(o.Problems, " ")
		}
	}
	return all
}

func cardOf(more string) string {
	return cardType + ` {` + schemaOfCards + `,"name":"com.example/weather","description":"d","version":"1.0.0"` + more + `}`
}

const ownRemote = `,"remotes":[{"type":"streamable-http","url":"{base}/mcp","supportedProtocolVersions":["2025-11-25"]}]`

// Card and catalog as they should be: nothing is wrong, and forms that differ without a difference are none.
func TestDiscover_NothingWrong(t *testing.T) {
	s, asked := cardHost(t, map[string]string{
		"/.well-known/ai-catalog.json": catalogType + ` {"specVersion":"1.0","entries":[{"identifier":"urn:air:example.com:mcp:weather","type":"application/mcp-server-card+json","url":"/mcp/server-card"},{"identifier":"x","type":"application/a2a"}]}`,
		"/mcp/server-card":             cardOf(ownRemote),
	})
	d := discovered(t, s.URL+"/mcp?token=secret")
	for _, live := range []*Live{
		{URL: s.URL + "/mcp", Transport: "http", Name: "weather", Version: "v1.0.0", Protocol: "2025-11-25"},
		{URL: s.URL + "/mcp/", Transport: "http", Name: "Weather Server", Version: "1.0.0", Protocol: "2026-07-28", Supported: []string{"2026-07-28", "2025-11-25"}},
		{URL: s.URL + "/mcp", Transport: "http", Name: "com.example/weather"},
	} {
		if wrong := problems(&d, live); len(wrong) > 0 {
			t.Errorf("%+v: %v", live, wrong)
		}
	}
	if len(d.Cards) != 1 || d.Cards[0].Entry == nil || d.Others != 1 || strings.Contains(d.URL, "secret") || len(*asked) != 2 {
		t.Errorf("%+v, asked %q", d, *asked)
	}
}

func TestDiscover_WhatIsWrong(t *testing.T) {
	right := &Live{Transport: "http", Name: "weather", Version: "1.0.0", Protocol: "2025-11-25"}
	for name, c := range map[string]struct {
		card, catalog string
		live          Live
		rule, want    string
	}{
		"schema":       {card: cardOf(`,"title":5` + ownRemote), live: *right, rule: "CARD-03", want: `"title" is number`},
		"long":         {card: strings.Replace(cardOf(ownRemote), `"d"`, `"`+strings.Repeat("é", 101)+`"`, 1), live: *right, rule: "CARD-03", want: "101 characters"},
		"packages":     {card: cardOf(`,"packages":[]` + ownRemote), live: *right, rule: "CARD-03", want: "packages"},
		"secret":       {card: cardOf(`,"remotes":[{"type":"streamable-http","url":"{base}/mcp","headers":[{"name":"X-Key","isSecret":true,"value":"abc"}]}]`), live: *right, rule: "CARD-03", want: "marked as a secret"},
		"media type":   {card: strings.Replace(cardOf(ownRemote), cardType, "application/json", 1), live: *right, rule: "CARD-04", want: "application/json"},
		"html type":    {card: strings.Replace(cardOf(ownRemote), cardType, "text/html", 1), live: *right, rule: "CARD-04", want: "text/html"},
		"endpoint":     {card: cardOf(`,"remotes":[{"type":"streamable-http","url":"https://other.example/mcp"}]`), live: *right, rule: "CARD-07", want: "https://other.example/mcp"},
		"no endpoint":  {card: cardOf(""), live: *right, rule: "CARD-07", want: "no remotes"},
		"transport":    {card: cardOf(`,"remotes":[{"type":"sse","url":"{base}/mcp"}]`), live: *right, rule: "CARD-07", want: "streamable-http"},
		"name":         {card: cardOf(ownRemote), live: Live{Transport: "http", Name: "stocks"}, rule: "CARD-08", want: `"stocks"`},
		"version":      {card: cardOf(ownRemote), live: Live{Transport: "http", Name: "weather", Version: "1.0.1"}, rule: "CARD-08", want: "1.0.1"},
		"versions":     {card: cardOf(ownRemote), live: Live{Transport: "http", Name: "weather", Supported: []string{"2026-07-28"}}, rule: "CARD-09", want: "2025-11-25"},
		"negotiated":   {card: cardOf(ownRemote), live: Live{Transport: "http", Name: "weather", Protocol: "2024-11-05"}, rule: "CARD-09", want: "2024-11-05"},
		"entry":        {card: cardOf(ownRemote), catalog: `{"specVersion":"1.0","entries":[{"type":"application/mcp-server-card+json","url":"/mcp/server-card"}]}`, live: *right, rule: "CARD-01", want: "identifier"},
		"gone":         {card: cardOf(ownRemote), catalog: `{"specVersion":"1.0","entries":[{"identifier":"i","type":"application/mcp-server-card+json","url":"/gone"}]}`, live: *right, rule: "CARD-02", want: "404"},
		"plain http":   {card: cardOf(ownRemote), catalog: `{"specVersion":"1.0","entries":[{"identifier":"i","type":"application/mcp-server-card+json","url":"http://elsewhere.example/x"}]}`, live: *right, rule: "CARD-02", want: "not https"},
		"other scheme": {card: cardOf(ownRemote), catalog: `{"specVersion":"1.0","entries":[{"identifier":"i","type":"application/mcp-server-card+json","url":"file:///etc/passwd"}]}`, live: *right, rule: "CARD-02", want: "not a URL with http"},
	} {
		documents := map[string]string{"/mcp/server-card": c.card}
		if c.catalog != "" {
			documents["/.well-known/ai-catalog.json"] = "application/json " + c.catalog
		}
		s, _ := cardHost(t, documents)
		d := discovered(t, s.URL+"/mcp")
		c.live.URL = s.URL + "/mcp"
		wrong := problems(&d, &c.live)
		if !strings.Contains(wrong[c.rule], c.want) || len(wrong) != 1 {
			t.Errorf("%s: %v; want %s with %q", name, wrong, c.rule, c.want)
		}
	}
}

// A site that answers each path with its page, and one that redirects elsewhere, have no card; nothing of
// another origin is asked.
// A long text is cut at a whole character, and a text at its bound is not.
func TestParse_TextBounds(t *testing.T) {
	card := func(description string) Card {
		c, _ := parse([]byte(`{"name":"a/b","description":"` + description + `"}`))
		return c
	}
	for n, want := range map[int]int{249: 498, 250: 500, 251: 500, 1000: 500} {
		if got := card(strings.Repeat("é", n)).Description; len(got) != want {
			t.Errorf("%d characters: %d bytes", n, len(got))
		}
	}
	if got := card("x" + strings.Repeat("é", 250)).Description; got != "x"+strings.Repeat("é", 249) {
		t.Errorf("%q", got)
	}
}

func TestDiscover_Absent(t *testing.T) {
	other, askedOther := cardHost(t, map[string]string{"/card": cardOf("")})
	s, asked := cardHost(t, map[string]string{
		"/mcp/server-card": "text/html <!doctype html>", "/.well-known/ai-catalog.json": "redirect " + other.URL + "/card", "/.well-known/ard.json": `application/json {"a":1}`,
	})
	d := discovered(t, s.URL+"/mcp")
	for _, c := range []struct{ absent, want string }{
		{d.Cards[0].Absent, "a page in HTML"}, {d.Catalogs[0].Absent, "to another origin"}, {d.Catalogs[1].Absent, `no array "entries"`}, {d.Catalogs[2].Absent, "404"},
	} {
		if !strings.Contains(c.absent, c.want) {
			t.Errorf("it is absent because of %q; want %q", c.absent, c.want)
		}
	}
	if wrong := problems(&d, nil); len(wrong) > 0 || len(*askedOther) > 0 || len(*asked) != 4 {
		t.Errorf("%v, asked %q and %q", wrong, *asked, *askedOther)
	}
}

// The card in a catalog, and a redirect within the origin.
func TestDiscover_InCatalog(t *testing.T) {
	card := strings.TrimPrefix(cardOf(ownRemote), cardType+" ")
	s, _ := cardHost(t, map[string]string{
		"/.well-known/ai-catalog.json": "redirect /catalog",
		"/catalog":                     `application/json {"specVersion":"1.0","entries":[{"identifier":"i","type":"application/mcp-server-card+json","data":` + card + `}]}`,
	})
	d := discovered(t, s.URL)
	of := d.CardOf(s.URL + "/mcp")
	if of == nil || !of.Inline || of.Card.Name != "com.example/weather" {
		t.Errorf("%+v", d)
	}
	if wrong := problems(&d, nil); len(wrong) > 0 {
		t.Error(wrong)
	}
}

// Three redirects within an origin are followed, and one more is not. A document of 1 MiB is read, one byte more is
// not, and of a catalog the first ten cards are.
func TestDiscover_Borders(t *testing.T) {
	sized := func(n int) string {
		card := strings.TrimPrefix(cardOf(""), cardType+" ")
		return cardType + " " + card + strings.Repeat(" ", n-len(card))
	}
	for _, c := range []struct {
		first, absent string
	}{
		{"redirect /2", ""},
		{"redirect /1", "it redirects too often"},
		{sized(1 << 20), ""},
		{sized(1<<20 + 1), "it has more than 1 MiB"},
	} {
		s, _ := cardHost(t, map[string]string{
			"/mcp/server-card": c.first,
			"/1":               "redirect /2", "/2": "redirect /3", "/3": "redirect /4", "/4": cardOf(""),
		})
		if d := discovered(t, s.URL+"/mcp"); d.Cards[0].Absent != c.absent {
			t.Errorf("%.40s: %q, expected %q", c.first, d.Cards[0].Absent, c.absent)
		}
	}
	var entries []string
	documents := map[string]string{}
	for i := range maxCards + 1 {
		entries = append(entries, fmt.Sprintf(`{"identifier":"i%d","type":"%s","url":"/c%d"}`, i, cardType, i))
		documents[fmt.Sprintf("/c%d", i)] = cardOf(ownRemote)
	}
	documents["/.well-known/ai-catalog.json"] = catalogType + ` {"specVersion":"1.0","entries":[` + strings.Join(entries, ",") + `]}`
	s, asked := cardHost(t, documents)
	if d := discovered(t, s.URL+"/mcp"); len(d.found()) != maxCards || !slices.Contains(*asked, "/c9") || slices.Contains(*asked, "/c10") {
		t.Errorf("%d cards, asked %q", len(d.found()), *asked)
	}
}

// A host over https, whose certificate the settings of the target accept.
func TestDiscover_OverTLS(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", cardType)
		_, _ = w.Write([]byte(strings.TrimPrefix(cardOf(""), cardType+" ")))
	}))
	t.Cleanup(s.Close)
	d, err := Discover(t.Context(), Where{URL: s.URL + "/mcp", TLS: mcphttp.TLS{Insecure: true}})
	if err != nil || d.Cards[0].Card == nil {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err = Discover(t.Context(), Where{URL: s.URL + "/mcp"}); err != nil || !strings.Contains(d.Cards[0].Absent, "certificate") {
		t.Errorf("without them: %+v, %v", d, err)
	}
}

// The settings of the target, which accept any certificate, are not those of another origin that its catalog names.
func TestDiscover_OtherOriginOverTLS(t *testing.T) {
	serve := func(documents map[string]string) *httptest.Server {
		s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			media, body, there := strings.Cut(documents[r.URL.Path], " ")
			if !there {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", media)
			_, _ = w.Write([]byte(body))
		}))
		s.Config.ErrorLog = log.New(io.Discard, "", 0) // refused handshakes
		t.Cleanup(s.Close)
		return s
	}
	other := serve(map[string]string{"/card": cardOf(ownRemote)})
	home := serve(map[string]string{
		"/card":                        cardOf(ownRemote),
		"/.well-known/ai-catalog.json": catalogType + ` {"specVersion":"1.0","entries":[{"identifier":"a","type":"` + cardType + `","url":"/card"},{"identifier":"b","type":"` + cardType + `","url":"` + other.URL + `/card"}]}`,
	})
	d, err := Discover(t.Context(), Where{URL: home.URL + "/mcp", TLS: mcphttp.TLS{Insecure: true}})
	if err != nil || len(d.Cards) != 3 {
		t.Fatalf("%+v, %v", d, err)
	}
	if own, foreign := d.Cards[1], d.Cards[2]; !own.Found() || foreign.Found() || !strings.Contains(foreign.Absent, "certificate") {
		t.Errorf("its own card: %q, the other: %q", own.Absent, foreign.Absent)
	}
}

func TestDiscover_Serves(t *testing.T) {
	for _, c := range []struct {
		of, url string
		want    bool
	}{
		{"https://{tenant}.example.com/mcp", "https://a.example.com/mcp", true},
		{"https://{tenant}.example.com/mcp", "https://a.b/c.example.com/mcp", false},
		{"https://Example.com:443/mcp/", "https://example.com/mcp", true},
		{"https://example.com/mcp", "https://example.com/mcp2", false},
		{"https://example.com/a.b", "https://example.com/aXb", false},
	} {
		if got := (Remote{URL: c.of}).Serves(c.url); got != c.want {
			t.Errorf("%s serves %s: %t", c.of, c.url, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{` + schemaOfCards + `,"name":"a/b","description":"d","version":"1","remotes":[{"type":"sse","url":"{x}"}]}`))
	f.Add([]byte(`{"specVersion":"1","entries":[{"type":"application/mcp-server-card+json","identifier":"i","data":{}}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		card, faults := parse(raw)
		if len(faults) == 0 && (card.Name == "" || card.Version == "") {
			t.Errorf("%s is valid: %+v", raw, card)
		}
		for _, r := range card.Remotes {
			r.Serves("https://example.com/mcp")
		}
		entries, _, _, is := parseCatalog(raw)
		if !is && len(entries) > 0 {
			t.Error(fmt.Sprint(entries))
		}
	})
}

// An endpoint is the same in a card and in a server.json: what the registry adds to it is read in both.
func TestReadRemote_Filled(t *testing.T) {
	tree, err := syntax.Parse(syntax.JSON, []byte(`{"type":"sse","url":"https://{region}.example.com/{tenant}","variables":{"region":{"default":"eu"},"tenant":{}},
		"headers":[{"name":"X-Key","isRequired":true,"isSecret":true},{"name":"X-Mode","value":"{mode}","variables":{"mode":{"value":"fast"}}}],"supportedProtocolVersions":["2025-11-25"]}`))
	if err != nil {
		t.Fatal(err)
	}
	r := ReadRemote(tree.Root)
	url, missing := Filled(r.URL, r.Variables)
	if url != "https://eu.example.com/{tenant}" || fmt.Sprint(missing) != "[{tenant}]" || fmt.Sprint(r.Names()) != "[X-Key X-Mode]" {
		t.Errorf("%s, %v, %v", url, missing, r.Names())
	}
	if mode, missing := Filled(r.Headers[1].Known(), r.Headers[1].Variables); mode != "fast" || missing != nil || !r.Headers[0].Required || !r.Headers[0].Secret {
		t.Errorf("%s, %v, %+v", mode, missing, r.Headers)
	}
	if document, err := json.Marshal(r); err != nil || string(document) != `{"type":"sse","url":"https://{region}.example.com/{tenant}","headers":["X-Key","X-Mode"],"protocol_versions":["2025-11-25"]}` {
		t.Errorf("%s, %v", document, err)
	}
}

// A search that the user ends is not a result.
func TestDiscover_Cancelled(t *testing.T) {
	s, _ := cardHost(t, map[string]string{"/mcp/server-card": cardOf(ownRemote)})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Discover(ctx, Where{URL: s.URL + "/mcp"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Versions that the card does not list are advice, and only these.
func TestCheck_UnlistedVersions(t *testing.T) {
	s, _ := cardHost(t, map[string]string{"/mcp/server-card": cardOf(ownRemote)})
	d := discovered(t, s.URL+"/mcp")
	for supported, want := range map[string]string{"2025-11-25": "", "2025-11-25 2026-07-28": "The server supports 2026-07-28 too, which the card does not list.", "2025-11-25 2026-07-28 2024-11-05": "The server supports 2026-07-28, 2024-11-05 too, which the card does not list."} {
		for _, o := range d.Check(&Live{URL: s.URL + "/mcp", Transport: "http", Name: "weather", Version: "1.0.0", Supported: strings.Fields(supported)}) {
			if o.Rule.ID == "CARD-09" && (o.Advice != want || o.Skipped != "") {
				t.Errorf("%s: %+v", supported, o)
			}
		}
	}
}

// The link of a rule leads to a section that the specification has.
func TestRules_Links(t *testing.T) {
	sections := strings.Fields("server-card-entries client-discovery-flow hosted-server-card-location cors-requirements transport-security consistency-with-runtime-behavior")
	for _, r := range rules {
		_, section, _ := strings.Cut(r.Spec, "discovery.md#")
		if !slices.Contains(sections, section) && r.ID != "CARD-03" {
			t.Errorf("%s links to %s", r.ID, r.Spec)
		}
	}
}

// docs/cards.md lists each rule with its level.
func TestRules_Docs(t *testing.T) {
	page, err := os.ReadFile("../../docs/cards.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range Rules() {
		row := regexp.MustCompile(`(?m)^\| ` + r.ID + ` \| .+ \| ` + r.Level() + ` \|$`)
		if !row.Match(page) {
			t.Errorf("docs/cards.md has no row of %s with the level %s", r.ID, r.Level())
		}
	}
}
