// Package dialog has the windows over the screen that any pane can open with one call:
// choose an entry, type a line, read a card, change a list.
package dialog

import (
	"strings"

	"mcptea/ui/app"
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

// Sentence is an error as a sentence.
func Sentence(err error) string {
	text := err.Error()
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
