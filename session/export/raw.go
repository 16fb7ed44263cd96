package export

import "mcptea/client/transport"

// writeRaw writes the frames of one direction with their line endings, exactly as they were on the
// stream. Over HTTP, frames are not in one stream, so a newline separates them.
func (s *session) writeRaw() error {
	separate := false
	for e, err := range s.frames() {
		if err != nil {
			return err
		}
		if e.Frame.Side == transport.Withheld {
			continue // the frame was never sent
		}
		if separate {
			s.print("\n")
		}
		if _, err := s.out.Write(e.Frame.Bytes); err != nil {
			return err
		}
		s.print(e.Frame.Ending)
		separate = e.Frame.Exchange != 0 && e.Frame.Ending == ""
	}
	return nil
}
