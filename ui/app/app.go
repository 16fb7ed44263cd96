// Package app is all that panes know of the program: the contract of a pane, what it may
// ask for, what it is painted on, and the color and sign of a severity.
//
// A pane keeps no coordinates: painting registers on the [Canvas] what a click, the wheel and the keys
// of a text field do there, until the next painting. What a pane, a window or a field may have beside
// its contract is in optional.go.
//
// Tests: ui/parts/app_test.go, ui/parts/severity_test.go
package app

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/internal/shell"
	"mcptea/session/explain/card"
	"mcptea/session/offer/content"
	"mcptea/session/record/stderr"
	"mcptea/session/record/store"
	"mcptea/session/session"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// Pane is a part of the screen that can have the focus. It belongs to the goroutine of
// Update: nothing of it is called, and it calls nothing, anywhere else.
type Pane interface {
	// Commands lists what can be done where its focus is now, in the order of the palette.
	Commands() []keys.Command
	// Motion carries out a motion, and reports whether it meant something here.
	Motion(m keys.Motion) bool
	// Refresh takes a snapshot of what is new, and never waits. It reports whether a
	// clock, a spinner or a search goes on: clocks do not while the tick is Still.
	Refresh(t Tick) (busy bool)
	Paint(c *Canvas, focused bool)
}

// Part is a pane of a screen, whose commands can be run from anywhere on it.
type Part interface {
	Pane
	// Sections lists all its commands, by the places in it that can have the focus.
	Sections() []keys.Section
	Section() string // the name of the place that has the focus now
}

// Place is what a pane with one place for the focus embeds.
type Place struct {
	Name string         // as docs/keys.md calls it
	Own  []keys.Command // made once, with the pane
}

// Commands implements [Pane].
func (p *Place) Commands() []keys.Command { return p.Own }

// Sections implements [Part].
func (p *Place) Sections() []keys.Section { return []keys.Section{{Name: p.Name, Commands: p.Own}} }

// Section implements [Part].
func (p *Place) Section() string { return p.Name }

// Still is a pane that only shows something.
type Still func(c *Canvas)

// Commands implements [Pane].
func (Still) Commands() []keys.Command { return nil }

// Motion implements [Pane].
func (Still) Motion(keys.Motion) bool { return false }

// Refresh implements [Pane].
func (Still) Refresh(Tick) bool { return false }

// Paint implements [Pane].
func (s Still) Paint(c *Canvas, _ bool) { s(c) }

// Dialog is a window over the screen. It has all keys until it is closed.
type Dialog interface {
	Pane
	// Size is what the window wants of a screen of w by h cells, border included.
	Size(s *Screen, w, h int) (int, int)
}

// Tick is the time of a look at what is new.
type Tick struct {
	State   session.State
	Pending []store.Flow // the newest requests without a response
	Now     time.Time
	Spin    int
	Still   bool // the clock stands: at the end of a recording that does not grow
}

// Waits is the mark of what is pending: it turns while a response can come.
func (t *Tick) Waits(pal *paint.Palette) string {
	if t.Still {
		return pal.Absent
	}
	return paint.Spinner(pal, t.Spin)
}

// Try says how to see something in a pane that has nothing yet: by a call of tools of this server, if it has
// them, or of those of the demo.
func (t *Tick) Try(tools ...string) string {
	text := "call " + strings.Join(tools, " or ") + "."
	if _, ok := t.State.Lists["tools"].Find(tools[0]); ok {
		return "To try it: " + text
	}
	return "To try it: mcptea demo, then " + text
}

// Field is a text field. The field that a painting has put on the screen gets the keys
// before the commands do.
type Field interface {
	Key(k tea.KeyPressMsg) (taken bool)
	Paste(text string)
}

// Taker is a field that takes further keys than text: a command is not named by them there.
type Taker interface {
	Takes(key string) bool
}

// Taken are the keys that a field takes; nil without a field.
func Taken(f Field) keys.Taken {
	if f == nil {
		return nil
	}
	if own, ok := f.(Taker); ok {
		return func(key string) bool { return keys.IsText(key) || own.Takes(key) }
	}
	return keys.IsText
}

// Program is what a pane or a window may ask of the program on every screen. What has to
// be done outside of Update is queued until the running Update ends, so that it may be
// called from anywhere in it, also from Refresh.
type Program interface {
	Key(id string) string // the name of the first key of a command, for a sentence
	Say(text string)
	Fail(text string)
	News(text string) // said unless the pane is on show or the user is busy
	Copy(text string, raw []byte, what string)
	CopyCommand(line *shell.Line) // for the shell of the user
	// OpenSource opens a file in the editor of the user, after a question if the source has a folder
	// to ask about.
	OpenSource(at stderr.Source)
	// EditText has the user change a text in an editor; done gets what was saved.
	EditText(text, suffix string, done func(text string))
	OpenPage(url string) // in the browser of the user
	Explain(c card.Card)
	// Open opens a window in the place of another one, whose work ends. Close closes it, if
	// it is still open, which it reports.
	Open(d Dialog)
	Close(d Dialog) bool
	// Go runs work on a goroutine that ends with the program. What work returns is called
	// in Update; nil is nothing. While the user types or has a window open, what done opens,
	// composes or leads to waits, which the last row says; the rest is done at once.
	Go(work func(context.Context) (done func()))
}

// App is what a pane of the inspector may ask of it.
type App interface {
	Program
	ShowFrame(row int32)
	ShowPlace(row int32, path string, offset int) // offset -1: the place alone
	MarkFrame(row int32)
	ShowTab(name string)
	// Compose and ComposeFrame open the composer, with a request or with the bytes of a
	// frame.
	Compose(method, params string)
	ComposeFrame(frame []byte)
	// Use asks what to do with content: Write, Pipe or Open. What a command prints comes
	// to the receiver.
	Use(how Use, items []content.Item, likely int, to Receiver)
	Follow(links []content.Item, to Receiver)
	// Online does what needs a server: at once, or not where a recording has none; the user
	// is then asked for one.
	Online(what string, do func())
	// OnlineFrame and OnlineRequest are Online for what the user sends: a tool that is annotated as
	// destructive is asked about first. Without a server it is put into the composer of the connection.
	OnlineFrame(frame []byte, do func())
	OnlineRequest(method string, params []byte, do func())
}

// Use is what can be done with content.
type Use uint8

// The uses.
const (
	Write Use = iota
	Pipe
	Open
)

// Receiver shows what comes of content.
type Receiver interface {
	PushCommand(line string, run func(ctx context.Context) shell.Outcome)
	PushCall(c *session.Call)
}

// Things are those of one kind, as they are when the list opens.
type Things struct {
	Kind string // one word
	Len  int
	Name func(i int) (name, about string) // untrusted; cheap, each key asks for all
	Show func(i int)                      // selects it in the pane, which has the focus
	Does string                           // what Show does, if it does something else
	More bool                             // there are others that are not in the list
}

// Subject is what is selected: the commands of the user get values of it. Its texts are untrusted.
type Subject struct {
	Row               int32 // of the frame; [store.None] without one
	Tool, Prompt, URI string
}
