// Package dialog has the windows over the screen that any pane can open with one call:
// choose an entry, type a line, read a card, change a list.
//
// A text of consent is shown by [Reading] alone, which knows what was in sight: a row counts when it
// was painted whole in a window or a pane with the keys, or was printed. Only it makes a
// consent.Agreement. TestConsent_NoWayAround lists what agrees without a question, with the reasons.
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

// width is what a window of text and lists wants.
const width = 96

// window is a window around a document, as high as that wants or has wanted.
type window struct {
	key, title string // what it is about; the key is that of a card
	width      int    // in cells; 0 is that of most windows
	commands   []keys.Command
	list       keys.Scroller    // that motions move; nil without one
	compose    func(d *doc.Doc) // adds what is in it
	long       *doc.Scroll      // the document scrolls; nil for one that gives way
	high       int              // rows that the document has wanted
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

// accept is the command that ends a window.
func accept(label string, run func()) keys.Command {
	return keys.Command{ID: "dialog.accept", Keys: keys.On("enter"), Label: label, Help: "Run or choose the selected entry", Footer: 10, Run: run}
}

// Closes is what the key does that closes a window.
func Closes(d app.Dialog) string {
	if named, ok := d.(app.Closed); ok {
		return named.Closes()
	}
	return "close"
}

// closes is the key that closes a window, as the last row names it.
func closes(d app.Dialog) doc.Key { return doc.Key{ID: "dialog.close", Label: Closes(d)} }

// Try runs work as [app.Program.Go] does. Then gets what it returns, in Update; in its place the
// error is shown, if there is one.
func Try[T any](a app.Program, work func(context.Context) (T, error), then func(T)) {
	a.Go(func(ctx context.Context) func() {
		found, err := work(ctx)
		if err != nil {
			return func() { a.Fail(Sentence(err)) }
		}
		return func() { then(found) }
	})
}

// Sentence is an error as a sentence.
func Sentence(err error) string {
	text := strings.TrimSuffix(err.Error(), ".")
	if text == "" {
		return ""
	}
	return phrase.Capital(text) + "."
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

// Note is what a window of lines says in its border: which of them are in sight, and the key
// that closes it.
func Note(pal *paint.Palette, closes string, v *doc.Scroll) []paint.Span {
	var note []paint.Span
	if at := v.Position(); at != "" {
		note = append(note, paint.Span{Style: pal.Muted, Text: at + "   "})
	}
	return append(note, paint.Span{Style: pal.AccentBold, Text: closes}, paint.Span{Style: pal.Muted, Text: " close"})
}

// Tell says an error as a sentence; nothing without one.
func Tell(a app.Program, err error) {
	if err != nil {
		a.Fail(Sentence(err))
	}
}
