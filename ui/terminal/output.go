package terminal

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/words/display"
)

// A spot is the position on the screen of a row of a picture, in 0-based cells, and its pixels.
type spot struct {
	x, y  int
	strip string
}

// marks finds the colors that name rows of pictures.
var marks = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(fmt.Sprintf(`38;2;%d;(\d{1,3});(\d{1,3})`, markRed))
})

// Place records the positions of the pictures on a painted screen. A partly covered row is not drawn.
func (s *PictureScreen) Place(rows []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.protocol != iterm2Images && s.protocol != sixelGraphics {
		return
	}
	clear(s.placed)
	for y, row := range rows {
		for _, at := range marks().FindAllStringSubmatchIndex(row, -1) {
			m := markOf(row, at)
			_, after, _ := strings.Cut(row[at[1]:], "m")
			for _, p := range s.images {
				if p.id == m.id && m.row < len(p.strips) && strings.HasPrefix(after, strings.Repeat(blank, p.size.X)) {
					s.placed[m] = spot{display.Width(row[:strings.LastIndex(row[:at[0]], "\x1b")]), y, p.strips[m.row]}
				}
			}
		}
	}
}

func markOf(text string, at []int) mark {
	id, _ := strconv.Atoi(text[at[2]:at[3]])
	row, _ := strconv.Atoi(text[at[4]:at[5]])
	return mark{id, row}
}

// behind returns the sequences to write after a part of the screen: the pixels of picture rows whose cells are
// in it.
func (s *PictureScreen) behind(written []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.placed) == 0 {
		return ""
	}
	var b strings.Builder
	seen := map[mark]bool{}
	text := string(written)
	for _, at := range marks().FindAllStringSubmatchIndex(text, -1) {
		m := markOf(text, at)
		p, ok := s.placed[m]
		if ok && !seen[m] {
			seen[m] = true
			b.WriteString(ansi.SaveCursor + ansi.CursorPosition(p.x+1, p.y+1) + p.strip + ansi.RestoreCursor)
		}
	}
	return b.String()
}

// PictureOutput is a terminal that draws the pictures of a screen over their cells.
type PictureOutput struct {
	*os.File
	Screen *PictureScreen
}

// Write writes a part of the screen, and the pixels of the pictures in it.
func (o *PictureOutput) Write(b []byte) (int, error) {
	n, err := o.File.Write(b)
	if behind := o.Screen.behind(b); err == nil && behind != "" {
		_, err = o.File.WriteString(behind)
	}
	return n, err
}
