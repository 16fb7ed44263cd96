package terminal

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"mcptea/internal/system/argument"
)

// editorText returns the command of the user's editor with its options, or "".
func editorText() string {
	text := strings.TrimSpace(cmp.Or(strings.TrimSpace(os.Getenv("VISUAL")), os.Getenv("EDITOR")))
	if text != "" {
		return text
	}
	fallback := []string{"nano", "vi"}
	if runtime.GOOS == "windows" {
		fallback = []string{"notepad"}
	}
	for _, name := range fallback {
		if _, err := exec.LookPath(name); err == nil {
			return name
		}
	}
	return ""
}

// EditorCommand runs the user's editor. As with git, the shell reads the variable: its options and quotation
// marks have their meaning there.
func EditorCommand(arguments ...argument.Argument) (*exec.Cmd, error) {
	text, args := editorText(), argument.Words(arguments...)
	if text == "" {
		return nil, errors.New("no editor found: set $VISUAL or $EDITOR")
	}
	cmd := exec.Command("sh", append([]string{"-c", text + ` "$@"`, "sh"}, args...)...)
	if runtime.GOOS == "windows" {
		words := strings.Fields(text)
		cmd = exec.Command(words[0], append(words[1:], args...)...)
	}
	return cmd, nil
}

// AtLine returns the arguments that make the user's editor open a file at a line. The error is
// about the path.
func AtLine(path string, line int) ([]argument.Argument, error) {
	place, err := argument.FileAt(path, line)
	if err != nil {
		return nil, err
	}
	words := append(strings.Fields(editorText()), "")
	switch strings.TrimSuffix(filepath.Base(words[0]), ".exe") {
	case "code", "codium", "cursor", "windsurf":
		return []argument.Argument{argument.Own("--goto"), place}, nil
	case "hx", "helix", "subl", "zed":
		return []argument.Argument{place}, nil
	}
	file, err := argument.File(path)
	return []argument.Argument{argument.Numbered("+", line), file}, err
}

// ShellCommand runs a program on the terminal, in a directory and with an environment, and then waits for a
// key, so that its output can be read. line is the displayed command. ctrl+c ends the command. The program
// needs a path, because by its name the shell might run a built-in such as eval.
func ShellCommand(line string, program argument.Argument, args, env []string, dir string) *exec.Cmd {
	argv := append(argument.Words(program), args...)
	const script = `trap : INT
printf '$ %s\n' "$1"
shift
"$@"
printf '\n[exit code %s; enter returns to mcptea] ' "$?"
read -r _`
	cmd := exec.Command("sh", append([]string{"-c", script, "sh", line}, argv...)...)
	if runtime.GOOS == "windows" {
		cmd = exec.Command(argv[0], argv[1:]...)
	}
	cmd.Env, cmd.Dir = env, dir
	return cmd
}
