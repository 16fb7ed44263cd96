package paint

import (
	"strings"

	"charm.land/bubbles/v2/spinner"
	"charm.land/lipgloss/v2"
)

// Glyphs holds the signs of the program. Each sign is one cell wide in both sets, unless its
// comment says otherwise. So columns stay aligned.
type Glyphs struct {
	ArrowOut, ArrowIn, ArrowBoth string // client to server, server to client, either
	Up, Down                     string
	Last, Child                  string // response and notification under their request
	Reply                        string // a response that is not under its request
	Bar                          string // left edge of the selected row
	Mark                         string // a row that the user has marked
	Bullet                       string // an item of a list in a text
	Unread                       string // a result that the user has not requested
	Unfolded, Folded             string
	Dot, Ring                    string
	OKMark, FailMark             string
	Absent                       string // a step that was tried and found nothing
	WarnMark                     string
	Pause, Follow                string
	Prompt                       string
	Times                        string // multiplication sign before a number of repetitions
	Almost                       string // a difference that does not count
	Minus                        string // the removed part of a difference
	Differs                      string // marks unequal things; '=' marks equal ones
	Separator, Ellipsis          string
	On, Off                      string // a checkbox; three cells
	Less, More                   string // arrows of a choice
	Scroll                       string // a scrollbar's thumb

	Lines               lipgloss.Border // lines of boxes, rules and tables
	BarDone, BarRest    string
	BarLine             string // middle of a thin bar
	BarAsked, BarOpen   string // bar of a server request, and of a request without a response
	BarQueue            string // part of a bar before the request was sent
	BarBegin, BarEnd    string
	BarTick             string   // a mark on a bar
	BarPartial          []string // bars of growing width, each less than a cell
	HeadLeft, HeadRight string   // heads of an arrow
	Dash                string   // shaft of a dashed arrow
	Guide, Point        string   // line from the axis down through the chart, and a single moment
	Levels              []string // bars of growing height
	Spinner             []string
}

// trimmed returns frames of a spinner without surrounding blanks, because they are shown in
// columns.
func trimmed(frames []string) []string {
	out := make([]string, len(frames))
	for i, f := range frames {
		out[i] = strings.TrimSpace(f)
	}
	return out
}

var unicodeGlyphs = Glyphs{
	ArrowOut: "→", ArrowIn: "←", ArrowBoth: "⇄",
	Up: "↑", Down: "↓",
	Last: "└", Child: "├", Reply: "↳",
	Bar:    "▌",
	Mark:   "◆",
	Bullet: "•", Unread: "·",
	Unfolded: "▾", Folded: "▸",
	Dot: "●", Ring: "○",
	OKMark: "✓", FailMark: "✗", WarnMark: "⚠", Absent: "–",
	Pause: "‖", Follow: "▼",
	Prompt:    "›",
	Times:     "×",
	Almost:    "≈",
	Minus:     "−",
	Differs:   "≠",
	Separator: "·", Ellipsis: "…",
	On: "[x]", Off: "[ ]",
	Less: "‹", More: "›",
	Scroll:  "┃",
	Lines:   lipgloss.RoundedBorder(),
	BarLine: "━", BarBegin: "▐", BarEnd: "▌", BarAsked: "═", BarOpen: "╍", BarQueue: "┄",
	BarDone: "█", BarRest: "░", BarTick: "▊",
	BarPartial: []string{"▏", "▎", "▍", "▌", "▋", "▊", "▉"},
	HeadLeft:   "◀", HeadRight: "▶", Dash: "╌",
	Guide: "┊", Point: "▴",
	Levels:  []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
	Spinner: trimmed(spinner.Dot.Frames),
}

var asciiGlyphs = Glyphs{
	ArrowOut: ">", ArrowIn: "<", ArrowBoth: "=",
	Up: "^", Down: "v",
	Last: "`", Child: "|", Reply: "^",
	Bar:    ">",
	Mark:   "#",
	Bullet: "*", Unread: ".",
	Unfolded: "-", Folded: "+",
	Dot: "*", Ring: "o",
	OKMark: "+", FailMark: "x", WarnMark: "!", Absent: "-",
	Pause: "=", Follow: "v",
	Prompt:    ">",
	Times:     "x",
	Almost:    "=",
	Minus:     "-",
	Differs:   "#",
	Separator: "-", Ellipsis: "~",
	On: "[x]", Off: "[ ]",
	Less: "<", More: ">",
	Scroll:  "#",
	Lines:   lipgloss.ASCIIBorder(),
	BarLine: "=", BarBegin: "[", BarEnd: "]", BarAsked: "~", BarOpen: "-", BarQueue: "_",
	BarDone: "#", BarRest: ".", BarTick: "|",
	BarPartial: []string{"|"},
	HeadLeft:   "<", HeadRight: ">", Dash: ".",
	Guide: ":", Point: "^",
	Levels:  []string{"_", ".", ":", "-", "=", "+", "*", "#"},
	Spinner: spinner.Line.Frames,
}

// Spinner returns frame n of the spinner, for any n.
func Spinner(p *Palette, n int) string {
	frames := p.Glyphs.Spinner
	n %= len(frames)
	if n < 0 {
		n += len(frames)
	}
	return frames[n]
}

// Sparkline draws numbers as bars in at most w cells. If there are more numbers, several share a
// cell. 0 is blank.
func (p *Palette) Sparkline(numbers []int, w int) string {
	if len(numbers) == 0 || w <= 0 {
		return ""
	}
	per := (len(numbers) + w - 1) / w
	var sums []int
	most := 1
	for i := 0; i < len(numbers); i += per {
		sum := 0
		for _, n := range numbers[i:min(i+per, len(numbers))] {
			sum += n
		}
		sums = append(sums, sum)
		most = max(most, sum)
	}
	var b strings.Builder
	for _, n := range sums {
		if n <= 0 {
			b.WriteByte(' ')
			continue
		}
		b.WriteString(p.Levels[min(int(float64(n)/float64(most)*float64(len(p.Levels))), len(p.Levels)-1)])
	}
	return b.String()
}
