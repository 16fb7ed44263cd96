package export

import (
	"mcptea/session/record"
)

// writeRecording writes a recording of the selected events, with sequence numbers
// of its own.
func (s *session) writeRecording() error {
	line := record.AppendHeader(nil, s.Header)
	seq := int64(0)
	if _, err := s.out.Write(line); err != nil {
		return err
	}
	for e, err := range s.events() {
		if err != nil {
			return err
		}
		if line = record.AppendEvent(line[:0], seq+1, &e.Event); len(line) == 0 {
			s.report("events of the kind %q are not known to this version and were left out", e.Text)
			continue
		}
		seq++
		if _, err := s.out.Write(line); err != nil {
			return err
		}
	}
	return nil
}
