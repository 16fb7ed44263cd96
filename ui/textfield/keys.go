package textfield

import (
	"strings"

	tea "charm.land/bubbletea/v2"
)

// Key edits or moves. It reports whether the key has a meaning here. An impossible move has none, so that a
// form can move to the next field.
func (b *Buffer) Key(k tea.KeyPressMsg) bool {
	b.ready()
	name := k.String()
	switch {
	case b.undoKey(name), b.deleteKey(name), b.moveKey(name):
		return true
	case name == "enter" || name == "ctrl+j" || name == "shift+enter":
		if b.Multi {
			b.newLine()
		}
		return b.Multi
	case k.Text != "":
		b.typeText(k.Text)
		return true
	}
	return false
}

// Takes reports whether enter starts a new line and is not a command.
func (b *Buffer) Takes(key string) bool { return b.Multi && key == "enter" }

func (b *Buffer) deleteKey(name string) bool {
	switch name {
	case "backspace", "ctrl+h":
		b.delete(b.left1())
	case "delete", "ctrl+d":
		b.delete(b.right1())
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		b.delete(b.wordLeft())
	case "alt+d", "alt+delete", "ctrl+delete":
		b.delete(b.wordRight())
	case "ctrl+u":
		b.delete(b.text.lineStart(b.at))
	case "ctrl+k":
		b.delete(b.text.lineEnd(b.at))
	default:
		return false
	}
	return true
}

func (b *Buffer) moveKey(name string) bool {
	switch name {
	case "left", "ctrl+b":
		return b.horizontal(b.left1())
	case "right", "ctrl+f":
		return b.horizontal(b.right1())
	case "alt+left", "ctrl+left", "alt+b":
		return b.horizontal(b.wordLeft())
	case "alt+right", "ctrl+right", "alt+f":
		return b.horizontal(b.wordRight())
	case "home", "ctrl+a":
		b.at = b.text.lineStart(b.at)
	case "end", "ctrl+e":
		b.at = b.text.lineEnd(b.at)
	case "ctrl+home":
		b.at = 0
	case "ctrl+end":
		b.at = b.text.size
	case "up":
		return b.vertical(-1)
	case "down":
		return b.vertical(1)
	case "pgup":
		return b.vertical(-b.page())
	case "pgdown":
		return b.vertical(b.page())
	default:
		return false
	}
	b.keepGoal()
	return true
}

// page returns the number of rows that a page key moves.
func (b *Buffer) page() int {
	if b.h == 0 {
		return 10
	}
	return max(b.h-1, 1)
}

// undoKey handles undo and redo, with the chords of GNU readline and of editors.
func (b *Buffer) undoKey(name string) bool {
	switch name {
	case "ctrl+z", "ctrl+_", "ctrl+/":
		b.Undo()
	case "ctrl+shift+z", "alt+shift+z", "alt+Z":
		b.Redo()
	default:
		return false
	}
	return true
}

// horizontal moves the cursor. It reports false at an end of the text.
func (b *Buffer) horizontal(to int) bool {
	if to == b.at {
		return false
	}
	b.at = to
	b.keepGoal()
	return true
}

// newLine keeps the indentation of the line that it leaves.
func (b *Buffer) newLine() {
	if b.Raw {
		b.Insert("\n")
		return
	}
	head := b.text.slice(b.text.lineStart(b.at), b.at)
	head = head[:min(len(head), 1<<10)]
	indent := head[:len(head)-len(strings.TrimLeft(head, " \t"))]
	b.Insert("\n" + indent)
}
