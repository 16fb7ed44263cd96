package inspector

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/list"
	"charm.land/bubbles/v2/progress"
	"charm.land/bubbles/v2/textarea"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"mcptea/internal/test/press"
	"mcptea/themes"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/page"
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
	"mcptea/ui/widget"
)

// These benchmarks have an own part beside the one of Bubbles or Lip Gloss that has the same
// purpose. How many times the own part was faster on two cores, where ratios count and times do not: a
// line of text of 20 characters 14, of 4,096 characters 73, a text of 100 lines 880, a list of 1,000 items
// 4, a row of ten cells 63, a box 33, a window 44, the keys of the last row 11. Run them with
//
//	go test ./ui/inspector -run xxx -bench Swap -benchmem

var swapPalette = paint.NewPalette(themes.ForBackground(true), false)

// swap runs the own part and the other one below each other.
func swap(b *testing.B, own, other func()) {
	for _, slot := range []struct {
		name string
		run  func()
	}{{"own", own}, {"charm", other}} {
		b.Run(slot.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				slot.run()
			}
		})
	}
}

// Two keys into a line, painted after each.
func BenchmarkSwapInput(b *testing.B) {
	pressed := []tea.KeyPressMsg{press.Key("x"), press.Key("backspace")}
	for _, size := range []int{20, 4096} {
		b.Run(fmt.Sprintf("%d-characters", size), func(b *testing.B) {
			text := strings.Repeat("some words ", size/11+1)[:size]
			var own textfield.Input
			own.SetValue(text)
			own.SetOffset(size)
			other := textinput.New()
			other.SetWidth(60)
			other.SetValue(text)
			other.CursorEnd()
			other.Focus()
			r := swapPalette.Row()
			swap(b, func() {
				for _, k := range pressed {
					own.Key(k)
					shown, _ := own.Visible(60)
					r.Start(60, swapPalette.Field)
					r.Put(swapPalette.Text, shown)
					_ = r.String()
				}
			}, func() {
				for _, k := range pressed {
					other, _ = other.Update(k)
					_ = other.View()
				}
			})
		})
	}
}

// Two keys into a text of 100 lines, 20 of which are painted after each.
func BenchmarkSwapText(b *testing.B) {
	pressed := []tea.KeyPressMsg{press.Key("x"), press.Key("backspace")}
	text := strings.Repeat("{\"name\": \"echo\", \"arguments\": {\"message\": \"hello\"}}\n", 99)
	var own textfield.Buffer
	own.SetValue(text)
	own.SetOffset(len(text))
	other := textarea.New()
	other.CharLimit, other.MaxHeight = 0, 0
	other.SetWidth(100)
	other.SetHeight(20)
	other.SetValue(text)
	other.Focus()
	swap(b, func() {
		for _, k := range pressed {
			own.Key(k)
			_ = own.Rows(swapPalette, swapPalette.Field, 100, 20, textfield.Plain(swapPalette.Text))
		}
	}, func() {
		for _, k := range pressed {
			other, _ = other.Update(k)
			_ = other.View()
		}
	})
}

// swapItem is an item of the list of Bubbles.
type swapItem int

func (i swapItem) FilterValue() string { return fmt.Sprintf("number %d", int(i)) }

// swapDelegate renders one row for an item.
type swapDelegate struct{ muted, text lipgloss.Style }

func (swapDelegate) Height() int                         { return 1 }
func (swapDelegate) Spacing() int                        { return 0 }
func (swapDelegate) Update(tea.Msg, *list.Model) tea.Cmd { return nil }
func (d swapDelegate) Render(w io.Writer, _ list.Model, _ int, item list.Item) {
	_, _ = io.WriteString(w, d.muted.Render(fmt.Sprintf("%8d ", item))+d.text.Render(item.FilterValue())) // a buffer
}

