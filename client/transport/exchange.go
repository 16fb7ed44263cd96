package transport

import (
	"net/http"
	"time"
)

// The purposes of an HTTP exchange.
const (
	PurposeMessage    = "message"
	PurposeListen     = "listen"      // a GET for messages of the server
	PurposeResume     = "resume"      // a GET for the rest of a stream
	PurposeEndSession = "end session" // a DELETE
	PurposeStream     = "stream"      // GET of the HTTP+SSE stream
	// PurposeAuthorization is the purpose of exchanges that obtain a token. They carry no frames; their report
	// has the heads of the bodies, secrets masked.
	PurposeAuthorization = "authorization"
	// PurposeTrial is the purpose of exchanges that find out why an earlier exchange failed. They carry no
	// frames either.
	PurposeTrial = "trial"
)

// Exchange is one HTTP request and its response. It is reported when the request is
// sent, when the headers of the response are received, and at the end; the reports
// share the ID. The values are copies that the receiver may keep.
type Exchange struct {
	ID      uint32 // number from 1, in the order of the requests
	Phase   ExchangePhase
	Purpose string // one of the Purpose constants
	Start   time.Time

	Method string
	URL    string // secrets masked

	RequestHeader  http.Header // secrets masked
	ResponseHeader http.Header // secrets masked, or nil before [ExchangeHeaders]

	// TLS describes the TLS handshake of the exchange. It is nil if there was none, as on a connection that was
	// already open.
	TLS *TLS

	// RequestBody and ResponseBody are the heads of the bodies, secrets masked, of
	// an exchange without frames.
	RequestBody, ResponseBody []byte

	Status    int           // 0 before [ExchangeHeaders]
	FirstByte time.Duration // duration from Start to the headers
	Took      time.Duration // duration from Start to the end of the body
	Sent      int64         // bytes of the request body
	Received  int64         // bytes of the response body so far
	Err       string        // error of the exchange, or ""
	// Failed reports, with [ExchangeDone], that the response has an error status and carried no frame.
	// ResponseBody then has its body.
	Failed   bool
	ClosedBy Closer // side that ended the exchange, with [ExchangeDone]

	// Repeats is the ID of the exchange that this one repeats, with other credentials or at another URL, or 0.
	// The frame is reported only with that exchange.
	Repeats uint32

	// Events is the number of events of an event stream so far, including those without data. LastEventID is
	// the newest event id, Retry the newest reconnection time.
	Events      int
	LastEventID string
	Retry       time.Duration
}

// Redacted returns the exchange with its unmasked texts redacted by text. Values that pointers refer to
// are copied.
func (x Exchange) Redacted(text func(string) string) Exchange {
	x.Err, x.LastEventID, x.TLS = text(x.Err), text(x.LastEventID), x.TLS.Redacted(text)
	return x
}

// HasFrames reports whether the exchange belongs to the connection: it carries frames, and counts as an act of
// the session.
func (x *Exchange) HasFrames() bool {
	return x.Purpose != PurposeAuthorization && x.Purpose != PurposeTrial
}

// NeverSent reports an exchange whose connection failed before a byte of the request was sent.
func (x *Exchange) NeverSent() bool {
	return x.Err != "" && x.Status == 0 && x.Sent == 0 && x.Received == 0
}

// Closer is the party that ended an HTTP exchange.
type Closer uint8

// The closers.
const (
	ClosedByPeer    Closer = iota // the response was complete, or the server closed the connection
	ClosedByClient                // mcptea closed the connection
	ClosedByUser                  // the user canceled the request
	ClosedByNetwork               // the connection failed or was lost
)

var closerNames = [...]string{"peer", "mcptea", "user", "network"}

// Closers returns all closers.
func Closers() []Closer {
	return []Closer{ClosedByPeer, ClosedByClient, ClosedByUser, ClosedByNetwork}
}

// String returns the name of the closer in recordings.
func (c Closer) String() string {
	if int(c) < len(closerNames) {
		return closerNames[c]
	}
	return "unknown"
}

// ExchangePhase is the phase of an exchange.
type ExchangePhase uint8

// The values of [ExchangePhase].
const (
	ExchangeSent ExchangePhase = iota
	ExchangeHeaders
	ExchangeDone
)

var phaseNames = [...]string{"request", "response", "end"}

// ExchangePhases returns all phases.
func ExchangePhases() []ExchangePhase {
	return []ExchangePhase{ExchangeSent, ExchangeHeaders, ExchangeDone}
}

// String returns the name of the phase in recordings.
func (p ExchangePhase) String() string {
	if int(p) < len(phaseNames) {
		return phaseNames[p]
	}
	return "unknown"
}
