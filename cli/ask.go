package cli

import (
	"context"
	"time"

	"mcptea/client"
	"mcptea/client/transport"
	"mcptea/session"
)

// ask sends a request and waits for the outcome, while show is called whenever
// something has happened. A signal cancels the request, tells the server, and
// comes back as the error.
func (p *program) ask(s *session.Session, method string, params []byte, show func()) (client.Answer, error) {
	changed, stop := s.Store().Subscribe()
	defer stop()
	call := s.Start(method, params)
	for {
		select {
		case <-call.Done():
			show()
			return call.Outcome()
		case <-changed:
			show()
		case <-p.ctx.Done():
			call.Cancel()
			select {
			case <-call.Done(): // at once, but for a task, which the server has to cancel
			case <-p.forceCtx.Done():
			}
			p.sayTask(call)
			p.waitForFarewell(s)
			return client.Answer{}, context.Cause(p.ctx)
		}
	}
}

// farewell is how long the news of a cancellation may take to go out.
const farewell = time.Second

// waitForFarewell lets the cancellation get onto the wire before the
// connection is closed.
func (p *program) waitForFarewell(s *session.Session) {
	changed, stop := s.Store().Subscribe()
	defer stop()
	timer := time.NewTimer(farewell)
	defer timer.Stop()
	for !saidFarewell(s) {
		select {
		case <-changed:
		case <-timer.C:
			return
		case <-p.forceCtx.Done():
			return
		}
	}
}

func saidFarewell(s *session.Session) bool {
	st := s.Store()
	for i := st.Snapshot().Rows - 1; i >= 0; i-- {
		r, ok := st.Row(int32(i))
		if !ok || r.Dir != transport.Out {
			continue
		}
		if m := st.Method(r.Method); m != "notifications/cancelled" && m != "tasks/cancel" {
			continue
		}
		x, known := s.ExchangeOf(r.Exchange)
		return !known || x.Phase != transport.ExchangeSent
	}
	return false
}

// loadLists waits until the lists that the session fetches are there.
func (p *program) loadLists(s *session.Session, show func(), kinds ...client.ListKind) (map[string]session.List, error) {
	changed, stop := s.Store().Subscribe()
	defer stop()
	for {
		show()
		lists := s.State().Lists
		loading := false
		for _, k := range kinds {
			loading = loading || lists[k.Name].Loading
		}
		if !loading {
			return lists, nil
		}
		select {
		case <-changed:
		case <-p.ctx.Done():
			return nil, context.Cause(p.ctx)
		}
	}
}

func nothing() {}
