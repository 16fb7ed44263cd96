package stdio

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"mcptea/internal/system"

	"mcptea/internal/words/phrase"
)

// lookPath finds an executable by the PATH of env; a command with a slash is relative
// to dir.
func lookPath(command string, env []string, dir string) (string, error) {
	if strings.ContainsRune(command, '/') || runtime.GOOS == "windows" && strings.ContainsRune(command, '\\') {
		if !filepath.IsAbs(command) && dir != "" {
			command = filepath.Join(dir, command)
		}
		path, err := exec.LookPath(command)
		if err != nil {
			return "", missing(command, unwrapExec(err))
		}
		return filepath.Abs(path)
	}
	for _, folder := range filepath.SplitList(lookupEnv(env, "PATH")) {
		if !filepath.IsAbs(folder) {
			continue // relative entries are a security risk, as in os/exec
		}
		if path, err := exec.LookPath(filepath.Join(folder, command)); err == nil {
			return path, nil
		}
	}
	return "", exec.ErrNotFound
}

// missing returns why a path cannot be executed. On Windows os/exec has one error for a
// file that does not exist and for one without the extension of a program.
func missing(path string, err error) error {
	if !errors.Is(err, exec.ErrNotFound) {
		return err
	}
	info, statErr := os.Stat(path)
	switch {
	case statErr != nil:
		return notExist{}
	case info.IsDir():
		return syscall.EISDIR
	}
	return syscall.ENOEXEC
}

// unwrapExec returns the error in an *exec.Error, which repeats the name.
func unwrapExec(err error) error {
	if e, ok := err.(*exec.Error); ok {
		return e.Err
	}
	return err
}

func lookupEnv(env []string, name string) string {
	value := ""
	for _, kv := range env {
		k, v, _ := strings.Cut(kv, "=")
		if k == name || runtime.GOOS == "windows" && strings.EqualFold(k, name) {
			value = v
		}
	}
	return value
}

// commonCommands are the commands that start most servers. They are preferred as suggestions.
var commonCommands = []string{"node", "npx", "npm", "python", "python3", "uv", "uvx", "docker", "podman", "deno", "bun", "bunx", "go", "java", "dotnet", "ruby", "pipx", "php"}

// nearestCommand returns the command on the PATH with a name similar to a
// missing one, or nothing.
func nearestCommand(command string, env []string) string {
	if command == "" || strings.ContainsAny(command, " /\\") {
		return ""
	}
	best, least := "", 3
	for _, folder := range filepath.SplitList(lookupEnv(env, "PATH")) {
		if !filepath.IsAbs(folder) {
			continue
		}
		entries, _ := os.ReadDir(folder) // unreadable folders have no suggestions
		for _, entry := range entries {
			name := commandName(entry.Name(), runtime.GOOS)
			d := typoDistance(command, name)
			if d > 0 && slices.Contains(commonCommands, name) {
				d = 0
			}
			if d < 0 || d >= least {
				continue
			}
			if _, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
				best, least = name, d
			}
		}
	}
	return best
}

// commandName returns what a user types for a file on the PATH: on Windows, without the
// extension of a program.
func commandName(file, system string) string {
	if ext := filepath.Ext(file); system == "windows" && slices.Contains([]string{".exe", ".cmd", ".bat", ".com"}, strings.ToLower(ext)) {
		return strings.TrimSuffix(file, ext)
	}
	return file
}

// typoDistance is the edit distance of a word, -1 if it is not a likely typing mistake.
// One edit is likely, also two letters in the wrong order, and two edits in a word of
// six letters or more.
func typoDistance(word, meant string) int {
	switch d := phrase.EditDistance(word, meant); {
	case d == 1, d == 2 && len(word) >= 6:
		return d
	case d == 2 && len(word) == len(meant):
		a, b := []byte(word), []byte(meant)
		slices.Sort(a)
		slices.Sort(b)
		if slices.Equal(a, b) {
			return d
		}
	}
	return -1
}

// missingInterpreter returns what the first line of a script names to run it with, when
// that is not there.
func missingInterpreter(path string) string {
	const maxLine = 256 // of which systems read the interpreter
	head, _, _ := strings.Cut(string(system.ReadHead(path, maxLine)), "\n")
	line, found := strings.CutPrefix(head, "#!")
	if !found {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimLeft(line, " \t"), " ")
	if _, err := os.Stat(name); err == nil {
		return ""
	}
	return name
}
