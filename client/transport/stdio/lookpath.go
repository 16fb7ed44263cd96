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

// launchers are the programs that start servers. Only they are suggested for a missing command.
var launchers = []string{
	"node", "npx", "npm", "pnpm", "pnpx", "yarn", "bun", "bunx", "deno", "tsx", "ts-node",
	"python", "python3", "uv", "uvx", "pipx", "poetry", "pdm", "hatch", "rye", "conda",
	"docker", "podman", "nerdctl", "go", "cargo", "dotnet", "dnx", "java", "mvn", "gradle", "ruby", "bundle", "php", "composer",
}

// otherPrograms have names similar to launchers. They are not misspelled launchers.
var otherPrograms = []string{"pip", "javac", "gradlew", "mvnw", "nvm", "nodemon", "bundler"}

// nearestCommand returns the launcher on the PATH that was probably meant by a missing
// command, or "". A launcher is never another one that is misspelled.
func nearestCommand(command string, env []string) string {
	known := strings.TrimRight(strings.ToLower(command), ".-0123456789")
	if strings.ContainsAny(command, " /\\") || slices.Contains(launchers, known) || slices.Contains(otherPrograms, known) {
		return ""
	}
	best, least := "", 3
	for _, name := range launchers {
		if d := typoDistance(command, name); d > 0 && d < least && isOnPath(name, env) {
			best, least = name, d
		}
	}
	return best
}

// isOnPath reports whether the PATH of env has a program.
func isOnPath(name string, env []string) bool {
	for _, folder := range filepath.SplitList(lookupEnv(env, "PATH")) {
		if !filepath.IsAbs(folder) {
			continue
		}
		if _, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return true
		}
	}
	return false
}

// typoDistance returns the edit distance of a word, or -1 if it is not a likely typing mistake.
// Likely are two letters in the wrong order, one edit, and two edits in a word of six letters
// or more. The first letter is seldom wrong. Two words of three letters with one different
// letter are two programs (nix and npx), and so are words of two letters (uv and mv).
func typoDistance(word, meant string) int {
	if len(word) < 3 || len(meant) < 3 {
		return -1
	}
	d := phrase.EditDistance(word, meant)
	if a, b := []byte(word), []byte(meant); d == 2 && len(a) == len(b) {
		slices.Sort(a)
		slices.Sort(b)
		if slices.Equal(a, b) {
			return d
		}
	}
	switch {
	case word[0] != meant[0], len(word) == 3 && len(meant) == 3:
		return -1
	case d == 1, d == 2 && len(word) >= 6:
		return d
	}
	return -1
}

// missingInterpreter returns the interpreter that the first line of a script names, if it does not exist.
func missingInterpreter(path string) string {
	const maxLine = 256 // bytes from which systems read the interpreter
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
