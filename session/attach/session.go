package attach

import (
	"errors"
	"sync"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
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
	tasks := c.s.Tasks().All()
	tasks = tasks[max(0, len(tasks)-maxTasks):]
	for i := range tasks {
		t := &tasks[i]
		info.Tasks = append(info.Tasks, client.SharedTask{ID: t.ID, Status: string(t.Status), Tool: t.Tool, Created: t.FirstSeen})
	}
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

// Notifications implements [Connection]. It reads them from the record.
func (c ofSession) Notifications(each func(frame []byte)) (stop func()) {
	st := c.s.Store()
	changed, unsubscribe := st.Subscribe()
	next, ended := int32(st.Snapshot().Rows), make(chan struct{})
	var reading sync.WaitGroup
	reading.Go(func() {
		defer unsubscribe()
		for {
			select {
			case <-changed:
			case <-ended:
				return
			}
			for ; next < int32(st.Snapshot().Rows); next++ {
				if r, _ := st.Row(next); r.Dir != transport.In || r.App || r.Kind != jsonrpc.Notification && r.Kind != jsonrpc.Batch {
					continue
				}
				frame, err := st.Body(next)
				if err != nil {
					continue // the inspector cannot read it either
				}
				eachNotification(frame, each)
			}
		}
	})
	return func() {
		close(ended)
		reading.Wait()
	}
}

// eachNotification calls each with a notification, or with the notifications of a batch.
func eachNotification(frame []byte, each func(frame []byte)) {
	switch e := jsonrpc.Scan(frame); e.Kind {
	case jsonrpc.Notification:
		each(frame)
	case jsonrpc.Batch:
		for element := range jsonrpc.Elements(frame) {
			if jsonrpc.Scan(element).Kind == jsonrpc.Notification {
				each(element)
			}
		}
	}
}

// explained returns an error in the words of the session, without its secrets.
func (c ofSession) explained(err error) error {
	return errors.New(failure.Explain(err, failure.FactsOf(c.s)).Sentence)
}

// Send implements [Connection].
func (c ofSession) Send(frame []byte) { c.s.Forward(frame, func([]byte) {}) }
