package parts_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"mcptea/internal/words/display"
	"mcptea/themes"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

var hexviewPalette = paint.NewPalette(themes.ForBackground(true), false)

const frame = "{\"jsonrpc\":\"2.0\",\"text\":\"é日本\\u0000\"}\r\n\x1b[31m\xff\u202e stray\n"

func hexviewText(t *testing.T, v *widget.HexView, w, h int) string {
	t.Helper()
	rows := v.Rows(hexviewPalette, w, h)
	for i, r := range rows {
		if ansi.StringWidth(r) != w {
			t.Errorf("row %d is %d cells wide", i, ansi.StringWidth(r))
		}
		rows[i] = strings.TrimRight(ansi.Strip(r), " ")
	}
	return strings.Join(rows, "\n") + "\n"
}

func TestHexview_Hex(t *testing.T) {
	var out string
	for _, w := range []int{150, 80, 50, 24} {
		out += hexviewText(t, widget.NewHex([]byte(frame)), w, 6)
	}
	golden.RequireEqual(t, out)
}

func TestHexview_Text(t *testing.T) {
	v := widget.NewHex([]byte(frame))
	v.SetMode(widget.Text)
	golden.RequireEqual(t, hexviewText(t, v, 80, 6)+hexviewText(t, v, 40, 10))
}

// A backslash is one byte, and one character: text that was encoded twice looks like that.
func TestHexview_Text_ShowsTheBytes(t *testing.T) {
	const sent = `{"text":"{\"sum\":5}","path":"C:\\x"}`
	v := widget.NewHex([]byte(sent))
	v.SetMode(widget.Text)
	if got := hexviewText(t, v, 80, 1); got != "0000  "+sent+"\n" {
		t.Errorf("got %s", got)
	}
	v = widget.NewHex([]byte("a\\n\n"))
	v.SetMode(widget.Text)
	if row := v.Rows(hexviewPalette, 80, 1)[0]; !strings.Contains(row, `a\n`+"\x1b[") || !strings.Contains(ansi.Strip(row), `a\n\n`) {
		t.Errorf("the escape looks like the text: %q", row)
	}
}

func TestHexview_MarkComesIntoTheWindow(t *testing.T) {
	v := widget.NewHex([]byte(strings.Repeat("0123456789abcdef", 1000)))
	hexviewText(t, v, 80, 10)
	v.Mark(8005, 8009)
	rows := v.Rows(hexviewPalette, 80, 10)
	if !strings.Contains(strings.Join(rows, "\n"), "\x1b[0;38;2;200;208;224;48;2;43;49;73m35 36") {
		t.Errorf("nothing is marked:\n%q", rows)
	}
	offset, _, _ := strings.Cut(strings.TrimSpace(ansi.Strip(rows[0])), " ")
	top, err := strconv.ParseInt(offset, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	if top%16 != 0 || top > 8005 || top+160 < 8009 {
		t.Errorf("window starts at %d", top)
	}
	v.End()
	if got := hexviewText(t, v, 80, 10); !strings.Contains(got, "3e70") {
		t.Errorf("end:\n%s", got)
	}
}

func FuzzHexview_Rows(f *testing.F) {
	f.Add([]byte(frame), 80)
	f.Fuzz(func(t *testing.T, b []byte, w int) {
		w &= 127
		v := widget.NewHex(b)
		for _, m := range []widget.HexMode{widget.Hex, widget.Text} {
			v.SetMode(m)
			for _, r := range v.Rows(hexviewPalette, w, 4) {
				if ansi.StringWidth(r) != w {
					t.Fatalf("%q at %d: row %q", b, w, r)
				}
				if s := ansi.Strip(r); display.Sanitize(s) != s {
					t.Fatalf("%q at %d: row %q", b, w, s)
				}
			}
		}
	})
}