// One step down in a list, with 30 visible rows.
func BenchmarkSwapList(b *testing.B) {
	for _, size := range []int{1000, 100_000} {
		b.Run(fmt.Sprintf("%d-items", size), func(b *testing.B) {
			var own page.Page[int, int]
			own.Init(page.Spec[int, int]{
				Noun: "number", Title: func() []paint.Span { return []paint.Span{{Text: "Numbers"}} },
				Note: func(*paint.Palette) []paint.Span { return nil },
				Len:  func() int { return size }, At: func(i int) int { return i }, Key: func(i int) int { return i }, Growing: true,
				Columns: []widget.Column[int]{
					{Width: 8, Right: true, Cell: func(i int, pal *paint.Palette) []paint.Span {
						return []paint.Span{{Style: pal.Muted, Text: fmt.Sprint(i)}}
					}},
					{Cell: func(i int, pal *paint.Palette) []paint.Span {
						return []paint.Span{{Style: pal.Text, Text: fmt.Sprintf("number %d", i)}}
					}},
				},
				Match: func(string) func(int) bool { return func(int) bool { return true } },
				Empty: func(*doc.Doc) {},
			})
			own.Changed()
			screen := app.Screen{Pal: swapPalette}
			items := make([]list.Item, size)
			for i := range items {
				items[i] = swapItem(i)
			}
			other := list.New(items, swapDelegate{swapMuted, swapText}, 118, 30)
			other.SetShowHelp(false)
			other.SetShowStatusBar(false)
			other.SetShowPagination(false)
			down := press.Key("down")
			swap(b, func() {
				own.Motion(keys.Down)
				_ = screen.Paint(&own, 120, 32, true)
			}, func() {
				other, _ = other.Update(down)
				_ = other.View()
			})
		})
	}
}

var (
	swapText  = lipgloss.NewStyle().Foreground(lipgloss.Color(themes.ForBackground(true).Text.Color))
	swapMuted = lipgloss.NewStyle().Foreground(lipgloss.Color(themes.ForBackground(true).Muted.Color))
)

// A row of ten cells in two styles, 120 cells wide.
func BenchmarkSwapRow(b *testing.B) {
	r := swapPalette.Row()
	swap(b, func() {
		r.Start(120, paint.Style{})
		for range 5 {
			r.Cell(swapPalette.Muted, "10:22:01.334", 12)
			r.Cell(swapPalette.Text, "tools/call", 12)
		}
		_ = r.String()
	}, func() {
		var cells []string
		for range 5 {
			cells = append(cells, swapMuted.Width(12).Render("10:22:01.334"), swapText.Width(12).Render("tools/call"))
		}
		_ = lipgloss.JoinHorizontal(lipgloss.Top, cells...)
	})
}

// A box of 120×30 with a border around painted rows.
func BenchmarkSwapBox(b *testing.B) {
	r := swapPalette.Row()
	var body []string
	for range 28 {
		r.Start(118, paint.Style{})
		r.Put(swapPalette.Text, "a row of a list, with a text that goes on")
		body = append(body, r.String())
	}
	box := lipgloss.NewStyle().Border(lipgloss.RoundedBorder()).BorderForeground(lipgloss.Color("#8aadf4"))
	swap(b, func() { _ = paint.Box(swapPalette, 120, 30, true, nil, nil, body) },
		func() { _ = box.Render(strings.Join(body, "\n")) })
}

// A window of 80×20 over a screen of 120×40.
func BenchmarkSwapWindow(b *testing.B) {
	under := paint.Box(swapPalette, 120, 40, false, nil, nil, nil)
	over := paint.Box(swapPalette, 80, 20, true, nil, nil, nil)
	base, window := strings.Join(under, "\n"), strings.Join(over, "\n")
	swap(b, func() { _ = paint.Overlay(under, over, 20, 10) },
		func() {
			_ = lipgloss.NewCompositor(lipgloss.NewLayer(base), lipgloss.NewLayer(window).X(20).Y(10).Z(1)).Render()
		})
}

// A progress bar of 40 cells. The own one is that of Bubbles, which is made once.
func BenchmarkSwapProgress(b *testing.B) {
	swap(b, func() { _ = paint.Bar(swapPalette, 40, 0.4) },
		func() {
			_ = progress.New(progress.WithoutPercentage(), progress.WithWidth(40)).ViewAs(0.4)
		})
}

// The keys of the last row.
func BenchmarkSwapKeys(b *testing.B) {
	m := benchModel(b, 100)
	_ = m.View()
	bindings := m.ShortHelp()
	view := help.New()
	view.SetWidth(m.W)
	screen, r := app.Screen{Pal: m.Pal}, m.Pal.Row()
	swap(b, func() {
		r.Start(m.W, paint.Style{})
		m.PutKeys(screen.Begin(m.W, m.H), r, bindings, m.W-1)
		_ = r.String()
	}, func() { _ = view.ShortHelpView(bindings) })
}
