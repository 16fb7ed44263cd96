package cli

import "fmt"

// The exit codes. Scripts rely on them.
const (
	ExitOK = 0
	// ExitError: the server answered with an error, or a check failed. It is
	// also that of a server which dies or falls silent after the handshake:
	// it could be reached, and then it failed.
	ExitError = 1
	// ExitUsage: the command line is wrong; nothing was started.
	ExitUsage = 2
	// ExitConnect: the handshake never came about.
	ExitConnect = 3
	// ExitAuth: the server wants a token, and there is none that it takes.
	ExitAuth = 4
	// ExitInterrupted: SIGINT ended the program. Other signals give 128 plus
	// their number, as in shells: 129 SIGHUP, 131 SIGQUIT, 141 SIGPIPE (stdout
	// was closed), 143 SIGTERM.
	ExitInterrupted = 130
)

// exitError ends the program with a code. The text is for people; it is empty
// when everything was said already.
type exitError struct {
	code int
	text string
	hint string // what to type instead; may be empty
}

func (e *exitError) Error() string { return e.text }

// usage is a wrong command line. The hint says the way out.
func usage(hint, format string, args ...any) error {
	return &exitError{code: ExitUsage, text: fmt.Sprintf(format, args...), hint: hint}
}

// failed is a failure that is told in one line.
func failed(format string, args ...any) error {
	return &exitError{code: ExitError, text: fmt.Sprintf(format, args...)}
}

// failedWith is failed with the way out.
func failedWith(hint, format string, args ...any) error {
	return &exitError{code: ExitError, text: fmt.Sprintf(format, args...), hint: hint}
}

// silent ends the program without another word.
func silent(code int) error { return &exitError{code: code} }
