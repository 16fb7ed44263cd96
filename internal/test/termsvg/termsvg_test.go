package termsvg_test

import (
	"encoding/xml"
	"errors"
	"image"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"

	"mcptea/internal/test/termsvg"
)

// screen is what a terminal shows after some output.
func screen(t *testing.T, w, h int, output string) termsvg.Screen {
	t.Helper()
	e := vt.NewEmulator(w, h)
	if _, err := e.WriteString(output); err != nil {
		t.Fatal(err)
	}
	return termsvg.Capture(e)
}

// wellFormed fails unless a picture is XML.
func wellFormed(t *testing.T, svg []byte) string {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(string(svg))); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return string(svg)
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
	}
}

func TestTermsvg_Still_Draws(t *testing.T) {
	for _, tt := range []struct {
		name, output string
		want         []string
	}{
		{"text with markup", "a<b & \"c\"", []string{`<text class="a" x="0" y="15" textLength="90">a&lt;b &amp; &#34;c&#34;</text>`}},
		{"bold and color", "\x1b[1;38;2;255;0;16mx", []string{".a{fill:#ff0010;font-weight:700}", `>x</text>`}},
		{"underlined spaces", "\x1b[4m  \x1b[m", []string{"text-decoration:underline", `textLength="20">  </text>`}},
		{"reverse video", "\x1b[7;38;2;1;2;3;48;2;4;5;6mx", []string{"fill:#010203;shape-rendering", ".b{fill:#040506}"}},
		{"a wide character", "世x", []string{`x="0" y="15" textLength="20">世</text>`, `x="20" y="15">x</text>`}},
		{"other characters than ASCII are runs of their own", "a→b", []string{`x="0" y="15">a<`, `x="10" y="15">→<`, `x="20" y="15">b<`}},
		{"a line is one path", "╭──╮", []string{`d="M5 20v-5q0-5 5-5M10 10h20M35 20v-5q0-5-5-5"`}},
		{"a vertical line covers its cell", "│", []string{`d="M5 0v20"`}},
		{"a heavy line", "┃", []string{"stroke-width:3", `d="M5 0v20"`}},
		{"blocks", "▌█", []string{`d="M0 0h5v20h-5zM10 0h10v20h-10z"`}},
		{"shades", "░", []string{"opacity:.25"}},
		{"braille", "⠁", []string{`d="M2 3h2v2h-2z"`}},
		{"an underlined word between spaces", "a          b", []string{`x="0" y="15">a<`, `x="110" y="15">b<`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			svg := wellFormed(t, termsvg.Still(screen(t, 14, 1, tt.output), "title"))
			for _, want := range tt.want {
				if !strings.Contains(svg, want) {
					t.Errorf("no %s in\n%s", want, svg)
				}
			}
		})
	}
}

func TestTermsvg_Still_BlankRowsAreLeftOut(t *testing.T) {
	svg := wellFormed(t, termsvg.Still(screen(t, 80, 24, "x"), "a & b"))
	if strings.Count(svg, "<g ") != 1 || !strings.Contains(svg, "<title>a &amp; b</title>") {
		t.Errorf("got\n%s", svg)
	}
}

func TestTermsvg_Still_EqualScreensEqualBytes(t *testing.T) {
	const output = "\x1b[31mred \x1b[32mgreen \x1b[44mon blue\x1b[m │ plain"
	if a, b := termsvg.Still(screen(t, 40, 2, output), ""), termsvg.Still(screen(t, 40, 2, output), ""); string(a) != string(b) {
		t.Errorf("two pictures differ:\n%s\n%s", a, b)
	}
}

func TestTermsvg_Replace_WithinRows(t *testing.T) {
	s := screen(t, 4, 2, "xx123123")
	s.Replace("123", "abc")
	if got, want := s.Text(), "xx12\n3abc\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTermsvg_Film_ShowsEachScreenForItsTime(t *testing.T) {
	f := termsvg.Film{Title: "film", Poster: 1500 * time.Millisecond}
	first, second := screen(t, 10, 2, "same\r\none"), screen(t, 10, 2, "same\r\ntwo")
	second.Cursor = &image.Point{X: 3, Y: 1}
	f.Add(first, time.Second)
	f.Add(second, time.Second)
	f.Add(second, 2*time.Second)
	svg := wellFormed(t, f.SVG())
	if f.Length() != 4*time.Second {
		t.Errorf("length %v", f.Length())
	}
	for _, want := range []string{
		`<g transform="translate(0 0)"><text`, // the same all the time
		`<g transform="translate(0 20)" class="K0"><text class="a" x="0" y="15" textLength="30">one`,
		`<g transform="translate(0 20)" class="P K1" style="animation-delay:-3s"><text class="a" x="0" y="15" textLength="30">two`,
		"animation:4s step-end infinite", "{0%{visibility:visible}25%,to{visibility:hidden}}", "{0%{visibility:visible}75%,to{visibility:hidden}}",
		`<path class="P K1" style="animation-delay:-3s" d="M30 20h10v20h-10z"`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
}

func TestTermsvg_Film_RowsThatReturnAreDefinedOnce(t *testing.T) {
	var f termsvg.Film
	for _, text := range []string{"a long row", "another", "a long row"} {
		f.Add(screen(t, 12, 1, text), time.Second)
	}
	svg := wellFormed(t, f.SVG())
	if strings.Count(svg, "a long row") != 1 || strings.Count(svg, `<use href="#r0"/>`) != 2 {
		t.Errorf("got\n%s", svg)
	}
}
