// Package app defines what panes use of the program: the contract of a pane, the services of the program, the
// canvas, and the color and sign of a severity.
//
// A pane stores no coordinates: painting registers on the [Canvas] what a click, the wheel and the keys of a
// text field do there, until the next painting. optional.go has the optional interfaces of panes, windows and
// fields.
//
// Tests: ui/parts/app_test.go, ui/parts/severity_test.go
package app

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/internal/shell"
	"mcptea/offer/content"
	"mcptea/record/stderr"
	"mcptea/record/store"
	"mcptea/session/explain/card"
	"mcptea/session/session"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// A Pane is a part of the screen that can have the focus. It belongs to the goroutine of Update: its methods
// are called only there, and it calls the program only there.
type Pane interface {
	// Commands returns the commands that apply to the current focus, in the order of the palette.
	Commands() []keys.Command
	// Motion carries out a motion, and reports whether it meant something here.
	Motion(m keys.Motion) bool
	// Refresh takes a snapshot of new data and never waits. It reports whether a clock, a spinner or a search
	// is running. Clocks stop while the tick is Still.
	Refresh(t Tick) (busy bool)
	Paint(c *Canvas, focused bool)
}

// A Part is a pane of a screen whose commands can be run from anywhere on that screen.
type Part interface {
	Pane
	// Sections lists all its commands, by the places in it that can have the focus.
	Sections() []keys.Section
	Section() string // the name of the place that has the focus now
}

// Place is embedded in panes that have a single place for the focus.
type Place struct {
	Name string         // name in docs/keys.md
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
	// Size returns the size that the window wants on a screen of w by h cells, including the border.
	Size(s *Screen, w, h int) (int, int)
}

// A Tick is the time and the state at a refresh.
type Tick struct {
	State   session.State
	Pending []store.Flow // newest requests without a response
	Now     time.Time
	Spin    int
	Still   bool // the clock does not advance: at the end of a recording that does not grow
}

// Waits returns the mark of pending items. It spins while a response can arrive.
func (t *Tick) Waits(pal *paint.Palette) string {
	if t.Still {
		return pal.Absent
	}
	return paint.Spinner(pal, t.Spin)
}

// Try returns a hint for an empty pane: how to see something by calling tools of this server, if it has them,
// or of the demo.
func (t *Tick) Try(tools ...string) string {
	text := "call " + strings.Join(tools, " or ") + "."
	if _, ok := t.State.Lists["tools"].Find(tools[0]); ok {
		return "To try it: " + text
	}
	return "To try it: mcptea demo, then " + text
}

// Field is a text field. The painted field receives keys before the commands do.
type Field interface {
	Key(k tea.KeyPressMsg) (taken bool)
	Paste(text string)
}

// Taker is a field that uses keys other than text. Hints do not name commands by those keys.
type Taker interface {
	Takes(key string) bool
}

// Taken returns the keys that a field uses, or nil if f is nil.
func Taken(f Field) keys.Taken {
	if f == nil {
		return nil
	}
	if own, ok := f.(Taker); ok {
		return func(key string) bool { return keys.IsText(key) || own.Takes(key) }
	}
	return keys.IsText
}

// Program contains the functions of the program that a pane or a window may use on every screen. Work that must
// happen outside of Update is queued until the running Update ends, so the methods may be called anywhere in
// it, including in Refresh.
type Program interface {
	Key(id string) string // the name of the first key of a command, for a sentence
	Say(text string)
	Fail(text string)
	News(text string) // shown unless the pane is visible or the user is busy
	Copy(text string, raw []byte, what string)
	CopyCommand(line *shell.Line) // in the syntax of the user's shell
	// OpenSource opens a file in the editor of the user, after a question if the source requires one about its
	// folder.
	OpenSource(at stderr.Source)
	// EditText lets the user change a text in an editor; done is called with the saved text.
	EditText(text, suffix string, done func(text string))
	OpenPage(url string) // opens a page in the user's browser
	Explain(c card.Card)
	// Open opens a window and replaces the current one, whose work ends. Close closes a window, and reports
	// whether it was still open.
	Open(d Dialog)
	Close(d Dialog) bool
	// Go runs work on a goroutine that ends with the program. The function that work returns, if not nil, is
	// called in Update. While the user types or has a window open, its requests to open, compose or show
	// something else are delayed, and the last row says so; the rest is done immediately.
	Go(work func(context.Context) (done func()))
}

// App contains the functions of the inspector that a pane may use.
type App interface {
	Program
	ShowFrame(row int32)
	ShowPlace(row int32, path string, offset int) // offset is -1 if only the place is known
	MarkFrame(row int32)
	ShowTab(name string)
	// Compose and ComposeFrame open the composer, with a request or with the bytes of a
	// frame.
	Compose(method, params string)
	ComposeFrame(frame []byte)
	// Use asks the user which of the items to use: Write, Pipe or Open. The output of a command is passed to
	// the receiver.
	Use(how Use, items []content.Item, likely int, to Receiver)
	Follow(links []content.Item, to Receiver)
	// Online calls a function that needs a server. In a recording, which has none, it first asks the user for a
	// server.
	Online(what string, do func())
	// OnlineFrame and OnlineRequest are like Online, for what the user sends. The user must confirm a tool that
	// is annotated as destructive. Without a server, the frame is put into the composer of the new connection.
	OnlineFrame(frame []byte, do func())
	OnlineRequest(method string, params []byte, do func())
}

// A Use is an action on content.
type Use uint8

// The uses.
const (
	Write Use = iota
	Pipe
	Open
)

// Receiver shows the output of actions on content.
type Receiver interface {
	PushCommand(line string, run func(ctx context.Context) shell.Outcome)
	// PushFilter displays the result of a jq filter for the chosen item, or returns why the filter
	// is invalid. If the filter finds nothing in that item, the next item in which it finds
	// something is used.
	PushFilter(text string, items []content.Item, chosen int) error
	PushCall(c *session.Call)
}

// Things holds the searchable items of one kind, as of when the list opens.
type Things struct {
	Kind string // one word
	Len  int
	Name func(i int) (name, about string) // untrusted; must be fast, because each key calls it for all
	Show func(i int)                      // selects it in the pane, which has the focus
	Does string                           // action of Show, if it does something else
	More bool                             // more exist than the list contains
}

// A Subject is the selection, whose values the user's own commands receive. Its texts are untrusted.
type Subject struct {
	Row               int32 // row of the frame, or [store.None]
	Tool, Prompt, URI string
}
