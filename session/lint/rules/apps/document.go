package apps

import (
	"bytes"
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

func notDocument(c *lint.Context, d *document) {
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

func noDoctype(c *lint.Context, d *document) {
	if d.html && !d.doctype {
		c.Report(d.at, "uri", lint.QuotedURI(d.URI))
	}
}

func large(c *lint.Context, d *document) {
	if d.size > largePage {
		c.Report(d.at, "uri", lint.QuotedURI(d.URI), "size", d.size)
	}
}

func undeclaredLoads(c *lint.Context, d *document)    { d.undeclared(c, false) }
func undeclaredInScript(c *lint.Context, d *document) { d.undeclared(c, true) }

// undeclared reports what the document loads from origins that are not declared, each origin
// once.
//
//go:noinline
func (d *document) undeclared(c *lint.Context, inScript bool) {
	var found []string
	seen := map[string]bool{}
	for i := range d.loads {
		l := &d.loads[i]
		u, _ := l.target()
		if u == nil || inScript != l.inScript || covers(d.CSP[l.list], u) {
			continue
		}
		if origin := u.Scheme + "://" + u.Host; !seen[l.list+origin] {
			seen[l.list+origin] = true
			found = append(found, lint.Escaped(origin)+" ("+l.what+": "+l.list+")")
		}
	}
	report(c, d, found)
}

// shownWords is how many things a finding about a document lists.
const shownWords = 6

// report reports things in a document in one finding: they have the same place.
//
//go:noinline
func report(c *lint.Context, d *document, found []string) {
	if len(found) > 0 {
		c.Report(d.at, "uri", lint.QuotedURI(d.URI), "found", lint.JoinFirst(found, shownWords))
	}
}

// unusedDomains looks for the host of each declared origin. A script that is not there or in
// a bundle may put it together.
func unusedDomains(c *lint.Context, d *document) {
	if d.isBundled() || d.externalScript {
		return
	}
	var found []string
	for _, list := range declared.Lists {
		for _, entry := range d.CSP[list] {
			_, host, _ := splitOrigin(entry)
			host = strings.TrimPrefix(host, "*.")
			if declared.Usable(entry) && !strings.HasSuffix(entry, ":") && host != "*" && !bytes.Contains(d.HTML, []byte(host)) {
				found = append(found, lint.Quoted(entry)+" of "+list)
			}
		}
	}
	report(c, d, found)
}

func relative(c *lint.Context, d *document) {
	var found []string
	for i := range d.loads {
		l := &d.loads[i]
		if _, relative := l.target(); relative && !l.inScript {
			found = append(found, lint.Quoted(l.url)+" ("+l.what+")")
		}
	}
	report(c, d, found)
}

// wordsIn are the words of tables that scripts have.
//
//go:noinline
func (d *document) wordsIn(tables ...[]string) (found []string) {
	for _, word := range slices.Concat(tables...) {
		if d.words[word] {
			found = append(found, strings.TrimRight(word, "(."))
		}
	}
	return found
}

//go:noinline
func wordsOf(table []string) func(*lint.Context, *document) {
	return func(c *lint.Context, d *document) {
		if !d.isBundled() {
			report(c, d, d.wordsIn(table))
		}
	}
}

// blockedParts are tags and words that need what the sandbox does not permit.
func blockedParts(c *lint.Context, d *document) {
	found := slices.Clone(d.blocked)
	if !d.isBundled() {
		found = append(found, d.wordsIn(blocked)...)
	}
	report(c, d, found)
}

// bundledWords are the words in scripts with libraries, which may not run.
func bundledWords(c *lint.Context, d *document) {
	if d.isBundled() {
		report(c, d, append(d.wordsIn(code, storage, blocked), d.unpermitted()...))
	}
}

func noHandshake(c *lint.Context, d *document) {
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

func sizeLoop(c *lint.Context, d *document) {
	if d.bodyHeight && !bytes.Contains(d.HTML, []byte("autoResize")) {
		c.Report(d.at)
	}
}

// unpermitted are the features that scripts use without the permission.
func (d *document) unpermitted() (found []string) {
	for _, feature := range features {
		declares := func(p string) bool { return slices.Contains(d.Permissions, p) }
		if d.words[feature] && !slices.ContainsFunc(wanted[feature], declares) {
			found = append(found, feature+" without the permission "+strings.Join(wanted[feature], " or "))
		}
	}
	return found
}

func missingPermissions(c *lint.Context, d *document) {
	if !d.isBundled() {
		report(c, d, d.unpermitted())
	}
}

func unusedPermissions(c *lint.Context, d *document) {
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
	report(c, d, found)
}
