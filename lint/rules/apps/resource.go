package apps

import (
	"bytes"
	"iter"
	"net/url"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/lint"
	"mcptea/offer/declared"
)

// requested returns the URI of the app that the message is a response to reading. ok is false for other
// resources.
func requested(c *lint.Context) (string, bool) {
	if c.M.Request == nil {
		return "", false
	}
	uri := jsonrpc.Text(c.M.Request.Params, "uri")
	return uri, strings.HasPrefix(uri, declared.Scheme)
}

func unreadable(c *lint.Context) {
	if uri, _ := requested(c); lint.Own[memory](c.St).uris[uri] {
		c.Report(lint.At("error"), "uri", lint.QuotedURI(uri), "error", lint.Quoted(c.M.Text(c.M.Error, "message")))
	}
}

func itemCount(c *lint.Context) {
	uri, ok := requested(c)
	contents := c.M.Get(c.M.Result, "contents")
	if n := jsonrpc.Count(contents); ok && n != 1 && jsonrpc.TypeOf(contents) == "array" {
		c.Report(lint.At("result", "contents"), "uri", lint.QuotedURI(uri), "n", n)
	}
}

func itemMIME(c *lint.Context) {
	if _, ok := requested(c); !ok {
		return
	}
	for i, item := range c.M.Indexed(c.M.Get(c.M.Result, "contents")) {
		if mime := jsonrpc.Get(item, "mimeType"); !isMIME(mime) {
			c.Report(lint.At("result", "contents", i, "mimeType"), "got", shownMIME(mime))
		}
	}
}

func listMIME(c *lint.Context) {
	for i, entry := range appEntries(c) {
		if mime := jsonrpc.Get(entry, "mimeType"); mime != nil && !isMIME(mime) {
			c.Report(lint.At("result", "resources", i, "mimeType"), "got", shownMIME(mime))
		}
	}
}

func isMIME(raw []byte) bool {
	text, _ := jsonrpc.Unquote(raw)
	return text == declared.MIMEType
}

func shownMIME(raw []byte) string {
	if text, _ := jsonrpc.Unquote(raw); text == "text/html+skybridge" {
		return lint.Quoted(text) + " (the type of the Apps SDK of ChatGPT)"
	}
	return lint.ShownOrMissing(raw)
}

// appEntries yields the entries of resources/list whose URI is the URI of an app, with their indexes. It skips
// a list that does not contain the letters "ui:".
func appEntries(c *lint.Context) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		if !c.M.Envelope.Special && !bytes.Contains(c.M.Result, []byte(`"ui:`)) {
			return
		}
		for i, entry := range c.M.Indexed(c.M.Get(c.M.Result, "resources")) {
			if isAppURI(jsonrpc.Get(entry, "uri")) && !yield(i, entry) {
				return
			}
		}
	}
}

// declaration is a _meta.ui in a message.
type declaration struct {
	ui []byte
	at []any
}

func (d declaration) place(more ...any) lint.Place {
	return lint.At(append(slices.Clone(d.at), more...)...)
}

// declarations returns the declarations about documents in the message.
func declarations(c *lint.Context) []declaration {
	var found []declaration
	add := func(holder []byte, at ...any) {
		if ui := jsonrpc.Get(holder, "_meta", "ui"); ui != nil {
			found = append(found, declaration{ui, append(at, "_meta", "ui")})
		}
	}
	if c.M.Method == "resources/list" {
		for i, entry := range appEntries(c) {
			add(entry, "result", "resources", i)
		}
		return found
	}
	if _, ok := requested(c); ok {
		for i, item := range c.M.Indexed(c.M.Get(c.M.Result, "contents")) {
			add(item, "result", "contents", i)
		}
		add(c.M.Result, "result")
	}
	return found
}

// members lists the members of _meta.ui of a document.
var members = []string{"csp", "permissions", "domain", "prefersBorder"}

