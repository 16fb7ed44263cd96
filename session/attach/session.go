package attach

import (
	"errors"

	"mcptea/client/jsonrpc"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

// Of shares the connection of a session.
func Of(s *session.Session) Connection { return ofSession{s} }

type ofSession struct{ s *session.Session }

// Describe implements [Connection].
func (c ofSession) Describe() Info {
	st := c.s.State()
	info := Info{Kind: Inspector, Target: c.s.Target().String(), Transport: c.s.Transport(), Revision: st.Handshake.Revision}
	if st.Phase != session.Ready {
		info.Problem, info.Try = "it is not connected to its server", "Connect there, and repeat the command."
	}
	return info
}

// Result implements [Connection].
func (c ofSession) Result() []byte { return c.s.State().Handshake.Result }

// NextID implements [Connection].
func (c ofSession) NextID() (jsonrpc.ID, error) {
	id, err := c.s.NextID()
	if err != nil {
		err = c.explained(err)
	}
	return id, err
}

// Start implements [Connection].
func (c ofSession) Start(frame []byte, progress func([]byte), done func([]byte, error)) (cancel func()) {
	call := c.s.Forward(frame, progress)
	go func() {
		<-call.Done()
		response, err := call.Outcome()
		if err != nil {
			err = c.explained(err)
		}
		done(response.Frame, err)
	}()
	return call.Cancel
}

// explained is an error in the words of the session, which knows its secrets.
func (c ofSession) explained(err error) error {
	return errors.New(failure.Explain(err, failure.FactsOf(c.s)).Sentence)
}

// Send implements [Connection].
func (c ofSession) Send(frame []byte) { c.s.Forward(frame, func([]byte) {}) }
