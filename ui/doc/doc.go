// Package doc provides structured text: the content of details, cards, windows and empty lists. It determines
// which parts shrink first if there are too few rows.
//
// Text in a document may be untrusted: all of it is sanitized.
//
// Tests: ui/parts/doc*_test.go
package doc

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"mcptea/internal/words/display"
	"mcptea/ui/app"
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
)

// Doc is a document on a canvas. Blocks are added from top to bottom, then painted.
type Doc struct {
	*app.Canvas
	Margin  int // width of the labels of facts
	blocks  []Block
	columns []*Doc
}

// Block is a part of a document.
type Block struct {
	rows  int // wanted, then given
	whole int // rows of the whole text; 0 for a block that does not grow
	gives [stages]shrinkStep
	rest  bool // it takes the rows that the others leave
	below bool // it has a separate canvas
	paint func(rows int)
}

// shrinkStep is one step in which a block shrinks.
type shrinkStep struct{ order, least int }

// stages is the number of steps in which a block may shrink.
const stages = 2

// List is a list that a document can have; list.List is one.
type List interface {
	Len() int
	Move(n int)
	Click(row int) (hit, again bool)
	Paint(pal *paint.Palette, w, h int, focused bool) []string
}

// On starts a document that fills the rest of a canvas.
func On(c *app.Canvas) *Doc { return &Doc{Canvas: c, Margin: 9, blocks: make([]Block, 0, 16)} }

// All is the number of rows of a text that is not cut.
const All = 1 << 30

// Give lets a block shrink to least rows if the document does not fit. Blocks with the highest order shrink
// first, and the last of them first. A second call defines a second step. A block without Give keeps its rows,
// and the end of the document is cut.
func (b *Block) Give(order, least int) *Block {
	if b.gives[0].order > 0 {
		b.gives[1] = shrinkStep{order, least}
	} else {
		b.gives[0] = shrinkStep{order, least}
	}
	return b
}

// Add adds a block that wants a number of rows. paint receives the number of rows available; rows that it does
// not paint stay empty.
func (d *Doc) Add(rows int, paint func(rows int)) *Block {
	d.blocks = append(d.blocks, Block{rows: rows, paint: paint})
	return &d.blocks[len(d.blocks)-1]
}

// Blocks returns the number of blocks.
func (d *Doc) Blocks() int { return len(d.blocks) }

// Above returns the number of rows of the blocks before the given one.
func (d *Doc) Above(block int) (rows int) {
	for i := range d.blocks[:block] {
		rows += d.blocks[i].rows
	}
	return rows
}

// GiveAll lets all blocks, starting with from, shrink to nothing.
func (d *Doc) GiveAll(from, order int) {
	for i := range d.blocks[from:] {
		d.blocks[from+i].Give(order, 0)
	}
}

// Lines adds rows that are written one by one, after a margin of one cell. Only visible rows are written.
func (d *Doc) Lines(n int, write func(r *paint.Row, i int)) *Block {
	return d.Add(n, func(n int) { d.Write(n, write) })
}

// Write writes n rows for a block, after a margin of one cell. Only visible rows are written.
func (d *Doc) Write(n int, write func(r *paint.Row, i int)) {
	for i := 0; i < n && d.Left() > 0; i++ {
		d.Line(func(r *paint.Row) {
			r.Gap(1)
			write(r, i)
		})
	}
}

// WhereRoom adds lines under a rule with a title, if there is room for some of them.
func (d *Doc) WhereRoom(title string, lines []string) {
	const rule, some = 1, 6
	rows := min(len(lines), d.Left()-d.Wants()-rule)
	if rows < min(len(lines), some) || rows == 0 {
		return
	}
	d.Rule(paint.Span{Style: d.Pal.Muted, Text: title})
	d.Lines(rows, func(r *paint.Row, i int) {
		if left := len(lines) - i; i == rows-1 && left > 1 {
			r.Put(d.Pal.Muted, " "+d.Pal.Ellipsis+" "+strconv.Itoa(left)+" more lines  ")
			r.Put(d.Pal.AccentBold, d.Names.Name("zoom"))
			r.Put(d.Pal.Muted, " zoom")
			return
		}
		r.Put(d.Pal.Muted, " "+lines[i])
	})
}

// Rest adds the last block, which takes all remaining rows, and wants a number of them.
func (d *Doc) Rest(rows int, paint func(c *app.Canvas)) *Block {
	b := d.Add(rows, func(int) { paint(d.Below()) })
	b.rest, b.below = true, true
	return b
}

