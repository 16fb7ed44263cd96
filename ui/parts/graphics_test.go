package parts_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi/kitty"

	"mcptea/internal/test/raced"
	"mcptea/internal/words/display"
	"mcptea/ui/paint"
	uiterminal "mcptea/ui/terminal"
)

var _ = raced.Also(
	TestScreen_KittyPlaceholders, TestScreen_OldPicturesAreRemoved, TestScreen_Protocols,
	TestOutput_PixelsFollowTheirCells,
)

// newScreen returns a screen whose Rows has waited for what it began.
func newScreen() *testScreen {
	s := &testScreen{}
	s.PictureScreen = uiterminal.NewPictureScreen(func(work func()) { s.works = append(s.works, work) })
	return s
}

type testScreen struct {
	*uiterminal.PictureScreen
	works []func()
}

func (s *testScreen) Rows(img image.Image, w, h int) ([]string, int) {
	rows, n := s.PictureScreen.Rows(img, w, h)
	for _, work := range s.works {
		work()
	}
	s.works = nil
	return rows, n
}

func testImage(w, h int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, color.RGBA{uint8(x), uint8(y), 9, 255})
		}
	}
	return img
}

// terminal has a screen ask, and responds as a terminal does.
func terminal(t *testing.T, s *testScreen, responses ...tea.Msg) {
	t.Helper()
	if rows, _ := s.Rows(testImage(1, 1), 10, 10); rows != nil {
		t.Fatal("a picture was drawn before the terminal was asked")
	}
	if sequence, _ := s.Pending(); !strings.Contains(sequence, "a=q") || !strings.HasSuffix(sequence, "\x1b[c") {
		t.Fatalf("asked with %q", sequence)
	}
	for _, msg := range responses {
		s.Take(msg)
	}
	s.Take(uv.PrimaryDeviceAttributesEvent{62, 22})
}

var (
	// 31 is the id of the picture that is not drawn, in the question whether the protocol is known.
	knowsKitty = uv.KittyGraphicsEvent{Options: kitty.Options{ID: 31}, Payload: []byte("OK")}
	cells      = uv.CellSizeEvent{Width: 10, Height: 20}
)

// The terminal is asked once, and what is sent to it is written once.
func TestScreen_KittyPlaceholders(t *testing.T) {
	s := newScreen()
	terminal(t, s, knowsKitty, tea.TerminalVersionMsg{Name: "kitty(0.40.0)"}, cells)
	img := testImage(200, 100)
	if rows, _ := s.Rows(img, 80, 30); rows != nil {
		t.Fatal("it was painted before it was sent")
	}
	sent, changed := s.Pending()
	if !changed {
		t.Error("the screen is not painted again")
	}
	var data strings.Builder
	for _, chunk := range regexp.MustCompile(`\x1b_G[^;]*q=2[^;]*;([^\x1b]*)\x1b\\`).FindAllStringSubmatch(sent, -1) {
		if len(chunk[1]) > 4096 {
			t.Errorf("a chunk has %d bytes", len(chunk[1]))
		}
		data.WriteString(chunk[1])
	}
	raw, err := base64.StdEncoding.DecodeString(data.String())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := png.Decode(bytes.NewReader(raw)); err != nil || got.Bounds() != img.Bounds() || got.At(7, 9) != img.At(7, 9) {
		t.Errorf("the terminal gets another picture: %v", err)
	}
	if !strings.HasSuffix(sent, "\x1b_Ga=p,U=1,i=5063425,p=1,c=20,r=5,q=2\x1b\\") {
		t.Errorf("it is placed by %q", sent[len(sent)-60:])
	}
	rows, w := s.Rows(img, 80, 30)
	if len(rows) != 5 || w != 20 {
		t.Fatalf("%d rows of %d cells", len(rows), w)
	}
	for y, row := range rows {
		if display.Width(row) != 20 {
			t.Errorf("row %d has %d cells", y, display.Width(row))
		}
		if want := string(kitty.Placeholder) + string(kitty.Diacritic(y)) + string(kitty.Diacritic(19)) + "\x1b[m"; !strings.HasPrefix(row, "\x1b[0;38;2;77;67;1m") || !strings.HasSuffix(row, want) {
			t.Errorf("row %d is %q", y, row)
		}
	}
	if s.Waiting() {
		t.Error("it is sent again")
	}
	if rows, w = s.Rows(img, 10, 30); len(rows) != 3 || w != 10 {
		t.Errorf("in a narrow pane: %d rows of %d cells", len(rows), w)
	}
	if sent, _ := s.Pending(); !strings.Contains(sent, "c=10,r=3") || strings.Contains(sent, "f=100") {
		t.Errorf("placed again by %q", sent)
	}
	if !strings.Contains(s.Close(), "a=d,d=I,i=5063425") {
		t.Error("the picture stays in the terminal")
	}
}

