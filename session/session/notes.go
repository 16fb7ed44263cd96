package session

import (
	"fmt"
	"slices"
)

// maxNotes bounds the different notes of a session.
const maxNotes = 50

// note records a decision of mcptea that the user should know of: in the
// recording, in the log, and for [Session.Notes]. The same text is noted once.
func (s *Session) note(text string) {
	text = s.Redact(text)
	s.mu.Lock()
	if len(s.notes) >= maxNotes || slices.Contains(s.notes, text) {
		s.mu.Unlock()
		return
	}
	s.notes = append(s.notes, text)
	s.mu.Unlock()
	if s.recorded == nil {
		s.store.Note(text)
	}
}

// noteHalt notes, once, that the store keeps no more bodies.
func (s *Session) noteHalt() {
	if !s.store.Halted() || !s.halted.CompareAndSwap(false, true) {
		return
	}
	from, why := s.store.NotKept()
	if s.store.Path() == "" {
		if !s.cfg.Lint {
			return // no frames are shown
		}
		s.note(fmt.Sprintf("frames from #%d on are kept in memory only, for a short time: %v", from+1, why))
		return
	}
	s.note(fmt.Sprintf("the recording has stopped: %v; the bodies of frames from #%d on are lost", why, from+1))
}

// Notes returns the decisions of mcptea, oldest first. The texts may
// contain untrusted text.
func (s *Session) Notes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.notes)
}
