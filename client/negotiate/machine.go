package negotiate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// A Transport is the way to reach the server. It distinguishes only what matters to negotiation.
type Transport uint8

// The transports.
const (
	Stdio   Transport = iota // messages over pipes, or over anything that is not HTTP
	AnyHTTP                  // a URL: Streamable HTTP, and HTTP+SSE if that fails
	HTTP                     // Streamable HTTP only
	SSE                      // HTTP+SSE only (2024-11-05)
)

// A Config holds the settings before connecting.
type Config struct {
	Transport Transport
	// Pinned is the only protocol version to try, or "" for any.
	Pinned revision.Revision
	// Offer is the version in initialize if nothing else decides, or "" for the newest version with
	// a handshake.
	Offer revision.Revision
	// Remembered is the era that an earlier connection detected.
	Remembered revision.Era
	// CanRestart reports that the process of the server can be restarted.
	CanRestart bool
	// Lenient accepts an unreleased protocol version in the initialize result.
	Lenient bool
	// Capabilities is the JSON object that stateless requests declare.
	Capabilities []byte
	// Backoff is the pause before the first retry; the second waits twice as long.
	Backoff time.Duration
}

// state is the state of the negotiation. The diagram in the package comment shows the transitions.
type state string

const (
	idle           state = "idle"           // before Start
	probing        state = "probing"        // server/discover sent, era unknown
	listingTools   state = "listing tools"  // tools/list sent as a second probe
	initializing   state = "initializing"   // initialize sent
	acknowledging  state = "acknowledging"  // notifications/initialized is being sent
	discovering    state = "discovering"    // server/discover sent, because the server is assumed to be stateless
	openingStream  state = "opening stream" // GET of HTTP+SSE
	statelessReady state = "stateless"      // connected without a handshake
	handshaken     state = "handshaken"     // connected after a handshake
	renegotiating  state = "renegotiating"  // initialize sent after a stateless request was refused
	failed         state = "failed"
)

// EventKind is the kind of an [Event].
type EventKind string

// The events. The first group ends the wait for a response.
const (
	Response        EventKind = "response"            // a result or an error response
	HTTPError       EventKind = "HTTP error"          // an unsuccessful status without a response in its body
	Timeout         EventKind = "timeout"             // no response in time
	Unsolicited     EventKind = "unsolicited message" // the server sent a request or a log message before its response to the probe
	InvalidResponse EventKind = "invalid response"    // a response with the right id and invalid bytes
	Exited          EventKind = "exited"              // the server closed the connection
	Refused         EventKind = "refused"             // over HTTP: an error response with id null instead of the response
	TLSError        EventKind = "TLS error"           // the certificate or the TLS of the server was rejected: so would be a repeated request
	NetworkError    EventKind = "network error"       // any other failure of the transport
	Canceled        EventKind = "canceled"            // the caller gave up

	LateResponse     EventKind = "late response"     // the response to the probe, after Timeout or Unsolicited; changes no action
	StreamOpened     EventKind = "stream opened"     // HTTP+SSE: the endpoint event arrived
	InitializedSent  EventKind = "initialized sent"  // notifications/initialized is written
	RequestSucceeded EventKind = "request succeeded" // after connecting: a stateless request returned a result
	RequestRefused   EventKind = "request refused"   // after connecting: a stateless request failed
)

// An Event is something that happened to a request or to the connection.
type Event struct {
	Kind     EventKind
	Frame    []byte           // frame of a response
	Envelope jsonrpc.Envelope // envelope of Frame
	// Status is the status of the HTTP exchange, or 0 over stdio or if no status arrived. HTTP describes the
	// exchange if Status is neither 0 nor 200.
	Status     int
	HTTP       *transport.StatusError
	RetryAfter time.Duration // value of the Retry-After header, or 0
	// Accepted reports that the server had accepted the request before this event.
	Accepted bool
	Err      error         // reason why there is no response; for HTTPError it wraps a *transport.StatusError
	After    time.Duration // Timeout: duration of the wait
	Reason   string        // Exited, InvalidResponse, Refused: a phrase for the evidence; Timeout: other output that arrived, if any
	Method   string        // RequestRefused: method of the request
}

// ActionKind is the kind of an [Action].
type ActionKind string

// The actions.
const (
	Keep            ActionKind = "keep"                 // nothing changes
	SendDiscover    ActionKind = "send server/discover" // server/discover
	SendToolsList   ActionKind = "send tools/list"      // tools/list with stateless _meta
	SendInitialize  ActionKind = "send initialize"      // initialize with Offer
	SendInitialized ActionKind = "send initialized"     // notifications/initialized; Outcome applies from now on
	OpenStream      ActionKind = "open stream"          // open the event stream of HTTP+SSE
	Ready           ActionKind = "ready"                // connected; see Outcome
	AwaitHandshake  ActionKind = "await handshake"      // wait for the current renegotiation, then send the request again
	Fail            ActionKind = "fail"                 // see Err
)

