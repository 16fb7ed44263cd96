package session

import (
	"slices"

	"mcptea/client"
	"mcptea/client/oauth"
	"mcptea/client/revision"
	"mcptea/client/secret"
)

// A Link holds the parts of the connection to the server that may change between two attempts to connect.
type Link struct {
	Target        client.Target
	Client        client.Config // [Session.SetRoots] replaces the roots
	Authorization *oauth.Config // see [Config.Authorization]
}

// Link returns the link of the next connection.
func (s *Session) Link() Link {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Link{s.cfg.Target, s.cfg.Client, s.cfg.Authorization}
}

// SetLink changes the link of the next connection; the record continues.
func (s *Session) SetLink(l Link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l.Client.Roots = s.cfg.Client.Roots
	if l.Target.URL != s.cfg.Target.URL || !slices.Equal(l.Target.Argv, s.cfg.Target.Argv) || l.Target.Transport != s.cfg.Target.Transport || l.Client.Revision != s.cfg.Client.Revision {
		s.era, s.transport = revision.EraUnknown, l.Target.TransportName() // the link may lead to another server
	}
	addSecrets(s.secrets, l)
	s.cfg.Target, s.cfg.Client, s.cfg.Authorization = l.Target, l.Client, l.Authorization
}

// addSecrets adds the secrets of a link to a set: the secrets of its target and of its authorization.
func addSecrets(to *secret.Values, l Link) {
	l.Target.AddSecrets(to)
	if l.Authorization != nil {
		to.AddGiven(l.Authorization.Secrets()...)
	}
}

// As describes the client that the session impersonates, and Unknown lists the parts that mcptea does in its
// own way. Both are empty if mcptea is itself. For a recording, only the first is known.
func (s *Session) As() (as string, unknown []string) {
	if s.recorded != nil {
		return s.recorded.header.As, nil
	}
	client := s.Link().Client.As
	if client == nil {
		return "", nil
	}
	return client.Words(), client.Unknown()
}

// Target returns the target of the session.
func (s *Session) Target() client.Target { return s.Link().Target }
