package cli

import (
	"bufio"
	"bytes"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// environ makes the whole environment of a server's process: ours or the clean
// one, then the file, then the single variables.
func (f *flags) environ() ([]string, error) {
	env := os.Environ()
	if f.cleanEnv {
		env = slices.DeleteFunc(env, func(kv string) bool { return !isBasic(kv) })
	}
	if f.envFile != "" {
		more, err := readEnvFile(f.envFile)
		if err != nil {
			return nil, err
		}
		env = append(env, more...)
	}
	for _, kv := range f.env {
		name, _, assigned := strings.Cut(kv, "=")
		if name == "" {
			return nil, usage("Write it as -e NAME=value.", "-e %q names no variable", kv)
		}
		if !assigned {
			value, ok := os.LookupEnv(name)
			if !ok {
				return nil, usage("Write -e "+name+"=value to set it.", "-e %s passes on a variable that is not set", name)
			}
			kv = name + "=" + value
		}
		env = append(env, kv)
	}
	return env, nil
}

// basic are the variables that nearly every program needs to run at all.
var basic = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LANGUAGE", "TZ", "TMPDIR",
}

var basicWindows = []string{
	"PATH", "PATHEXT", "COMSPEC", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "TEMP", "TMP", "USERNAME", "USERPROFILE",
	"HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "PROCESSOR_ARCHITECTURE",
}

func isBasic(kv string) bool {
	name, _, _ := strings.Cut(kv, "=")
	if runtime.GOOS == "windows" {
		return slices.Contains(basicWindows, strings.ToUpper(name))
	}
	return slices.Contains(basic, name) || strings.HasPrefix(name, "LC_")
}

// readEnvFile reads NAME=value lines. Blank lines and lines that start with #
// are skipped, "export" may stand in front, and a value may stand in quotes:
// in double ones the escapes of Go work, in single ones none.
func readEnvFile(path string) ([]string, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, usage("", "--env-file: %v", err)
	}
	var env []string
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, len(b)+1)
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		name, value, ok := strings.Cut(strings.TrimPrefix(text, "export "), "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || name == "" || strings.ContainsAny(name, " \t") {
			// The line is not shown: it may hold a secret.
			return nil, usage("Each line is NAME=value, or a comment that starts with #.", "--env-file %s: line %d is no assignment", path, n)
		}
		env = append(env, name+"="+unquoteEnv(value))
	}
	return env, nil
}

func unquoteEnv(value string) string {
	if len(value) < 2 || value[0] != value[len(value)-1] {
		return value
	}
	switch value[0] {
	case '\'':
		return value[1 : len(value)-1]
	case '"':
		if s, err := strconv.Unquote(value); err == nil {
			return s
		}
		return value[1 : len(value)-1]
	}
	return value
}
