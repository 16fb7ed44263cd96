package export

import (
	"slices"
	"time"

	"mcptea/client/transport"
	"mcptea/record"
)

// writeRecording writes a recording of the selected events, with new sequence numbers.
func (s *session) writeRecording() error {
	s.Header.Part = s.Header.Part || s.Rows != nil
	line := record.AppendHeader(nil, s.Header)
	seq := int64(0)
	if _, err := s.out.Write(line); err != nil {
		return err
	}
	rows, newest := map[int32]int32{}, time.Time{} // maps rows of the session to rows of this recording
	for _, m := range s.Marks {
		rows[m.Row] = -1
	}
	row := int32(0)
	var deliveries []int32
	var selected []int32 // maps rows of this recording to rows of the session
	for e, err := range s.events() {
		if err != nil {
			return err
		}
		newest = e.Time
		if e.Number > 0 {
			if _, marked := rows[e.Number-1]; marked {
				rows[e.Number-1] = row
			}
			if e.Kind == record.KindDelivery {
				deliveries = append(deliveries, row)
			}
			row++
			if s.Rows != nil {
				selected = append(selected, e.Number-1)
			}
		}
		if about, ok := e.About(); ok && s.Rows != nil {
			at, found := slices.BinarySearch(selected, about)
			if !found {
				continue
			}
			e.Move(int32(at))
		}
		if about, ok := e.About(); ok {
			e.Past = record.Past(deliveries, about)
		}
		if cause := e.Frame.Cause; cause.Present() && s.Rows != nil {
			e.Frame.Cause = transport.Ref{} // the message of the app may not be selected
			if at, found := slices.BinarySearch(selected, cause.Row()); found {
				e.Frame.Cause = transport.RefTo(int32(at), 0)
			}
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
	for _, m := range s.Marks {
		if m.Row = rows[m.Row]; m.Row < 0 {
			continue
		}
		if s.Redactor != nil {
			m.Note = s.Redactor.text(m.Note)
		}
		seq++
		mark := record.Event{Kind: record.KindMark, Time: newest, Mark: &m, Past: record.Past(deliveries, m.Row)}
		if _, err := s.out.Write(record.AppendEvent(line[:0], seq, &mark)); err != nil {
			return err
		}
	}
	return nil
}
