package negotiate

import (
	"bytes"
	"errors"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// onInitialize handles the response to initialize.
func (m *Machine) onInitialize(e Event) Action {
	if !m.reoffered {
		if a, ok := m.retry(e, Action{Kind: SendInitialize, Offer: m.offer}); ok {
			return a
		}
	}
	err := e.Err
	if e.Kind == Response && e.Envelope.Kind == jsonrpc.ErrorResponse {
		rpc := rpcError(e)
		listed := supported(rpc)
		next, ok := revision.NewestCommonHandshake(listed)
		switch {
		case m.reoffered:
			err = rpc
		case namesStateless(listed):
			err = &RevisionError{Offered: m.offer, Listed: listed}
		case ok && next != m.offer:
			m.offer, m.reoffered = next, true
			return Action{Kind: SendInitialize, Offer: next, Retry: true, Reason: rpc.Error()}
		case len(listed) > 0:
			err = &RevisionError{Offered: m.offer, Listed: listed}
		default:
			err = rpc
		}
	} else if e.Kind == Response {
		var o Outcome
		if o, err = m.parseInitializeResult(e); err == nil {
			m.state, m.outcome = acknowledging, o
			return Action{Kind: SendInitialized, Outcome: o}
		}
	}
	refused := e.Kind == Response && e.Envelope.Kind == jsonrpc.ErrorResponse
	if m.mayCorrect() && (namesNoHandshake(err) || refused && m.detection.Late == revision.EraStateless) {
		m.initMayBeSSE = m.mayBeSSE(e)
		m.detect(revision.EraStateless, Corrected, "initialize failed: %v", err)
		m.initErr = err
		a := m.discover()
		a.Cause = err
		return a
	}
	return m.fail(e, err)
}

// mayCorrect reports whether a failed initialize may lead to server/discover.
func (m *Machine) mayCorrect() bool {
	return m.state == initializing && m.cfg.Pinned == "" && m.cfg.Transport != SSE
}

// namesNoHandshake reports whether initialize failed as it does at a stateless server: the error names a
// stateless version, or says that the method is unknown, or that members are missing which only stateless
// requests have. A list of versions that all have a handshake outweighs the code.
func namesNoHandshake(err error) bool {
	var versions *RevisionError
	var rpc *jsonrpc.Error
	var status *transport.StatusError
	switch {
	case errors.As(err, &versions):
		return versions.Selected == string(revision.NewestStateless) || namesStateless(versions.Listed)
	case errors.As(err, &rpc):
	case errors.As(err, &status):
		rpc = rpcError(Event{Err: err})
	}
	if rpc == nil {
		return false
	}
	if rpc.Code.Is(jsonrpc.CodeMethodNotFound) || isStatelessCode(rpc.Code) {
		return true
	}
	version := string(revision.NewestStateless)
	return strings.Contains(rpc.Message, version) || strings.Contains(string(rpc.Data), version)
}

// isStatelessCode reports whether only stateless revisions define an error code.
func isStatelessCode(code jsonrpc.Code) bool {
	return code.Is(revision.CodeHeaderMismatch, revision.CodeMissingCapability, revision.CodeUnsupportedVersion)
}

// parseInitializeResult checks the version that the server selected.
func (m *Machine) parseInitializeResult(e Event) (Outcome, error) {
	result := e.Envelope.Result.Of(e.Frame)
	v, _ := jsonrpc.Member(result, "protocolVersion")
	version, _ := jsonrpc.Unquote(v)
	o := Outcome{Revision: revision.Revision(version), Offered: m.offer, Result: result}
	switch {
	case len(result) > maxResult:
		return Outcome{}, errResultTooLarge
	case version == "":
		return o, &ResultError{Result: bytes.Clone(result[:min(len(result), 200)]), VersionType: jsonrpc.TypeOf(v)}
	case o.Revision.HasHandshake():
		return o, nil
	case !m.cfg.Lenient || o.Revision.Known():
		return o, &RevisionError{Offered: m.offer, Selected: version}
	}
	o.Revision, o.Unknown = revision.NewestHandshakeBefore(version), version
	if o.Revision == "" {
		o.Revision = m.offer
	}
	return o, nil
}

// onInitialized handles the end of notifications/initialized.
func (m *Machine) onInitialized(e Event) Action {
	if e.Kind != InitializedSent {
		return m.fail(e, e.Err)
	}
	m.state = handshaken
	switch {
	case m.renegotiated:
		m.detect(revision.EraHandshake, Corrected, "initialize succeeded with protocol version %s", m.outcome.Revision)
	case m.probed:
		m.detect(revision.EraHandshake, Probed, "after a restart, initialize succeeded")
	case m.untoldEra:
		m.detect(revision.EraHandshake, Probed, "and initialize succeeded")
	}
	return Action{Kind: Ready, Outcome: m.outcome}
}
