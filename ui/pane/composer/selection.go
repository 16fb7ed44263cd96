package composer

// selection is where a short list is: the selected item, and the first one in sight.
type selection struct{ at, top int }

// move selects the item that is n items away, in a list of a length.
func (s *selection) move(n, of int) { s.at = min(max(s.at+n, 0), max(of-1, 0)) }

// scroll moves the part in sight by n items, and the selected item with it.
func (s *selection) scroll(n, of int) {
	s.top = max(s.top+n, 0)
	s.move(n, of)
}

// window returns which items of a list are in sight in a number of rows, the selected one
// among them.
func (s *selection) window(rows, of int) (from, to int) {
	s.move(0, of)
	s.top = max(min(s.top, s.at, of-rows), s.at-rows+1, 0)
	return s.top, min(s.top+rows, of)
}
