package facts

import "net/http"

// A Fate reports whether a request without a response may have been carried out.
type Fate string

// The fates. The empty value means that the fate is unknown, or that carrying out the request changes nothing.
const (
	NotSent Fate = "not sent"
	Refused Fate = "refused" // refused by the server or an intermediary before it was carried out
	Unknown Fate = "unknown" // the server may have carried it out
)

// A Sending is a request that failed without a response of MCP.
type Sending struct {
	Failed bool // there is such a request, and it may have effects
	Sent   bool // a byte of it may have reached the server
	// Gone reports that the session of the request was unknown to the server.
	Gone bool
}

// refusals holds the statuses that a server returns before it carries out a request.
var refusals = map[int]bool{
	http.StatusUnauthorized: true, http.StatusForbidden: true, http.StatusNotFound: true, http.StatusMethodNotAllowed: true, http.StatusNotAcceptable: true,
	http.StatusRequestEntityTooLarge: true, http.StatusUnsupportedMediaType: true, http.StatusTooManyRequests: true,
}

func fateOf(a Attempt) Fate {
	switch status := a.Failed.Status; {
	case !a.Sending.Failed:
		return ""
	case !a.Sending.Sent:
		return NotSent
	case a.Sending.Gone, refusals[status], status/100 == 3:
		return Refused
	case status/100 == 4 && status != http.StatusRequestTimeout:
		return "" // the message of the server gives more information
	}
	return Unknown
}
