package failure

import "slices"

// byMessage explains a failure by what the message of the peer is about, if only general advice is known. The rows of
// "message" are for any peer: a program that exits, a response over HTTP, an error response, a tool error.
func (e Explanation) byMessage(s situation, message string) Explanation {
	if !e.own.Generic && e.own.Cause != "" || slices.ContainsFunc(e.Causes, func(c Candidate) bool { return c.Strength > Hints }) {
		return e
	}
	about, ok := aboutMessage(s, message)
	if !ok {
		return e
	}
	e.own = about.Candidate
	return e
}

// aboutMessage returns the row of "message" for a message.
func aboutMessage(s situation, message string) (reason, bool) {
	lines := s["lines"]
	s["lines"] = []string{plainMessage(message)}
	defer func() { s["lines"] = lines }()
	return find("message", s)
}
