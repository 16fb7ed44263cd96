package session

import (
	"time"

	"mcptea/client"
	"mcptea/session/state"
)

// keepTask keeps the id of a task that a call became, so that another command can follow it.
func (s *Session) keepTask(tool string, t client.Task) {
	if s.cfg.Tasks == nil || t.Status.Final() {
		return
	}
	ttl := t.TTL.Milliseconds()
	if t.TTL == client.Forever {
		ttl = -1
	}
	kept := state.Task{Server: s.Target().String(), ID: t.ID, Tool: tool, Created: time.Now().UTC(), TTL: ttl}
	if err := s.cfg.Tasks.Keep(kept); err != nil {
		s.note(err.Error())
	}
}

// dropTask forgets the id of a task that is over.
func (s *Session) dropTask(call *Call) {
	if t, ok := call.Task(); ok && t.Status.Final() {
		s.ForgetTask(t.ID)
	}
}

// KeptTasks returns the server's tasks whose ids are kept.
func (s *Session) KeptTasks() ([]state.Task, error) {
	if s.cfg.Tasks == nil {
		return nil, nil
	}
	return s.cfg.Tasks.Of(s.Target().String(), time.Now())
}

// ForgetTask forgets the id of a task that is over, or that the server does not know.
func (s *Session) ForgetTask(id string) {
	if s.cfg.Tasks == nil {
		return
	}
	if err := s.cfg.Tasks.Forget(s.Target().String(), id); err != nil {
		s.note(err.Error())
	}
}
