package export

import (
	"mcptea/client/transport"
	"mcptea/record"
)

// maxChangeBytes bounds the other versions of changed frames that are held while a session is
// written, in bytes.
const maxChangeBytes = 256 << 20

// collectChanges reads the changes of the selected frames by breakpoints and faults, and redacts
// them. In the record, changes are after their frames.
func (s *session) collectChanges() error {
	s.changes = map[int32]*record.Change{}
	size := 0
	for e, err := range s.events() {
		if err != nil {
			return err
		}
		if e.Kind != record.KindChange {
			continue
		}
		size += len(e.Change.Received)
		for _, frame := range e.Change.Sent {
			size += len(frame)
		}
		c := *e.Change
		if size > maxChangeBytes {
			s.report("the other sides of changed frames take more than %d MiB: the sides after frame %d are left out", maxChangeBytes>>20, c.Row+1)
			c.Received, c.Sent = nil, nil
		}
		s.changes[c.Row] = &c
	}
	return nil
}

// sidesOf returns the other version of a frame as texts.
func sidesOf(c *record.Change, text func([]byte) string) (received *string, sent []string) {
	if c.Received != nil {
		received = new(text(c.Received))
	}
	for _, frame := range c.Sent {
		sent = append(sent, text(frame))
	}
	return received, sent
}

// changeOf returns the change of a frame by a breakpoint or a fault, or nil if the frame was forwarded
// unchanged.
func (s *session) changeOf(e *Event) *record.Change {
	if c := s.changes[e.Number-1]; c != nil {
		return c
	}
	if e.Frame.Side == transport.Injected {
		return &record.Change{Row: e.Number - 1, What: record.Added}
	}
	return nil
}