// List adds a list, which takes all rows that the other blocks leave. A click selects an
// entry; one on the selected entry opens it, unless open is nil. The border around it counts the hidden entries.
func (d *Doc) List(l List, open func()) {
	b := d.Add(max(l.Len(), 1), func(n int) {
		d.Click(0, d.Next(), d.W, n, func(_, row int) {
			if _, again := l.Click(row); again && open != nil {
				open()
			}
		})
		d.Rows(l.Paint(d.Pal, d.W, n, true)...)
		if l, ok := l.(app.Scrolled); ok {
			d.Hides(l.Hidden())
		}
	})
	b.rest = true
	d.Wheel(l.Move)
}

// Fill adds empty rows, as many as the other blocks leave.
func (d *Doc) Fill() { d.Add(0, func(int) {}).rest = true }

// Blocks with a higher order than the empty row shrink first, then the empty row.
const (
	maxOrder = 10
	gapOrder = 9
)

// Gap adds an empty row if there is room.
func (d *Doc) Gap() { d.Blank().Give(gapOrder, 0) }

// Blank adds an empty row.
func (d *Doc) Blank() *Block { return d.Add(1, func(int) {}) }

// Fact adds a row with a label in the margin. Text that does not fit is cut.
func (d *Doc) Fact(label string, spans ...paint.Span) *Block { return d.FactRow(label, nil, spans...) }

// FactRow is like Fact, but calls write before the spans.
func (d *Doc) FactRow(label string, write func(r *paint.Row), spans ...paint.Span) *Block {
	return d.Lines(1, func(r *paint.Row, _ int) {
		r.Cell(d.Pal.Muted, label, d.Margin)
		if write != nil {
			write(r)
		}
		r.Spans(spans...)
	})
}

// Row adds a row of spans.
func (d *Doc) Row(spans ...paint.Span) *Block { return d.RowEnd(nil, spans...) }

// RowEnd is like Row, but with spans at its end.
func (d *Doc) RowEnd(end []paint.Span, spans ...paint.Span) *Block {
	return d.Lines(1, func(r *paint.Row, _ int) {
		r.Right(end...)
		r.Spans(spans...)
	})
}

// Input adds the row of a single-line text field that receives the keys. changed is called when its text
// changes. Marks show that there is more text on a side. The example of an empty field is muted.
func (d *Doc) Input(in *textfield.Input, changed func()) {
	f := textfield.Field{Input: in, Changed: changed}
	d.Canvas.Keys(f) // before keys are named: letters are text
	d.Add(1, func(int) {
		y := d.Next()
		d.Line(func(r *paint.Row) {
			r.Gap(1)
			r.Sign(d.Pal.Accent, d.Pal.Prompt)
			w := max(r.Left()-3, 1)
			text, x := in.Visible(w)
			before, after := in.Hidden(w)
			mark := func(hidden bool) {
				if hidden {
					r.Sign(d.Pal.Accent, d.Pal.Ellipsis)
					return
				}
				r.Gap(1)
			}
			mark(before)
			d.Field(f, r.Used()+x, y)
			r.Put(in.On(d.Pal, d.Pal.Text), text)
			if in.Empty() && in.Example != "" {
				r.Put(d.Pal.Muted, d.Pal.Cut(in.Example, w))
			}
			if after && d.Pal.IsCopying() {
				r.More(in.Rest(w))
			}
			mark(after)
		})
	})
}

// Rule adds a line across with a title in it, which is trusted.
func (d *Doc) Rule(title ...paint.Span) *Block {
	return d.Lines(1, func(r *paint.Row, _ int) {
		w := r.Left() - 1
		r.Painted(paint.Rule(d.Pal, w, title...), w)
	})
}

// A Key is a command and its label here.
type Key struct {
	ID, Label string
	name      string
}

// Keys adds commands with their keys, in at most n rows. A click on a command runs it. Commands without a key
// and commands that are off are left out.
func (d *Doc) Keys(n int, list ...Key) *Block {
	for i := range list {
		list[i].name = d.Names.Name(list[i].ID)
	}
	list = slices.DeleteFunc(list, func(k Key) bool { return k.name == "" || !d.Names.Works(k.ID) })
	var rows [][]Key // as many rows as they need
	x := d.W
	for _, k := range list {
		if x+k.width()+1 > d.W {
			rows, x = append(rows, nil), 1
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], k)
		x += k.width() + 3
	}
	return d.Add(min(len(rows), n), func(n int) {
		for _, row := range rows[:n] {
			d.Line(func(r *paint.Row) {
				r.Gap(1)
				for _, k := range row {
					d.Click(r.Used(), d.Next(), k.width(), 1, func(int, int) { d.Names.Run(k.ID) })
					r.Put(d.Pal.AccentBold, k.name)
					r.Put(d.Pal.Muted, " "+k.Label)
					r.Gap(3)
				}
			})
		}
	})
}

func (k *Key) width() int { return display.Width(k.name) + 1 + display.Width(k.Label) }

