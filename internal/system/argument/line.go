package argument

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// Line is a command line that the user has written, with holes such as {tool} in its words. A value never
// becomes more than a part of one word, and never an option: see [Line.Fill].
type Line struct{ words []template }

// template is a word: texts of the user and holes by turns, beginning with a text.
type template struct{ texts, holes []string }

// hole is a name between braces; two opening braces are one of the text.
var hole = regexp.MustCompile(`\{\{|\{[a-z]+\}`)

// NewLine returns a line of words that the user has written. The first word names the program, and has no hole:
// only the user decides what runs. A word that a shell or an interpreter reads as code, such as the one after
// sh -c, has no hole either: a value would be code there. check returns why a name is not a hole; nil accepts
// any name.
func NewLine(words []string, check func(hole string) error) (Line, error) {
	if len(words) == 0 || words[0] == "" {
		return Line{}, errors.New("the program is missing")
	}
	var l Line
	for _, word := range words {
		var t template
		text := ""
		for word != "" {
			at := hole.FindStringIndex(word)
			if at == nil {
				break
			}
			text += word[:at[0]]
			found := word[at[0]:at[1]]
			if word = word[at[1]:]; found == "{{" {
				text += "{"
				continue
			}
			t.texts, t.holes = append(t.texts, text), append(t.holes, strings.Trim(found, "{}"))
			text = ""
		}
		t.texts = append(t.texts, text+word)
		l.words = append(l.words, t)
	}
	if len(l.words[0].holes) > 0 {
		return Line{}, fmt.Errorf("the program cannot be a value: {%s}", l.words[0].holes[0])
	}
	for _, name := range l.Holes() {
		if check == nil {
			break
		}
		if err := check(name); err != nil {
			return Line{}, err
		}
	}
	if why := whyCode(l.words); why != "" {
		return Line{}, errors.New(why)
	}
	return l, nil
}

// Holes returns the names in the line, each once, in the order of the line.
func (l Line) Holes() (names []string) {
	for _, t := range l.words {
		for _, name := range t.holes {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Fill puts values into the holes. The error is about a word that a value would make an option of (it
// begins with - or +, and the value has written that), or that has a NUL character.
func (l Line) Fill(values map[string]string) ([]Argument, error) {
	words := make([]Argument, len(l.words))
	for i, t := range l.words {
		word := t.texts[0]
		for n, name := range t.holes {
			value := values[name]
			if word == "" && strings.HasPrefix(value, "-") || word == "" && strings.HasPrefix(value, "+") {
				return nil, fmt.Errorf("{%s} is %q, which begins like an option; write text before it, such as name={%s}", name, value, name)
			}
			word += value + t.texts[n+1]
		}
		if strings.ContainsRune(word, 0) {
			return nil, fmt.Errorf("the word %q contains a NUL character", word)
		}
		words[i] = Argument{word}
	}
	return words, nil
}

// Program returns the program of a filled line, found in PATH, with its arguments.
func Program(ctx context.Context, filled []Argument) *exec.Cmd {
	words := Words(filled...)
	return exec.CommandContext(ctx, words[0], words[1:]...)
}
