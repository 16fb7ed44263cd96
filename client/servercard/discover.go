package servercard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	mcphttp "mcptea/client/transport/http"
)

// wellKnown holds the paths of a host's catalog: first the current path, then earlier ones.
var wellKnown = []string{"/.well-known/ai-catalog.json", "/.well-known/ard.json", "/.well-known/mcp/catalog.json"}

// The bounds of a discovery.
const (
	fetchTimeout = 10 * time.Second
	maxDocument  = 1 << 20 // bytes of a catalog or a card
	maxCards     = 10      // bound for the cards that are fetched for the entries of a catalog
	maxHops      = 3       // redirects within an origin
)

// Document is a file that was fetched, or that was not there.
type Document struct {
	URL    string   `json:"url"`                      // URL of the catalog; after a redirect within the origin, the new URL
	Status int      `json:"status,omitempty"`         // HTTP status, or 0 if there was no response
	Media  string   `json:"media,omitempty"`          // media type of the response
	Origin string   `json:"allowed_origin,omitempty"` // Access-Control-Allow-Origin
	Absent string   `json:"absent,omitempty"`         // why it is not there, or was not fetched; empty if it is
	Faults []string `json:"faults,omitempty"`         // faults of the content
	body   []byte
}

// Found reports whether the document is there.
func (d *Document) Found() bool { return d.Absent == "" }

// FoundCard is a card and the document that it is in.
type FoundCard struct {
	Document
	Card   *Card  `json:"card,omitempty"`   // absent if the document is not there
	Inline bool   `json:"inline,omitempty"` // the card is part of the catalog
	Entry  *Entry `json:"entry,omitempty"`  // entry of the catalog that names the card; absent if no catalog names it
}

// A Discovery holds the documents that a host publishes about its MCP servers.
type Discovery struct {
	URL      string      `json:"url"`              // URL that the user gave
	Catalogs []Document  `json:"catalogs"`         // places where mcptea looked for a catalog, up to the first one found
	Entries  int         `json:"entries"`          // number of entries of the catalog that name server cards
	Others   int         `json:"others,omitempty"` // entries of other kinds
	Cards    []FoundCard `json:"cards"`            // server cards; the card at the URL of the server first
}

// Where is the start of a discovery.
type Where struct {
	URL string      // URL of the server, or of its host
	TLS mcphttp.TLS // settings for the origin of the URL
	// Fetching is called before the cards that the catalog names are fetched, with their number and how long
	// the fetch takes at most; it may be nil.
	Fetching func(cards int, timeout time.Duration)

	proxy func(*http.Request) (*url.URL, error) // proxy of a request; nil for the proxy of the environment
}

// Discover fetches the catalog of a host, the card next to the endpoint, and the cards that the catalog names.
// It sends no credentials: neither headers of the user nor tokens. It follows redirects only within the origin,
// and a public catalog cannot lead it to addresses of a private network.
func Discover(ctx context.Context, w Where) (Discovery, error) {
	at, err := mcphttp.Endpoint(w.URL)
	if err != nil {
		return Discovery{}, err
	}
	at.User, at.RawQuery = nil, "" // user and query may be secrets
	f := fetcher{home: at, tls: w.TLS, proxy: w.proxy}
	if f.proxy == nil {
		f.proxy = http.ProxyFromEnvironment
	}
	d := Discovery{URL: at.String(), Catalogs: []Document{}, Cards: []FoundCard{}}
	copied := *at
	copied.Path, copied.RawPath, copied.RawQuery = strings.TrimSuffix(at.Path, "/")+"/server-card", "", ""
	card := FoundCard{Document: f.fetch(ctx, &copied, cardType)}
	card.read()
	d.Cards = append(d.Cards, card)
	var entries []Entry
	for _, path := range wellKnown {
		there := *at
		there.Path, there.RawPath, there.RawQuery = path, "", ""
		doc := f.fetch(ctx, &there, catalogType+", application/json")
		if doc.Found() {
			var isCatalog bool
			if entries, d.Others, doc.Faults, isCatalog = parseCatalog(doc.body); !isCatalog {
				doc.Absent = `the document has no array "entries"`
			}
		}
		d.Catalogs = append(d.Catalogs, doc)
		if doc.Found() || ctx.Err() != nil {
			break
		}
	}
	d.Entries = len(entries)
	d.addCards(ctx, &f, entries[:min(len(entries), maxCards)], w.Fetching)
	return d, ctx.Err()
}

// addCards adds the cards that entries of the catalog name. They are fetched concurrently: a host that does
// not respond keeps no other card waiting.
func (d *Discovery) addCards(ctx context.Context, f *fetcher, entries []Entry, fetching func(cards int, timeout time.Duration)) {
	catalog := d.Catalogs[len(d.Catalogs)-1].URL
	var others []*Entry
	remote := 0
	for i := range entries {
		if first := &d.Cards[0]; first.Found() && first.Entry == nil && absolute(catalog, entries[i].URL) == first.URL {
			first.Entry = &entries[i]
			continue
		}
		if entries[i].URL == "" && entries[i].data == nil {
			continue // nothing can be fetched, which is a fault of the catalog
		}
		others = append(others, &entries[i])
		if entries[i].data == nil {
			remote++
		}
	}
	if remote > 0 && fetching != nil {
		fetching(remote, fetchTimeout)
	}
	cards := make([]FoundCard, len(others))
	var wg sync.WaitGroup
	for i, e := range others {
		wg.Go(func() { cards[i] = f.entry(ctx, catalog, e) })
	}
	wg.Wait()
	d.Cards = append(d.Cards, cards...)
}

