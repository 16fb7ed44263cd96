package termsvg

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Film is an animation: screens of one size, one after another, in a loop.
type Film struct {
	Title string // title for screen readers
	// Poster is the time of the screen that is shown where animations do not run.
	Poster time.Duration

	screens []Screen
	starts  []time.Duration
	length  time.Duration
}

// Add appends a screen with its duration. It panics if the screen has another size than the ones before.
func (f *Film) Add(s Screen, d time.Duration) {
	if len(f.screens) > 0 && (s.Width != f.screens[0].Width || s.Height != f.screens[0].Height) {
		panic("termsvg: a screen of another size")
	}
	f.screens, f.starts = append(f.screens, s), append(f.starts, f.length)
	f.length += d
}

// Length returns the time of one turn.
func (f *Film) Length() time.Duration { return f.length }

// SVG draws the film. A row that does not change is drawn once, and one that occurs
// at several times is defined once; each change is an element that CSS shows for its
// time.
func (f *Film) SVG() []byte {
	var c classes
	var body strings.Builder
	first := f.screens[0]
	uses := map[string]int{} // uses of rows, by their drawing
	rows := make([][]segment, first.Height)
	for y := range rows {
		for i, s := range f.screens {
			row := c.row(s.Row(y), first.Background)
			if last := len(rows[y]) - 1; last >= 0 && rows[y][last].row == row {
				rows[y][last].until = f.end(i)
				continue
			}
			rows[y] = append(rows[y], segment{row, f.starts[i], f.end(i)})
			uses[row]++
		}
	}
	t := timeline{length: f.length, poster: f.Poster}
	defined := f.define(&body, rows, uses)
	for y, segments := range rows {
		for _, s := range segments {
			row := s.row
			if id := defined[row]; id != "" {
				row = fmt.Sprintf(`<use href="#%s"/>`, id)
			}
			place(&body, row, y, t.attributes(s.from, s.until))
		}
	}
	f.cursors(&body, &t)
	return document(first, f.Title, c.css()+t.css(), body.String())
}

// segment is the content of a row during a time.
type segment struct {
	row         string
	from, until time.Duration
}

// end returns when the next screen replaces a screen.
func (f *Film) end(i int) time.Duration {
	if i+1 < len(f.starts) {
		return f.starts[i+1]
	}
	return f.length
}

// define writes the rows that occur more than once, and returns their ids.
func (f *Film) define(b *strings.Builder, rows [][]segment, uses map[string]int) map[string]string {
	defined := map[string]string{}
	b.WriteString("<defs>")
	for _, segments := range rows {
		for _, s := range segments {
			if s.row != "" && uses[s.row] > 1 && defined[s.row] == "" {
				defined[s.row] = fmt.Sprintf("r%d", len(defined))
				fmt.Fprintf(b, `<g id="%s">%s</g>`+"\n", defined[s.row], s.row)
			}
		}
	}
	b.WriteString("</defs>\n")
	return defined
}

func (f *Film) cursors(b *strings.Builder, t *timeline) {
	for i := 0; i < len(f.screens); {
		from, at := i, f.screens[i].Cursor
		i++
		if at == nil {
			continue
		}
		for i < len(f.screens) && f.screens[i].Cursor != nil && *f.screens[i].Cursor == *at {
			i++
		}
		b.WriteString(cursor(*at, t.attributes(f.starts[from], f.end(i-1))))
	}
}

// timeline makes the animations of elements that are visible for a part of the film.
// Elements that are visible for the same time share their keyframes, and differ in
// the delay.
type timeline struct {
	length, poster time.Duration

	spans []time.Duration // the keyframes: how long an element is visible
}

// attributes shows an element from one time until another; none are needed for one
// that is always visible.
func (t *timeline) attributes(from, until time.Duration) string {
	if from == 0 && until == t.length {
		return ""
	}
	span := until - from
	n := slices.Index(t.spans, span)
	if n < 0 {
		n = len(t.spans)
		t.spans = append(t.spans, span)
	}
	class := fmt.Sprintf("K%d", n)
	if from <= t.poster && t.poster < until {
		class = "P " + class
	}
	delay := ""
	if from > 0 { // negative: as if it had run for a turn less that time
		delay = fmt.Sprintf(` style="animation-delay:%gs"`, (from - t.length).Seconds())
	}
	return fmt.Sprintf(` class="%s"%s`, class, delay)
}

// css returns the keyframes. Without animation the elements of the poster are
// visible.
func (t *timeline) css() string {
	if len(t.spans) == 0 {
		return ""
	}
	var b strings.Builder
	var all []string
	for n, span := range t.spans {
		share := 100 * span.Seconds() / t.length.Seconds()
		fmt.Fprintf(&b, "@keyframes k%d{0%%{visibility:visible}%.6g%%,to{visibility:hidden}}.K%d{animation-name:k%d}", n, share, n, n)
		all = append(all, fmt.Sprintf(".K%d", n))
	}
	names := strings.Join(all, ",")
	return fmt.Sprintf("%s{visibility:hidden;animation:%gs step-end infinite}.P{visibility:visible}%s@media(prefers-reduced-motion){%s{animation:none}}",
		names, t.length.Seconds(), &b, names)
}
