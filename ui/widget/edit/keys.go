package edit

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Key edits or moves. It tells whether the key meant something here: a move
// that is not possible did not, so that a form can go on to the next field.
func (b *Buffer) Key(k tea.KeyPressMsg) bool {
	b.line()
	name := k.String()
	switch {
	case b.deleteKey(name), b.moveKey(name):
		return true
	case name == "enter" || name == "ctrl+j" || name == "shift+enter":
		if b.Multi {
			b.newLine()
		}
		return b.Multi
	case k.Text != "":
		b.Insert(k.Text)
		return true
	}
	return false
}

func (b *Buffer) deleteKey(name string) bool {
	switch name {
	case "backspace", "ctrl+h":
		if b.col == 0 {
			b.join(b.row - 1)
			return true
		}
		b.delete(b.left1())
	case "delete":
		if b.col == len(b.line()) {
			b.join(b.row)
			return true
		}
		b.delete(b.right1())
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		b.delete(b.wordLeft())
	case "alt+d", "alt+delete", "ctrl+delete":
		b.delete(b.wordRight())
	case "ctrl+u":
		b.delete(0)
	case "ctrl+k":
		b.delete(len(b.line()))
	default:
		return false
	}
	return true
}

func (b *Buffer) moveKey(name string) bool {
	switch name {
	case "left", "ctrl+b":
		return b.horizontal(b.left1(), -1)
	case "right", "ctrl+f":
		return b.horizontal(b.right1(), 1)
	case "alt+left", "ctrl+left", "alt+b":
		return b.horizontal(b.wordLeft(), -1)
	case "alt+right", "ctrl+right", "alt+f":
		return b.horizontal(b.wordRight(), 1)
	case "home", "ctrl+a":
		b.col = 0
	case "end", "ctrl+e":
		b.col = len(b.line())
	case "ctrl+home":
		b.row, b.col = 0, 0
	case "ctrl+end":
		b.row = b.LineCount() - 1
		b.col = len(b.line())
	case "up":
		return b.vertical(-1)
	case "down":
		return b.vertical(1)
	case "pgup":
		return b.vertical(-10)
	case "pgdown":
		return b.vertical(10)
	default:
		return false
	}
	b.keepGoal()
	return true
}

// horizontal goes to a place in the line, or over its end to the next one.
func (b *Buffer) horizontal(to, direction int) bool {
	switch {
	case to != b.col:
		b.col = to
	case direction < 0 && b.row > 0:
		b.row--
		b.col = len(b.line())
	case direction > 0 && b.row+1 < b.LineCount():
		b.row++
		b.col = 0
	default:
		return false
	}
	b.keepGoal()
	return true
}

// newLine keeps the indentation of the line that it leaves.
func (b *Buffer) newLine() {
	head := b.Before()
	indent := head[:len(head)-len(strings.TrimLeft(head, " \t"))]
	b.Insert("\n" + indent)
}
