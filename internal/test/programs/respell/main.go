// Command respell runs a server over stdio whose messages are written in the spelling of a number:
// respell NUMBER COMMAND ARG….
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"

	"mcptea/internal/test/spelling"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return errors.New("usage: respell NUMBER COMMAND ARG…")
	}
	n, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	cmd := exec.Command(args[1], args[2:]...)
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	return errors.Join(spelling.All[n].Copy(os.Stdout, out), cmd.Wait())
}
