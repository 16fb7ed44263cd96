package keys

import (
	"slices"
	"strings"
)

// A Verb is the meaning of a letter. It is the same in every pane, so that users can learn it: a command gets a
// letter only by naming its verb. In a text field, alt+ and the letter is the same verb, except for letters
// that edit words there.
type Verb string

// The verbs, by their letters. Rare commands have no letter; the palette runs them.
const (
	Annotate   Verb = "a"
	Breakpoint Verb = "b"
	Compose    Verb = "c"
	Diff       Verb = "d"
	Edit       Verb = "e"
	Follow     Verb = "f"
	Ignore     Verb = "i"
	Mark       Verb = "m"
	NextMatch  Verb = "n"
	PrevMatch  Verb = "N"
	Open       Verb = "o"
	Pause      Verb = "p"
	Quit       Verb = "q"
	Again      Verb = "r"
	Sort       Verb = "s"
	NextShape  Verb = "t"
	Reach      Verb = "u"
	NextView   Verb = "v"
	Write      Verb = "w"
	End        Verb = "x"
	Copy       Verb = "y"
	Wrap       Verb = "z"
	Apps       Verb = "A"
	Build      Verb = "B"
	Another    Verb = "C"
	Servers    Verb = "D"
	Events     Verb = "E"
	FilterBy   Verb = "F"
	Held       Verb = "I"
	Query      Verb = "J"
	Explain    Verb = "K"
	Origin     Verb = "O"
	Pin        Verb = "P"
	Restart    Verb = "R"
	Session    Verb = "S"
	Pins       Verb = "V"
	Watch      Verb = "W"
	Export     Verb = "X"
	CopyOther  Verb = "Y"
)

// Verbs lists the meanings of the letters, in the order of docs/keys.md.
var Verbs = []struct {
	Verb  Verb
	Means string
}{
	{Annotate, "annotate: write a note"},
	{Breakpoint, "breakpoint: hold frames"},
	{Compose, "compose a frame"},
	{Diff, "diff: compare with another"},
	{Edit, "edit: in an editor, in the composer, in a window"},
	{Follow, "follow the newest"},
	{Ignore, "ignore: values in a comparison, changes that were seen"},
	{Mark, "mark"},
	{NextMatch, "next match, finding, change or difference"},
	{PrevMatch, "previous match, finding, change or difference"},
	{Open, "open outside: in an editor, the browser, a program"},
	{Pause, "pause the list"},
	{Quit, "quit"},
	{Again, "again: send, run, load, branch"},
	{Sort, "sort"},
	{NextShape, "next view of the session: list, timeline, sequence"},
	{Reach, "URL or command of the server: change it"},
	{NextView, "next view of what is shown: tree or bytes, rendered or raw, form or JSON, one or all"},
	{Write, "write to a file, keep under a name"},
	{End, "end it: cancel, stop, drop, remove, decline"},
	{Copy, "copy"},
	{Wrap, "wrap long lines"},
	{Apps, "apps that are open in the browser"},
	{Build, "output of the build"},
	{Another, "another server, recording or tap beside this session"},
	{Servers, "diff of servers: this one with the server of another session"},
	{Events, "events of the server"},
	{FilterBy, "filter by the value, by the severity"},
	{Held, "held frames"},
	{Query, "query with jq"},
	{Explain, "explain"},
	{Origin, "origin of a branch: what was sent again"},
	{Pin, "pin the response, expect it from now on"},
	{Restart, "restart the server; continue a recording"},
	{Session, "next session"},
	{Pins, "pinned calls"},
	{Watch, "watch files or a port, and try again by itself"},
	{Export, "export, report"},
	{CopyOther, "copy in its other form: path, JSON, text"},
}

// edits lists the letters whose alt+ chord edits words, as in GNU readline, and the letter of the verb that
// would lose the text.
const edits = "bcdfltu" + string(Quit)

// keys returns the letter and its chord in a text field. Terminals report the chord of a capital letter in two
// ways.
func (v Verb) keys() []string {
	letter := string(v)
	switch lower := strings.ToLower(letter); {
	case letter == "":
		return nil
	case lower != letter:
		return []string{letter, "alt+" + letter, "alt+shift+" + lower}
	case strings.Contains(edits, letter):
		return []string{letter}
	}
	return []string{letter, "alt+" + letter}
}

// has reports whether a key belongs to the verb.
func (v Verb) has(k string) bool {
	return v != "" && (k == string(v) || strings.HasPrefix(k, "alt+") && slices.Contains(v.keys(), k))
}
