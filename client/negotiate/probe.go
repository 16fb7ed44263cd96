package negotiate

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
)

// A probeResult is the conclusion from an event about the era of a server.
type probeResult struct {
	era      revision.Era
	evidence string // evidence, or "" if the event shows nothing

	outcome Outcome           // stateless: the outcome
	offer   revision.Revision // handshake: the first version to offer

	err       error // error that ends the negotiation
	httpErr   error // error that shows no era, so that initialize is sent
	retries   int   // maximum number of repetitions of the probe
	pause     time.Duration
	restart   bool // the process exited
	listTools bool // tools/list decides
}

// onProbe handles the response to the probe.
func (m *Machine) onProbe(e Event) Action {
	r := m.classify(e)
	m.probeErr = r.httpErr
	if m.attempt <= r.retries {
		m.detect(r.era, Probed, "%s; retried", r.evidence)
		a := Action{Kind: SendDiscover, Probe: true, Retry: true, Wait: r.pause * time.Duration(m.attempt), Reason: r.evidence}
		m.attempt++
		return a
	}
	switch {
	case r.restart:
		return m.restart(r.err, r.evidence)
	case r.listTools:
		m.detect(revision.EraUnknown, Probed, "%s", r.evidence)
		m.state = listingTools
		return Action{Kind: SendToolsList, Reason: r.evidence}
	case r.err != nil:
		if r.evidence != "" {
			m.detect(r.era, Probed, "%s", r.evidence)
		}
		return m.fail(e, &DiscoverError{Err: r.err, Attempts: m.attempt})
	case r.era == revision.EraStateless:
		m.detect(r.era, Probed, "%s", r.evidence)
		return m.ready(r.outcome)
	}
	m.detect(r.era, Probed, "%s", r.evidence)
	m.untoldEra = r.era == revision.EraUnknown
	m.awaitsLate = e.Kind == Timeout || e.Kind == Unsolicited
	m.waited, m.probeStatus, m.probes = r.retries > 0, e.Status, m.attempt
	a := m.initialize(r.offer)
	a.Reason = r.evidence + "; falling back to initialize"
	return a
}

// late handles the response to the probe that came after initialize was sent. A server that reads initialize
// has selected the handshake for its process (2026-07-28, basic / versioning, "Backward Compatibility"): the
// response to initialize decides, and the late response is remembered for the next start.
func (m *Machine) late(e Event) Action {
	if !m.awaitsLate {
		return Action{Kind: Keep}
	}
	m.awaitsLate = false
	e.Kind = Response
	if r := m.classify(e); r.era == revision.EraStateless {
		m.detection.Late = r.era
		m.detect(m.detection.Era, m.detection.DetectedBy, "%s, but late: initialize had been sent, and its response decides", r.evidence)
	}
	return Action{Kind: Keep}
}

// classify applies the tables of basic / versioning (2026-07-28). A detection
// of the handshake era never depends on one error code: such servers have
// returned many.
func (m *Machine) classify(e Event) probeResult {
	switch {
	case e.Status != 0 && e.Status != http.StatusOK:
		return m.classifyStatus(e)
	case e.Kind == Response && e.Envelope.Kind == jsonrpc.ErrorResponse:
		return m.classifyError(e)
	case e.Kind == Response:
		return m.classifyResult(e)
	case e.Kind == Refused:
		return m.handshake("server/discover got %s", e.Reason)
	case e.Status != 0 && e.Kind != Timeout && e.Kind != Canceled: // the request was accepted, and the response is unusable
		return m.untold(e.Err, e.Err.Error())
	}
	return m.classifySilence(e)
}

func (m *Machine) handshake(evidence string, args ...any) probeResult {
	return probeResult{era: revision.EraHandshake, evidence: fmt.Sprintf(evidence, args...), offer: m.handshakeOffer()}
}

