package settings

import (
	"bufio"
	"bytes"
	"context"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"mcptea/cli/app"
	"mcptea/client/hosts"
	"mcptea/client/secret"
)

// environ returns the environment of a server's process: mcptea's environment without mcptea's secrets (or with
// --clean-env the basic variables), then --env-file, then -e. given are values of files that may be secrets.
func (f *Flags) environ(ctx context.Context, base app.Env) (env, given []string, err error) {
	env = slices.DeleteFunc(base.Environ(), isOwnSecret)
	if f.cleanEnv {
		env = slices.DeleteFunc(env, func(kv string) bool { return !isBasic(kv) })
	}
	if f.Entry != nil {
		more, ofFile, err := entryEnvironment(ctx, f.Entry)
		if err != nil {
			return nil, nil, err
		}
		given = append(given, privateOf(ofFile)...)
		env = append(env, more...)
		for _, v := range f.Entry.Expanded.Env {
			if v.Unset {
				env = slices.DeleteFunc(env, func(kv string) bool { return strings.HasPrefix(kv, v.Name+"=") })
			}
		}
	}
	if f.envFile != "" {
		more, err := readEnvFile(ctx, f.envFile)
		if err != nil {
			return nil, nil, err
		}
		given = append(given, privateOf(more)...)
		env = append(env, more...)
	}
	for _, kv := range f.env {
		name, _, assigned := strings.Cut(kv, "=")
		if name == "" {
			return nil, nil, app.Usage("Write it as -e NAME=value.", "-e %q has no name", kv)
		}
		if !assigned {
			value, ok := base.Lookup(name)
			if !ok {
				return nil, nil, app.Usage("To set it, write -e "+name+"=value.", "-e %s: the variable is not set in the environment of mcptea", name)
			}
			kv = name + "=" + value
		}
		env = append(env, kv)
	}
	return env, given, nil
}

// privateOf returns the values of variables (NAME=value) that may be secrets.
func privateOf(env []string) (values []string) {
	for _, kv := range env {
		if name, value, _ := strings.Cut(kv, "="); hosts.IsPrivate(name, value) {
			values = append(values, value)
		}
	}
	return values
}

// InputVariable is the prefix of the environment variables of inputs. Servers do not receive them.
const InputVariable = "MCPTEA_INPUT_"

// isOwnSecret reports whether a variable is a secret of mcptea, such as MCPTEA_TOKEN, or the
// value of an input, which only -e NAME forwards.
func isOwnSecret(kv string) bool {
	name, _, _ := strings.Cut(kv, "=")
	if runtime.GOOS == "windows" {
		name = strings.ToUpper(name)
	}
	return strings.HasPrefix(name, "MCPTEA_") && secret.IsName(name) || strings.HasPrefix(name, InputVariable)
}

// WithoutTarget returns an environment without the variables for a single server: variables of tokens, OAuth
// clients and client certificates.
func WithoutTarget(env app.Env) app.Env {
	return slices.DeleteFunc(env.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		if runtime.GOOS == "windows" {
			name = strings.ToUpper(name)
		}
		return slices.Contains([]string{TokenVariable, SecretVariable, IDPVariable, keyIDVariable, certVariable, keyVariable}, name)
	})
}

// Gives reports whether the flags set a variable or a header of a server, or may do so by a file.
func (f *Flags) Gives(s *hosts.Server, name string) bool {
	given := func(text string) bool {
		key, _, _ := strings.Cut(text, "=")
		key, _, _ = strings.Cut(key, ":")
		return strings.EqualFold(key, name)
	}
	return slices.ContainsFunc(f.env, given) || slices.ContainsFunc(f.Headers, given) || f.envFile != "" && s.Transport == hosts.Stdio
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

// readEnvFile reads NAME=value lines. It skips a byte order mark, blank lines and lines that begin with
// #, accepts "export" before a name, and unquotes values: double quotes with the
// escapes of Go, single quotes without escapes.
func readEnvFile(ctx context.Context, path string) ([]string, error) {
	b, err := app.ReadText(ctx, path, envFileLimit)
	if err != nil {
		return nil, app.InputError("", "--env-file", err)
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
			// The line is not shown: it may contain a secret.
			return nil, app.Usage("Each line is NAME=value, or a comment that begins with #.", "--env-file %s:%d: expected NAME=value", path, n)
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

// TakeEnvFile reads the env file of an entry before the user is asked about the entry: the server gets the
// values that the user has consented to, even if the file changes.
func TakeEnvFile(ctx context.Context, s *hosts.Server) error {
	file := s.Expanded.EnvFile
	if file == "" || s.Transport != hosts.Stdio || s.FileEnv != nil {
		return nil
	}
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return app.Usage("", "the env file %s of %s is not a regular file", file, s.Name)
	}
	env, err := readEnvFile(ctx, file)
	if err != nil {
		return err
	}
	s.FileEnv = []hosts.Field{}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		s.FileEnv = append(s.FileEnv, hosts.Field{Name: name, Value: value})
	}
	return nil
}

// entryEnvironment returns the environment that an entry sets, and the part that comes from its env file.
func entryEnvironment(ctx context.Context, s *hosts.Server) (env, ofFile []string, err error) {
	if s.Expanded.EnvFile != "" && s.FileEnv == nil {
		if ofFile, err = readEnvFile(ctx, s.Expanded.EnvFile); err != nil {
			return nil, nil, err
		}
	}
	add := func(to *[]string, fields []hosts.Field) {
		for _, v := range fields {
			if !v.Unset {
				*to = append(*to, v.Name+"="+v.Value)
			}
		}
	}
	add(&ofFile, s.FileEnv)
	env = slices.Clone(ofFile)
	add(&env, s.Expanded.Env)
	return env, ofFile, nil
}
