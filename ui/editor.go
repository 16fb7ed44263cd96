package ui

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/action"
	"mcptea/ui/dialog"
)

// editedMsg is the text that the user's editor has saved. done is nil for a file of the
// user.
type editedMsg struct {
	text string
	done func(text string)
	err  error
}

// edit opens a text in the user's editor.
func (m *model) edit(a action.Edit) tea.Cmd {
	return m.editText(a.Text, a.Suffix, func(text string) { m.deliver(action.Edited{Ref: a.Ref, Text: text}) })
}

// editText opens a text in the user's editor. The file has the mode 0600 and is removed
// afterwards. done gets the text that was saved, in Update.
func (m *model) editText(text, suffix string, done func(text string)) tea.Cmd {
	return func() tea.Msg {
		f, err := os.CreateTemp("", "mcptea-*"+suffix) // 0600
		if err != nil {
			return editedMsg{err: err}
		}
		remove := func() { _ = os.Remove(f.Name()) }
		_, err = f.WriteString(text)
		cmd, noEditor := editorCommand(f.Name())
		if err = errors.Join(err, f.Close(), noEditor); err != nil {
			remove()
			return editedMsg{err: err}
		}
		return tea.ExecProcess(cmd, func(err error) tea.Msg {
			defer remove()
			if err != nil {
				return editedMsg{err: fmt.Errorf("the editor failed: %w", err)}
			}
			b, err := os.ReadFile(f.Name())
			return editedMsg{strings.TrimRight(string(b), "\n"), done, err}
		})()
	}
}

// openFile opens a file in the user's editor, at a line.
func (m *model) openFile(a action.OpenFile) tea.Cmd {
	cmd, err := editorCommand(atLine(a.Path, a.Line)...)
	if err != nil {
		m.say(action.Flash{Text: err.Error(), Wrong: true})
		return nil
	}
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		if err != nil {
			err = fmt.Errorf("the editor failed: %w", err)
		}
		return editedMsg{err: err}
	})
}

func (m *model) edited(msg editedMsg) {
	if msg.err != nil {
		m.say(action.Flash{Text: dialog.Sentence(msg.err), Wrong: true})
	} else if msg.done != nil {
		msg.done(msg.text)
	}
}

// editorText is the command of the user's editor, with its options; empty without
// one.
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

// editorCommand runs the user's editor. As with git, the shell reads the
// variable: its options and quotation marks mean what they mean there.
func editorCommand(args ...string) (*exec.Cmd, error) {
	text := editorText()
	if text == "" {
		return nil, errors.New("no editor found: set $VISUAL or $EDITOR")
	}
	cmd := exec.Command("sh", append([]string{"-c", text + ` "$@"`, "sh"}, args...)...)
	if runtime.GOOS == "windows" {
		words := strings.Fields(text)
		cmd = exec.Command(words[0], append(words[1:], args...)...)
	}
	cmd.Stdin = os.Stdin // the terminal itself, and not the filtered input of the program
	return cmd, nil
}

// atLine are the arguments with which the user's editor opens a file at a line.
func atLine(path string, line int) []string {
	n := strconv.Itoa(line)
	words := append(strings.Fields(editorText()), "")
	switch strings.TrimSuffix(filepath.Base(words[0]), ".exe") {
	case "code", "codium", "cursor", "windsurf":
		return []string{"--goto", path + ":" + n}
	case "hx", "helix", "subl", "zed":
		return []string{path + ":" + n}
	}
	return []string{"+" + n, path}
}
