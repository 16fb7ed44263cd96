package ui

import "mcptea/ui/command"

// scrolled is a page of lines in a window that shows some of them.
type scrolled struct {
	top, height, lines int
}

func (s *scrolled) clamp() { s.top = max(0, min(s.top, s.lines-s.height)) }

func (s *scrolled) scroll(n int) {
	s.top += n
	s.clamp()
}

// move reports whether a command is one that moves.
func (s *scrolled) move(name command.ID) bool {
	page := max(1, s.height-1)
	by, ok := command.Steps(name, page, max(1, page/2), s.lines)
	s.scroll(by)
	return ok
}
