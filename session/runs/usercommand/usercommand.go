// Package usercommand runs the commands that the user has defined in the configuration file: programs that
// get values of the selection in the inspector as arguments.
//
// A value is untrusted: it becomes one argument, or part of one, and no shell interprets it. An argument that
// a value would turn into an option is rejected ([argument.Line]).
package usercommand

import (
	"fmt"
	"strings"

	"mcptea/internal/system/argument"
	"mcptea/internal/words/phrase"
)

// Command is a command of the user.
type Command struct {
	Name   string // name of the key in the file: "command." and the command's name is its id
	Text   string // the line as the file has it
	Help   string // a sentence without its full stop; may be empty
	Line   argument.Line
	Input  string // name of the file value that the command receives on stdin, or ""
	Output Output
	// RunsAtOnce starts the command without a question. All of its values are Own.
	RunsAtOnce bool
	At         int // line of the file, from 1
}

// An Output is the destination of a command's output.
type Output uint8

// The outputs.
const (
	Window   Output = iota // into a window, when the command has ended
	Terminal               // the command gets the terminal until it ends
	None                   // only a failure is shown
)

// Outputs are the words for the outputs, in their order.
var Outputs = []string{"window", "terminal", "none"}

// Value is something that a command can be given.
type Value struct {
	Name, Means string
	Lacks       string // advice if the value is missing, as a sentence
	File        bool   // the path of a file, which the value is the content of
	Own         bool   // the value is from mcptea or the user, not text of a peer or a recording
}

// values lists all values.
var values = []Value{
	{Name: "tool", Means: "the name of the tool that is selected, or that the selected frame is about", Lacks: "Select a tool, or a call of one, first."},
	{Name: "prompt", Means: "the name of the prompt that is selected, or that the selected frame is about", Lacks: "Select a prompt, or a request for one, first."},
	{Name: "uri", Means: "the URI of the resource that is selected, or that the selected frame is about", Lacks: "Select a resource, or a request for one, first."},
	{Name: "method", Means: "the method of the selected frame, or of the request that it belongs to", Lacks: "Select a frame of a request first."},
	{Name: "id", Means: "the id of that request, as JSON", Lacks: "Select a frame of a request first."},
	{Name: "number", Means: "the number of the selected frame, as Traffic shows it", Lacks: "Select a frame first.", Own: true},
	{Name: "frame", Means: "a private file with the bytes of the selected frame", Lacks: "Select a frame first.", File: true, Own: true},
	{Name: "request", Means: "a private file with the request that it belongs to", Lacks: "Select a frame of a request first.", File: true, Own: true},
	{Name: "response", Means: "a private file with the response", Lacks: "Select a request that has a response first.", File: true, Own: true},
	{Name: "recording", Means: "the path of the recording", Lacks: "The session is not recorded.", Own: true},
	{Name: "server", Means: "the name of the server", Lacks: "The server has not said its name yet."},
	{Name: "url", Means: "the URL of the server", Lacks: "The server has no URL."},
	{Name: "pid", Means: "the number of the process of the server", Lacks: "No process of the server runs.", Own: true},
	{Name: "dir", Means: "the directory in which the server runs", Lacks: "The server runs in no directory that is known."},
}

// New makes a command of its words. The error names a value that does not exist.
func New(words []string) (Command, error) {
	line, err := argument.NewLine(words, func(name string) error {
		if _, ok := find(name); !ok {
			return unknown(name)
		}
		return nil
	})
	if err != nil {
		return Command{}, err
	}
	return Command{Line: line, Text: strings.Join(words, " ")}, nil
}

// CheckInput returns an error for an input that is not a value of a file.
func CheckInput(name string) error {
	if v, ok := find(name); !ok || !v.File {
		return fmt.Errorf("expected %s", strings.Join(Inputs(), ", "))
	}
	return nil
}

// CheckRunsAtOnce returns an error for a command that receives text of a peer: it must ask before it runs,
// since the user must see the text.
func (c *Command) CheckRunsAtOnce() error {
	for _, v := range c.Needs() {
		if !v.Own {
			return fmt.Errorf("this command asks, since {%s} is not text of your own", v.Name)
		}
	}
	return nil
}

// Inputs returns the values that a command can receive on stdin.
func Inputs() (names []string) {
	for _, v := range values {
		if v.File {
			names = append(names, v.Name)
		}
	}
	return names
}

// Needs returns the values that the command needs, each once.
func (c *Command) Needs() (needs []Value) {
	names := c.Line.Holes()
	if c.Input != "" {
		names = append(names, c.Input)
	}
	seen := map[string]bool{}
	for _, name := range names {
		if v, ok := find(name); ok && !seen[name] {
			seen[name], needs = true, append(needs, v)
		}
	}
	return needs
}

func find(name string) (Value, bool) {
	for _, v := range values {
		if v.Name == name {
			return v, true
		}
	}
	return Value{}, false
}

func unknown(name string) error {
	var names []string
	for _, v := range values {
		names = append(names, v.Name)
	}
	hint := "the values are {" + strings.Join(names, "}, {") + "}."
	if near := phrase.Nearest(name, names); len(near) > 0 {
		hint = "did you mean {" + near[0] + "}?"
	}
	return fmt.Errorf("unknown value {%s}; %s {{%s} is the text itself", name, hint, name)
}
