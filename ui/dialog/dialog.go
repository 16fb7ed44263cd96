// Package dialog has the windows over the screen that any pane can open with one call:
// choose an entry, type a line, read a card, change a list.
package dialog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mcptea/internal/phrase"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// width is what a window of text and lists wants.
const width = 96

// none is a part of a window that has no clock and no motions.
type none struct{}

func (none) Refresh(app.Tick) bool    { return false }
func (none) Motion(keys.Motion) bool  { return false }
func (none) Commands() []keys.Command { return nil }

// accept is the command that ends a window.
func accept(label string, run func()) keys.Command {
	return keys.Command{ID: "dialog.accept", Keys: keys.On("enter"), Label: label, Help: "Run or choose the selected entry", Footer: 10, Run: run}
}

// title is the title of a window.
func title(pal *paint.Palette, text string) []paint.Span {
	return []paint.Span{{Style: pal.TextBold, Text: text}}
}

// Sentence is an error as a sentence. What it begins with keeps its spelling if it is the
// name of a property, such as "dir:".
func Sentence(err error) string {
	text := strings.TrimSuffix(err.Error(), ".")
	if text == "" {
		return ""
	}
	if first, _, _ := strings.Cut(text, " "); !strings.HasSuffix(first, ":") {
		text = phrase.Capital(text)
	}
	return text + "."
}

// Reason is an error without the name of a temporary file, which says nothing.
func Reason(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	return err
}

// Home is a path in which ~/ is the home directory.
func Home(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}

// Note is what a window of lines says in its border: which of them are in sight, further
// keys, and the key that closes it.
func Note(pal *paint.Palette, closes string, v *doc.Scroll, hints ...paint.Span) []paint.Span {
	var note []paint.Span
	if at := v.Position(); at != "" {
		note = append(note, paint.Span{Style: pal.Muted, Text: at + "   "})
	}
	note = append(note, hints...)
	return append(note, paint.Span{Style: pal.AccentBold, Text: closes}, paint.Span{Style: pal.Muted, Text: " close"})
}
