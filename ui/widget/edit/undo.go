package edit

// maxUndo is how many changes can be undone.
const maxUndo = 200

// state is a text and its cursor before a change. Texts share their blocks.
type state struct {
	text text
	at   int
}

// remember keeps the text before a change.
func (b *Buffer) remember() {
	b.undone = append(b.undone, state{b.text, b.at})
	if len(b.undone) > maxUndo {
		b.undone = b.undone[1:]
	}
	b.redone, b.typed = nil, 0
}

// typeText inserts a character at the cursor. Those that are typed one after another
// are one change.
func (b *Buffer) typeText(s string) {
	b.ready()
	if !b.Raw {
		s = Clean(s)
	}
	if b.typed == 0 || b.typed-1 != b.at {
		b.remember()
	}
	b.change(b.at, b.at, s)
	b.typed = b.at + 1
	if b.Raw {
		b.readTyped()
	}
}

// Undo takes the last change back. It reports false without one.
func (b *Buffer) Undo() bool { return b.restore(&b.undone, &b.redone) }

// Redo makes the change again that was undone last.
func (b *Buffer) Redo() bool { return b.restore(&b.redone, &b.undone) }

func (b *Buffer) restore(from, to *[]state) bool {
	n := len(*from)
	if n == 0 {
		return false
	}
	s := (*from)[n-1]
	*from = (*from)[:n-1]
	*to = append(*to, state{b.text, b.at})
	b.text, b.at, b.typed = s.text, s.at, 0
	b.top = min(b.top, b.text.size)
	b.version++
	b.keepGoal()
	return true
}
