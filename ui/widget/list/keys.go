package list

import (
	tea "charm.land/bubbletea/v2"

	"mcptea/ui/widget/input"
)

// Typing reports whether keys are text of the filter.
func (l *List) Typing() bool { return l.filter.Typing() }

// StartTyping opens the filter.
func (l *List) StartTyping() { l.filter.Open() }

// Paste puts text into the filter while it is being typed.
func (l *List) Paste(s string) bool {
	taken := l.filter.Paste(s)
	if taken {
		l.applyFilter()
	}
	return taken
}

// Type takes a key while the filter is being typed. It reports whether the key has a
// meaning there.
func (l *List) Type(k tea.KeyPressMsg, keys input.FilterKeys) bool {
	if name := k.String(); name == "up" || name == "down" {
		l.Move(map[string]int{"up": -1, "down": 1}[name])
		return true
	}
	before := l.filter.Version()
	used := l.filter.Type(k, keys)
	if l.filter.Version() != before {
		l.applyFilter()
	}
	return used
}
