package ui

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/atotto/clipboard"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/action"
	"mcptea/ui/paint"
)

// maxTerminalCopy is the largest text, in bytes, that is sent to the terminal as
// OSC 52. Terminals drop longer sequences without a word; the limits known are
// between 75 kB and some megabytes of Base64.
const maxTerminalCopy = 1 << 20

// copiedMsg reports what became of a text that was to be copied.
type copiedMsg struct {
	action.Copy
	native   bool // the clipboard of the system has it
	terminal bool // the terminal was asked to take it
}

// copy puts text on the clipboard of the system, where there is one on this
// machine, and asks the terminal to do so, which also works over ssh.
func (m *model) copy(c action.Copy) tea.Cmd { return copyText(c, m.options.Clipboard) }

func copyText(c action.Copy, write func(string) error) tea.Cmd {
	terminal := len(c.Text)+len(c.Bytes) <= maxTerminalCopy
	done := func() tea.Msg {
		return copiedMsg{c, write != nil && write(c.Text+string(c.Bytes)) == nil, terminal}
	}
	if !terminal {
		return done
	}
	return tea.Batch(tea.SetClipboard(c.Text+string(c.Bytes)), done)
}

// flash says what was copied, and by which way where that may fail.
func (msg copiedMsg) flash() action.Flash {
	size := paint.HumanSize(int64(len(msg.Text) + len(msg.Bytes)))
	f := action.Flash{Text: fmt.Sprintf("Copied %s (%s).", msg.What, size)}
	switch {
	case msg.native:
	case msg.terminal:
		f.Text = fmt.Sprintf("Copied %s (%s) through the terminal (OSC 52), which has to allow it.", msg.What, size)
	default:
		f = action.Flash{Text: fmt.Sprintf("Not copied: %s of %s is too large for the clipboard of a terminal (at most 1 MB).", msg.What, size), Wrong: true}
	}
	if len(msg.Needs) > 0 && !f.Wrong {
		f.Text += " Set " + strings.Join(msg.Needs, ", ") + " before you run it."
	}
	return f
}

// SystemClipboard writes to the clipboard of this machine, with the programs that
// it has for that; nil without one, and over ssh, where it would be that
// of the wrong machine.
func SystemClipboard() func(string) error {
	if os.Getenv("SSH_CONNECTION") != "" || os.Getenv("SSH_TTY") != "" || clipboard.Unsupported {
		return nil
	}
	var one sync.Mutex // a program of one copy ends before that of the next begins
	return func(text string) error {
		one.Lock()
		defer one.Unlock()
		return clipboard.WriteAll(text)
	}
}
