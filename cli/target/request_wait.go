package target

import (
	"context"
	"time"

	"mcptea/client"
	"mcptea/session"
)

// Do sends a request and waits for the outcome. It calls show after each event of the
// session. A signal cancels the request and is returned as the error.
func (p *Connection) Do(s *session.Session, method string, params []byte, show func()) (client.Response, error) {
	return p.await(s, func() *session.Call { return s.Start(method, params) }, show)
}

// await is do for a call that start begins.
func (p *Connection) await(s *session.Session, start func() *session.Call, show func()) (client.Response, error) {
	changed, stop := s.Store().Subscribe()
	defer stop()
	call := start()
	for {
		select {
		case <-call.Done():
			show()
			return call.Outcome()
		case <-changed:
			show()
		case <-p.Ctx.Done():
			call.Cancel()
			select {
			case <-call.Done(): // at once, except for a task, which tasks/cancel ends
			case <-time.After(taskCancelTimeout):
			case <-p.ForceCtx.Done():
			}
			p.printTaskOutcome(call)
			return client.Response{}, context.Cause(p.Ctx)
		}
	}
}

// taskCancelTimeout is the maximum wait for a server to cancel a task. It is shorter
// than the timeout of the watchdog.
const taskCancelTimeout = 1500 * time.Millisecond

// LoadLists waits until the session has fetched the lists.
func (p *Connection) LoadLists(s *session.Session, show func(), kinds ...client.ListKind) (map[string]session.List, error) {
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
		case <-p.Ctx.Done():
			return nil, context.Cause(p.Ctx)
		}
	}
}

func Nothing() {}
