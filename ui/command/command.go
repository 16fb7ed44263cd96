package command

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
)

// ID identifies a command: in the palette, in docs/keys.md and in the key map of
// config.yaml.
type ID = string

// Context is where a command works.
type Context = string

// The contexts. A key is looked up in the context that has the focus, and then
// in Global.
const (
	Global       Context = "everywhere"
	Traffic      Context = "traffic"
	Detail       Context = "frame"
	Timeline     Context = "timeline"
	Sequence     Context = "sequence diagram"
	Server       Context = "server"
	Unauthorized Context = "server, token required" // the connection failed with HTTP 401
	Authorize    Context = "authorization"          // a consent page is open
	Comparison   Context = "comparison of versions"
	Browse       Context = "list" // the lists of tools, resources and prompts
	Form         Context = "form" // the arguments of a call are being edited
	Result       Context = "result"
	Inbox        Context = "requests"
	EditResponse Context = "requests, response"
	Logs         Context = "logs"
	Tasks        Context = "tasks"
	TaskResult   Context = "result of a task"
	Problems     Context = "problems"
	Pins         Context = "pins"
	Composer     Context = "composer"
	ComposerList Context = "composer, history"
	ComposerBad  Context = "composer, break it"
	ComposerSaw  Context = "composer, response"
	Build        Context = "build"
	Held         Context = "held frame"
	Intercept    Context = "breakpoints and faults"
	Start        Context = "start" // no target was given
	Recordings   Context = "list of recordings"

	// The contexts of windows and text fields inside of a pane. They have no place in
	// the palette.
	Dialog      Context = "dialog"      // a window over the screen with a list or a question
	FilterText  Context = "filter text" // the words of a filter or a search are being typed
	Suggestions Context = "suggestions" // a list of values under a field
	HeldText    Context = "text of a held frame"
	Export      Context = "export"   // frames are being exported
	Compare     Context = "compare"  // two frames or values
	Fields      Context = "fields"   // text fields, one under another
	Question    Context = "question" // the user is asked whether to agree
)

// Contexts lists them in the order of the palette.
var Contexts = []Context{
	Global, Browse, Form, Result, Traffic, Timeline, Sequence, Detail, Composer, ComposerList, ComposerBad, ComposerSaw, Server, Unauthorized, Comparison, Authorize,
	Inbox, EditResponse, Logs, Tasks, TaskResult, Problems, Pins, Build, Held, Intercept, Start, Recordings, Compare, Export, HeldText, Dialog, FilterText, Suggestions, Fields, Question,
}

// InPalette reports whether the palette lists the commands of a context everywhere.
func InPalette(c Context) bool {
	return c != Start && c != Recordings && c != Compare && c != Export && c != HeldText && c != Comparison && c != Dialog && c != FilterText && c != Suggestions && c != Fields && c != Question
}

// HasText reports whether a text field can have the focus in a context. The keys
// that edit text keep their meaning there: no command of it may be bound to a
// character or to one of TextKeys.
func HasText(c Context) bool {
	return c == Form || c == EditResponse || c == Composer || c != Comparison && c != Recordings && c != Compare && c != Question && !InPalette(c)
}

// TextKeys are the chords that edit text, as in GNU readline.
var TextKeys = []string{
	"ctrl+a", "ctrl+b", "ctrl+d", "ctrl+e", "ctrl+f", "ctrl+h", "ctrl+k", "ctrl+n", "ctrl+p", "ctrl+t", "ctrl+u", "ctrl+w", "ctrl+y",
	"alt+b", "alt+c", "alt+d", "alt+f", "alt+l", "alt+t", "alt+u", "alt+backspace",
}

// Command is one thing that the user can do in one context.
type Command struct {
	ID      ID
	Context Context
	// Binding has the keys, as Bubble Tea names them, and the label for footers: a
	// verb or a noun, one or two words. Without keys it is disabled and only the
	// palette runs it.
	Binding key.Binding
	// Help is a sentence without its full stop. Synonyms are further words that find
	// the command.
	Help, Synonyms string
	// Footer is its place in the last line of the screen, small first; 0 leaves it out.
	Footer int
}

// Label is the text of the command beside its key.
func (c Command) Label() string { return c.Binding.Help().Desc }

// Key is the name of the key that runs the command while a text field has the
// focus, or while none has; empty without one.
func (c Command) Key(typing bool) string {
	for _, k := range c.Binding.Keys() {
		if !typing || !IsText(k) {
			return KeyName(k)
		}
	}
	return ""
}

// Matches reports whether a word is part of one of the texts of the command.
// The word is in lower case.
func (c Command) Matches(word string) bool {
	for _, text := range []string{c.Label(), c.Help, string(c.ID), c.Synonyms, string(c.Context)} {
		if strings.Contains(strings.ToLower(text), word) {
			return true
		}
	}
	return slices.Contains(c.Binding.Keys(), word)
}

// IsText reports whether a key means text, or an operation on it, where a text
// field has the focus: a character, or one of TextKeys.
func IsText(k string) bool {
	return len([]rune(k)) == 1 || k == "space" || slices.Contains(TextKeys, k)
}

var keyNames = map[string]string{
	"up": "↑", "down": "↓", "left": "←", "right": "→", "pgup": "page up", "pgdown": "page down",
}

// KeyName is how a key is written on the screen.
func KeyName(k string) string {
	if name, ok := keyNames[k]; ok {
		return name
	}
	return k
}

// Lookup finds the command that a key means in a context.
func Lookup(c Context, k string) (Command, bool) { return Default().Lookup(c, k) }

// In finds the command that an id means in a context.
func In(c Context, id ID) (Command, bool) { return Default().In(c, id) }

// Named finds a command by its id, in the first of its contexts.
func Named(id ID) (Command, bool) { return Default().Named(id) }

// KeyOf is the name of the first key of a command; empty without one.
func KeyOf(id ID) string {
	c, _ := Named(id)
	return c.Key(false)
}

// KeyIn is the name of the key of a command in a context, while a text field has
// the focus or none has; empty without one.
func KeyIn(c Context, id ID, typing bool) string {
	cmd, ok := In(c, id)
	if !ok {
		cmd, _ = Named(id)
	}
	return cmd.Key(typing)
}

// All lists the commands, by context.
func All() []Command { return Default().All() }

// Footer lists what the last line of the screen names in a context, most
// important first.
func Footer(c Context) []Command { return Default().Footer(c) }
