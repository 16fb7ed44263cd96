package apps

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"mcptea/session/apps/declared"
	"mcptea/session/lint"
)

// The words in scripts that rules look for.
var (
	code     = []string{"eval(", "new Function(", "WebAssembly.", "new Worker(", "new SharedWorker("}
	storage  = []string{"localStorage", "sessionStorage", "indexedDB", "document.cookie"}
	blocked  = []string{"alert(", "confirm(", "prompt(", "window.open(", "window.top", "top.location"}
	features = []string{"navigator.mediaDevices", "navigator.geolocation", "navigator.clipboard"}

	handshakes = []string{"ui/initialize", "window.openai", "ui-lifecycle-iframe-ready"}
)

// wanted are the permissions of which one is needed for a feature.
var wanted = map[string][]string{
	"navigator.mediaDevices": {"camera", "microphone"},
	"navigator.geolocation":  {"geolocation"},
	"navigator.clipboard":    {"clipboardWrite"},
}

func notDocument(c *lint.Context, d document) {
	problem := ""
	switch {
	case len(bytes.TrimSpace(d.HTML)) == 0:
		problem = "is empty"
	case !d.tags:
		problem = "has no tag"
	case !d.doctype && !d.html:
		problem = "has neither <!DOCTYPE html> nor <html>: it is a fragment"
	default:
		return
	}
	c.Report(d.at, "uri", lint.QuotedURI(d.URI), "problem", problem)
}

func noDoctype(c *lint.Context, d document) {
	if d.html && !d.doctype {
		c.Report(d.at, "uri", lint.QuotedURI(d.URI))
	}
}

func large(c *lint.Context, d document) {
	if d.size > largePage {
		c.Report(d.at, "uri", lint.QuotedURI(d.URI), "size", d.size)
	}
}

// permitted are the origins of a member of csp.
func (d document) permitted(list string) []string {
	if d.CSP == nil {
		return nil
	}
	return map[string][]string{
		"connectDomains": d.CSP.Connect, "resourceDomains": d.CSP.Resource, "frameDomains": d.CSP.Frame, "baseUriDomains": d.CSP.BaseURI,
	}[list]
}

// undeclared reports what the document loads from origins that are not declared, each origin
// once.
func undeclared(inScript bool) func(*lint.Context, document) {
	return func(c *lint.Context, d document) {
		var found []string
		seen := map[string]bool{}
		for _, l := range d.loads {
			u, _ := l.target()
			if u == nil || inScript != l.inScript || covers(d.permitted(l.list), u) {
				continue
			}
			if origin := (&url.URL{Scheme: u.Scheme, Host: u.Host}).String(); !seen[l.list+origin] {
				seen[l.list+origin] = true
				found = append(found, lint.Escaped(origin)+" ("+l.what+": "+l.list+")")
			}
		}
		report(c.Report, d, found)
	}
}

// shownWords is how many things a finding about a document lists.
const shownWords = 6

// report reports things in a document in one finding: they have the same place.
func report(to func(lint.Place, ...any), d document, found []string) {
	if len(found) > 0 {
		to(d.at, "uri", lint.QuotedURI(d.URI), "found", lint.JoinFirst(found, shownWords))
	}
}

// reporter reports infos about large scripts: a word may be in a library that does not run.
func reporter(c *lint.Context, d document) func(lint.Place, ...any) {
	if d.isBundled() {
		return c.ReportInfo
	}
	return c.Report
}

// unusedDomains looks for the host of each declared origin. A script in a bundle may put
// it together.
func unusedDomains(c *lint.Context, d document) {
	var found []string
	for _, list := range members["csp"] {
		for _, entry := range d.permitted(list) {
			_, host, ok := strings.Cut(entry, "://")
			if !ok {
				host = entry
			}
			host = strings.TrimPrefix(host, "*.")
			if end := strings.IndexAny(host, "/:"); end >= 0 {
				host = host[:end]
			}
			if declared.Usable(entry) && !strings.HasSuffix(entry, ":") && host != "*" && !bytes.Contains(d.HTML, []byte(host)) {
				found = append(found, lint.Quoted(entry)+" of "+list)
			}
		}
	}
	to := reporter(c, d)
	if d.externalScript {
		to = c.ReportInfo
	}
	report(to, d, found)
}

func relative(c *lint.Context, d document) {
	var found []string
	for _, l := range d.loads {
		if _, relative := l.target(); relative && !l.inScript {
			found = append(found, lint.Quoted(l.url)+" ("+l.what+")")
		}
	}
	report(c.Report, d, found)
}

// wordsIn are the words of a table that scripts have.
func (d document) wordsIn(table []string) (found []string) {
	for _, word := range table {
		if d.words[word] {
			found = append(found, strings.TrimRight(word, "(."))
		}
	}
	return found
}

func wordsOf(table []string) func(*lint.Context, document) {
	return func(c *lint.Context, d document) { report(reporter(c, d), d, d.wordsIn(table)) }
}

// blockedParts are tags and words that need what the sandbox does not permit.
func blockedParts(c *lint.Context, d document) {
	to := reporter(c, d)
	if len(d.blocked) > 0 {
		to = c.Report
	}
	report(to, d, slices.Concat(d.blocked, d.wordsIn(blocked)))
}

func noHandshake(c *lint.Context, d document) {
	if d.words["ui/initialize"] || d.externalScript || !d.tags {
		return
	}
	found := "No script sends ui/initialize"
	switch {
	case d.words["window.openai"]:
		found += "; window.openai exists in ChatGPT alone"
	case d.words["ui-lifecycle-iframe-ready"]:
		found += "; ui-lifecycle-iframe-ready is a message of an older protocol"
	}
	c.Report(d.at, "uri", lint.QuotedURI(d.URI), "found", found)
}

func sizeLoop(c *lint.Context, d document) {
	if d.bodyHeight && !bytes.Contains(d.HTML, []byte("autoResize")) {
		c.Report(d.at)
	}
}

func missingPermissions(c *lint.Context, d document) {
	var found []string
	for _, feature := range features {
		declares := func(p string) bool { return slices.Contains(d.Permissions, p) }
		if d.words[feature] && !slices.ContainsFunc(wanted[feature], declares) {
			found = append(found, feature+" without the permission "+strings.Join(wanted[feature], " or "))
		}
	}
	report(reporter(c, d), d, found)
}

func unusedPermissions(c *lint.Context, d document) {
	var found []string
	for _, p := range d.Permissions {
		used := d.externalScript || !declared.IsPermission(p)
		for feature, permissions := range wanted {
			used = used || d.words[feature] && slices.Contains(permissions, p)
		}
		if !used {
			found = append(found, p)
		}
	}
	report(c.Report, d, found)
}
