package negotiate

import (
	"net/http"

	"mcptea/client/revision"
)

// openStream tries HTTP+SSE after Streamable HTTP has failed with an error. cause ended the previous step.
func (m *Machine) openStream(failed, cause error) Action {
	m.state, m.fellBack, m.httpErr, m.remembered = openingStream, true, failed, false
	return Action{Kind: OpenStream, Cause: cause}
}

// mayBeSSE reports whether initialize was refused with a status of servers that have only HTTP+SSE (2025-11-25,
// transports, "Backwards Compatibility"). An error that lists versions, or has a code of a stateless revision,
// comes from an endpoint of Streamable HTTP. Statuses about authorization or the health of the server do not
// depend on the transport.
func (m *Machine) mayBeSSE(e Event) bool {
	if m.state != initializing || m.cfg.Transport != AnyHTTP || m.fellBack {
		return false
	}
	status := e.Status // the status of a response: the body was a message
	switch e.Kind {
	case HTTPError:
		if e.Accepted {
			return false
		}
		status = statusOf(e)
	case Response, Refused:
	default:
		return false
	}
	if rpc := rpcError(e); rpc != nil && (len(supported(rpc)) > 0 || isStatelessCode(rpc.Code)) {
		return false
	}
	return status == http.StatusBadRequest || status == http.StatusNotFound || status == http.StatusMethodNotAllowed
}

// onStream handles the GET of HTTP+SSE.
func (m *Machine) onStream(e Event) Action {
	switch {
	case e.Kind == StreamOpened && m.fellBack:
		m.detect(revision.EraHandshake, Probed, "GET opened an event stream with an endpoint event, as HTTP+SSE (2024-11-05) has it")
		return m.initialize(m.handshakeOffer())
	case e.Kind == StreamOpened:
		return m.begin()
	case m.fellBack && e.Kind != Canceled:
		return m.fail(e, &FallbackError{Probe: m.probeErr, List: m.listErr, HTTP: m.httpErr, SSE: e.Err})
	}
	return m.fail(e, e.Err)
}