// An Action is the next step of the caller.
type Action struct {
	Kind    ActionKind
	Probe   bool              // SendDiscover: the era is unknown; report Unsolicited and LateResponse
	Offer   revision.Revision // SendInitialize
	Restart bool              // start the process of the server again first
	Retry   bool              // the same request again, because of Reason
	Wait    time.Duration     // pause before a retry
	Outcome Outcome           // SendInitialized, Ready
	Err     error             // Fail
	// Cause is the failure that led to the action, or nil; Reason is a phrase about it.
	Cause  error
	Reason string
}

// An Outcome is the result of a successful negotiation.
type Outcome struct {
	Revision revision.Revision // negotiated version
	Offered  revision.Revision
	Unknown  string // selected version, if it is not a released one
	Result   []byte // result of initialize or server/discover, or nil if tools/list decided
	Meta     []byte // _meta of the result, which has serverInfo
	// Resumed reports that the connection continues as before, because a renegotiation failed.
	Resumed bool
}

// The ways to detect an era; see [Detection].
const (
	Pinned     = "pinned"     // the user requested a version
	Probed     = "probed"     // a probe was sent
	Remembered = "remembered" // the era is from an earlier connection
	Corrected  = "corrected"  // an earlier detection turned out wrong
)

// Detection is the era of a server and how it was detected.
type Detection struct {
	Era        revision.Era `json:"era"`                   // "handshake", "stateless" or "unknown"
	DetectedBy string       `json:"detected_by,omitempty"` // "pinned", "probed", "remembered" or "corrected"
	// Late is the era shown by a response to the probe that arrived after initialize was sent, or EraUnknown.
	// That response was not used; the next process of the server can be connected accordingly.
	Late revision.Era `json:"-"`
	// Evidence is a sentence without a period for each event that led to the era, in order.
	Evidence []string `json:"evidence"`
}

// Machine negotiates one connection. It is not safe for concurrent use.
type Machine struct {
	cfg       Config
	state     state
	detection Detection

	attempt      int               // number of the current attempt of the request, from 1
	offer        revision.Revision // version in the last initialize
	reoffered    bool              // a version from the server's list was offered
	listRepeated bool              // server/discover was repeated because the server lists its version
	remembered   bool              // the remembered era is being tried
	restarted    bool              // the process was started again
	probed       bool              // the restart was because of the probe
	awaitsLate   bool              // the probe has no response yet
	fellBack     bool              // the transport fell back from Streamable HTTP to HTTP+SSE
	waited       bool              // server/discover was retried in vain: what follows is not retried
	untoldEra    bool              // initialize was sent although server/discover had shown no era
	probeErr     error             // error of server/discover that led to initialize
	probeStatus  int               // HTTP status of that error, or 0
	probes       int               // number of server/discover requests before initialize
	listErr      error             // error of tools/list that led to initialize
	httpErr      error             // HTTP error of initialize that led to HTTP+SSE
	initErr      error             // error of initialize that led to server/discover
	initMayBeSSE bool              // initialize was refused as servers with only HTTP+SSE do
	outcome      Outcome

	succeeded    bool // a stateless request returned a result
	renegotiated bool // a renegotiation was started; there is only one
	before       Detection
}

// New returns a machine in the state [Idle].
func New(cfg Config) *Machine { return &Machine{cfg: cfg, state: idle} }

// Detection returns the detected era. The caller owns the value.
func (m *Machine) Detection() Detection {
	d := m.detection
	d.Evidence = slices.Clone(d.Evidence)
	return d
}

// Start returns the first action.
func (m *Machine) Start() Action {
	if m.cfg.Transport == SSE {
		m.state = openingStream
		return Action{Kind: OpenStream}
	}
	return m.begin()
}

func (m *Machine) begin() Action {
	pinned := m.cfg.Pinned
	switch {
	case pinned.IsStateless():
		m.detect(revision.EraStateless, Pinned, "protocol version %s was requested", pinned)
		return m.discover()
	case pinned != "":
		m.detect(revision.EraHandshake, Pinned, "protocol version %s was requested", pinned)
		return m.initialize(pinned)
	case m.cfg.Transport == SSE:
		m.detect(revision.EraHandshake, Pinned, "HTTP+SSE was requested, which only protocol versions with a handshake have")
		return m.initialize(m.handshakeOffer())
	case m.cfg.Remembered == revision.EraStateless:
		m.remember()
		return m.discover()
	case m.cfg.Remembered == revision.EraHandshake:
		m.remember()
		return m.initialize(m.handshakeOffer())
	}
	return m.probe()
}

func (m *Machine) remember() {
	m.remembered = true
	m.detect(m.cfg.Remembered, Remembered, "the previous connection to this server was of the %s era", m.cfg.Remembered)
}

