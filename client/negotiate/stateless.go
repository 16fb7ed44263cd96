package negotiate

import (
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// onDiscover handles the response of a server that is assumed to be stateless.
func (m *Machine) onDiscover(e Event) Action {
	if a, ok := m.retry(e, Action{Kind: SendDiscover}); ok {
		return a
	}
	err := e.Err
	if e.Kind == Response && e.Envelope.Kind == jsonrpc.ErrorResponse {
		rpc := rpcError(e)
		listed := supported(rpc)
		if namesStateless(listed) && !m.listRepeated {
			// It rejects a version that it lists, which may concern only this request.
			m.listRepeated = true
			return Action{Kind: SendDiscover, Retry: true, Reason: rpc.Error()}
		}
		if err = rpc; len(listed) > 0 && !namesStateless(listed) {
			err = &RevisionError{Offered: revision.NewestStateless, Listed: listed}
		}
	} else if e.Kind == Response {
		var o Outcome
		if o, _, err = parseDiscoverResult(e); err == nil {
			return m.ready(o)
		}
	}
	return m.fail(e, &DiscoverError{Err: err, InitializeErr: m.initErr})
}

// parseDiscoverResult checks the versions of a server/discover result.
func parseDiscoverResult(e Event) (o Outcome, listed []string, err error) {
	result := e.Envelope.Result.Of(e.Frame)
	if len(result) > maxResult {
		return o, nil, errResultTooLarge
	}
	versions, ok := jsonrpc.Member(result, "supportedVersions")
	if !ok {
		return o, nil, ErrNoVersions
	}
	if kind := jsonrpc.TypeOf(versions); kind != "array" {
		return o, nil, versionsTypeError(kind)
	}
	if listed = jsonrpc.Strings(versions); !namesStateless(listed) {
		return o, listed, &RevisionError{Offered: revision.NewestStateless, Listed: listed, Invalid: invalidType(versions)}
	}
	meta, _ := jsonrpc.Member(result, "_meta")
	return Outcome{Revision: revision.NewestStateless, Offered: revision.NewestStateless, Result: result, Meta: meta}, listed, nil
}

// onRequest handles the outcome of a stateless request after connecting. A server may respond to
// server/discover and then reject all later requests without a handshake, for example if two programs are
// behind one URL. mcptea then starts a handshake.
func (m *Machine) onRequest(e Event) Action {
	if e.Kind == RequestSucceeded {
		m.succeeded = true
	}
	if e.Kind != RequestRefused || m.cfg.Pinned != "" {
		return Action{Kind: Keep}
	}
	rpc := rpcError(e)
	offer, ok := m.requiresHandshake(e, rpc)
	switch {
	case !ok:
		return Action{Kind: Keep}
	case m.renegotiated:
		return Action{Kind: AwaitHandshake} // another request has started the renegotiation, which may be over
	}
	m.before, m.renegotiated = m.Detection(), true
	m.detect(revision.EraHandshake, Corrected, "but %s of %s failed: %v", e.Method, revision.NewestStateless, rpc)
	a := m.initialize(offer)
	m.state = renegotiating
	a.Cause = rpc
	return a
}

// requiresHandshake reports whether an error is from a server that requires a handshake, and returns the
// version to offer. A list of versions is definite. The error codes of servers with sessions have other
// meanings, too: they count only until a stateless request has succeeded, and only if the HTTP status or the
// message agrees.
func (m *Machine) requiresHandshake(e Event, rpc *jsonrpc.Error) (offer revision.Revision, ok bool) {
	if rpc == nil {
		return "", false
	}
	if listed := supported(rpc); len(listed) > 0 {
		offer, ok = revision.NewestCommonHandshake(listed)
		return offer, ok && !namesStateless(listed)
	}
	return m.handshakeOffer(), !m.succeeded && isSessionError(e, rpc)
}

func isSessionError(e Event, rpc *jsonrpc.Error) bool {
	if !rpc.Code.Is(-32000, -32001, jsonrpc.CodeInvalidRequest) {
		return false
	}
	if status := statusOf(e); status != 0 {
		return status == 400 || status == 404
	}
	message := strings.ToLower(rpc.Message)
	return strings.Contains(message, "session") || strings.Contains(message, "initializ")
}
