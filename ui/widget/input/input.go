// Package input is one line of text that is being typed: a filter, a search, a
// number. It is painted by its callers, among other things in a row.
package input

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/paint"
	"mcptea/ui/widget/edit"
)

// Input is a text field of one line. The zero Input is empty and ready for use.
// It is not safe for concurrent use.
type Input struct {
	edit.Buffer
	secret bool
	left   int // cells scrolled off at the left
}

// SetSecret has the text painted as dots.
func (in *Input) SetSecret() { in.secret = true }

var line = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ")

// SetValue replaces the text and moves the cursor to its end.
func (in *Input) SetValue(text string) { in.Buffer.SetValue(line.Replace(text)) }

// Insert puts text at the cursor, line ends as spaces.
func (in *Input) Insert(text string) { in.Buffer.Insert(line.Replace(text)) }

// Key edits the text. It reports whether the key means something in a text
// field: those that do not are left to the caller. Moves are never left, also at an end
// of the line.
func (in *Input) Key(k tea.KeyPressMsg) bool {
	return in.Buffer.Key(k) || edit.MovesAlong(k)
}

// Visible is the part of the text that shows in w cells, sanitized, and the
// column of the cursor in it. It scrolls so that the cursor is in sight.
func (in *Input) Visible(w int) (text string, cursor int) {
	if w <= 0 {
		return "", 0
	}
	value := in.Value()
	before, after := in.shown(value[:in.Offset()]), in.shown(value[in.Offset():])
	at := paint.Width(before)
	in.left = max(0, min(in.left, at), at-w+1)
	text, over := paint.SkipCells(before+after, in.left)
	at -= in.left + over
	end := 0
	for end < len(text) {
		n := paint.NextCluster(text[end:])
		if n <= 0 || paint.Width(text[:end+n]) > w {
			break
		}
		end += n
	}
	return text[:end], min(at, w-1)
}

func (in *Input) shown(text string) string {
	if in.secret {
		return strings.Repeat("•", utf8.RuneCountInString(text))
	}
	return paint.Sanitize(text)
}

// Hidden reports whether there is text before and after the part that [Input.Visible] has
// returned last for a width.
func (in *Input) Hidden(w int) (before, after bool) {
	return in.left > 0, paint.Width(in.shown(in.Value()))-in.left > w
}
