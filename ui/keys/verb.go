package keys

import "strings"

// Verb is what a letter means. It means the same in every pane, so that a hand can learn
// it: a command has a letter only by naming its verb. In a text field alt+ and the letter
// is the same verb, except for the letters that edit words there.
type Verb string

// The verbs, by their letters. What is seldom done has no letter; the palette runs it.
const (
	Annotate   Verb = "a" // a note
	Breakpoint Verb = "b"
	Compose    Verb = "c"
	Diff       Verb = "d"
	Edit       Verb = "e" // in an editor, in the composer; a setting
	Follow     Verb = "f"
	Ignore     Verb = "i" // leave values out of a comparison
	Mark       Verb = "m"
	NextMatch  Verb = "n" // of a search; an entry that has a finding, a change, a place
	PrevMatch  Verb = "N"
	Open       Verb = "o" // outside: an editor, the browser, a program of the system
	Pause      Verb = "p"
	Quit       Verb = "q"
	Again      Verb = "r" // send, run, load, branch
	Sort       Verb = "s"
	NextShape  Verb = "t" // of the session: list, timeline, sequence
	NextView   Verb = "v" // of what is shown: tree, bytes; rendered, raw; form, JSON; all, failed only
	Write      Verb = "w" // to a file
	End        Verb = "x" // cancel, stop, drop, remove
	Copy       Verb = "y"
	Wrap       Verb = "z"
	Build      Verb = "B"
	Second     Verb = "C" // server
	FilterBy   Verb = "F" // the value
	Held       Verb = "I" // frames
	Explain    Verb = "K"
	Pin        Verb = "P"
	Restart    Verb = "R"
	Pins       Verb = "V"
	Export     Verb = "X"
	CopyOther  Verb = "Y" // in its other form: the path, JSON, text
)

// edits are the letters whose alt+ edits words, as in GNU readline; and that of the verb
// that would lose the text.
const edits = "bcdfltu" + string(Quit)

// keys are the letter, and its chord in a text field. Terminals report that of a capital
// letter in two ways.
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
