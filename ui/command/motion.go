package command

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

// Scroller is a window that knows itself how far its pages go.
type Scroller interface {
	Move(n int)
	HalfPage(n int)
	Page(n int)
	Home()
	End()
}

// ApplyScroll moves a window. It reports false for a command that does not move.
func ApplyScroll(s Scroller, name ID) bool {
	switch name {
	case Down:
		s.Move(1)
	case Up:
		s.Move(-1)
	case PageDown:
		s.Page(1)
	case PageUp:
		s.Page(-1)
	case HalfDown:
		s.HalfPage(1)
	case HalfUp:
		s.HalfPage(-1)
	case Top:
		s.Home()
	case Bottom:
		s.End()
	default:
		return false
	}
	return true
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
