package problems

import (
	"mcptea/session/lint"
	"mcptea/session/store"
	"mcptea/ui/command"
	"mcptea/ui/jsonview"
	"mcptea/ui/paint"
	"mcptea/ui/widget/hexview"
)

// maxExcerpt is the size in bytes up to which a frame is read while drawing.
const maxExcerpt = 256 << 10

// excerpt is the frame of the selected finding, ready to be painted.
type excerpt struct {
	row    int32
	path   string
	offset int

	large int64 // the size of a frame that is not read
	err   error
	tree  *jsonview.View
	found bool // the path names a value of the tree
	bytes *hexview.View
}

// load returns the excerpt of a finding; the last one is kept.
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
	case info.Size > maxExcerpt:
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
	e.found = e.tree.SelectPointer(f.Path)
}

// paintExcerpt writes the lines of the frame around the place into the rest of the
// sheet. In a low pane the frame and the place are in the line over them.
func (p *Pane) paintExcerpt(s *paint.Sheet, js paint.JSONStyles, f *lint.Finding, low bool) {
	e := p.load(f)
	if s.Left() < 1 || e.err == nil && e.large == 0 && e.tree == nil && e.bytes == nil && !low {
		return // an event and no frame; Traffic shows it
	}
	title := []paint.Span{{Style: s.Pal.Muted, Text: "frame " + frameNumber(f.Row)}}
	if low {
		title = append(title, paint.Span{Text: " "})
		title = append(title, p.frame(s.Pal, f.Row, s.Pal.Text)...)
		used := 8 // the line itself
		for _, span := range title {
			used += paint.Width(span.Text)
		}
		if where := p.where(f); where != "" {
			title = append(title, paint.Span{Style: s.Pal.Value, Text: "  " + tail(s.Pal, where, s.W-used)})
		}
	}
	s.Rule(title...)
	switch h := s.Left(); {
	case h <= 0:
	case e.err != nil:
		s.Text(s.Pal.Warn, e.err.Error(), 1)
	case e.large > 0:
		s.Text(s.Pal.Muted, paint.HumanSize(e.large)+"; "+command.KeyOf(command.ShowFindingFrame)+" shows the frame at the place.", 1)
	case e.bytes != nil:
		s.Rows = append(s.Rows, e.bytes.Rows(s.Pal, s.W, h)...)
	case e.tree != nil:
		s.Rows = append(s.Rows, e.tree.Rows(s.Pal, js, s.W, h, false)...)
	}
}
