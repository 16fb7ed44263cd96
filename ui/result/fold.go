package result

// sections holds the blocks of a view under their headings, which fold. It is set up by the first command that
// needs it.
type sections struct {
	all     []block
	folded  map[int]bool // folded headings, by the index in all
	origin  []int        // indexes in all of the visible blocks
	current int          // the heading in all that the next command is about
}

// folds reports whether there is something to fold: at least two headings.
func (t *rendered) folds() bool {
	n := 0
	for _, p := range t.blocks {
		if _, ok := p.(heading); ok {
			n++
		}
	}
	return n >= 2 || t.sections.folded != nil
}

// usesSections prepares the sections. It returns false if there is nothing to fold.
func (t *rendered) usesSections() bool {
	if t.sections.folded != nil || !t.folds() {
		return t.sections.folded != nil
	}
	t.sections = sections{all: t.blocks, folded: map[int]bool{}, current: -1}
	t.arrange()
	t.sections.current = t.heading(t.sections.origin[min(t.at.block, len(t.blocks)-1)])
	t.arrange()
	return true
}

// heading returns the index of the heading above a block, or of the first heading if none is above.
func (t *rendered) heading(i int) int {
	s := &t.sections
	for ; i >= 0; i-- {
		if _, ok := s.all[i].(heading); ok {
			return i
		}
	}
	return s.next(-1, 1)
}

// next returns the heading after or before one, or the same one at the ends.
func (s *sections) next(from, step int) int {
	for i := from + step; i >= 0 && i < len(s.all); i += step {
		if _, ok := s.all[i].(heading); ok {
			return i
		}
	}
	return from
}

// arrange makes the visible blocks, and keeps the place of the window.
func (t *rendered) arrange() {
	s := &t.sections
	top := 0
	if s.origin != nil {
		top = s.origin[min(t.at.block, len(s.origin)-1)]
	}
	t.blocks, s.origin = nil, nil
	hidden, at := false, 0
	for i, p := range s.all {
		h, isHeading := p.(heading)
		if isHeading {
			hidden = s.folded[i]
			h.fold, h.current = unfolded, i == s.current
			if hidden {
				h.fold = folded
			}
			p = h
		} else if hidden {
			continue
		}
		if i <= top {
			at = len(t.blocks)
		}
		t.blocks, s.origin = append(t.blocks, p), append(s.origin, i)
	}
	if t.at.block != at || s.origin[at] != top {
		t.at = position{block: at}
	}
	t.search.any, t.search.looking = false, false
	clear(t.paper.known)
}

// nextSection goes to the next or previous heading. It reports whether there is one.
func (t *rendered) nextSection(step int) bool {
	if !t.usesSections() {
		return false
	}
	s := &t.sections
	was := s.current
	s.current = s.next(was, step)
	t.arrange()
	for i, origin := range s.origin {
		if origin == s.current {
			t.at = position{block: i}
		}
	}
	return s.current != was
}

// setFolded folds the current section, or all of them.
func (t *rendered) setFolded(on, all bool) {
	if !t.usesSections() {
		return
	}
	s := &t.sections
	for i, p := range s.all {
		if _, ok := p.(heading); ok && (all || i == s.current) {
			s.folded[i] = on
		}
	}
	t.arrange()
}

// Toggle implements [Window], as does what follows.
func (t *rendered) Toggle() bool {
	if !t.usesSections() {
		return false
	}
	t.setFolded(!t.sections.folded[t.sections.current], false)
	return true
}

func (t *rendered) Fold()         { t.setFolded(true, false) }
func (t *rendered) Unfold()       { t.setFolded(false, false) }
func (t *rendered) UnfoldAll()    { t.setFolded(false, true) }
func (t *rendered) FoldDepth(int) { t.setFolded(true, true) }
