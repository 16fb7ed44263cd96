package session

import "mcptea/client/oauth"

// newAuthorizer returns the authorizer of the next connection; nil over stdio or
// without Config.Authorization.
func (s *Session) newAuthorizer() *oauth.Authorizer {
	l := s.Link()
	if l.Authorization == nil || l.Target.IsStdio() {
		return nil
	}
	cfg := *l.Authorization
	cfg.Server, cfg.OnStep = l.Target.URL, s.authorizationStep
	if cfg.Store == nil {
		cfg.Store = &s.tokens
	}
	a, err := oauth.New(cfg)
	if err != nil {
		return nil // the URL is invalid; the transport reports it
	}
	s.mu.Lock()
	s.auth = a
	s.mu.Unlock()
	return a
}

// authorizationStep records a step of an authorization.
func (s *Session) authorizationStep(st oauth.Step) {
	st = st.Redacted(s.secrets)
	s.mu.Lock()
	steps := s.state.Authorization
	if len(steps) > 0 && steps[0].Flow != st.Flow {
		steps = nil
	}
	for len(steps) <= st.Index {
		steps = append(steps, oauth.Step{Flow: st.Flow, Index: len(steps)})
	}
	steps[st.Index] = st
	// Steps that were planned and not reached may have given way to others.
	s.state.Authorization = steps[:min(len(steps), st.Of)]
	s.mu.Unlock()
	if st.State == oauth.Done || st.State == oauth.Failed {
		s.store.Authorization(st)
		return
	}
	s.store.Notify()
}

// AnswerAuthorization accepts the address at which a browser on another machine ended; see
// [oauth.Authorizer.PasteCallback].
func (s *Session) AnswerAuthorization(address string) error {
	s.mu.Lock()
	a := s.auth
	s.mu.Unlock()
	if a == nil {
		return oauth.ErrNoCallback
	}
	return a.PasteCallback(address)
}

// Consent returns the step of the authorization that needs the user to open a page. ok is false if
// there is none.
func (st *State) Consent() (step oauth.Step, ok bool) {
	for _, one := range st.Authorization {
		if one.Name == oauth.StepConsent && one.State == oauth.Running && one.URL != "" {
			return one, true
		}
	}
	return step, false
}

// CancelAuthorization cancels the authorization in progress.
func (s *Session) CancelAuthorization() {
	s.mu.Lock()
	a := s.auth
	s.mu.Unlock()
	if a != nil {
		a.Cancel()
	}
}
