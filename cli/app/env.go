package app

import (
	"os"
	"runtime"
	"strings"
)

// Env is the environment of a run, as NAME=VALUE; of several entries with a name the last one counts. nil
// stands for the environment of the process. Packages below the command line use the environment of the
// process: for the directories of the user, programs on PATH, and variables in entries of hosts.
type Env []string

// Environ returns the whole environment. The caller owns the slice.
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

// Get returns the value of a variable, or "" if it is not set.
func (e Env) Get(name string) string {
	value, _ := e.Lookup(name)
	return value
}