// Next returns the action after an event.
func (m *Machine) Next(e Event) Action {
	switch e.Kind {
	case LateResponse:
		return m.late(e)
	case RequestSucceeded, RequestRefused: // accepted in any state: other requests may be pending
		return m.onRequest(e)
	}
	switch m.state {
	case probing:
		return m.onProbe(e)
	case listingTools:
		return m.onToolsList(e)
	case initializing, renegotiating:
		return m.onInitialize(e)
	case discovering:
		return m.onDiscover(e)
	case openingStream:
		return m.onStream(e)
	case acknowledging:
		return m.onInitialized(e)
	}
	return Action{Kind: Keep}
}

// detect sets the era and adds a sentence to the evidence.
func (m *Machine) detect(era revision.Era, by string, evidence string, args ...any) {
	m.detection.Era, m.detection.DetectedBy = era, by
	m.detection.Evidence = append(m.detection.Evidence, fmt.Sprintf(evidence, args...))
}

func (m *Machine) overHTTP() bool { return m.cfg.Transport != Stdio }

// probe starts the probe of a server of unknown era.
func (m *Machine) probe() Action {
	m.state, m.attempt = probing, 1
	return Action{Kind: SendDiscover, Probe: true}
}

// initialize starts a handshake.
func (m *Machine) initialize(offer revision.Revision) Action {
	m.state, m.attempt, m.offer, m.reoffered = initializing, 1, offer, false
	return Action{Kind: SendInitialize, Offer: offer}
}

// discover sends server/discover to a server that is assumed to be stateless.
func (m *Machine) discover() Action {
	m.state, m.attempt, m.listRepeated = discovering, 1, false
	return Action{Kind: SendDiscover}
}

// ready ends a negotiation without a handshake.
func (m *Machine) ready(o Outcome) Action {
	m.state, m.outcome, m.waited = statelessReady, o, false
	return Action{Kind: Ready, Outcome: o}
}

// handshakeOffer returns the version to offer to a server that turned out to have a handshake.
func (m *Machine) handshakeOffer() revision.Revision {
	if m.cfg.Pinned != "" && !m.cfg.Pinned.IsStateless() {
		return m.cfg.Pinned
	}
	return cmp.Or(m.cfg.Offer, revision.NewestHandshake)
}

// fail ends the negotiation, unless another attempt is possible. err is the error of the event e.
func (m *Machine) fail(e Event, err error) Action {
	switch {
	case m.state == renegotiating || m.state == acknowledging && m.renegotiated:
		m.state = statelessReady
		m.detect(m.before.Era, m.before.DetectedBy, "and initialize failed: %v", err)
		return Action{Kind: Ready, Cause: err, Outcome: Outcome{Resumed: true}}
	case m.failsAsDiscover(e):
		err = &DiscoverError{Err: m.probeErr, Attempts: m.probes}
	case lacksToken(m.listErr) && e.Kind != Canceled && !lacksToken(err):
		err = m.listErr // tools/list may have had a result with a token
	case m.mayBeSSE(e):
		return m.openStream(err, err)
	case m.state == discovering && m.initMayBeSSE && e.Kind != Canceled && !m.fellBack:
		m.probeErr = err
		var discover *DiscoverError
		if errors.As(err, &discover) {
			m.probeErr = discover.Err
		}
		return m.openStream(m.initErr, err)
	case m.remembered && m.isOutdated(e, err):
		return m.forget(e, err)
	}
	m.state = failed
	return Action{Kind: Fail, Err: err}
}

// isOutdated reports whether a failure may be due to the remembered era.
func (m *Machine) isOutdated(e Event, err error) bool {
	return m.hasExited(e) || isRefusal(err) || e.Kind == Timeout && !m.overHTTP()
}

func (m *Machine) hasExited(e Event) bool { return e.Kind == Exited && m.cfg.CanRestart }

// forget drops the remembered era and probes. A process that exited at
// server/discover gets initialize instead, as the first message.
func (m *Machine) forget(e Event, err error) Action {
	m.remembered = false
	evidence := fmt.Sprintf("that no longer works: %v", err)
	if m.hasExited(e) && m.cfg.Remembered == revision.EraStateless {
		return m.restart(err, evidence)
	}
	m.detect(revision.EraUnknown, Corrected, "%s", evidence)
	a := m.probe()
	a.Cause = err
	if m.hasExited(e) {
		m.restarted, a.Restart = true, true
	}
	return a
}

// restart starts the process again, once, and sends initialize first: some servers exit if they receive another
// message first.
func (m *Machine) restart(err error, evidence string) Action {
	m.detect(revision.EraUnknown, Probed, "%s", evidence)
	if !m.cfg.CanRestart || m.restarted {
		m.state = failed
		return Action{Kind: Fail, Err: err}
	}
	m.restarted, m.probed = true, true
	a := m.initialize(m.handshakeOffer())
	a.Restart, a.Cause = true, err
	return a
}
