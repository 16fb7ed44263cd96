package result

import (
	"strings"

	"mcptea/internal/words/phrase"
	"mcptea/offer/content"
	"mcptea/ui/markdown"
	"mcptea/ui/paint"
)

// markdownText is Markdown, rendered or as its source.
type markdownText struct {
	doc    *markdown.Document
	source block
	plain  bool // the source is shown
}

// newMarkdown makes the blocks of a text that is Markdown by its media type or its content, or returns nil if
// it is neither.
func newMarkdown(t content.Text) []block {
	declared := strings.HasPrefix(t.MIME, "text/markdown") || strings.HasPrefix(t.MIME, "text/x-markdown")
	if t.Lines() != nil {
		if !declared {
			return nil
		}
		return []block{tooLong, shownText(t)}
	}
	s := t.String()
	if !declared && (t.MIME != "" || !markdown.Looks(s)) {
		return nil
	}
	var source block = newText(s)
	if len(s) <= highlightable {
		source = newCode("text/markdown", s)
	}
	if doc := markdown.Parse(s); doc != nil {
		return []block{&markdownText{doc: doc, source: source}}
	}
	if !declared {
		return nil
	}
	if len(s) > markdown.MaxSize {
		return []block{tooLong, source}
	}
	return []block{note{what: "This Markdown is shown as its source: it is nested too deeply to be rendered."}, source}
}

// tooLong is shown above Markdown that is not rendered.
var tooLong = note{what: "Markdown of more than " + phrase.Size(markdown.MaxSize) + " is shown as its source."}

func (m *markdownText) lines() int {
	if m.plain {
		return m.source.lines()
	}
	return max(m.doc.Len(), 1)
}

func (m *markdownText) whole() string { return m.source.whole() }

func (m *markdownText) line(i int) string {
	if m.plain {
		return m.source.line(i)
	}
	return m.doc.Text(i)
}

func (m *markdownText) paint(p *paper, line int) []string {
	if m.plain {
		return m.source.paint(p, line)
	}
	if line >= m.doc.Len() {
		return nil
	}
	var rows, joints []string
	margin := 0
	if p.pal.IsCopying() {
		joints, margin = m.doc.Fold(p.pal, p.high, line, p.w)
	}
	for i, row := range m.doc.Rows(p.pal, p.high, line, p.w) {
		p.r.Start(p.w, paint.Style{})
		if i == 0 || i >= len(joints) {
			p.r.Spans(row...)
		} else {
			p.r.PutBehind(margin, row...)
		}
		if i+1 < len(joints) {
			p.r.Joint(joints[i+1])
		}
		rows = append(rows, p.r.String())
	}
	return rows
}

// Markdown reports whether a block of the answer is Markdown that can be rendered.
func (v *Body) Markdown() bool {
	for _, p := range v.text.blocks {
		if _, ok := p.(*markdownText); ok && !v.asRaw {
			return true
		}
	}
	return false
}

// showSource shows Markdown as its source, or rendered.
func (t *rendered) showSource(on bool) {
	for i, p := range t.blocks {
		if m, ok := p.(*markdownText); ok && m.plain != on {
			m.plain = on
			if t.at.block == i {
				t.at = position{block: i}
			}
		}
	}
}
