package apps

import (
	"hash/maphash"
	"net/url"
	"slices"
	"strings"

	"mcptea/lint"
	"mcptea/offer/declared"
)

// A page holds the result of parsing a document, without the document itself.
type page struct {
	size          int
	tags          bool // the text has a tag
	doctype, html bool
	loads         []load // loads in the order of the document
	urls          int    // number of style sheet URLs examined
}

// load is a URL that the document loads.
type load struct {
	what string // element that loads it, such as <script src>
	list string // the member of csp that permits its origin
	url  string
}

// The bounds of a page.
const (
	maxLoads  = 200
	maxURL    = 500       // bytes
	maxURLs   = 1000      // number of style sheet URLs that are examined
	largePage = 1_000_000 // bytes
)

var pageHash = maphash.MakeSeed()

// A document is the subject of the rules about pages.
type document struct {
	*page
	declared.Document
	at lint.Place // place of the content item
}

// onPage checks the document of an app, which is read once for all rules, and once for all
// responses that are the same.
func onPage(check func(*lint.Context, *document)) func(*lint.Context) {
	return func(c *lint.Context) {
		m := lint.Own[memory](c.St)
		if !m.looked {
			m.looked, m.document = true, documentOf(c, m)
		}
		if m.document != nil {
			check(c, m.document)
		}
	}
}

// documentOf returns the document in the message, or nil if it is not the document of an app. Other rules
// report the reason.
func documentOf(c *lint.Context, m *memory) *document {
	uri, ok := requested(c)
	if !ok {
		return nil
	}
	d, err := declared.OfDocument(uri, listed(c, uri), c.M.Result)
	if err != nil || d.MIME != "" && !strings.HasPrefix(d.MIME, "text/html") {
		return nil
	}
	key := maphash.Bytes(pageHash, d.HTML)
	p := m.pages[key]
	if p == nil {
		p = read(string(d.HTML))
		lint.Keep(&m.pages, maxPages, key, p)
	}
	return &document{p, d, lint.At("result", "contents", 0)}
}

// read parses a document.
func read(text string) *page {
	p := &page{size: len(text)}
	for tag := range elements(text) {
		p.add(&tag)
	}
	return p
}

func (p *page) add(tag *element) {
	p.tags = p.tags || tag.Name != "!doctype"
	switch tag.Name {
	case "!doctype":
		p.doctype = true
	case "html":
		p.html = true
	case "script":
		kind, _ := tag.Get("type")
		if kind = strings.ToLower(kind); !strings.Contains(kind, "json") && !strings.Contains(kind, "template") { // the script is code, not data
			p.load(tag, "src", "resourceDomains")
		}
	case "style":
		p.style("<style>", tag.Text)
	case "link":
		rel, _ := tag.Get("rel")
		for _, kind := range strings.Fields(strings.ToLower(rel)) {
			if slices.Contains([]string{"stylesheet", "icon", "preload", "modulepreload", "manifest"}, kind) {
				p.load(tag, "href", "resourceDomains")
				break
			}
		}
	case "img", "source", "video", "audio", "track", "embed":
		p.load(tag, "src", "resourceDomains")
		p.load(tag, "poster", "resourceDomains")
		p.srcset(tag)
	case "iframe", "frame":
		p.load(tag, "src", "frameDomains")
	case "base":
		p.load(tag, "href", "baseUriDomains")
	}
	if style, ok := tag.Get("style"); ok {
		p.style("style", style)
	}
}

// load notes the URL of an attribute.
func (p *page) load(tag *element, attribute, list string) {
	value, ok := tag.Get(attribute)
	if !ok || strings.TrimSpace(value) == "" {
		return
	}
	p.note("<"+tag.Name+" "+attribute+">", list, strings.TrimSpace(value))
}

// srcset notes the URLs of the attribute of that name.
func (p *page) srcset(tag *element) {
	set, _ := tag.Get("srcset")
	for candidate := range strings.SplitSeq(set, ",") {
		if u, _, _ := strings.Cut(strings.TrimSpace(candidate), " "); u != "" {
			p.note("<"+tag.Name+" srcset>", "resourceDomains", u)
		}
	}
}

func (p *page) note(what, list, address string) {
	if len(p.loads) < maxLoads && len(address) <= maxURL && !strings.HasPrefix(address, "#") && !strings.HasPrefix(address, "data:") {
		p.loads = append(p.loads, load{what, list, strings.Clone(address)})
	}
}

// style notes url() and @import of a style sheet.
func (p *page) style(what, text string) {
	for _, before := range []string{"url(", "@import"} {
		for rest, ok := after(text, before); ok && p.urls < maxURLs; rest, ok = after(rest, before) {
			p.urls++
			rest = strings.TrimLeft(rest, " \t\r\n")
			if before == "@import" && strings.HasPrefix(rest, "url(") {
				continue // the search for url( has found it
			}
			end := strings.IndexAny(rest[min(1, len(rest)):min(len(rest), maxURL)], "\"') ;\r\n")
			if end > 0 {
				p.note(what+" "+strings.Replace(before, "(", "()", 1), "resourceDomains", strings.Trim(rest[:end+1], `"' `))
			}
		}
	}
}

// after returns the text after the next occurrence of a word.
func after(text, word string) (string, bool) {
	_, rest, ok := strings.Cut(text, word)
	return rest, ok
}

// target returns the URL of a load from another origin. relative reports a URL without scheme and host.
func (l *load) target() (u *url.URL, relative bool) {
	address := l.url
	if strings.HasPrefix(address, "//") {
		address = "https:" + address
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, false
	case u.Scheme == "" && u.Host == "":
		return nil, true
	case slices.Contains([]string{"http", "https", "ws", "wss"}, u.Scheme) && u.Host != "":
		return u, false
	}
	return nil, false
}
