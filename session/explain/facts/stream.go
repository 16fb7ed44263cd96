package facts

import (
	"cmp"
	"net/http"

	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/words/phrase"
)

// Stream holds the facts about the event streams that GET requests open at the URL.
type Stream struct {
	Open   bool // a stream was open when the response to the failed request arrived
	Silent bool // GET was accepted, and no status came in time
	Empty  bool // GET brought an event stream, and no event came in time
	Lost   bool // the connection ended at GET, without a response
	// Lasted is the lifetime of the stream with the responses of HTTP+SSE, or "" if the stream is open.
	Lasted  string
	Through string // intermediary or Via header of that stream
}

func streamOf(a Attempt) (s Stream) {
	s.Lost = a.StreamLost
	answered := a.Failed.Start.Add(a.Failed.FirstByte)
	for _, x := range a.Exchanges {
		switch {
		case x.Method != http.MethodGet:
		case x.Purpose == transport.PurposeStream && a.StreamTimedOut:
			s.Silent, s.Empty = x.Status == 0, x.Events == 0 && isStream(x)
		case x.Purpose == transport.PurposeStream && isStream(x) && x.Phase == transport.ExchangeDone && !a.StreamTimedOut:
			s.Lasted, s.Through = phrase.Duration(x.Took), cmp.Or(Intermediary(x.ResponseHeader), x.ResponseHeader.Get("Via"))
		case x.Purpose == transport.PurposeListen && a.Failed.ID != 0 && isStream(x):
			over := x.Phase == transport.ExchangeDone && x.Start.Add(x.Took).Before(a.Failed.Start)
			s.Open = s.Open || !over && x.Start.Add(x.FirstByte).Before(answered)
		}
	}
	return s
}

func isStream(x transport.Exchange) bool {
	return x.Status == http.StatusOK && mcphttp.MediaType(x.ResponseHeader) == mcphttp.StreamType
}