// absolute returns an absolute URL from a catalog, or "".
func absolute(catalog, to string) string {
	base, err := url.Parse(catalog)
	if err != nil || to == "" {
		return ""
	}
	at, err := base.Parse(to)
	if err != nil {
		return ""
	}
	return at.String()
}

// entry returns the card of an entry of a catalog.
func (f *fetcher) entry(ctx context.Context, catalog string, e *Entry) FoundCard {
	c := FoundCard{Document: Document{URL: catalog}, Entry: e}
	if e.data != nil {
		c.Inline, c.body = true, e.data
		c.read()
		return c
	}
	home, err := url.Parse(catalog)
	var at *url.URL
	if err == nil {
		at, err = home.Parse(e.URL)
	}
	if err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" {
		c.URL, c.Absent = e.URL, "it is not a URL with http or https, and was not fetched"
		return c
	}
	at.User = nil // credentials are never sent
	switch c.URL = at.String(); {
	case isSame(home, at):
		c.Absent = "it is the URL of the catalog itself"
		return c
	case !mcphttp.SameOrigin(f.home, at) && !isLocal(f.home.Hostname()) && isLocal(at.Hostname()): // a proxy would connect to it
		c.Absent = errPrivate.Error()
		return c
	case at.Scheme == "http" && !isLocal(at.Hostname()):
		c.Absent = "it is not https, and was not fetched"
		return c
	}
	c.Document = f.fetch(ctx, at, cardType)
	c.read()
	return c
}

func (c *FoundCard) read() {
	if !c.Found() {
		return
	}
	card, faults := parse(c.body)
	c.Card, c.Faults = &card, faults
}

// fetcher fetches documents without credentials.
type fetcher struct {
	home *url.URL // the TLS settings are for its origin
	tls  mcphttp.TLS

	proxy func(*http.Request) (*url.URL, error)
}

// fetch gets a document.
func (f *fetcher) fetch(ctx context.Context, at *url.URL, accept string) Document {
	ctx, stop := context.WithTimeout(ctx, fetchTimeout)
	defer stop()
	for hop := 0; ; hop++ {
		d, to := f.once(ctx, at, accept)
		switch {
		case to == nil:
			return d
		case !mcphttp.SameOrigin(at, to):
			d.Absent = fmt.Sprintf("HTTP status %d, to another origin, %s, which was not followed", d.Status, to.Redacted())
			return d
		case hop == maxHops:
			d.Absent = "it redirects too often"
			return d
		}
		at = to
		at.User = nil
	}
}

// once sends one request. to is the target of a redirect, or nil.
func (f *fetcher) once(ctx context.Context, at *url.URL, accept string) (d Document, to *url.URL) {
	d.URL = at.String()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		d.Absent = err.Error()
		return d, nil
	}
	request.Header.Set("Accept", accept)
	request.Header.Set("Origin", "http://localhost") // request it like a page: only then does the response have the headers for pages
	base := &http.Transport{Proxy: f.proxy}
	settings := f.tls
	if !mcphttp.SameOrigin(f.home, at) {
		settings = mcphttp.TLS{}
		if proxy, _ := f.proxy(request); proxy == nil && !isLocal(f.home.Hostname()) {
			base.DialContext = (&net.Dialer{Timeout: fetchTimeout, Control: refusePrivate}).DialContext
		}
	}
	transport := mcphttp.NewTransport(settings, at, base)
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		d.Absent = reason(err)
		return d, nil
	}
	defer func() { _ = response.Body.Close() }()
	d.Status, d.Origin = response.StatusCode, response.Header.Get("Access-Control-Allow-Origin")
	d.Media, _, _ = mime.ParseMediaType(response.Header.Get("Content-Type"))
	if location := response.Header.Get("Location"); d.Status/100 == 3 && location != "" {
		if to, err = at.Parse(location); err == nil {
			return d, to
		}
	}
	if d.Status != http.StatusOK {
		d.Absent = fmt.Sprintf("HTTP status %d", d.Status)
		return d, nil
	}
	d.body, err = io.ReadAll(io.LimitReader(response.Body, maxDocument+1))
	switch {
	case err != nil:
		d.Absent = reason(err)
	case len(d.body) > maxDocument:
		d.Absent = "it has more than 1 MiB"
	case d.Media == "text/html" && jsonrpc.TypeOf(d.body) != "object": // the page of a site that answers each path with it
		d.Absent = "HTTP status 200, and a page in HTML"
	}
	return d, nil
}

func reason(err error) string {
	if errors.Is(err, errPrivate) {
		return errPrivate.Error()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "there was no response within " + fetchTimeout.String()
	}
	return err.Error()
}