// Address adds a URL in at most n rows. It breaks the URL at any character, so that nothing is
// hidden. A part is emphasized. If only a whole row has room for the URL, it is below its label, so
// that the mouse can copy it. Address returns the number of characters left out.
func (d *Doc) Address(label, text string, from, to, n int) (more int) {
	before, part := display.Sanitize(text[:from]), display.Sanitize(text[from:to])
	rest, at, w := before+part+display.Sanitize(text[to:]), 0, max(d.W-2-d.Margin, 2)
	from, to = len(before), len(before)+len(part)
	margin := d.Margin
	if all := display.Width(rest); all > w && all <= d.W-2 && n > 1 {
		d.Fact(label)
		label, w, d.Margin = "", all, 0
	}
	for row := 0; row < n && rest != ""; row++ {
		after, _ := paint.SkipCells(rest, w) // a wide character may reach into the margin
		line := rest[:len(rest)-len(after)]
		a, b := min(max(from-at, 0), len(line)), min(max(to-at, 0), len(line))
		d.Fact(label, paint.Span{Style: d.Pal.Muted, Text: line[:a]}, paint.Span{Style: d.Pal.AccentBold, Text: line[a:b]}, paint.Span{Style: d.Pal.Text, Text: line[b:]})
		rest, at, label = after, at+len(line), ""
	}
	d.Margin = margin
	return utf8.RuneCountInString(rest)
}

// Measure returns the number of rows that a document wants on a canvas of w by h cells.
func Measure(s *app.Screen, w, h int, build func(d *Doc)) (rows int) {
	_, d := beside(s, w, h, build)
	return d.Wants()
}

// beside builds a document outside of the screen.
func beside(s *app.Screen, w, h int, build func(d *Doc)) (*app.Screen, *Doc) {
	scratch := &app.Screen{Pal: s.Pal, JS: s.JS, Names: s.Names}
	d := On(scratch.Begin(w, h))
	build(d)
	return scratch, d
}

// Rows returns the rows of a document painted outside of the screen, as many as it wants.
func Rows(s *app.Screen, w int, build func(d *Doc)) []string {
	scratch, d := beside(s, w, All, build)
	return scratch.Paint(app.Still(func(c *app.Canvas) {
		d.Canvas = c
		d.paint()
	}), w, d.Wants(), false)
}

// Columns adds two documents side by side as the last block: one of n cells and, after a gap, one of the rest.
func (d *Doc) Columns(n, gap int) (left, right *Doc) {
	left, right = d.column(n), d.column(d.W-n-gap)
	d.columns = []*Doc{left, right}
	return left, right
}

func (d *Doc) column(w int) *Doc {
	return &Doc{Canvas: &app.Canvas{Screen: d.Screen, W: max(w, 0)}, Margin: d.Margin}
}

// Wants returns the number of rows that the blocks want.
func (d *Doc) Wants() (rows int) {
	rows, under := d.Above(len(d.blocks)), 0
	for _, c := range d.columns {
		under = max(under, c.Wants())
	}
	return rows + under
}

// Fit distributes rows. Blocks shrink until all of them have room, or none can shrink further.
// Remaining rows go to texts that are longer than the rows that they want, starting with the first.
func (d *Doc) Fit(rows int) {
	over := d.Wants() - rows
	for i := range d.blocks {
		if b := &d.blocks[i]; over < 0 && b.whole > b.rows {
			n := min(b.whole-b.rows, -over)
			b.rows, over = b.rows+n, over+n
		}
	}
	for order := maxOrder; order > 0 && over > 0; order-- {
		for i := range slices.Backward(d.blocks) {
			for _, g := range d.blocks[i].gives {
				if b := &d.blocks[i]; g.order == order {
					n := max(min(over, b.rows-g.least), 0)
					b.rows, over = b.rows-n, over-n
				}
			}
		}
	}
}

// Paint shares the rows of the canvas out, and paints the blocks.
func (d *Doc) Paint() {
	d.Fit(d.Left())
	d.paint()
}

func (d *Doc) paint() {
	for i := range d.blocks {
		b := &d.blocks[i]
		if b.rest {
			b.rows = d.Left()
			for _, later := range d.blocks[i+1:] {
				b.rows -= later.rows
			}
			b.rows = max(b.rows, 0)
		}
		if d.Left() <= 0 {
			return
		}
		next := d.Next() + b.rows
		if b.paint(b.rows); b.below {
			return
		}
		for d.Next() < next && d.Left() > 0 {
			d.Line(func(*paint.Row) {})
		}
	}
	if len(d.columns) > 0 && d.Left() > 0 {
		left, right := d.columns[0], d.columns[1]
		first, rest := d.Below().Beside(left.W)
		_, second := rest.Beside(rest.W - right.W)
		left.Canvas, right.Canvas = first, second
		left.paint()
		right.paint()
	}
}
