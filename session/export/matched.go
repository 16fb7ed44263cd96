package export

import (
	"iter"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/flow"
	"mcptea/record/sequence"
)

// matched is an event with the request that its frame belongs to.
type matched struct {
	Event
	// Message is the frame as an arrow of a diagram, or nil for other events.
	Message *sequence.Message
	// Reused is the earlier request that has the same id and no response, or the zero Ref.
	Reused flow.Ref
}

// Limits for the requests that are kept after their end. Later responses and notifications for
// these requests are displayed with the names of the requests.
const maxEnded, maxEndedBytes = 64, 1 << 20

// matched returns the selected events. Each frame has the request that it belongs to.
func (s *session) matched() iter.Seq2[matched, error] {
	return func(yield func(matched, error) bool) {
		matcher := newMatcher()
		for e, err := range s.events() {
			out := matched{Event: e}
			if err == nil {
				out = match(matcher, e)
			}
			if !yield(out, err) {
				return
			}
		}
	}
}

func newMatcher() *flow.Matcher {
	return flow.NewMatcher(flow.Limits{Ended: maxEnded, EndedBytes: maxEndedBytes})
}

// match returns an event. A frame has the request that it belongs to.
func match(matcher *flow.Matcher, e Event) matched {
	out := matched{Event: e}
	if e.Kind != record.KindFrame {
		matcher.Event(&e.Event, flow.None)
		return out
	}
	out.Frame.Envelope = jsonrpc.Scan(e.Frame.Bytes)
	matches := matcher.Frame(e.ConnBeside(), &out.Frame, e.Number-1, 0)
	out.Message = messageOf(&out.Event, matches)
	if matches[0].Ended == flow.ByReuse {
		out.Reused = matches[0].Request
	}
	return out
}

// messageOf returns a frame as an arrow of a diagram.
func messageOf(e *Event, matches []flow.Match) *sequence.Message {
	envelope := &e.Frame.Envelope
	m := &sequence.Message{
		Words: sequence.WordsOf(envelope.Kind, envelope.MethodName(e.Frame.Bytes), e.Frame.Bytes, envelope.ReadFault()),
		Row:   e.Number - 1, Time: e.Time, Dir: e.Frame.Dir, Kind: envelope.Kind, Method: envelope.MethodName(e.Frame.Bytes),
		Failed: envelope.Kind == jsonrpc.ErrorResponse, Code: envelope.ErrorCode(), Size: len(e.Frame.Bytes), Request: flow.None, Fault: envelope.ReadFault(),
	}
	switch m.Kind {
	case jsonrpc.Invalid, jsonrpc.Batch:
		return m
	}
	match := &matches[len(matches)-1]
	m.Request, m.Failed = match.Request.Row(), m.Failed || match.ToolError
	if f := match.Flow; f != nil {
		if m.Kind.IsResponse() && match.State != flow.Duplicate { // the duration of a call ends at its first response
			m.Name, m.Method, m.Took = f.Name, f.Method, e.Time.Sub(f.Start)
		}
	}
	return m
}

// callerOf returns the sender of a request other than the user of the session, or "".
func callerOf(e *matched) string {
	by := record.CallerOf(&e.Frame)
	if by == record.NoOther || e.Frame.Dir != transport.Out {
		return ""
	}
	return "sent by " + by.Named()
}
