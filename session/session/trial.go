package session

import (
	mcphttp "mcptea/client/transport/http"

	"mcptea/client/transport"
)

// trialGap separates the exchange numbers of trials from the exchange numbers of a connection that is
// still open.
const trialGap = 10_000

// Trials returns a client for exchanges that are not part of the session's connection. They are recorded,
// redacted and shown like other exchanges, but do not change the state. It is for HTTP servers.
func (s *Session) Trials() *mcphttp.Client {
	t := s.Target()
	s.mu.Lock()
	first := s.lastExchange
	if s.client != nil {
		first += trialGap
	}
	s.mu.Unlock()
	return mcphttp.NewTrialClient(mcphttp.Config{URL: t.URL, TLS: t.TLS, Dial: t.Dial, Secrets: s.secrets, Exchanges: first}, trialReceiver{s})
}

// trialReceiver records the exchanges of trials.
type trialReceiver struct{ s *Session }

func (r trialReceiver) Exchange(x transport.Exchange) {
	r.s.mu.Lock()
	r.s.lastExchange = max(r.s.lastExchange, x.ID)
	r.s.mu.Unlock()
	r.s.store.Exchange(&x)
}

func (trialReceiver) Frame(transport.Frame) transport.Ref { return transport.Ref{} }
func (trialReceiver) Stderr(transport.Line)               {}
func (trialReceiver) Process(transport.ProcessEvent)      {}
