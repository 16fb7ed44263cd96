//go:build unix

package app

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/creack/pty"

	"mcptea/internal/words/display"
	"mcptea/session/question"
)

// Each page of a question fits on the terminal with its heading and its prompt, also where these are wrapped.
func TestAsk_PagesFit(t *testing.T) {
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = master.Close(), tty.Close() }()
	c := question.Text{Name: "arguments", Lines: slices.Repeat([]string{"x"}, 100), Short: "Start", Subject: strings.Repeat("日本", 30), Notes: []string{"LD_*: a note that is longer than a line of a narrow terminal."}}
	for _, size := range [][2]uint16{{80, 24}, {120, 36}, {40, 10}, {30, 12}, {25, 8}} {
		if err := pty.Setsize(master, &pty.Winsize{Cols: size[0], Rows: size[1]}); err != nil {
			t.Fatal(err)
		}
		b := &sizedBuffer{File: tty}
		s := &Screen{Writer: b}
		q := s.ask("This server is in a file of the project. It would run with your rights.", c, nil)
		for pages := 0; ; pages++ {
			rows := 0
			for _, line := range strings.Split(b.String(), "\n") {
				rows += max(1, (display.Width(line)+int(size[0])-1)/int(size[0]))
			}
			if rows > int(size[1]) && (pages > 0 || size[1] >= 12) {
				t.Errorf("%v: page %d has %d rows:\n%s", size, pages, rows, b.String())
			}
			if _, early := q.reading.Agree(0); q.Left() == 0 != early {
				t.Fatalf("%v: %d rows are left, and it is agreed to: %v", size, q.Left(), early)
			}
			if q.Left() == 0 {
				break
			}
			if q.Agreed("y") {
				t.Fatalf("%v: y agrees before the end", size)
			}
			b.Reset()
			q.Page()
		}
		q.End()
	}
}

// sizedBuffer has the size of a terminal.
type sizedBuffer struct {
	*os.File // the terminal
	bytes.Buffer
}

// Write implements [io.Writer].
func (b *sizedBuffer) Write(text []byte) (int, error) { return b.Buffer.Write(text) }

// Read and Close complete what a terminal is for its size.
func (b *sizedBuffer) Read(text []byte) (int, error) { return b.Buffer.Read(text) }
