package apps

import (
	"hash/maphash"
	"net/url"
	"slices"
	"strings"

	"mcptea/session/apps/declared"
	"mcptea/session/apps/markup"
	"mcptea/session/lint"
)

// page is what the text of a document tells, without the document itself.
type page struct {
	size           int
	tags           bool // it has a tag
	doctype, html  bool
	externalScript bool
	scripts        int             // bytes of scripts in the document
	loads          []load          // in the order of the document
	words          map[string]bool // of the tables of words, those in scripts and attributes
	bodyHeight     bool            // html or body has the height of the window
	urls           int             // those of style sheets that were looked at
	blocked        []string        // what tags need and the sandbox does not permit, each once
}

// load is a URL that the document loads.
type load struct {
	what     string // where it is, such as <script src>
	list     string // the member of csp that permits its origin
	url      string
	inScript bool // a literal, which may not be used
}

// calls are what loads a literal URL in a script, with the member of csp.
var calls = []struct{ before, what, list string }{
	{"fetch(", "fetch", "connectDomains"},
	{"new WebSocket(", "WebSocket", "connectDomains"},
	{"new EventSource(", "EventSource", "connectDomains"},
	{"sendBeacon(", "sendBeacon", "connectDomains"},
	{".open(", "XMLHttpRequest", "connectDomains"},
	{"import(", "import()", "resourceDomains"},
	{"import ", "import", "resourceDomains"},
	{" from ", "import", "resourceDomains"},
}

// The bounds of a page.
const (
	maxLoads   = 200
	maxURL     = 500       // bytes
	maxURLs    = 1000      // of style sheets that are looked at
	largePage  = 1_000_000 // bytes
	bundleSize = 50_000    // bytes of scripts: they contain libraries
)

// isBundled reports scripts of which the author wrote but a part.
func (p *page) isBundled() bool { return p.scripts > bundleSize }

var pageHash = maphash.MakeSeed()

// document is what the rules about pages check.
type document struct {
	*page
	declared.Document
	at lint.Place // of the content item
}

// onPage checks the document of an app, which is read once for all rules, and once for all
// responses that are the same.
//
//go:noinline
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

// documentOf is the document in the message; nil if it is not that of an app, of which other
// rules find the reason.
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

// read looks through a document.
func read(text string) *page {
	p := &page{size: len(text), words: map[string]bool{}}
	for tag := range markup.Tags(text) {
		p.add(&tag)
	}
	return p
}

