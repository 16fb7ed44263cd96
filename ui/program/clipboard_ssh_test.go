package program

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/internal/shell"
	"mcptea/ui/app"
)

// batched returns the messages of a command and of those that it consists of.
func batched(cmd tea.Cmd) (all []tea.Msg) {
	if cmd == nil {
		return nil
	}
	msg := cmd()
	if batch, ok := msg.(tea.BatchMsg); ok {
		for _, one := range batch {
			all = append(all, batched(one)...)
		}
		return all
	}
	return []tea.Msg{msg}
}

// Over ssh the clipboard of this machine is not that of the user, and is never written.
func TestSystemClipboard_OverSSH(t *testing.T) {
	for _, c := range []struct {
		connection, tty string
		writes          bool
	}{{"", "", true}, {"10.0.0.1 5 10.0.0.2 22", "", false}, {"", "/dev/pts/1", false}, {"x", "y", false}} {
		t.Setenv("SSH_CONNECTION", c.connection)
		t.Setenv("SSH_TTY", c.tty)
		if write := SystemClipboard(); (write != nil) != c.writes {
			t.Errorf("%+v: the clipboard of this machine is written: %t", c, write != nil)
		}
	}
}

// A text up to the bound is sent to the terminal; one byte more is not, and the message says so.
func TestCopy_TerminalBound(t *testing.T) {
	for more, sent := range map[int]bool{0: true, 1: false} {
		var got copiedMsg
		text := strings.Repeat("x", maxTerminalCopy-3+more)
		written := ""
		for _, msg := range batched(copyText(copied{text: text, bytes: []byte("abc"), what: "frame"}, nil)) {
			if c, ok := msg.(copiedMsg); ok {
				got = c
			} else {
				written += fmt.Sprint(msg)
			}
		}
		if whole := base64.StdEncoding.EncodeToString([]byte(text + "abc")); strings.Contains(written, whole) != sent || !sent && written != "" {
			t.Errorf("%d more: %d bytes are written to the terminal, with the whole text: %t", more, len(written), !sent)
		}
		if got.terminal != sent || got.native || strings.Contains(got.flash().Text, "too large") == sent {
			t.Errorf("%d more: %t, %s", more, got.terminal, got.flash().Text)
		}
	}
	write := func(text string) error {
		if text != "ab" {
			t.Errorf("%q is written", text)
		}
		return nil
	}
	for _, msg := range batched(copyText(copied{text: "a", bytes: []byte("b"), what: "frame"}, write)) {
		if c, ok := msg.(copiedMsg); ok && (!c.native || c.flash().Text != "Copied frame (2 B).") {
			t.Errorf("%+v: %s", c, c.flash().Text)
		}
	}
}

// The message about a copied command names the variables that it needs, and a command that no shell can have is
// refused with the reason.
func TestCopyCommand_SaysWhatItNeeds(t *testing.T) {
	for _, c := range []struct {
		argv         []string
		copied, says string
	}{
		{[]string{"server", "--flag"}, "server --flag", "Copied command (13 B)."},
		{[]string{"server", "--token", "abcdefgh12345678"}, `server --token "$TOKEN"`, "Copied command (23 B). Set TOKEN before you run it."},
		{[]string{"a\x00b"}, "nothing", "No command for this: a NUL character cannot be in an argument."},
	} {
		t.Setenv("SHELL", "/bin/sh")
		m := newMouse(t, 80, 12, func(*painted, *app.Canvas) {})
		m.copied = "nothing"
		line := &shell.Line{}
		line.AddReached(client.Target{Argv: c.argv})
		m.CopyCommand(line)
		m.send(tea.FocusMsg{})
		if m.copied != c.copied || m.Flash.Text != c.says {
			t.Errorf("%q: copied %q, and the message is %q", c.argv, m.copied, m.Flash.Text)
		}
	}
}
