package session

import (
	"context"

	"mcptea/client"
	"mcptea/offer"
)

// Until waits for a condition on the session's state: rows of the record, lists, calls, server requests,
// findings. It calls holds immediately and after each change, on the caller's goroutine; several changes may be
// combined. ctx bounds the wait; the error is its cause.
func (s *Session) Until(ctx context.Context, holds func() bool) error {
	changed, stop := s.store.Subscribe()
	defer stop()
	for !holds() {
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// List returns a list of the server, fetching it if necessary. The error comes from the list or the wait.
// The client bounds each request, ctx bounds the wait.
func (s *Session) List(ctx context.Context, kind client.ListKind) (list offer.List, err error) {
	s.Want(kind)
	err = s.Until(ctx, func() bool {
		list = s.State().Lists[kind.Name]
		return !list.Loading
	})
	if err != nil {
		return list, err
	}
	return list, list.Err
}

// Want fetches a list in the background unless it is there or being fetched.
func (s *Session) Want(kind client.ListKind) {
	if l := s.State().Lists[kind.Name]; !l.Loading && l.Loaded.IsZero() {
		s.Fetch(kind)
	}
}