func (p *page) add(tag *markup.Tag) {
	p.tags = p.tags || tag.Name != "!doctype"
	switch tag.Name {
	case "!doctype":
		p.doctype = true
	case "html":
		p.html = true
	case "script":
		kind, _ := tag.Get("type")
		if kind = strings.ToLower(kind); strings.Contains(kind, "json") || strings.Contains(kind, "template") {
			return // data
		}
		p.scripts += len(tag.Text)
		p.code(tag.Text)
		if p.load(tag, "src", "resourceDomains") {
			p.externalScript = true
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
	case "a", "area":
		target, _ := tag.Get("target")
		_, download := tag.Get("download")
		p.block("target=_blank", strings.EqualFold(target, "_blank"))
		p.block("a download", download)
	case "form":
		action, _ := tag.Get("action")
		p.block("a form with an action", action != "" && !strings.HasPrefix(action, "#"))
	}
	for _, a := range tag.Attributes {
		switch {
		case a.Name == "style":
			p.style("style", a.Value)
			p.bodyHeight = p.bodyHeight || (tag.Name == "html" || tag.Name == "body") && hasWindowHeight(a.Value)
		case strings.HasPrefix(a.Name, "on"):
			p.code(a.Value)
		}
	}
}

// block notes what the sandbox does not permit.
func (p *page) block(what string, there bool) {
	if there && !slices.Contains(p.blocked, what) {
		p.blocked = append(p.blocked, what)
	}
}

// load notes the URL of an attribute.
func (p *page) load(tag *markup.Tag, attribute, list string) bool {
	value, ok := tag.Get(attribute)
	if !ok || strings.TrimSpace(value) == "" {
		return false
	}
	p.note("<"+tag.Name+" "+attribute+">", list, strings.TrimSpace(value))
	return true
}

// srcset notes the URLs of the attribute of that name.
func (p *page) srcset(tag *markup.Tag) {
	set, _ := tag.Get("srcset")
	for candidate := range strings.SplitSeq(set, ",") {
		if u, _, _ := strings.Cut(strings.TrimSpace(candidate), " "); u != "" {
			p.note("<"+tag.Name+" srcset>", "resourceDomains", u)
		}
	}
}

func (p *page) note(what, list, address string) {
	if len(p.loads) < maxLoads && len(address) <= maxURL && !strings.HasPrefix(address, "#") && !strings.HasPrefix(address, "data:") {
		p.loads = append(p.loads, load{what, list, strings.Clone(address), false})
	}
}

// style notes url() and @import of a style sheet, and the height of html and body.
func (p *page) style(what, text string) {
	for _, before := range []string{"url(", "@import"} {
		for rest, ok := after(text, before); ok && p.urls < maxURLs; rest, ok = after(rest, before) {
			p.urls++
			rest = strings.TrimLeft(rest, " \t\r\n")
			if before == "@import" && strings.HasPrefix(rest, "url(") {
				continue // it is found above
			}
			end := strings.IndexAny(rest[min(1, len(rest)):min(len(rest), maxURL)], "\"') ;\r\n")
			if end > 0 {
				p.note(what+" "+strings.Replace(before, "(", "()", 1), "resourceDomains", strings.Trim(rest[:end+1], `"' `))
			}
		}
	}
	for block := range strings.SplitSeq(text, "}") {
		selectors, body, ok := strings.Cut(block, "{")
		if !ok || !hasWindowHeight(body) {
			continue
		}
		for selector := range strings.SplitSeq(selectors, ",") {
			switch strings.TrimSpace(selector) {
			case "html", "body", ":root", "html body":
				p.bodyHeight = true
			}
		}
	}
}

func hasWindowHeight(declarations string) bool {
	for one := range strings.SplitSeq(declarations, ";") {
		name, value, _ := strings.Cut(one, ":")
		if name = strings.TrimSpace(name); (name == "height" || name == "min-height") && strings.Contains(value, "100vh") {
			return true
		}
	}
	return false
}

// after is the text behind the next occurrence of a word.
func after(text, word string) (string, bool) {
	_, rest, ok := strings.Cut(text, word)
	return rest, ok
}

// code looks for the words in a script, and for literal URLs that it connects to.
func (p *page) code(text string) {
	for _, table := range [][]string{code, storage, blocked, features, handshakes} {
		for _, word := range table {
			p.words[word] = p.words[word] || contains(text, word)
		}
	}
	for _, call := range calls {
		for rest, ok := after(text, call.before); ok; rest, ok = after(rest, call.before) {
			literal, more := quoted(rest)
			if call.before == ".open(" { // the method comes first
				literal, _ = quoted(strings.TrimLeft(more, ", \t\r\n"))
			}
			if strings.Contains(literal, "://") && !strings.Contains(literal, "${") && len(p.loads) < maxLoads {
				p.loads = append(p.loads, load{call.what, call.list, strings.Clone(literal), true})
			}
		}
	}
}

// quoted is the string literal at the begin of a script, and what follows.
func quoted(text string) (literal, rest string) {
	text = strings.TrimLeft(text[:min(len(text), maxURL)], " \t\r\n")
	if text == "" || strings.IndexByte("\"'`", text[0]) < 0 {
		return "", ""
	}
	literal, rest, _ = strings.Cut(text[1:], text[:1])
	return literal, rest
}

// contains reports whether a script has a word that is not a part of a longer one, or the
// method of another object than the window.
func contains(text, word string) bool {
	for at, from := strings.Index(text, word), 0; at >= 0; at = strings.Index(text[from:], word) {
		at += from
		from = at + len(word)
		before := text[:at]
		for _, object := range []string{"window.", "globalThis.", "self."} {
			before = strings.TrimSuffix(before, object)
		}
		if before == "" {
			return true
		}
		last := before[len(before)-1]
		if last != '.' && last != '$' && last != '_' && !lint.IsWord(string(last), "") {
			return true
		}
	}
	return false
}

// target is the URL of a load where that is one of another origin; relative reports one
// without scheme and host.
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
