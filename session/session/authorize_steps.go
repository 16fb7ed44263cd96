package session

import (
	"net/http"
	"time"

	"mcptea/client/oauth"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
)

// An AuthorizationStep is a finished step of an authorization flow, with its requests. Secrets are redacted;
// the consent page no longer works.
type AuthorizationStep struct {
	Name      string                  `json:"name"`           // name of the step, such as "server metadata"
	State     string                  `json:"state"`          // "running", "done" or "failed"
	Detail    string                  `json:"detail"`         // result of the step, or why it failed
	Required  string                  `json:"required"`       // requirement of the specification
	Took      phrase.Millis           `json:"took_ms"`        // duration including its requests
	Remarks   []string                `json:"remarks"`        // problems that did not end the flow
	Page      string                  `json:"page,omitempty"` // URL of the consent page
	Exchanges []AuthorizationExchange `json:"exchanges"`      // HTTP requests with their responses
}

// AuthorizationExchange is an HTTP request of an authorization flow with its response.
type AuthorizationExchange struct {
	Method          string            `json:"method"`           // HTTP method, such as POST
	URL             string            `json:"url"`              // URL with secrets redacted
	RequestHeaders  map[string]string `json:"request_headers"`  // headers relevant to authorization
	RequestBody     string            `json:"request_body"`     // start of the body
	Status          int               `json:"status"`           // 0 if there was no response
	ResponseHeaders map[string]string `json:"response_headers"` // headers relevant to authorization
	ResponseBody    string            `json:"response_body"`    // start of the body
	Error           string            `json:"error,omitempty"`  // why there is no response
}

// AuthorizationSteps returns the started steps of the first authorization flow. The rejected request is the
// first request of the challenge.
func (s *Session) AuthorizationSteps() []AuthorizationStep {
	var steps []AuthorizationStep
	var starts []time.Time
	challenge := 0
	for _, st := range s.State().Authorization {
		if st.Flow != 1 || st.State == oauth.Waiting {
			continue
		}
		if st.Name == oauth.StepChallenge {
			challenge = len(steps)
		}
		step := AuthorizationStep{
			Name: st.Name, State: st.State.String(), Detail: st.Detail, Required: oauth.Requirement(st.Name), Took: phrase.Millis(st.Took),
			Remarks: append([]string{}, st.Remarks...), Page: st.URL, Exchanges: []AuthorizationExchange{},
		}
		steps, starts = append(steps, step), append(starts, st.Start)
	}
	last, _ := s.store.LastExchange()
	for id := uint32(1); id <= last.ID && len(steps) > 0; id++ {
		x, ok := s.store.ExchangeOf(id)
		at := challenge
		for i, start := range starts {
			if !x.Start.Before(start) {
				at = i
			}
		}
		rejected := x.Status == http.StatusUnauthorized && x.Start.Before(starts[0])
		if ok && (rejected || x.Purpose == transport.PurposeAuthorization) {
			steps[at].Exchanges = append(steps[at].Exchanges, exchangeOf(&x))
		}
	}
	return steps
}

func exchangeOf(x *transport.Exchange) AuthorizationExchange {
	return AuthorizationExchange{
		Method: x.Method, URL: x.URL, RequestHeaders: relevant(x.RequestHeader), RequestBody: string(x.RequestBody),
		Status: x.Status, ResponseHeaders: relevant(x.ResponseHeader), ResponseBody: string(x.ResponseBody), Error: x.Err,
	}
}

// relevant returns the headers relevant to authorization.
func relevant(h http.Header) map[string]string {
	found := map[string]string{}
	for _, name := range []string{"Authorization", "Cache-Control", "Content-Type", "DPoP", "DPoP-Nonce", "Location", "Retry-After", "WWW-Authenticate"} {
		for key, values := range h {
			if http.CanonicalHeaderKey(key) == http.CanonicalHeaderKey(name) && len(values) > 0 {
				found[name] = values[0]
			}
		}
	}
	return found
}
