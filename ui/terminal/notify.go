package terminal

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/words/display"
)

// A notification is a message that a terminal shows outside of its window.
type notification struct{ title, text string }

// Notify returns a command that makes the terminal show a notification outside of its window, or ring the bell
// if it is not known to support that. The texts may be untrusted.
func Notify(title, text string) tea.Cmd {
	return func() tea.Msg { return notification{title, text} }
}

const bell = "\a"

// The longest parts of a notification, in cells: desktops cut longer ones.
const (
	maxTitle = 60
	maxText  = 200
)

// notifierOf returns a function for the notification sequence of a terminal with the given environment
// variables. In a multiplexer, the outer terminal is unknown and unknown sequences are dropped, but the bell is
// not, and the multiplexer marks the window that rang it. OSC 9 is a progress bar in some terminals, so only
// the terminal that introduced it gets it.
func notifierOf(env []string) func(notification) string {
	vars := uv.Environ(env)
	term, program := vars.Getenv("TERM"), vars.Getenv("TERM_PROGRAM")
	is := func(names ...string) bool {
		for _, name := range names {
			if strings.Contains(term, name) || strings.EqualFold(program, name) {
				return true
			}
		}
		return false
	}
	switch {
	case vars.Getenv("TMUX") != "", vars.Getenv("STY") != "", vars.Getenv("ZELLIJ") != "", strings.HasPrefix(term, "tmux"), strings.HasPrefix(term, "screen"):
		return func(notification) string { return bell }
	case is("kitty"):
		return func(n notification) string {
			return ansi.DesktopNotification(part(n.title, maxTitle), "i=mcptea", "d=0", "p=title") + ansi.DesktopNotification(part(n.text, maxText), "i=mcptea", "d=1", "p=body")
		}
	case is("foot", "ghostty", "wezterm", "rxvt"):
		return func(n notification) string {
			return ansi.URxvtExt("notify", part(n.title, maxTitle), part(n.text, maxText))
		}
	case is("iTerm.app"):
		return func(n notification) string { return ansi.Notify(part(n.title+": "+n.text, maxText)) }
	}
	return func(notification) string { return bell }
}

// part returns a text that is allowed in a part of a sequence: printable, without separators.
func part(text string, most int) string {
	text = strings.ReplaceAll(display.Cut(display.Sanitize(text), most), ";", ",")
	return title(text)
}
