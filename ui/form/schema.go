package form

import (
	"strings"

	"mcptea/session/offer/content"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// maxSchemaShown is how large a schema may be that is shown, in bytes.
const maxSchemaShown = 64 << 10

// Schema are the lines of a JSON Schema, to be read. They are untrusted text.
type Schema []string

// LayOut lays a schema out; none without one, or when it is large.
func LayOut(raw []byte) Schema {
	if len(raw) == 0 || len(raw) > maxSchemaShown {
		return nil
	}
	return strings.Split(content.Indented(raw), "\n")
}

// Under adds the schema at the end of a document, where that has rows left for all of it.
func (s Schema) Under(d *doc.Doc) {
	const rules = 2
	if len(s) > 0 && d.Wants()+len(s)+rules <= d.Left() {
		d.Blank()
		d.Rule(paint.Span{Style: d.Pal.Muted, Text: "schema"})
		d.Lines(len(s), func(r *paint.Row, i int) { r.Put(d.Pal.Muted, " "+s[i]) })
	}
}
