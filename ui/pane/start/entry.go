package start

import (
	"slices"
	"strings"

	"mcptea/internal/words/search"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/paint"
)

// Mark is the state of an entry or of a problem.
type Mark uint8

// The values of [Mark].
const (
	MarkNone Mark = iota
	MarkLive
	MarkInfo
	MarkWarning
	MarkError
	MarkOff // the entry is not used: it is disabled, for example
)

// Entry is something that can be opened. Its texts are untrusted.
type Entry struct {
	Key    string // unique in its group
	Mark   Mark
	Name   string
	Where  string // the application, or the time
	Launch string // the command line, or the URL, secrets masked
	// Note is flush right, after NoteID, which is the id of a problem.
	NoteID, Note string

	Place    string // file and line of a configuration
	Facts    []Fact // the first fact is the program that is started, or the URL
	Problems []Problem
	// Last describes the last session.
	Last []Fact
	// Verb describes the effect of opening, such as "start it and connect".
	Verb string
	// Args holds the arguments of mcptea that open the entry, or nil if it cannot be opened.
	Args []string
	// Dir is the directory in which the commands run, or "" for the current directory.
	Dir string
	// Tap makes mcptea record between the host and the server, or stop doing so. It is nil if that is
	// impossible.
	Tap *Tap
	// File is the configuration file, and Line the line of the entry in it.
	File string
	Line int
	// Command is the command to copy, or "".
	Command string
	// Ask is the question that the user must answer before the entry is opened. It is nil if the
	// user has already agreed, or if no text of others determines what the entry does.
	Ask *Ask
	// Foreign is an entry of a project: its name takes no word of mcptea, and no file.
	Foreign bool
	// First is the meaning of a line that a project cannot override: a word of mcptea, or a file.
	First bool
}

// An Ask is a question about an entry. If everything that matters for the decision is visible next to the list,
// enter agrees; otherwise the window is opened.
type Ask struct {
	dialog.Consent
	// Own is set if the user has typed the text, now or before. It must be visible, but not for a minimum time.
	Own bool
	// Window always opens the window.
	Window bool
}

// fails adds why opening the entry has failed, in sentences.
func (e *Entry) fails(why []string) {
	e.Mark, e.Note = MarkError, "not opened"
	problems := []Problem{{ID: "mistake", Mark: MarkError, Text: why[0]}}
	for _, text := range why[1:] {
		problems = append(problems, Problem{Text: text})
	}
	e.Problems = append(problems, e.Problems...)
}

// Input is a value that the user gives before an entry is opened. Its texts are untrusted.
type Input struct {
	ID      string
	Text    string // description for the user
	Default string
	Secret  bool // its value is not shown
	// Choices lists the only permitted values, by their labels, or is nil.
	Choices []Fact
}

// Fact is a labeled text.
type Fact struct{ Label, Text string }

// A Problem is a problem of an entry.
type Problem struct {
	ID   string
	Mark Mark
	Text string
}

// Group is a part of the list. A group without entries is not shown.
type Group struct {
	Title   string
	Kind    string // kind of the entries, in one word
	Note    string // flush right of the title
	Entries []Entry
}

// KeyOf identifies an entry of the group on the screen.
func (g *Group) KeyOf(e *Entry) string { return g.Title + "\x00" + e.Key }

// Things returns the entries for the list of commands.
func (g *Group) Things(show func(*Entry)) app.Things {
	return app.Things{
		Kind: g.Kind, Len: len(g.Entries),
		Name: func(i int) (name, about string) {
			e := &g.Entries[i]
			return e.Name, strings.Join([]string{e.Launch, e.Where, e.Place}, "  ")
		},
		Show: func(i int) { show(&g.Entries[i]) },
	}
}

// containing returns the lines of the entries that contain all words of a text. An entry with the text as its
// name comes first. If means is set, the text has another meaning, and the names of projects do not count.
func (g *Group) containing(text string, means bool) []line {
	words := search.Of(text)
	lines := g.lines(func(e *Entry) bool { return e.matches(g.Title, words) })
	if i := slices.IndexFunc(lines, func(l line) bool { return l.entry.takes(text, means) }); i > 1 {
		first := lines[i]
		copy(lines[2:], lines[1:i])
		lines[1] = first
	}
	return lines
}

// lines returns the title of the group and the listed entries, or nil if there are none.
func (g *Group) lines(listed func(*Entry) bool) []line {
	lines := []line{{group: g}}
	for i := range g.Entries {
		if e := &g.Entries[i]; listed(e) {
			lines = append(lines, line{g, e})
		}
	}
	if len(lines) == 1 {
		return nil
	}
	return lines
}

// matches reports whether an entry of a group contains all words.
func (e *Entry) matches(group string, words search.Words) bool {
	return words.In(e.Name, e.Where, e.Launch, e.NoteID, e.Note, e.Place, group)
}

// takes reports whether a text that was typed is the name of the entry, and is meant so: it may mean something
// else, which no entry of a project takes.
func (e *Entry) takes(text string, means bool) bool {
	return e != nil && text != "" && strings.EqualFold(e.Name, text) && !(means && e.Foreign)
}

// sign returns the mark as a character with its style, or an empty one for MarkNone and MarkInfo.
func (m Mark) sign(p *paint.Palette) paint.Span {
	switch m {
	case MarkLive:
		return paint.Span{Style: p.OK, Text: p.Dot}
	case MarkWarning:
		return paint.Span{Style: p.Warn, Text: p.WarnMark}
	case MarkError:
		return paint.Span{Style: p.Error, Text: p.FailMark}
	case MarkOff:
		return paint.Span{Style: p.Muted, Text: p.Absent}
	}
	return paint.Span{}
}

// bold returns the style of the id of a problem.
func (m Mark) bold(p *paint.Palette) paint.Style {
	switch m {
	case MarkWarning:
		return p.WarnBold
	case MarkError:
		return p.ErrorBold
	}
	return p.Muted
}

// opens describes the effect of opening, after all of it was read if the user must do so.
func (e *Entry) opens(read bool) string {
	if read {
		return "read all of it, then " + e.Verb
	}
	return e.Verb
}
