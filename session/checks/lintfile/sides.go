package lintfile

import (
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/checks/lint"
)

// maxWithheld bounds the findings that wait until both sides are seen; later ones are reported at once.
const maxWithheld = 1000

// seenSides finds out whether frames are a part of a session: those of one side only, or from a response on. It
// withholds what needs a whole session until frames of both sides are seen.
type seenSides struct {
	found    func(lint.Finding)
	withheld []lint.Finding
	sent     [2]bool // by direction
	n        int     // messages
	begun    bool    // with a response
}

func (s *seenSides) frame(f *lint.Frame) {
	if f.Envelope.Kind == jsonrpc.Invalid {
		return
	}
	if s.n++; s.n == 1 {
		s.begun = f.Envelope.Kind.IsResponse()
	}
	s.sent[f.Dir] = true
	if s.isPart() {
		return
	}
	for _, f := range s.withheld {
		s.found(f)
	}
	s.withheld = nil
}

// isPart reports whether frames of the session are missing, as far as is seen.
func (s *seenSides) isPart() bool { return s.begun || !s.sent[transport.In] || !s.sent[transport.Out] }

func (s *seenSides) finding(f lint.Finding) {
	switch {
	case !f.Rule.Whole || !s.isPart():
		s.found(f)
	case !s.begun && len(s.withheld) < maxWithheld:
		s.withheld = append(s.withheld, f)
	}
}
