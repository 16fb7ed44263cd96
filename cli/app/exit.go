package app

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"mcptea/client"
)

// The exit codes. Scripts rely on them.
const (
	ExitOK = 0
	// ExitError: an error response, a tool error, or a failed check. Also for a server that exits or times out
	// after connecting.
	ExitError = 1
	// ExitUsage: wrong usage; only messages for connecting and listing were sent.
	ExitUsage = 2
	// ExitConnect: connecting failed.
	ExitConnect = 3
	// ExitAuth: the server requires authorization, and there is no valid token.
	ExitAuth = 4
	// ExitIncomplete: nothing failed, but a part of the check could not be done.
	ExitIncomplete = 5
	// ExitInterrupted: SIGINT ended the program. Other signals give 128 plus
	// their number, as in shells: 129 SIGHUP, 131 SIGQUIT, 141 SIGPIPE (stdout
	// was closed), 143 SIGTERM.
	ExitInterrupted = 130
)

// Error ends the program with a code. The text is empty if the error was printed
// already.
type Error struct {
	Code int
	Text string
	Hint string // advice; may be empty
	// File is the absolute path of a user's file that Text names with its line, or "".
	File string
	Line int
	// Word is the wrong word of the command line, or its value; "" if unknown.
	Word string
	// Document is the error as --json prints it; nil if that is the text and the hint.
	Document *ErrorDocument
}

// ErrorDocument is an error in JSON, the member "error" of an object. Code is one of [CodeName]; for an error
// of the server, which is printed as received, it is a number.
type ErrorDocument struct {
	Code    string `json:"code"`    // "usage" (exit code 2), "connect" (3), "authorization" (4), "incomplete" (5) or "failed" (1)
	Step    string `json:"step"`    // step of connecting that failed, as in mcptea info; empty for other errors
	Message string `json:"message"` // what failed, and the evidence
	Cause   string `json:"cause"`   // the likely cause; may be empty
	Try     string `json:"try"`     // what to do; may be empty
	// Strength is the strength of the evidence for the cause: "proves", by an exit code, a signal, a
	// status or a failed system call; "shows", by an experiment whose requests differ in one thing;
	// "reports", by a message that is an error; "hints", by what may be one
	Strength string `json:"strength,omitempty"`
	// Remedies are the parts of try, one by one, the most important first.
	Remedies []RemedyDocument `json:"remedies,omitempty"`
	// Entry is the entry of a configuration file that the server was read from; absent for another server
	Entry *client.Entry `json:"entry,omitempty"`
}

// redacted returns a copy with the texts redacted.
func (d *ErrorDocument) redacted(text func(string) string) *ErrorDocument {
	c := *d
	c.Message, c.Cause, c.Try, c.Remedies = text(c.Message), text(c.Cause), text(c.Try), slices.Clone(c.Remedies)
	for i := range c.Remedies {
		c.Remedies[i].Text, c.Remedies[i].Flag = text(c.Remedies[i].Text), text(c.Remedies[i].Flag)
	}
	return &c
}

// RemedyDocument is a remedy in JSON.
type RemedyDocument struct {
	ID   string `json:"id"`             // stable; empty for one that has no id
	Text string `json:"text"`           // one or two sentences
	Flag string `json:"flag,omitempty"` // flag that does it, such as "-e DATABASE_URL=…", if there is one; the user replaces … and FILE
}

// CodeName returns an exit code in JSON.
func CodeName(code int) string {
	switch code {
	case ExitUsage:
		return "usage"
	case ExitConnect:
		return "connect"
	case ExitAuth:
		return "authorization"
	case ExitIncomplete:
		return "incomplete"
	}
	return "failed"
}

func (e *Error) Error() string { return e.Text }

// Usage returns an error about the command line. The hint tells the user what to do.
func Usage(hint, format string, args ...any) error {
	return &Error{Code: ExitUsage, Text: fmt.Sprintf(format, args...), Hint: hint}
}

// At adds to an error of [Usage] the word of the command line that is wrong.
func At(word string, err error) error {
	var e *Error
	if errors.As(err, &e) && e.Word == "" {
		e.Word = word
	}
	return err
}

// Failed returns an error with the code [ExitError].
func Failed(format string, args ...any) error {
	return &Error{Code: ExitError, Text: fmt.Sprintf(format, args...)}
}

// FailedWith is like [Failed], but with a hint.
func FailedWith(hint, format string, args ...any) error {
	return &Error{Code: ExitError, Text: fmt.Sprintf(format, args...), Hint: hint}
}

// Silent returns an error that sets the exit code and prints nothing.
func Silent(code int) error { return &Error{Code: code} }

// NoArguments reports arguments of a command that takes none.
func NoArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return Usage(fmt.Sprintf("Type %s --help for its usage.", cmd.CommandPath()), "%s takes no arguments, found %q", cmd.Name(), args[0])
}