func unknownMembers(c *lint.Context, d declaration) {
	permissions := jsonrpc.Get(d.ui, "permissions")
	if permissions != nil && jsonrpc.TypeOf(permissions) != "object" {
		c.Report(d.place("permissions"), "problem", "permissions is "+lint.KindOf(permissions)+", not an object")
	}
	for _, of := range []struct {
		kind    string
		object  []byte
		at      []any
		defines func(name string) bool
	}{
		{"ui", d.ui, nil, func(name string) bool { return slices.Contains(members, name) }},
		{"csp", jsonrpc.Get(d.ui, "csp"), []any{"csp"}, func(name string) bool { return slices.Contains(declared.Lists, name) }},
		{"permissions", permissions, []any{"permissions"}, declared.IsPermission},
	} {
		for key, value := range jsonrpc.Members(of.object) {
			name, problem := string(key), ""
			switch {
			case !of.defines(name):
				problem = "no member " + lint.Quoted(name) + " of " + of.kind + " is defined"
			case of.kind == "permissions" && jsonrpc.TypeOf(value) != "object":
				problem = "the permission " + lint.Quoted(name) + " is " + lint.ShownValue(value) + ", not {}"
			default:
				continue
			}
			c.Report(d.place(append(of.at, name)...), "problem", problem)
		}
	}
}

// hostDomains lists the suffixes of domains that only one host accepts.
var hostDomains = []struct{ end, host string }{
	{".claudemcpcontent.com", "Claude"},
	{".oaiusercontent.com", "ChatGPT"},
	{".widget-renderer.usercontent.microsoft.com", "Microsoft 365 Copilot"},
}

func domain(c *lint.Context, d declaration) {
	value, ok := jsonrpc.Unquote(jsonrpc.Get(d.ui, "domain"))
	if ok && (value == "" || strings.ContainsAny(value, ":/?#@ ")) {
		c.Report(d.place("domain"), "got", lint.Quoted(value))
	}
}

func domainOfHost(c *lint.Context, d declaration) {
	value, _ := jsonrpc.Unquote(jsonrpc.Get(d.ui, "domain"))
	for i := range hostDomains {
		if h := &hostDomains[i]; strings.HasSuffix(value, h.end) {
			c.Report(d.place("domain"), "got", lint.Quoted(value), "host", h.host)
		}
	}
}

// listed returns the entry of resources/list with the URI of an app, or nil.
func listed(c *lint.Context, uri string) []byte { return c.St.Lists["resources/list"].Named(uri) }

// metaDiffers compares the content item with the newest entry of the list.
func metaDiffers(c *lint.Context) {
	uri, ok := requested(c)
	if !ok {
		return
	}
	inList := jsonrpc.Get(listed(c, uri), "_meta", "ui")
	inItem := jsonrpc.Get(lint.First(c.M.Get(c.M.Result, "contents")), "_meta", "ui")
	switch {
	case inList == nil:
	case inItem == nil:
		c.Report(lint.At("result", "contents", 0), "uri", lint.QuotedURI(uri), "problem", "declares _meta.ui only in resources/list; hosts of 2026-01-26 look at the content item")
	case !jsonrpc.Equal(inItem, inList):
		c.Report(lint.At("result", "contents", 0, "_meta", "ui"), "uri", lint.QuotedURI(uri), "problem", "has another _meta.ui than in resources/list; the _meta.ui of the content item counts")
	}
}

// eachOrigin reports the problem that check finds with an entry of a csp; again is true for
// an entry that the list has before.
func (d declaration) eachOrigin(c *lint.Context, check func(text string, isText, again bool) (problem string)) {
	csp := jsonrpc.Get(d.ui, "csp")
	for _, list := range declared.Lists {
		seen := map[string]bool{}
		for i, entry := range lint.Indexed(jsonrpc.Get(csp, list)) {
			text, ok := jsonrpc.Unquote(entry)
			if problem := check(text, ok, seen[text]); problem != "" {
				c.Report(d.place("csp", list, i), "what", "_meta.ui.csp."+list+" has the entry "+lint.ShownValue(entry), "problem", ", which "+problem)
			}
			seen[text] = true
		}
	}
}

