package parts_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/words/display"
	"mcptea/ui/paint"
)

// paintScreen paints 50 rows of 7 segments, 200 cells wide, like the traffic list.
func paintScreen(p *paint.Palette, r *paint.Row, rows []string) []string {
	rows = rows[:0]
	for i := range 50 {
		base := paint.Style{}
		if i == 20 {
			base = p.Selected
		}
		r.Start(200, base)
		r.CellRight(p.Muted, "1204", 6)
		r.Gap(2)
		r.Put(p.Muted, "10:22:01.334")
		r.Gap(1)
		r.Put(p.Out, p.ArrowOut)
		r.Gap(1)
		r.Cell(p.Text, "17", 6)
		r.Right(paint.Span{Style: p.Muted, Text: "1.9 ms"}, paint.Span{Style: p.Muted, Text: "  112 B"})
		r.Put(p.TextBold, "tools/call ")
		r.Put(p.Value, "trigger-long-running-operation ")
		r.Put(p.Muted, `{"duration":10,"steps":5,"name":"a rather long argument that goes on","more":[1,2,3,4,5,6,7,8,9]}`)
		rows = append(rows, r.String())
	}
	return rows
}

func BenchmarkPaint_Screen200x50(b *testing.B) {
	p := paintPalette()
	r := p.Row()
	rows := paintScreen(p, r, nil)
	b.ReportAllocs()
	for b.Loop() {
		rows = paintScreen(p, r, rows)
	}
}

func BenchmarkPaint_BoxedScreen200x50(b *testing.B) {
	p := paintPalette()
	rows := paintScreen(p, p.Row(), nil)
	for i := range rows {
		rows[i] = ansi.Truncate(rows[i], 198, "")
	}
	b.ReportAllocs()
	for b.Loop() {
		paint.Box(p, 200, 50, true, []paint.Span{{Style: p.Strong, Text: "Traffic"}}, nil, rows)
	}
}

func BenchmarkPaint_Put(b *testing.B) {
	p := paintPalette()
	r := p.Row()
	r.Start(200, p.Selected)
	b.ReportAllocs()
	for b.Loop() {
		r.Start(200, p.Selected)
		r.Put(p.Accent, "tools/call └ ok → ")
		r.Put(p.Value, "日本語 naïve")
		r.Put(p.Muted, `{"a":1,"b":2}`)
		r.Gap(200)
	}
}

func BenchmarkPaint_SanitizeClean(b *testing.B) {
	s := strings.Repeat("clean text of a server, é and 日本語 ", 40)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		display.Sanitize(s)
	}
}

func BenchmarkPaint_Overlay(b *testing.B) {
	p := paintPalette()
	base := paintScreen(p, p.Row(), nil)
	top := paint.Box(p, 80, 20, true, nil, nil, nil)
	b.ReportAllocs()
	for b.Loop() {
		paint.Overlay(base, top, 60, 15)
	}
}
