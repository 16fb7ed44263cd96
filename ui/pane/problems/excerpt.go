package problems

import (
	"strconv"

	"mcptea/session/lint"
	"mcptea/session/store"
	"mcptea/ui/jsonview"
	"mcptea/ui/paint"
	"mcptea/ui/widget/hexview"
)

// mostRead is the size up to which a frame is read while drawing.
const mostRead = 256 << 10

// excerpt is the frame of the finding on show, made ready to be painted.
type excerpt struct {
	row    int32
	path   string
	offset int

	large int64 // the size of a frame that is not shown
	err   error
	tree  *jsonview.View
	there bool // the path names a value, and not one that is missing
	bytes *hexview.View
}

// load makes the excerpt of a finding, unless it is there already.
func (p *Pane) load(f *lint.Finding) *excerpt {
	if e := p.excerpt; e != nil && e.row == f.Row && e.path == f.Path && e.offset == f.Offset {
		return e
	}
	e := &excerpt{row: f.Row, path: f.Path, offset: f.Offset}
	p.excerpt = e
	info, ok := p.s.Store().Row(f.Row)
	switch {
	case !ok || !info.IsFrame():
		return e
	case info.Size > mostRead:
		e.large = int64(info.Size)
		return e
	}
	e.read(p.s.Store(), f)
	return e
}

func (e *excerpt) read(s *store.Store, f *lint.Finding) {
	body, err := s.Body(f.Row)
	if e.err = err; err != nil {
		return
	}
	doc, broken := jsonview.Parse(body)
	if f.AtByte() || broken != nil && f.Path == "" {
		at := max(f.Offset, 0)
		e.bytes = hexview.New(body)
		e.bytes.SetMode(hexview.Text)
		if f.AtByte() {
			e.bytes.Mark(min(at, len(body)-1), at+1)
		}
		return
	}
	e.tree = jsonview.NewView(doc)
	e.there = e.tree.SelectPointer(f.Path)
}

// around paints a few lines of the frame, the place among them.
func (p *Pane) around(s *sheet, js paint.JSONStyles, f *lint.Finding) {
	e := p.load(f)
	if e.err == nil && e.large == 0 && e.tree == nil && e.bytes == nil {
		return // not a frame; the traffic shows it
	}
	s.Line(func(r *paint.Row) {
		w := r.Left() - 1
		r.Painted(paint.Rule(s.Pal, w, paint.Span{Style: s.Pal.Muted, Text: "frame " + strconv.Itoa(int(f.Row)+1)}), w)
	})
	switch {
	case e.err != nil:
		s.Text(s.Pal.Warn, e.err.Error(), 1)
	case e.large > 0:
		s.Text(s.Pal.Muted, "It has "+paint.HumanSize(e.large)+"; enter opens it at the place.", 1)
	case e.bytes != nil:
		s.Rows = append(s.Rows, e.bytes.Rows(s.Pal, s.W, s.Left())...)
	default:
		s.Rows = append(s.Rows, e.tree.Rows(s.Pal, js, s.W, s.Left(), false)...)
	}
}
