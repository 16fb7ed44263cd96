package script

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcptea/internal/system"
	"mcptea/internal/words/phrase"

	"golang.org/x/tools/txtar"
)

// Script is a parsed script.
type Script struct {
	Name   string // name of its file
	Server string // server in the first line, "# server: NAME", or ""
	// Repeated are the tools whose calls run after each restart of the server, in one of the
	// first two lines: "# after each restart: TOOL …".
	Repeated []string
	Sections []*Section
	source   []byte // text as given
	archive  *txtar.Archive
	updated  bool
}

// Section is a part of a script under a comment, which names it. If one of its commands fails, the rest of the
// script is skipped.
type Section struct {
	Name  string
	Line  int
	steps []*step
}

// lints reports whether a command checks the findings of rules.
func (s *Script) lints() bool {
	return slices.ContainsFunc(s.Sections, func(section *Section) bool {
		return slices.ContainsFunc(section.steps, func(st *step) bool { return st.command.name == "lint" })
	})
}

// step is a command with its words.
type step struct {
	line       int
	text       string // text as written
	negated    bool   // begins with "!"
	either     bool   // begins with "?": any response will do
	background bool   // ends with "&"
	command    *command
	words      []string // after the name
}

// Error is a mistake in a script.
type Error struct {
	Name string
	Line int
	Text string
	Hint string // may be empty
}

// Error returns the place and the text.
func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.Name, e.Line, e.Text) }

// Parse parses a script. The error is an [Error].
func Parse(name string, text []byte) (*Script, error) {
	s := &Script{Name: name, source: text, archive: txtar.Parse(text)}
	section := &Section{Name: strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)), Line: 1}
	named := false // set by the first line of a comment
	for i, line := range strings.Split(strings.TrimSuffix(string(s.archive.Comment), "\n"), "\n") {
		line = strings.TrimSpace(line)
		title, isComment := strings.CutPrefix(line, "#")
		title = strings.TrimSpace(title)
		server, isServer := strings.CutPrefix(title, "server:")
		repeated, isRepeated := strings.CutPrefix(title, repeatedTitle)
		switch {
		case i == 0 && isComment && isServer:
			s.Server = strings.TrimSpace(server)
		case i <= 1 && isComment && isRepeated:
			var err error
			if s.Repeated, err = split(repeated); err != nil {
				return nil, s.wrong(i+1, "", "%v", err)
			}
		case isComment && title != "" && len(section.steps) > 0:
			s.add(section)
			section, named = &Section{Name: title, Line: i + 1}, true
		case isComment && title != "" && !named:
			section.Name, section.Line, named = title, i+1, true
		case isComment || line == "":
		default:
			st, err := s.step(i+1, line)
			if err != nil {
				return nil, err
			}
			section.steps = append(section.steps, st)
		}
	}
	s.add(section)
	if len(s.Sections) == 0 {
		return nil, &Error{Name: name, Line: 1, Text: "the script has no commands", Hint: "mcptea help run describes the commands."}
	}
	return s, s.checkFiles()
}

func (s *Script) add(section *Section) {
	if len(section.steps) > 0 {
		s.Sections = append(s.Sections, section)
	}
}

func (s *Script) step(line int, text string) (*step, error) {
	st := &step{line: line, text: text}
	words, err := split(text)
	if err != nil {
		return nil, s.wrong(line, "", "%v", err)
	}
	switch words[0] {
	case "!":
		st.negated, words = true, words[1:]
	case "?":
		st.either, words = true, words[1:]
	}
	if n := len(words); n > 0 && words[n-1] == "&" {
		st.background, words = true, words[:n-1]
	}
	if len(words) == 0 {
		return nil, s.wrong(line, "", "a command is missing")
	}
	var ok bool
	if st.command, ok = commandNamed(words[0]); !ok {
		hint := "The commands are " + strings.Join(commandNames(), ", ") + "."
		if near := phrase.Nearest(words[0], commandNames()); len(near) > 0 {
			hint = "Did you mean " + near[0] + "?"
		}
		return nil, s.wrong(line, hint, "unknown command %q", words[0])
	}
	st.words = words[1:]
	c := st.command
	switch n := len(st.words); {
	case st.negated && !c.negatable:
		return nil, s.wrong(line, "", "%s cannot be negated", c.name)
	case st.either && !c.responds():
		return nil, s.wrong(line, "", "? is for requests, but %s has no response", c.name)
	case st.background && !c.request:
		return nil, s.wrong(line, "", "only requests can run in the background, but %s sends no request", c.name)
	case st.background && (st.negated || st.either):
		mark := "?"
		if st.negated {
			mark = "!"
		}
		return nil, s.wrong(line, "Write "+mark+" before wait.", "%s and & exclude each other", mark)
	case n < c.least || c.most >= 0 && n > c.most:
		return nil, s.wrong(line, "Usage: "+c.usage, "%s has %d arguments", c.name, n)
	}
	if c.check != nil {
		if err := c.check(st.words); err != nil {
			return nil, s.wrong(line, "Usage: "+c.usage, "%v", err)
		}
	}
	return st, nil
}

func (s *Script) wrong(line int, hint, format string, args ...any) error {
	return &Error{Name: s.Name, Line: line, Text: fmt.Sprintf(format, args...), Hint: hint}
}

// checkFiles reports a word @FILE that names neither a file of the script nor one on
// the disk.
func (s *Script) checkFiles() error {
	for _, section := range s.Sections {
		for _, st := range section.steps {
			for _, w := range st.words {
				name, ok := strings.CutPrefix(w, "@")
				if !ok || !st.command.files || strings.Contains(name, "{{") {
					continue
				}
				if _, err := s.file(name); err != nil {
					return s.wrong(st.line, "A file is a part of the script, below a line -- "+phrase.OneLine(name)+" --, or on the disk.", "%v", err)
				}
			}
		}
	}
	return nil
}

// maxFile is the size of a file that is read, in bytes.
const maxFile = 64 << 20

// file returns the contents of a file of the script or, relative to the script, on
// the disk.
func (s *Script) file(name string) ([]byte, error) {
	if i := s.member(name); i >= 0 {
		return s.archive.Files[i].Data, nil
	}
	path := s.path(name)
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("@%s: no such file", name)
	}
	return ReadFile(path, "@"+name)
}

// ReadFile reads a regular text file that is not too large, without a byte order mark. Its errors contain name.
func ReadFile(path, name string) ([]byte, error) {
	text, err := system.ReadText(path, maxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return text, err
}

// member returns the index of a file of the archive; -1 without.
func (s *Script) member(name string) int {
	return slices.IndexFunc(s.archive.Files, func(f txtar.File) bool { return f.Name == name })
}

// Updated reports whether a run has changed the files of the script; see
// [Options.Update].
func (s *Script) Updated() bool { return s.updated }

// Text returns the script as a file.
func (s *Script) Text() []byte { return txtar.Format(s.archive) }
