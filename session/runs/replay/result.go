package replay

import (
	"fmt"

	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/offer/diff"
)

// Result is a request of the recording with the outcome of its replay.
type Result struct {
	Frame   int    `json:"frame,omitempty"` // number of the request; absent for one of the server
	Method  string `json:"method"`          // method of the request
	Subject string `json:"name,omitempty"`  // name of the tool or prompt, or URI of the resource
	State   State  `json:"state"`           // "equal", "different", "failed" or "not compared"
	// Note is the reason, if there are no differences.
	Note        string            `json:"note,omitempty"`
	Now         string            `json:"now,omitempty"`         // outcome of a request whose recording has no response
	Took        phrase.Millis     `json:"took_ms"`               // time to the response
	Differences []diff.Difference `json:"differences,omitempty"` // between the recorded response and the new one
	More        int               `json:"more,omitempty"`        // number of differences that are not listed
	Rows        []diff.Row        `json:"-"`                     // both responses as a diff of lines
	Arguments   string            `json:"-"`                     // start of the arguments of a call, to distinguish calls
	Ref         transport.Ref     `json:"-"`                     // reference of the new request in its record; none if it was not sent
}

// Reason returns the note, and what the server does now if the recording has no response.
func (result *Result) Reason() string {
	if result.Now == "" {
		return result.Note
	}
	return result.Note + "; now: " + result.Now
}

// Report is the outcome of a replay: the results of all requests, and how many there are of each state.
type Report struct {
	Recording   string   `json:"recording"`    // file
	Equal       int      `json:"equal"`        // number of requests whose responses are equal
	Different   int      `json:"different"`    // number of those whose responses differ
	Failed      int      `json:"failed"`       // number of those without a response
	NotCompared int      `json:"not_compared"` // number of requests that were not sent, or whose responses cannot be compared
	Results     []Result `json:"results"`      // results of the requests, one for each
}

// Count adds a result with a state to the counts.
func (r *Report) Count(s State) {
	*[...]*int{Equal: &r.Equal, Different: &r.Different, Failed: &r.Failed, NotCompared: &r.NotCompared}[s]++
}

// Counts returns the counts as a text, such as "12 equal, 1 failed"; only the first may be 0.
func (r *Report) Counts() string {
	text := fmt.Sprintf("%d %s", r.Equal, Equal)
	for i, n := range []int{r.Different, r.Failed, r.NotCompared} {
		if n > 0 {
			text += fmt.Sprintf(", %d %s", n, Different+State(i))
		}
	}
	return text
}

// State is the state of a replayed request.
type State uint8

// The values of [State].
const (
	Equal State = iota
	Different
	Failed      // the server did not respond, ended the connection, or sent an unexpected request
	NotCompared // the recording has no response, or the request was not sent
)

var stateNames = [...]string{"equal", "different", "failed", "not compared"}

// String returns the name of the state.
func (s State) String() string { return stateNames[s] }

// MarshalText implements encoding.TextMarshaler.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
