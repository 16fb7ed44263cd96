package cli

import (
	"context"
	"time"

	"mcptea/client"
	"mcptea/session"
)

// do sends a request and waits for the outcome, while show is called whenever
// something has happened. A signal cancels the request, tells the server, and
// comes back as the error.
func (p *program) do(s *session.Session, method string, params []byte, show func()) (client.Response, error) {
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
			case <-call.Done(): // at once, except for a task, which the server has to cancel
			case <-time.After(taskCancelTimeout):
			case <-p.forceCtx.Done():
			}
			p.printTaskOutcome(call)
			return client.Response{}, context.Cause(p.ctx)
		}
	}
}

// taskCancelTimeout bounds the wait for a server to cancel a task. It is less
// than the time after which the watchdog ends the program.
const taskCancelTimeout = 1500 * time.Millisecond

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