// classifySilence classifies a probe without a response.
func (m *Machine) classifySilence(e Event) probeResult {
	switch {
	case e.Kind == Canceled:
		return probeResult{err: e.Err}
	case e.Kind == Unsolicited:
		return m.handshake("the server sent a message before its response to server/discover")
	case e.Kind == Timeout && e.Reason != "":
		return m.handshake("server/discover got no response within %s; %s", phrase.Duration(e.After), e.Reason)
	case e.Kind == Timeout:
		return m.handshake("server/discover got no response within %s", phrase.Duration(e.After))
	case e.Kind == InvalidResponse:
		return m.handshake("the response to server/discover is %s", e.Reason)
	case e.Kind == NetworkError && m.overHTTP():
		r := m.untold(e.Err, e.Err.Error())
		if r.retries, r.pause = maxRetries, m.cfg.Backoff; !transport.WasSent(e.Err) {
			r.err = e.Err
		}
		return r
	case m.overHTTP():
		return probeResult{err: e.Err, evidence: e.Err.Error()}
	case e.Kind == Exited:
		return probeResult{err: e.Err, restart: true, evidence: fmt.Sprintf("the server ended after server/discover (%s)", e.Reason)}
	}
	return probeResult{err: e.Err}
}

// classifyResult classifies a result.
func (m *Machine) classifyResult(e Event) probeResult {
	o, listed, err := parseDiscoverResult(e)
	if errors.Is(err, ErrNoVersions) {
		return m.handshake("%v", err)
	}
	evidence := "server/discover lists " + listing(listed)
	if err != nil {
		return m.fromVersions(listed, evidence, err)
	}
	return probeResult{era: revision.EraStateless, outcome: o, evidence: evidence}
}

// fromVersions classifies a list without a stateless version that mcptea supports. err is the error if the list
// has no other version that mcptea supports.
func (m *Machine) fromVersions(listed []string, evidence string, err error) probeResult {
	r, ok := revision.NewestCommonHandshake(listed)
	if !ok {
		return probeResult{era: revision.EraStateless, evidence: evidence, err: err}
	}
	p := m.handshake("%s", evidence)
	p.offer = r
	return p
}

// classifyError classifies an error response.
func (m *Machine) classifyError(e Event) probeResult {
	rpc := rpcError(e)
	evidence := "server/discover returned an error without an integer code: " + rpc.Message
	if code, ok := rpc.Code.Number(); ok {
		evidence = fmt.Sprintf("server/discover returned error %d %s", code, rpc.Message)
	}
	listed := supported(rpc)
	switch {
	case namesStateless(listed), rpc.Code.Is(revision.CodeHeaderMismatch):
		return probeResult{era: revision.EraStateless, retries: 1, evidence: evidence, err: rpc}
	case rpc.Code.Is(revision.CodeUnsupportedVersion) && len(listed) == 0:
		err := fmt.Errorf("%w (the error does not list the supported versions; the version of the request was %s)", rpc, revision.NewestStateless)
		return probeResult{era: revision.EraStateless, retries: 1, evidence: evidence, err: err}
	case rpc.Code.Is(revision.CodeMissingCapability):
		return probeResult{era: revision.EraStateless, evidence: evidence, err: m.missingCapability(rpc)}
	case len(listed) > 0:
		err := &RevisionError{Offered: revision.NewestStateless, Listed: listed}
		return m.fromVersions(listed, fmt.Sprintf("%s, and lists %s", evidence, listing(listed)), err)
	}
	return m.handshake("%s", evidence)
}

