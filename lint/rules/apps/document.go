package apps

import (
	"bytes"

	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

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

// undeclaredLoads reports the undeclared origins from which the document loads, each origin once.
func undeclaredLoads(c *lint.Context, d *document) {
	var found []string
	seen := map[string]bool{}
	for i := range d.loads {
		l := &d.loads[i]
		u, _ := l.target()
		if u == nil || covers(d.CSP[l.list], u) {
			continue
		}
		if origin := u.Scheme + "://" + u.Host; !seen[l.list+origin] {
			seen[l.list+origin] = true
			found = append(found, lint.Escaped(origin)+" ("+l.what+": "+l.list+")")
		}
	}
	report(c, d, found)
}

// shownLoads is the number of loads listed in a finding about a document.
const shownLoads = 6

// report reports things in a document in one finding: they have the same place.
func report(c *lint.Context, d *document, found []string) {
	if len(found) > 0 {
		c.Report(d.at, "uri", lint.QuotedURI(d.URI), "found", phrase.JoinFirst(found, shownLoads))
	}
}

func relative(c *lint.Context, d *document) {
	var found []string
	for i := range d.loads {
		l := &d.loads[i]
		if _, relative := l.target(); relative {
			found = append(found, lint.Quoted(l.url)+" ("+l.what+")")
		}
	}
	report(c, d, found)
}
