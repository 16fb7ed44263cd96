package app

import (
	"strings"

	"charm.land/lipgloss/v2/tree"
)

// Tree prints a tree: with branches on a terminal, indented elsewhere. Its texts are
// sanitized, and may have several lines.
func (s *Screen) Tree(t *tree.Tree) {
	style := s.Look(Faint)
	if s.Terminal {
		t.Enumerator(tree.RoundedEnumerator)
		style = style.PaddingRight(1)
	} else {
		indent := func(tree.Children, int) string { return "  " }
		t.Enumerator(indent).Indenter(indent)
	}
	t.EnumeratorStyle(style).IndenterStyle(style)
	for line := range strings.SplitSeq(t.String(), "\n") {
		s.Line(strings.TrimRight(line, " "))
	}
}

// Branch returns how far the texts of a tree are indented at a depth, in cells.
func (s *Screen) Branch(depth int) int {
	if s.Terminal {
		return 4 * depth
	}
	return 2 * depth
}
