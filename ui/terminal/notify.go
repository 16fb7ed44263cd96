package terminal

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/words/display"
)

// notification is what a terminal tells the user outside of its window.
type notification struct{ title, text string }

// Notify is the command that has the terminal tell the user something outside of its window, in the way that
// it is known to have; else it rings the bell. The texts may be untrusted.
func Notify(title, text string) tea.Cmd {
	return func() tea.Msg { return notification{title, text} }
}

const bell = "\a"

// The longest parts of a notification, in cells: desktops cut longer ones.
const (
	maxTitle = 60
	maxText  = 200
)

// notifierOf is how a terminal with these variables of the environment shows a notification. In a multiplexer
// the terminal around it is not known, and a sequence that it does not know is dropped: the bell is not, and
// the multiplexer marks the window that has rung. OSC 9 is a progress bar in some terminals, so that only the
// one that has made it gets it.
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

// part is a text as a part of a sequence can have it: printable, without what separates parts.
func part(text string, most int) string {
	text = strings.ReplaceAll(display.Cut(display.Sanitize(text), most), ";", ",")
	return title(text)
}
