package inbox

import (
	"mcptea/client/jsonrpc"
	"mcptea/internal/words/display"
	"mcptea/session/explain/failure"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

const (
	marginWidth = 11
	// maxRows bounds the rows of a request.
	maxRows = 4000
)

// describe adds the content of the request.
func (e *entry) describe(d *doc.Doc) {
	d.Margin = marginWidth
	pal := d.Pal
	switch e.kind {
	case invalid:
		d.Text(pal.Warn, pal.WarnMark+" "+e.problem, maxRows)
		if len(e.params) > 0 {
			d.Blank()
			lines := display.WrapFirst(jsonrpc.Indented(e.params), max(d.W-2, 1), maxRows+1)
			d.Lines(len(lines), func(r *paint.Row, i int) { d.JS.Put(r, lines[i]) })
		}
	case sampling:
		e.conversation(d)
	case roots:
		d.Text(pal.Strong, "The server requests the roots.", 1)
	case visit:
		fact(d, "message", pal.Strong, jsonrpc.Text(e.params, "message"))
		d.Blank()
		page := failure.PageOf(e.url)
		if d.Address("url", e.url, page.From, page.To, maxRows) > 0 {
			fact(d, "", pal.Muted, cutOff)
		}
		fact(d, "host", pal.Strong, page.Host)
		for _, text := range page.Warnings {
			fact(d, "", pal.Warn, pal.WarnMark+" "+text)
		}
		fact(d, "", pal.Muted, "mcptea does not open it.")
		if id, ok := str(e.params, "elicitationId"); ok {
			d.Blank()
			fact(d, "id", pal.Text, id)
		}
	default:
		f := e.json.form.Schema
		d.Text(pal.Strong, jsonrpc.Text(e.params, "message"), maxRows+1)
		d.Text(pal.Muted, f.Title, maxRows)
		d.Text(pal.Muted, f.Description, maxRows)
		if f.Unclear != "" {
			d.Text(pal.Warn, pal.WarnMark+" "+f.Unclear, maxRows)
		}
		if e.textOrForm == nil {
			d.Blank()
			d.Text(pal.Muted, "The form has no fields.", 1)
		}
	}
}

// fact adds a text with a label.
func fact(d *doc.Doc, label string, st paint.Style, text string) {
	d.FactText(d.Pal.Cut(display.Sanitize(label), marginWidth-2), st, text, maxRows+1)
}

// cutOff is the text at the end of truncated content.
const cutOff = "cut off here; the frame has all of it"

// texts returns the rows of the request.
func (e *entry) texts(d *doc.Doc) []string {
	if e.pal != d.Pal || e.w != d.W {
		e.pal, e.w = d.Pal, d.W
		e.rows = doc.Rows(d.Screen, d.W, e.describe)
		if len(e.rows) > maxRows {
			end := doc.Rows(d.Screen, d.W, func(d *doc.Doc) { d.Text(d.Pal.Muted, cutOff, 1) })
			e.rows = append(e.rows[:maxRows], end...)
		}
	}
	return e.rows
}
