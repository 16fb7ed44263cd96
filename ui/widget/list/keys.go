package list

import tea "charm.land/bubbletea/v2"

// Typing tells whether keys go into the filter.
func (l *List) Typing() bool { return l.typing }

// StartTyping sends the keys that follow into the filter.
func (l *List) StartTyping() { l.typing = true }

// Paste puts text into the filter when keys go there.
func (l *List) Paste(s string) bool {
	if l.typing {
		l.filter.Insert(s)
		l.applyFilter()
	}
	return l.typing
}

// Key moves, or types into the filter. It tells whether the key meant
// something here. "/" starts the filter, enter keeps it, esc drops it.
func (l *List) Key(k tea.KeyPressMsg) bool {
	if l.typing {
		return l.typeKey(k)
	}
	switch k.String() {
	case "j", "down":
		l.Move(1)
	case "k", "up":
		l.Move(-1)
	case "g", "home":
		l.Home()
	case "G", "end":
		l.End()
	case "ctrl+d":
		l.HalfPage(1)
	case "ctrl+u":
		l.HalfPage(-1)
	case "pgdown":
		l.Page(1)
	case "pgup":
		l.Page(-1)
	case "/":
		l.typing = true
	case "esc":
		if l.filter.Empty() {
			return false
		}
		l.SetFilter("")
	default:
		return false
	}
	return true
}

func (l *List) typeKey(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "enter":
		l.typing = false
		return true
	case "esc":
		l.typing = false
		l.SetFilter("")
		return true
	case "down":
		l.Move(1)
		return true
	case "up":
		l.Move(-1)
		return true
	}
	before := l.filter.Version()
	used := l.filter.Key(k)
	if l.filter.Version() != before {
		l.applyFilter()
	}
	return used
}
