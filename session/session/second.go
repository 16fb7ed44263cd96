package session

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"mcptea/client"
	"mcptea/session/offer"
	"mcptea/session/requests"
)

// SecondTarget is a second server beside the first one, as a command or a URL: a command gets the
// environment of the first one, a URL its headers if it is of the same host.
func SecondTarget(first client.Target, words []string) client.Target {
	t := client.Target{Argv: words}
	if len(words) == 1 && (strings.HasPrefix(words[0], "http://") || strings.HasPrefix(words[0], "https://")) {
		t = client.Target{URL: words[0]}
	}
	switch {
	case t.IsStdio() && first.IsStdio():
		t.Env, t.Dir = first.Env, first.Dir
	case sameOrigin(t, first):
		t.Header, t.Transport = first.Header.Clone(), first.Transport
	}
	return t
}

// sameOrigin reports whether two targets are URLs of one host.
func sameOrigin(a, b client.Target) bool {
	return !a.IsStdio() && !b.IsStdio() && originOf(a.URL) != "" && originOf(a.URL) == originOf(b.URL)
}

// SecondConfig is the configuration of a second server beside the first one: the configuration of
// the first with another target. Credentials go to the same host only.
func SecondConfig(cfg Config, first, t client.Target) Config {
	if t.IsStdio() {
		t.Grace = first.Grace
	} else if !sameOrigin(t, first) {
		cfg.Authorization = nil
	}
	cfg.Target = t
	if cfg.Record != "off" && cfg.Record != "" {
		cfg.Record = UnusedRecording(cfg.Record)
	}
	for _, policy := range []*requests.Policy{&cfg.Policies.Sampling, &cfg.Policies.Elicitation} {
		if policy.Mode != requests.PolicyNone { // the same capabilities; no pane shows its requests
			*policy = requests.Policy{Mode: requests.PolicyDecline}
		}
	}
	cfg.Faults, cfg.Reconnect = nil, false
	return cfg
}

// originOf is the scheme, host and port of a URL; empty for a text that is not one.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// listsTimeout is how long the lists of a server that was connected may take.
const listsTimeout = 30 * time.Second

// Offered returns the lists of the server as one JSON object, once they are there.
func (s *Session) Offered(ctx context.Context) ([]byte, error) {
	ctx, stop := context.WithTimeoutCause(ctx, listsTimeout, errors.New("the lists of the server did not arrive within "+listsTimeout.String()))
	defer stop()
	out := []byte("{")
	for _, kind := range client.ListKinds {
		var l offer.List
		err := s.Until(ctx, func() bool {
			l = s.State().Lists[kind.Name]
			return !l.Loading
		})
		if err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, `"`+kind.Member+`":[`...)
		for i, item := range l.Items {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(out, item.Raw...)
		}
		out = append(out, ']')
	}
	return append(out, '}'), nil
}

// Besides are the sessions beside that of the program, which end with it. The methods may
// be called from any goroutine.
type Besides struct {
	mu    sync.Mutex
	open  []*Session
	ended bool
}

// Add takes a session. After the end it closes the session and reports false.
func (b *Besides) Add(s *Session) bool {
	b.mu.Lock()
	ended := b.ended
	if !ended {
		b.open = append(b.open, s)
	}
	b.mu.Unlock()
	if ended {
		s.shut()
	}
	return !ended
}

// Close closes a session.
func (b *Besides) Close(s *Session) {
	b.mu.Lock()
	b.open = slices.DeleteFunc(b.open, func(one *Session) bool { return one == s })
	b.mu.Unlock()
	s.shut()
}

// End closes all sessions, and those that are added later.
func (b *Besides) End() {
	b.mu.Lock()
	open := b.open
	b.open, b.ended = nil, true
	b.mu.Unlock()
	for _, s := range open {
		s.shut()
	}
}

// besideShutdown bounds the end of a session beside that of the program.
const besideShutdown = 5 * time.Second

func (s *Session) shut() {
	ctx, stop := context.WithTimeout(context.Background(), besideShutdown)
	defer stop()
	_ = s.Close(ctx) // its recording has what was written until then
}