// classifyStatus classifies an HTTP status other than 200, with or without a JSON-RPC body.
func (m *Machine) classifyStatus(e Event) probeResult {
	evidence := fmt.Sprintf("server/discover returned HTTP %d", e.Status)
	if statusOf(e) == 0 { // the body was a response, or unusable
		e.Err = e.HTTP
	}
	var tried *transport.AuthorizationError
	switch {
	case errors.As(e.Err, &tried):
		return probeResult{err: e.Err, evidence: evidence} // the error contains the reason why there is no token
	case e.Status == http.StatusUnauthorized:
		return probeResult{err: bareStatus(e.Err), evidence: evidence}
	}
	switch e.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotAcceptable,
		http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity, http.StatusNotImplemented:
		return m.classifyRefusal(e, evidence)
	}
	r := m.untold(bareStatus(e.Err), evidence)
	if pause, busy := m.isBusy(e); busy {
		r.retries, r.pause = maxRetries, pause
	}
	return r
}

// untold returns the result of a response that shows no era, such as a status 500 without a message. A server of the
// handshake era may respond so to an unknown method.
func (m *Machine) untold(err error, evidence string) probeResult {
	return probeResult{evidence: evidence, offer: m.handshakeOffer(), httpErr: err}
}

// failsAsDiscover reports whether initialize failed like server/discover. This is one failure of the server,
// which is reported once.
func (m *Machine) failsAsDiscover(e Event) bool {
	return m.state == initializing && m.untoldEra && !m.reoffered && e.Kind != Response && e.Kind != Canceled && e.Status == m.probeStatus
}

func (m *Machine) classifyRefusal(e Event, evidence string) probeResult {
	rpc := rpcError(e)
	if rpc == nil {
		r := m.handshake("%s", evidence)
		r.httpErr = bareStatus(e.Err)
		return r
	}
	r := m.classifyError(e)
	r.evidence = fmt.Sprintf("%s with HTTP %d", r.evidence, e.Status)
	if r.era == revision.EraHandshake {
		r.httpErr = bareStatus(e.Err)
		r.listTools = e.Status == http.StatusNotFound && rpc.Code.Is(jsonrpc.CodeMethodNotFound)
	}
	return r
}

// bareStatus returns the HTTP error inside err.
func bareStatus(err error) error {
	var status *transport.StatusError
	if errors.As(err, &status) {
		return status
	}
	return err
}

// onToolsList handles the second probe, for servers that route by the headers
// of 2026-07-28 and lack server/discover. Only a result can show the stateless
// era. The server has refused server/discover, so that after a failure initialize
// remains to be tried, unless the user has ended the attempt.
func (m *Machine) onToolsList(e Event) Action {
	err := e.Err
	rpc := rpcError(e)
	if e.Kind == Response {
		if err = nil; rpc != nil {
			err = rpc
		}
	}
	switch {
	case err == nil && provesStateless(e.Envelope.Result.Of(e.Frame)):
		m.detect(revision.EraStateless, Probed, "but tools/list of %s returned a result: the server lacks server/discover, which is required", revision.NewestStateless)
		meta, _ := jsonrpc.Member(e.Envelope.Result.Of(e.Frame), "_meta")
		return m.ready(Outcome{Revision: revision.NewestStateless, Offered: revision.NewestStateless, Meta: meta})
	case err == nil:
		m.detect(revision.EraHandshake, Probed, `and the tools/list result has no "resultType", "ttlMs" or "cacheScope", which %s requires`, revision.NewestStateless)
	case e.Kind == Canceled, errors.Is(err, transport.ErrSignInEnded):
		return m.fail(e, err)
	default:
		m.detect(revision.EraHandshake, Probed, "and tools/list of %s failed: %v", revision.NewestStateless, err)
		m.listErr = err
	}
	a := m.initialize(m.handshakeOffer())
	why := m.detection.Evidence
	a.Reason = strings.Join(why[max(0, len(why)-2):], ", ") + "; falling back to initialize" // both reasons belong to one step
	return a
}

// provesStateless reports whether a tools/list result has a member that only
// 2026-07-28 defines. A gateway in front of an older server returns a result
// without them.
func provesStateless(result []byte) bool {
	for _, name := range []string{"resultType", "ttlMs", "cacheScope"} {
		if _, ok := jsonrpc.Member(result, name); ok {
			return true
		}
	}
	return false
}