func TestScreen_OldPicturesAreRemoved(t *testing.T) {
	s := newScreen()
	terminal(t, s, knowsKitty, tea.TerminalVersionMsg{Name: "ghostty 1.2"})
	const maxImages = 8 // are kept by the terminal
	for range 3 * maxImages {
		s.Rows(testImage(10, 10), 10, 10)
	}
	sent, _ := s.Pending()
	kept := strings.Count(s.Close(), "a=d")
	if kept != maxImages || strings.Count(sent, "a=d") != 2*maxImages {
		t.Errorf("%d pictures are kept, %d removed", kept, strings.Count(sent, "a=d"))
	}
}

func TestScreen_Protocols(t *testing.T) {
	for name, tc := range map[string]struct {
		responses []tea.Msg
		want      string // what begins a picture; empty without one
	}{
		"no response":               {nil, ""},
		"kitty's without a name":    {[]tea.Msg{knowsKitty}, ""},
		"kitty":                     {[]tea.Msg{knowsKitty, tea.TerminalVersionMsg{Name: "kitty(0.40.0)"}}, "\x1b_G"},
		"WezTerm knows both":        {[]tea.Msg{knowsKitty, tea.TerminalVersionMsg{Name: "WezTerm 20240203"}, cells}, "\x1b]1337;File="},
		"iTerm2":                    {[]tea.Msg{tea.TerminalVersionMsg{Name: "iTerm2 3.5.0"}}, "\x1b]1337;File="},
		"sixel":                     {[]tea.Msg{cells, uv.PrimaryDeviceAttributesEvent{62, 4}}, "\x1bP0;1q"},
		"sixel without a cell size": {[]tea.Msg{uv.PrimaryDeviceAttributesEvent{62, 4}}, ""},
	} {
		s := newScreen()
		terminal(t, s, tc.responses...)
		if got := drawn(t, s); tc.want == "" && got != "" || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %.60q, want %q", name, got, tc.want)
		}
	}
}

// drawn is what the terminal gets of a picture; empty if none is drawn.
func drawn(t *testing.T, s *testScreen) string {
	t.Helper()
	img := testImage(80, 80)
	s.Rows(img, 80, 30)
	sent, _ := s.Pending()
	rows, _ := s.Rows(img, 80, 30)
	if rows == nil {
		return sent
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "terminal"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	s.Place(rows)
	if _, err := (&uiterminal.PictureOutput{File: f, Screen: s.PictureScreen}).Write([]byte(rows[0])); err != nil {
		t.Fatal(err)
	}
	all, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return sent + string(all)
}

// The pixels follow the cells when these are written, at the place of the picture.
func TestOutput_PixelsFollowTheirCells(t *testing.T) {
	for start, responses := range map[string][]tea.Msg{
		"\x1b]1337;File=": {tea.TerminalVersionMsg{Name: "iTerm2 3.5.0"}, cells},
		"\x1bP0;1q":       {cells, uv.PrimaryDeviceAttributesEvent{62, 4}},
	} {
		s := newScreen()
		terminal(t, s, responses...)
		img := testImage(80, 80)
		s.Rows(img, 80, 30)
		rows, w := s.Rows(img, 80, 30)
		if len(rows) != 4 || w != 8 || display.Width(rows[0]) != 8 {
			t.Fatalf("%q of %d cells", rows, w)
		}
		f, err := os.Create(filepath.Join(t.TempDir(), "terminal"))
		if err != nil {
			t.Fatal(err)
		}
		written := func(text string) string {
			if _, err := (&uiterminal.PictureOutput{File: f, Screen: s.PictureScreen}).Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
			all, _ := os.ReadFile(f.Name())
			_ = f.Truncate(0)
			_, _ = f.Seek(0, 0)
			return string(all)
		}
		s.Place([]string{"header", "| \x1b[31mx\x1b[m" + rows[0] + " |", "|  " + rows[1] + " |"})
		if got := written("text"); got != "text" {
			t.Errorf("other text became %q", got)
		}
		got := written("\x1b[2;4H" + rows[0])
		if !strings.Contains(got, "\x1b7\x1b[2;4H"+start) || !strings.HasSuffix(got, "\x1b8") || strings.Count(got, "\x1b7") != 1 {
			t.Errorf("the first row became %q", got)
		}
		// A window covers a part of the second row.
		s.Place([]string{"header", "|  " + rows[0], "|  " + paint.Slice(rows[1], 0, 2) + "window"})
		if got := written(rows[1]); strings.Contains(got, start) {
			t.Error("a row that is covered is drawn over the window")
		}
		_ = f.Close()
	}
}
