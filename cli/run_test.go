package cli

import (
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mcptea/internal/test/worker"
)

// run ARGS… runs mcptea in a worker, and expects the exit code 0, or another one with !. What
// needs a process of its own is run with exec: signals, process groups, commands in the
// background and below a shell.
func run(ts *testscript.TestScript, neg bool, args []string) {
	if code := runInWorker(ts, args); (code == 0) == neg {
		ts.Fatalf("exit code %d", code)
	}
}

// exits CODE PROGRAM ARGS… runs a program and expects an exit code. mcptea is run in a worker.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS…")
	}
	if code := fmt.Sprint(codeOf(ts, args[1], args[2:])); code != args[0] {
		ts.Fatalf("exit code %s, want %s", code, args[0])
	}
}

// codeOf runs a program and returns its exit code.
func codeOf(ts *testscript.TestScript, program string, args []string) int {
	if program == "mcptea" {
		return runInWorker(ts, args)
	}
	err := ts.Exec(program, args...)
	if exit, ok := err.(*exec.ExitError); ok {
		return exit.ExitCode()
	}
	ts.Check(err)
	return 0
}

// runInWorker runs mcptea in a worker with the directory, the environment and the input of a
// script, and returns the exit code.
func runInWorker(ts *testscript.TestScript, args []string) int {
	// The library has no accessors for the environment and the input of the next command.
	script := reflect.ValueOf(ts).Elem()
	dir, stdin := ts.MkAbs("."), script.FieldByName("stdin").String()
	var env []string
	for _, variable := range script.FieldByName("env").Seq2() {
		env = append(env, variable.String())
	}
	_ = ts.Exec("") // starts nothing, and takes the input away
	o, err := workers.Run(worker.Command{Args: args, Dir: dir, Env: append(env, "PWD="+dir), Stdin: stdin})
	ts.Check(err)
	_, err = ts.Stdout().Write(o.Stdout)
	ts.Check(err)
	_, err = ts.Stderr().Write(o.Stderr)
	ts.Check(err)
	return o.Code
}

// runProgram runs mcptea in a worker, in the directory of the test if the command has none.
func runProgram(t *testing.T, c worker.Command) worker.Outcome {
	t.Helper()
	if c.Dir == "" {
		var err error
		if c.Dir, err = os.Getwd(); err != nil {
			t.Fatal(err)
		}
	}
	o, err := workers.Run(c)
	if err != nil {
		t.Fatal(err)
	}
	return o
}
