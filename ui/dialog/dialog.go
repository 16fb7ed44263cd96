// Package dialog provides the windows over the screen that any pane can open with one call: choose an entry,
// type a line, read a card, change a list.
//
// Only [Reading] shows a text of consent, because it records which rows were visible: a row counts when it was
// painted in full in a window or pane with the focus, or was printed. Only it makes a consent.Agreement.
// TestConsent_NoWayAround lists what agrees without a question, with the reasons.
//
// Tests: ui/parts/dialog*_test.go
package dialog

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mcptea/internal/words/phrase"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// width is the preferred width of a window of text and lists, in cells.
const width = 96

// A window is a window around a document. It grows with the document and never shrinks.
type window struct {
	key, title string // title; key identifies the card
	width      int    // width in cells, or 0 for the usual width
	commands   []keys.Command
	list       keys.Scroller    // list that motions move, or nil
	compose    func(d *doc.Doc) // adds the content
	long       *doc.Scroll      // scroll state of the document, or nil for one that shrinks
	high       int              // maximum height of the document so far, in rows
}

// Commands implements [app.Pane].
func (o *window) Commands() []keys.Command { return o.commands }

// Motion implements [app.Pane].
func (o *window) Motion(m keys.Motion) bool { return o.list != nil && keys.Scroll(o.list, m) }

// Refresh implements [app.Pane].
func (o *window) Refresh(app.Tick) bool { return false }

// Size implements [app.Dialog].
func (o *window) Size(s *app.Screen, w, h int) (int, int) {
	w = app.WindowWidth(min(w-4, cmp.Or(o.width, width)), w)
	o.high = max(o.high, doc.Measure(s, w-2, h, o.compose))
	return w, min(h-2, o.high+2)
}

// Paint implements [app.Pane].
func (o *window) Paint(c *app.Canvas, focused bool) {
	title := []paint.Span{{Style: c.Pal.AccentBold, Text: o.key}, {Style: c.Pal.TextBold, Text: o.title}}
	d := doc.On(c.Box(title, nil, focused))
	o.compose(d)
	if o.long == nil {
		d.Paint()
		return
	}
	o.long.Paint(d)
	c.Note(Note(c.Pal, c.Names.Name("dialog.close"), o.long))
}

// accept returns the command that accepts and closes a window.
func accept(label string, run func()) keys.Command {
	return keys.Command{ID: "dialog.accept", Keys: keys.On("enter"), Label: label, Help: "Run or choose the selected entry", Footer: 10, Run: run}
}

// Closes returns the label of the key that closes a window.
func Closes(d app.Dialog) string {
	if named, ok := d.(app.Closed); ok {
		return named.Closes()
	}
	return "close"
}

// closes returns the key that closes a window, as the last row names it.
func closes(d app.Dialog) doc.Key { return doc.Key{ID: "dialog.close", Label: Closes(d)} }

// Try runs work like [app.Program.Go], and then calls then in Update with its result. If work fails, it shows
// the error instead.
func Try[T any](a app.Program, work func(context.Context) (T, error), then func(T)) {
	a.Go(func(ctx context.Context) func() {
		found, err := work(ctx)
		if err != nil {
			return func() { a.Fail(Sentence(err)) }
		}
		return func() { then(found) }
	})
}

// Sentence returns an error as a sentence.
func Sentence(err error) string {
	text := strings.TrimSuffix(err.Error(), ".")
	if text == "" {
		return ""
	}
	return phrase.Capital(text) + "."
}

// Reason returns an error without the name of a temporary file, which means nothing to the user.
func Reason(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	return err
}

// Home returns a path with ~/ replaced by the home directory.
func Home(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}

// Note returns the text in the border of a window of lines: the visible lines, and the key that closes it.
func Note(pal *paint.Palette, closes string, v *doc.Scroll) []paint.Span {
	var note []paint.Span
	if at := v.Position(); at != "" {
		note = append(note, paint.Span{Style: pal.Muted, Text: at + "   "})
	}
	return append(note, paint.Span{Style: pal.AccentBold, Text: closes}, paint.Span{Style: pal.Muted, Text: " close"})
}

// Tell shows an error as a sentence, unless it is nil.
func Tell(a app.Program, err error) {
	if err != nil {
		a.Fail(Sentence(err))
	}
}
