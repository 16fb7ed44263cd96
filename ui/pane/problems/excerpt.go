package problems

import (
	"context"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record/store"
	"mcptea/ui/app"
	"mcptea/ui/frames"
	"mcptea/ui/jsonview"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// tail returns the end of a place that does not fit, because the last members are the most informative.
func tail(pal *paint.Palette, reference string, w int) string {
	reference = display.Sanitize(reference)
	over := display.Width(reference) - w
	if over <= 0 || w < 2 {
		return reference
	}
	rest, _ := paint.SkipCells(reference, over+1)
	return pal.Ellipsis + rest
}

// frame describes the frame of a row: its direction and its method.
func (p *Pane) frame(pal *paint.Palette, row int32, st paint.Style) []paint.Span {
	info, ok := p.s.Store().Row(row)
	switch {
	case !ok:
		return nil
	case info.Kind == store.KindProcess:
		return []paint.Span{{Style: st, Text: "process"}}
	case info.Kind == store.KindDelivery:
		return []paint.Span{frames.Arrow(pal, info.Kind, info.Dir), {Text: " "}, {Style: st, Text: "delivery " + display.Sanitize(p.s.Store().Method(info.Method))}}
	case !info.IsFrame():
		return []paint.Span{{Style: st, Text: "HTTP"}}
	}
	spans := []paint.Span{frames.Arrow(pal, info.Kind, info.Dir), {Text: " "}}
	what := display.Sanitize(p.s.Store().Method(info.Method))
	switch {
	case info.Kind.IsResponse() && what != "":
		spans = append(spans, paint.Span{Style: pal.Muted, Text: "response to "})
	case info.Kind.IsResponse():
		what = "response"
	case info.Kind == jsonrpc.Batch:
		what = "batch"
	case what == "":
		what = info.Fault.String()
	}
	return append(spans, paint.Span{Style: st, Text: what})
}

// maxExcerpt is the size, in bytes, up to which a frame is read.
const maxExcerpt = 256 << 10

// reference is the place of a finding in the record.
type reference struct {
	row    int32
	path   string
	offset int
}

func referenceOf(f *lint.Finding) reference { return reference{f.Row, f.Path, f.Offset} }

// An excerpt is the frame of a finding, ready for painting. It is empty while it is read.
type excerpt struct {
	reference
	large int64 // the size of a frame that is not read
	err   error
	tree  *jsonview.View
	found bool // the path names a value of the tree
	bytes *widget.HexView
	text  *lint.Excerpt // redacted, for a copy; nil for a large frame
}

// wants returns the preferred number of rows.
func (e *excerpt) wants() int {
	if e.tree != nil {
		return min(e.tree.Doc().Len(), 9)
	}
	return 9
}

// Refresh implements [app.Pane]: it has the frame of the selected finding read.
func (d *detail) Refresh(app.Tick) bool {
	if d.line.entry == nil || d.line.entry.rule == nil {
		return false
	}
	f, _ := d.line.entry.at(d.line.i)
	if at := referenceOf(f.lint); at != d.part.reference {
		d.part = excerpt{reference: at}
		of, redact := d.s.Store(), d.s.Redact
		d.app.Go(func(context.Context) func() {
			e := read(of, at, redact)
			return func() {
				if d.part.reference == at {
					d.part = e
				}
			}
		})
	}
	return false
}

func read(of *store.Store, at reference, redact func(string) string) excerpt {
	e := excerpt{reference: at}
	info, ok := of.Row(at.row)
	switch {
	case !ok || !info.IsFrame() && info.Kind != store.KindDelivery:
		return e
	case info.Size > maxExcerpt:
		e.large = int64(info.Size)
		return e
	}
	body, err := of.Body(at.row)
	if e.err = err; err != nil {
		return e
	}
	text := lint.ExcerptOf(secret.JSON(body, nil, redact), at.path, at.offset)
	text.Dir = info.Dir
	e.text = &text
	parsed, broken := jsonview.Parse(body)
	atByte := at.offset >= 0 && at.path == ""
	if !atByte && (broken == nil || at.path != "") {
		e.tree = jsonview.NewView(parsed)
		e.found = e.tree.SelectPointer(at.path)
		return e
	}
	e.bytes = widget.NewHex(body)
	e.bytes.SetMode(widget.Text)
	if atByte {
		e.bytes.Mark(min(at.offset, len(body)-1), at.offset+1)
	}
	return e
}

// paint writes the lines of the frame around the place.
func (e *excerpt) paint(c *app.Canvas) {
	switch {
	case e.err != nil:
		c.Say(1, c.Pal.Warn, e.err.Error())
	case e.large > 0:
		c.Say(1, c.Pal.Muted, phrase.Size(e.large)+"; "+c.Names.Name("finding.frame")+" shows the frame at the place.")
	case e.bytes != nil:
		c.Rows(e.bytes.Rows(c.Pal, c.W, c.H)...)
	case e.tree != nil:
		c.Rows(e.tree.Rows(c.Pal, c.JS, c.W, c.H, false)...)
	}
}
