package app

import (
	"os"
	"runtime"
	"strings"
)

// Env is the environment of a run: NAME=VALUE, of which the last one with a name counts. nil is
// that of the process. What is found below the command line is found in the environment of the
// process: the directories of the user, the programs on PATH, and what entries of hosts refer to.
type Env []string

// Environ returns all of it. The caller owns the slice.
func (e Env) Environ() []string {
	if e == nil {
		return os.Environ()
	}
	return append([]string(nil), e...)
}

// Lookup returns the value of a variable, and whether it is set.
func (e Env) Lookup(name string) (value string, set bool) {
	if e == nil {
		return os.LookupEnv(name)
	}
	for i := len(e) - 1; i >= 0; i-- {
		key, value, _ := strings.Cut(e[i], "=")
		if key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name) {
			return value, true
		}
	}
	return "", false
}

// Get returns the value of a variable; empty if it is not set.
func (e Env) Get(name string) string {
	value, _ := e.Lookup(name)
	return value
}
