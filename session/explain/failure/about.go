package failure

import (
	"slices"
	"strings"

	"mcptea/client"
)

// byMessage explains a failure by what the message of the peer is about, if no decisive evidence is known. The rows of
// "message" are for any peer: a program that exits, a response over HTTP, an error response, a tool error.
func (e Explanation) byMessage(s situation, message string) Explanation {
	if slices.ContainsFunc(e.Causes, func(c Candidate) bool { return c.Strength > Hints }) {
		return e
	}
	about, ok := aboutMessage(s, message)
	if ok && about.standsFor(e.own) {
		e.own = about.Candidate
	}
	return e
}

// standsFor reports whether what a message is about is told in place of a candidate from other evidence.
func (c Candidate) standsFor(other Candidate) bool {
	return other.Generic || other.Cause == "" || c.kind.supersedes(other.kind) || c.kind.isDecisive() && c.Strength > Hints && other.Strength == Hints
}

// aboutMessage returns the row of "message" for a message.
func aboutMessage(s situation, message string) (reason, bool) {
	if s.text("bot") != "" { // the message is not of the server
		return reason{}, false
	}
	lines := s["lines"]
	s["lines"] = []string{plainMessage(message)}
	defer func() { s["lines"] = lines }()
	return find("message", s)
}

// aboutDecides reports whether the message of an error response has decisive words.
func aboutDecides(s situation, err *client.RPCError) bool {
	about, ok := aboutMessage(s, err.Message+" "+string(err.Data))
	return ok && about.kind.isDecisive()
}

// aboutCredentials are the rows of "message" about the credentials of the request, or about any value.
var aboutCredentials = strings.Fields("about-login about-key about-key-server about-scope about-permission about-permission-none")

// isAboutOther reports whether a candidate is a row of "message" that is decisive, and not about credentials.
func (c Candidate) isAboutOther() bool {
	return c.kind.isDecisive() && strings.HasPrefix(c.Remedy.ID, "about-") && !slices.Contains(aboutCredentials, c.Remedy.ID)
}
