package detail

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcptea/internal/words/display"
	"mcptea/lint"
	"mcptea/record/filter"
	"mcptea/session/explain/card"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// target is the place in a frame that must be displayed: a JSON pointer, or a byte.
type target struct {
	path   string
	offset int // offset of the byte, or -1 if the path is the place
}

// Point moves the cursor to a place in the frame: to its value in the tree, or to its byte. If the
// frame is still being read, it does so later.
func (p *Pane) Point(path string, offset int) {
	p.target = &target{path, offset}
	p.point()
}

func (p *Pane) point() {
	if p.target == nil || p.view == nil || p.wanted != p.row || !p.info.IsFrame() {
		return
	}
	to := *p.target
	p.target = nil
	if p.tree.View() != p.view {
		p.tree.Cross()
	}
	if to.offset < 0 {
		p.mode = Tree
		p.view.SelectPointer(to.path)
		return
	}
	p.mode = Bytes
	p.hex.SetMode(widget.Hex)
	p.hex.Mark(min(to.offset, len(p.body)-1), to.offset+1)
	p.view.SelectOffset(to.offset)
}

// findings returns the findings about the displayed frame, worst first.
func (p *Pane) findings() []lint.Finding {
	all := slices.Clone(p.app.Source.FindingsAt(p.row))
	slices.SortStableFunc(all, func(a, b lint.Finding) int { return int(a.Severity) - int(b.Severity) })
	return all
}

// mark adds the ids of rules to the values in the tree that their findings are about. It does so
// only if the findings have changed, because it must scan the members around each value.
func (p *Pane) mark(pal *paint.Palette, all []lint.Finding) {
	marked := make([]string, len(all), len(all)+1)
	for i := range all {
		marked[i] = all[i].Rule.ID + " " + all[i].Path
	}
	marked = append(marked, pal.Theme.Name)
	if slices.Equal(marked, p.marked) {
		return
	}
	p.marked = marked
	p.view.ClearMarks()
	for i := range all {
		if f := &all[i]; f.Path != "" {
			p.view.Mark(f.Path, paint.Span{
				Style: app.SeverityStyle(pal, f.Severity), Text: app.SeveritySign(pal, f.Severity) + " " + f.Rule.ID,
			})
		}
	}
}

// verdicts adds the findings in at most most rows, each in a line or in full.
func (p *Pane) verdicts(d *doc.Doc, all []lint.Finding, most int) {
	begin := d.Wants()
	for i := range all {
		one := doc.On(d.Canvas) // used only to measure
		p.verdict(one, &all[i], i == 0)
		if rows := d.Wants() - begin + one.Wants(); i > 0 && (rows > most || rows == most && i < len(all)-1) {
			d.Row(paint.Span{Style: d.Pal.Muted, Text: fmt.Sprintf("and %d more; %s shows all of them", len(all)-i, p.app.Key("tab.problems"))})
			return
		}
		p.verdict(d, &all[i], i == 0)
	}
}

// roomy is the height from which the message of a finding is wrapped instead of truncated, in rows.
const roomy = 12

func (p *Pane) verdict(d *doc.Doc, f *lint.Finding, first bool) {
	pal, s := d.Pal, f.Severity
	var right []paint.Span
	if first && !p.why && d.W >= 50 {
		right = []paint.Span{{Style: pal.AccentBold, Text: p.app.Key("explain")}, {Style: pal.Muted, Text: " explains "}}
	}
	text := paint.Span{Style: pal.Text, Text: f.Message}
	if p.why {
		text = paint.Span{Style: pal.TextBold, Text: f.Rule.Slug}
	}
	sign, id := paint.Span{Style: app.SeverityStyle(pal, s), Text: app.SeveritySign(pal, s) + " "}, paint.Span{Style: app.SeverityBold(pal, s), Text: f.Rule.ID + " "}
	const margins = 3
	if !p.why && d.H >= roomy && display.Width(display.Sanitize(f.Message))+len(f.Rule.ID)+margins+paint.SpansWidth(right) > d.W {
		id.Text = sign.Text + id.Text
		d.Sign(id, pal.Text, f.Message, maxRemark).Give(1, 1)
		return
	}
	if d.RowEnd(right, sign, id, text); !p.why {
		return
	}
	indent := paint.Span{Text: "  "}
	d.Sign(indent, pal.Strong, f.Message, maxRemark).Give(1, 1)
	d.Sign(indent, pal.Text, f.Hint, maxRemark).Give(1, 1)
	last := []string{"fix in " + f.FixIn()}
	if where := f.Where(); where != "" {
		last = append(last, "at "+where)
	}
	if f.Rule.Spec != "" {
		last = append(last, f.Rule.Spec)
	}
	d.Sign(indent, pal.Muted, strings.Join(last, ", "), maxRemark).Give(1, 1)
}

// isReported reports whether one of the rules, or a rule of the same family, already has a finding.
func isReported(all []lint.Finding, rules ...string) bool {
	return slices.ContainsFunc(all, func(f lint.Finding) bool {
		return slices.Contains(rules, f.Rule.ID) || slices.Contains(rules, f.Rule.Family())
	})
}

// Marked returns the highlighted range in the view of the bytes.
func (p *Pane) Marked() (start, end int) {
	if p.hex == nil {
		return 0, 0
	}
	return p.hex.Marked()
}

// heights from which a card is displayed next to the frame: the short card, and the whole one
const shortCard, wholeCard = 6, 11

// card adds the first lines of a card to a frame that shows a failure. Each line takes one row.
func (p *Pane) card(d *doc.Doc, c card.Card, wrong bool, h int) {
	if wrong && p.info.IsExpected() {
		d.Text(d.Pal.Muted, "Expected: a client detects by this error that a server is of the handshake era.", maxCardRows).Give(1, 1)
		return
	}
	if !wrong || h < shortCard {
		return
	}
	for i, l := range c.Brief() {
		switch {
		case i == 0:
			more := []paint.Span{{Style: d.Pal.AccentBold, Text: p.app.Key("explain")}, {Style: d.Pal.Muted, Text: " more "}}
			key := paint.Span{Style: d.Pal.ErrorBold, Text: c.Key + " "}
			if paint.SpansWidth(more)+display.Width(key.Text)+display.Width(display.Sanitize(l.Text))+2 > d.W {
				d.Sign(key, d.Pal.Text, l.Text, maxCardRows).Give(1, 1)
				d.RowEnd(more).Give(2, 0)
				continue
			}
			d.RowEnd(more, key, paint.Span{Style: d.Pal.Text, Text: l.Text})
		case h >= wholeCard:
			d.Sign(paint.Span{Style: d.Pal.Muted, Text: l.Label + "  "}, d.Pal.Text, l.Text, 1).Give(1, 1)
		}
	}
}

// maxCardRows is the maximum number of rows for a card's heading.
const maxCardRows = 3

// filterFor returns a filter for one value. It uses the bytes of the value in the frame, because a
// filter searches bytes. It truncates a long value, and a value with bytes that a text field cannot
// contain.
func filterFor(value []byte) string {
	const most = 60
	if n := len(value); n > 1 && value[0] == '"' && value[n-1] == '"' {
		value = value[1 : n-1]
	}
	end := 0
	for end < len(value) {
		r, size := utf8.DecodeRune(value[end:])
		if end+size > most || !unicode.IsPrint(r) || r == utf8.RuneError {
			break
		}
		end += size
	}
	return filter.Quote(string(value[:end]))
}
