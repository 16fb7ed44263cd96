package program

import (
	"fmt"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/desktop"
	"mcptea/internal/shell"
	"mcptea/internal/words/phrase"
	"mcptea/ui/terminal"
)

// maxTerminalCopy is the largest text, in bytes, that is sent to the terminal as
// OSC 52. Terminals drop longer sequences without a word; the limits known are
// between 75 kB and some megabytes of Base64.
const maxTerminalCopy = 1 << 20

// copied is a text for the clipboard. Bytes are text that is not made before it is copied;
// needs are the environment variables of a command.
type copied struct {
	text  string
	bytes []byte
	what  string // name in the message
	needs []string
}

// copiedMsg reports the outcome of copying a text.
type copiedMsg struct {
	copied
	native   bool // the clipboard of the system has it
	terminal bool // the terminal was asked to copy it
}

// Copy implements [app.Program].
func (p *Program) Copy(text string, raw []byte, what string) {
	p.Do(copyText(copied{text: text, bytes: raw, what: what}, p.options.Clipboard))
}

// CopyCommand implements [app.Program].
func (p *Program) CopyCommand(line *shell.Line) {
	text, err := line.For(shell.OfUser())
	if err != nil {
		p.Fail("No command for this: " + err.Error() + ".")
		return
	}
	p.Do(copyText(copied{text: text, what: "command", needs: line.Variables()}, p.options.Clipboard))
}

// copyText copies text to this machine's clipboard, if there is one, and also asks the terminal to copy it,
// which works over ssh.
func copyText(c copied, write func(string) error) tea.Cmd {
	fits := len(c.text)+len(c.bytes) <= maxTerminalCopy
	done := func() tea.Msg {
		return copiedMsg{c, write != nil && write(c.text+string(c.bytes)) == nil, fits}
	}
	if !fits {
		return done
	}
	return tea.Batch(terminal.Write(ansi.SetSystemClipboard(c.text+string(c.bytes))), done)
}

// flash returns a message about the copied text, and about the way if that may fail.
func (msg copiedMsg) flash() Flash {
	size := phrase.Size(int64(len(msg.text) + len(msg.bytes)))
	f := Flash{Text: fmt.Sprintf("Copied %s (%s).", msg.what, size)}
	switch {
	case msg.native:
	case msg.terminal:
		f.Text = fmt.Sprintf("Copied %s (%s) through the terminal (OSC 52), which must allow it.", msg.what, size)
	default:
		f = Flash{Text: fmt.Sprintf("Not copied: %s of %s is too large for the clipboard of a terminal (at most 1 MB).", msg.what, size), Wrong: true}
	}
	if len(msg.needs) > 0 && !f.Wrong {
		f.Text += " Set " + strings.Join(msg.needs, ", ") + " before you run it."
	}
	return f
}

// SystemClipboard returns a function that writes to this machine's clipboard with the available programs. It
// returns nil over ssh, where that would be the wrong machine.
func SystemClipboard() func(string) error {
	if os.Getenv("SSH_CONNECTION") != "" || os.Getenv("SSH_TTY") != "" {
		return nil
	}
	return desktop.Copy
}
