package content

// sections are the parts of a view under their headings, which fold. They are taken
// into use by the first command about them.
type sections struct {
	all     []part
	folded  map[int]bool // by the index of the heading in all
	origin  []int        // of the visible parts in all
	current int          // the heading in all that the next command is about
}

// usesSections prepares the sections. It reports false where there is nothing to fold:
// fewer than two headings.
func (v *View) usesSections() bool {
	if v.sections.folded != nil {
		return true
	}
	n := 0
	for _, p := range v.parts {
		if _, ok := p.(heading); ok {
			n++
		}
	}
	if n < 2 {
		return false
	}
	v.sections = sections{all: v.parts, folded: map[int]bool{}, current: -1}
	v.arrange()
	v.sections.current = v.heading(v.sections.origin[min(v.at.part, len(v.parts)-1)])
	v.arrange()
	return true
}

// heading is the index of the heading above a part, of the first one where there is
// none above.
func (v *View) heading(i int) int {
	s := &v.sections
	for ; i >= 0; i-- {
		if _, ok := s.all[i].(heading); ok {
			return i
		}
	}
	return s.next(-1, 1)
}

// next is the heading after or before one, the same at the ends.
func (s *sections) next(from, step int) int {
	for i := from + step; i >= 0 && i < len(s.all); i += step {
		if _, ok := s.all[i].(heading); ok {
			return i
		}
	}
	return from
}

// arrange makes the visible parts, and keeps the place of the window.
func (v *View) arrange() {
	s := &v.sections
	top := 0
	if s.origin != nil {
		top = s.origin[min(v.at.part, len(s.origin)-1)]
	}
	v.parts, s.origin = nil, nil
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
			at = len(v.parts)
		}
		v.parts, s.origin = append(v.parts, p), append(s.origin, i)
	}
	if v.at.part != at || s.origin[at] != top {
		v.at = place{part: at}
	}
	v.search.any, v.search.looking = false, false
	clear(v.paper.known)
}

// NextSection goes to the next heading, or to the previous one.
func (v *View) NextSection(step int) {
	if v.Tree() != nil || !v.usesSections() {
		return
	}
	s := &v.sections
	s.current = s.next(s.current, step)
	v.arrange()
	for i, origin := range s.origin {
		if origin == s.current {
			v.at, v.moves = place{part: i}, v.moves[:0]
		}
	}
}

// setFolded folds the current section, or all of them.
func (v *View) setFolded(on, all bool) {
	if !v.usesSections() {
		return
	}
	s := &v.sections
	for i, p := range s.all {
		if _, ok := p.(heading); ok && (all || i == s.current) {
			s.folded[i] = on
		}
	}
	v.arrange()
}

// Toggle folds or unfolds the node under the cursor, or the current section.
func (v *View) Toggle() bool {
	if t := v.Tree(); t != nil {
		return t.Toggle()
	}
	if !v.usesSections() {
		return false
	}
	v.setFolded(!v.sections.folded[v.sections.current], false)
	return true
}

// Fold folds the node under the cursor, or the current section.
func (v *View) Fold() {
	if t := v.Tree(); t != nil {
		t.Fold()
		return
	}
	v.setFolded(true, false)
}

// Unfold unfolds the node under the cursor, or the current section.
func (v *View) Unfold() {
	if t := v.Tree(); t != nil {
		t.Unfold()
		return
	}
	v.setFolded(false, false)
}

// UnfoldAll unfolds everything.
func (v *View) UnfoldAll() {
	if t := v.Tree(); t != nil {
		t.UnfoldAll()
		return
	}
	v.setFolded(false, true)
}

// FoldDepth folds a tree from a depth on, or all sections.
func (v *View) FoldDepth(depth int) {
	if t := v.Tree(); t != nil {
		t.FoldDepth(depth)
		return
	}
	v.setFolded(true, true)
}
