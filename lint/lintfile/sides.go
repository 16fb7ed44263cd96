package lintfile

import (
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint"
)

// maxWithheld bounds the findings held until both sides have been seen. Later ones are dropped.
const maxWithheld = 1000

// seenSides detects a part of a session: its frames are of one side only, or begin with a response. It withholds the
// findings of rules that need a whole session until it has seen frames of both sides.
type seenSides struct {
	found    func(lint.Finding)
	withheld []lint.Finding
	sent     [2]bool // sides that have sent a frame, by direction
	n        int     // messages
	begun    bool    // the session had begun before the first frame
}

func (s *seenSides) frame(f *lint.Frame) {
	if f.Envelope.Kind == jsonrpc.Invalid {
		return
	}
	if s.n++; s.n == 1 {
		s.begun = s.begun || f.Envelope.Kind.IsResponse()
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

// isPart reports whether the frames so far are a part of a session.
func (s *seenSides) isPart() bool { return s.begun || !s.sent[transport.In] || !s.sent[transport.Out] }

func (s *seenSides) finding(f lint.Finding) {
	switch {
	case !f.Rule.Whole || !s.isPart():
		s.found(f)
	case !s.begun && len(s.withheld) < maxWithheld:
		s.withheld = append(s.withheld, f)
	}
}
