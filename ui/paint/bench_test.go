package paint

import (
	"strings"
	"testing"

	"mcptea/internal/words/display"
)

// screen paints 50 rows of 7 segments, 200 cells wide, like the traffic list.
func screen(p *Palette, r *Row, rows []string) []string {
	rows = rows[:0]
	for i := range 50 {
		base := Style{}
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
		r.Right(Span{p.Muted, "1.9 ms"}, Span{p.Muted, "  112 B"})
		r.Put(p.TextBold, "tools/call ")
		r.Put(p.Value, "trigger-long-running-operation ")
		r.Put(p.Muted, `{"duration":10,"steps":5,"name":"a rather long argument that goes on","more":[1,2,3,4,5,6,7,8,9]}`)
		rows = append(rows, r.String())
	}
	return rows
}

func BenchmarkScreen200x50(b *testing.B) {
	p := dark()
	r := p.Row()
	rows := screen(p, r, nil)
	b.ReportAllocs()
	for b.Loop() {
		rows = screen(p, r, rows)
	}
}

func BenchmarkBoxedScreen200x50(b *testing.B) {
	p := dark()
	rows := screen(p, p.Row(), nil)
	for i := range rows {
		rows[i] = clip(rows[i], 198)
	}
	b.ReportAllocs()
	for b.Loop() {
		Box(p, 200, 50, true, []Span{{p.Strong, "Traffic"}}, nil, rows)
	}
}

func BenchmarkPut(b *testing.B) {
	p := dark()
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

func BenchmarkSanitizeClean(b *testing.B) {
	s := strings.Repeat("clean text of a server, é and 日本語 ", 40)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		display.Sanitize(s)
	}
}

func BenchmarkOverlay(b *testing.B) {
	p := dark()
	base := screen(p, p.Row(), nil)
	top := Box(p, 80, 20, true, nil, nil, nil)
	b.ReportAllocs()
	for b.Loop() {
		Overlay(base, top, 60, 15)
	}
}
