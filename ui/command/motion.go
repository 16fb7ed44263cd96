package command

import "mcptea/ui/keys"

// Steps is by how far the keys that move, the same everywhere, take a cursor or
// a window in a list: page and half are how far those go, and all is at least
// as far as either end can be, since the list is left nowhere. It reports false
// for a command that does not move.
func Steps(name ID, page, half, all int) (by int, ok bool) {
	switch name {
	case Down:
		return 1, true
	case Up:
		return -1, true
	case PageDown:
		return page, true
	case PageUp:
		return -page, true
	case HalfDown:
		return half, true
	case HalfUp:
		return -half, true
	case Top:
		return -all, true
	case Bottom:
		return all, true
	}
	return 0, false
}

var motions = map[ID]keys.Motion{
	Down: keys.Down, Up: keys.Up, PageDown: keys.PageDown, PageUp: keys.PageUp,
	HalfDown: keys.HalfDown, HalfUp: keys.HalfUp, Top: keys.Top, Bottom: keys.Bottom,
	Back: keys.Back, NextPane: keys.Next, PreviousPane: keys.Previous,
}

// MotionOf is the motion that a command means; false for any other command.
func MotionOf(name ID) (keys.Motion, bool) {
	m, ok := motions[name]
	return m, ok
}

// ApplyScroll moves a window. It reports false for a command that does not scroll.
func ApplyScroll(s keys.Scroller, name ID) bool {
	m, ok := motions[name]
	return ok && keys.Scroll(s, m)
}

// Folder is a tree whose branches fold.
type Folder interface {
	Toggle() bool
	Fold()
	Unfold()
	UnfoldAll()
	FoldDepth(depth int)
}

// ApplyFold folds a tree, or unfolds it. It reports false for a command that does
// neither.
func ApplyFold(tree Folder, name ID) bool {
	switch name {
	case ToggleFold:
		tree.Toggle()
	case Collapse:
		tree.Fold()
	case Expand:
		tree.Unfold()
	case ExpandAll:
		tree.UnfoldAll()
	case CollapseAll:
		tree.FoldDepth(2)
	default:
		return false
	}
	return true
}
