package browse

import (
	"bytes"
	"cmp"
	"strings"

	"mcptea/client/revision"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/offer"
	"mcptea/offer/declared"
	"mcptea/session/apps"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// MarkOf returns the mark that the list shows next to an item of MCP Apps, or "".
func MarkOf(it offer.Item) string {
	switch {
	case it.Kind == "resources" && strings.HasPrefix(it.URI, declared.Scheme):
		return "app"
	case it.Kind == "tools" && (bytes.Contains(it.Raw, []byte(`"ui`)) || bytes.IndexByte(it.Raw, '\\') >= 0):
		t, _ := declared.OfTool(it.Raw)
		return t.Mark()
	}
	return ""
}

// takeApps updates the documents of apps and the map from apps to their tools. It reports whether reading is
// still in progress.
func (p *Panel) takeApps() (more bool) {
	if p.apps == nil {
		return false
	}
	if tools := p.tick.State.Lists["tools"]; !tools.Loaded.Equal(p.toolsAt) {
		p.toolsAt, p.usedBy = tools.Loaded, map[string][]string{}
		for _, it := range tools.Items {
			if t, _ := declared.OfTool(it.Raw); t.URI != "" {
				p.usedBy[t.URI] = append(p.usedBy[t.URI], it.Name)
			}
		}
	}
	return p.apps.Update()
}

// appRows adds the server's declarations about an app (tool, resource, policy and permissions), and the
// findings of the linter.
func (e *Item) appRows(d *doc.Doc) {
	p, tool := e.p, &e.traits.app
	if p.apps == nil || e.traits.mark == "" {
		return
	}
	uri := e.item.URI
	fact := func(label, text string, rows int) { d.FactText(label, d.Pal.Text, text, rows).Give(6, 1) }
	var found []lint.Finding
	if e.item.Kind == "tools" {
		uri = tool.URI
		fact("app", uri, 1)
		fact("callers", tool.Callers(), 1)
		found = p.apps.Tool(e.item.Name, p.s.FindingsAt)
	} else {
		fact("used by", joined(p.usedBy[uri], func(name string) string { return name }), 1)
	}
	if uri != "" {
		found = append(found, e.documentRows(d, uri, fact)...)
	}
	for i := range found[:min(len(found), maxFindings)] {
		finding(d, 2, found[i].Severity, found[i].Rule.ID+" ", found[i].Message)
	}
	moreFindings(d, len(found))
}

// documentRows adds the facts about the document of an app and returns its findings. Until the document has
// been read, it uses the entry in the list of resources.
func (e *Item) documentRows(d *doc.Doc, uri string, fact func(label, text string, rows int)) []lint.Finding {
	p := e.p
	r, isRead := p.apps.Document(uri)
	switch {
	case !isRead:
		listed, ok := p.listedApp(uri)
		switch r.Document = listed; {
		case !ok:
			fact("document", "not read yet, and not in the list of resources", 1)
			return nil
		case r.Source == "":
			fact("document", "not loaded yet; "+p.app.Key("app.open")+" opens it", 1)
			return nil
		}
		fact("document", "not read yet; the list declares:", 1)
	case r.Err != nil:
		d.FactText("document", d.Pal.Error, r.Err.Error(), 2).Give(5, 1)
		return apps.Of(r.Row, p.s.FindingsAt)
	default:
		fact("document", phrase.Size(int64(r.Size))+", "+cmp.Or(r.MIME, "no MIME type; "+revision.AppsMIMEType+" is required"), 1)
	}
	if r.Source == "" { // the content item declares nothing: use the list entry
		if listed, ok := p.listedApp(uri); ok {
			r.CSP, r.Permissions, r.Domain, r.PrefersBorder = listed.CSP, listed.Permissions, listed.Domain, listed.PrefersBorder
		}
	}
	for i, line := range r.CSP.Origins() {
		label := paint.If(i > 0, "", "csp")
		fact(label, line, 2)
	}
	fact("permits", strings.Join(r.Permissions, ", "), 1)
	fact("domain", r.Domain, 1)
	if r.PrefersBorder != nil {
		fact("border", map[bool]string{true: "with a border", false: "without a border"}[*r.PrefersBorder], 1)
	}
	if !isRead {
		return nil
	}
	return apps.Of(r.Row, p.s.FindingsAt)
}

// listedApp returns the declarations of the list of resources about a document.
func (p *Panel) listedApp(uri string) (declared.Document, bool) {
	for _, it := range p.tick.State.Lists["resources"].Items {
		if it.URI == uri {
			return declared.OfEntry(it.Raw), true
		}
	}
	return declared.Document{}, false
}
