package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

// The exit codes. Scripts rely on them.
const (
	ExitOK = 0
	// ExitError: an error response, a tool error, or a failed check. Also for a
	// server that exits or times out after connecting.
	ExitError = 1
	// ExitUsage: wrong usage; nothing was started.
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

// exitError ends the program with a code. The text is empty if the error was printed
// already.
type exitError struct {
	code int
	text string
	hint string // what to do; may be empty
}

func (e *exitError) Error() string { return e.text }

// usage returns an error about the command line. The hint says what to do.
func usage(hint, format string, args ...any) error {
	return &exitError{code: ExitUsage, text: fmt.Sprintf(format, args...), hint: hint}
}

// failed returns an error with the code [ExitError].
func failed(format string, args ...any) error {
	return &exitError{code: ExitError, text: fmt.Sprintf(format, args...)}
}

// failedWith is failed with a hint.
func failedWith(hint, format string, args ...any) error {
	return &exitError{code: ExitError, text: fmt.Sprintf(format, args...), hint: hint}
}

// silent returns an error that sets the exit code and prints nothing.
func silent(code int) error { return &exitError{code: code} }

// noArguments reports arguments of a command that takes none.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usage(fmt.Sprintf("Type %s --help for its usage.", cmd.CommandPath()), "%s takes no arguments, found %q", cmd.Name(), args[0])
}
