// Command mcptea implements only `mcptea demo --serve [--fault NAME]`. It is found on PATH before the program,
// and executes the program for every other command line.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"mcptea/demo"
)

func main() {
	if fault, ok := served(os.Args[1:]); ok {
		os.Exit(serve(fault))
	}
	fmt.Fprintln(os.Stderr, becomeProgram())
	os.Exit(127)
}

// served parses the command line of a server over stdio, and returns its fault or "".
func served(args []string) (fault string, ok bool) {
	if len(args) < 2 || !slices.Equal(args[:2], []string{"demo", "--serve"}) {
		return "", false
	}
	switch len(args) {
	case 2:
		return "", true
	case 4:
		_, known := demo.FaultNamed(args[3])
		return args[3], args[2] == "--fault" && known && !strings.HasPrefix(args[3], "http-")
	default:
		return "", false
	}
}

// serve serves until stdin ends or a signal comes, and returns the exit code.
func serve(fault string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := demo.New(demo.Options{Fault: fault}).ServeStdio(ctx, os.Stdin, os.Stdout, os.Stderr)
	var exit *demo.ExitError
	switch {
	case errors.As(err, &exit):
		return exit.Code
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// becomeProgram replaces this process by the next program of its name on PATH. It returns only if it cannot.
func becomeProgram() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(dir, filepath.Base(self))
		if path == self {
			continue
		}
		if _, err := os.Stat(path); err == nil {
			return syscall.Exec(path, os.Args, os.Environ())
		}
	}
	return fmt.Errorf("%s stands nowhere else on PATH", filepath.Base(self))
}
