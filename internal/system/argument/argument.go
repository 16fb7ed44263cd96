// Package argument builds the arguments of an editor, a browser or another program.
//
// Most programs take an argument that begins with - or + as an option, and some options run code: "+!touch x"
// makes vi run a command. An untrusted path or name must never be an option. So an [Argument] is made only
// from a literal in mcptea's code, or from a path, which it makes absolute; no function makes one from any
// other text.
package argument

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Argument is a word for a program; its zero value is the empty word.
type Argument struct{ word string }

// constant is a text that only an untyped constant can be outside of this package.
type constant string

// Own returns a word that the code contains, such as an option.
func Own(word constant) Argument { return Argument{string(word)} }

// Numbered returns an option followed by a number. A negative number becomes 0.
func Numbered(option constant, n int) Argument {
	return Argument{string(option) + strconv.Itoa(max(0, n))}
}

// File returns a path, made absolute. The error is about a path that cannot be one.
func File(path string) (Argument, error) {
	if path == "" {
		return Argument{}, errors.New("the path is empty")
	}
	if strings.ContainsRune(path, 0) {
		return Argument{}, fmt.Errorf("the path %q contains a NUL character", path)
	}
	absolute, err := filepath.Abs(path)
	if err == nil && !filepath.IsAbs(absolute) {
		err = fmt.Errorf("the path %q is not absolute", path)
	}
	if err != nil {
		return Argument{}, err
	}
	return Argument{absolute}, nil
}

// FileAt returns PATH:LINE as an argument. If the path contains a colon, it leaves out the line: a program
// would split the word at the wrong place.
func FileAt(path string, line int) (Argument, error) {
	a, err := File(path)
	if err != nil || strings.Contains(a.word[len(filepath.VolumeName(a.word)):], ":") {
		return a, err
	}
	return Numbered(constant(a.word+":"), line), nil
}

// Words returns the arguments as texts.
func Words(all ...Argument) []string {
	words := make([]string, len(all))
	for i, a := range all {
		words[i] = a.word
	}
	return words
}

// Command starts a program, found in PATH, without a shell.
func Command(ctx context.Context, program constant, arguments ...Argument) *exec.Cmd {
	return exec.CommandContext(ctx, string(program), Words(arguments...)...)
}

// Self starts this program again, from the file that runs, even if that was replaced.
func Self(arguments ...Argument) (*exec.Cmd, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		path = "/proc/self/exe"
	}
	return exec.Command(path, Words(arguments...)...), nil
}
