package session

import (
	mcphttp "mcptea/client/transport/http"

	"mcptea/client/transport"
)

// trialGap separates the numbers of exchanges of trials from those of a connection that is still open.
const trialGap = 10_000

// Trials returns a client for exchanges of the session that are not part of its connection: they are recorded,
// redacted and shown as its other exchanges, and change nothing of its state. It is for servers over HTTP.
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