// cspFaults reports entries that hosts drop, or that permit more than an origin.
func cspFaults(c *lint.Context, d declaration) {
	csp := jsonrpc.Get(d.ui, "csp")
	wrong := func(value []byte, kind, name string, at ...any) {
		if value != nil && jsonrpc.TypeOf(value) != kind {
			c.For("type").Report(d.place(at...), "what", "_meta.ui."+name, "problem", " is "+lint.KindOf(value)+", not an "+kind)
		}
	}
	wrong(csp, "object", "csp", "csp")
	for _, list := range declared.Lists {
		wrong(jsonrpc.Get(csp, list), "array", "csp."+list, "csp", list)
	}
	d.eachOrigin(c, func(text string, isText, _ bool) string {
		if !isText {
			return "is not a string"
		}
		return declared.OriginReason(text)
	})
}

// cspDoubts reports entries that do not have their apparent meaning.
func cspDoubts(c *lint.Context, d declaration) {
	d.eachOrigin(c, func(text string, isText, again bool) string {
		scheme, host, rest := splitOrigin(text)
		switch {
		case !isText || declared.OriginReason(text) != "":
			return ""
		case text == "https:" || text == "http:" || text == "wss:" || text == "ws:":
			return "permits all origins of a scheme"
		case scheme == "":
			return "has no scheme"
		case scheme == "http" && !lint.IsLoopback(host):
			return "permits a connection without encryption"
		case strings.Trim(rest, "/") != "":
			return "has a path or a query, and hosts expect an origin"
		case again:
			return "is there twice"
		}
		return ""
	})
}

// splitOrigin splits an entry of a csp; the port is left out.
func splitOrigin(entry string) (scheme, host, rest string) {
	scheme, host, ok := strings.Cut(entry, "://")
	if !ok {
		scheme, host = "", entry
	}
	if i := strings.IndexAny(host, "/?#"); i >= 0 {
		host, rest = host[:i], host[i:]
	}
	host, _, _ = strings.Cut(host, ":")
	return scheme, host, rest
}

// covers reports whether one of the entries permits a URL, by the rules of CSP level 3,
// section 6.7.2.8, without the paths.
func covers(entries []string, u *url.URL) bool {
	return slices.ContainsFunc(entries, func(entry string) bool {
		entry = strings.ToLower(entry)
		if entry == "*" {
			return true
		}
		if name, isScheme := strings.CutSuffix(entry, ":"); isScheme {
			return sameScheme(name, u.Scheme)
		}
		scheme, rest, ok := strings.Cut(entry, "://")
		if !ok {
			scheme, rest = "", entry
		}
		authority, _, _ := strings.Cut(rest, "/")
		host, port, _ := strings.Cut(authority, ":")
		if scheme != "" && !sameScheme(scheme, u.Scheme) {
			return false
		}
		if port != "*" && orPort(port, u.Scheme) != orPort(u.Port(), u.Scheme) {
			return false
		}
		name := strings.ToLower(u.Hostname())
		if suffix, wild := strings.CutPrefix(host, "*"); wild {
			return strings.HasSuffix(name, suffix) && len(name) > len(suffix)
		}
		return host == name
	})
}

// sameScheme reports whether an entry with a scheme permits a URL of another (CSP level 3,
// section 6.7.2.8): https does not permit wss.
func sameScheme(entry, scheme string) bool {
	switch entry {
	case "http", "wss":
		return scheme == entry || scheme == "https"
	case "ws":
		return true // URLs with other schemes are not checked
	}
	return scheme == entry
}

func orPort(port, scheme string) string {
	switch {
	case port != "":
		return port
	case scheme == "http" || scheme == "ws":
		return "80"
	}
	return "443"
}
