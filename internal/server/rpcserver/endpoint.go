package rpcserver

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
)

// Endpoint is Streamable HTTP at one path. Its fields are set before it serves.
type Endpoint struct {
	Context context.Context // ends all sessions and streams
	Open    Open
	// Route decides which session a POST is for.
	Route func(r *http.Request, frame []byte, e jsonrpc.Envelope) (Route, *Refusal)
	// OnlyPOST reports whether a request with another method is refused, as of clients of
	// protocol versions without sessions.
	OnlyPOST func(r *http.Request) bool
	// Tolerant leaves out what only strict servers have: Content-Type and Accept are not
	// checked, streams cannot be resumed, and requests without a session id share a session.
	Tolerant bool
	Hello    string // first frame of a shared session, or ""

	// HeadersAfter bounds the wait for the first frame of a response. After it the response begins as a stream,
	// so that the client has headers and event ids. Zero waits for the first frame. The response to the request
	// that begins a session always waits, since its headers contain the session id.
	HeadersAfter time.Duration
	// KeepAlive is the interval of comments on a stream without events, or zero for none.
	KeepAlive time.Duration
	// Idle is the time after which a session without an open HTTP request ends, or 0 for no limit.
	Idle time.Duration
	// MaxSessions is the maximum number of sessions, or zero for 100. The oldest session ends for a newer one.
	MaxSessions int

	sessions sessions
	once     sync.Once
	sweep    sync.Once
	shared   *session
}

// NoSession is the reason for rejecting a request without a session id.
const NoSession = SessionHeader + " is missing; start with initialize"

// A Route selects the session that handles a POST.
type Route int

// The routes.
const (
	InSession  Route = iota // session that the header names
	NewSession              // session that starts with the request
	Alone                   // session that ends with the request
	Shared                  // one session for all requests without a session id
)

func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodPost:
		e.post(w, r)
	case e.OnlyPOST(r):
		refuseMethod(w, "POST", "use POST; there are no sessions")
	case r.Method == http.MethodGet:
		e.get(w, r)
	case r.Method == http.MethodDelete:
		if s := e.find(w, r, InSession); s != nil {
			e.sessions.end(s.id)
			w.WriteHeader(http.StatusNoContent)
		}
	default:
		refuseMethod(w, "GET, POST, DELETE", "use GET, POST or DELETE")
	}
}

// find returns the session that a request names. It returns nil when it has refused the
// request.
func (e *Endpoint) find(w http.ResponseWriter, r *http.Request, route Route) *session {
	id := r.Header.Get(SessionHeader)
	if id == "" && e.Tolerant || route == Shared {
		e.once.Do(func() {
			e.shared = e.begin(false)
			if e.Hello != "" {
				e.shared.Handle(e.Context, []byte(e.Hello), nowhere())
			}
		})
		return e.shared
	}
	if id == "" {
		Refuse(w, http.StatusBadRequest, NoSession)
		return nil
	}
	s := e.sessions.find(id)
	if s == nil {
		Refuse(w, http.StatusNotFound, "there is no such session; start over with initialize")
		return nil
	}
	if why := s.Refuse(r); why != "" {
		Refuse(w, http.StatusBadRequest, why)
		return nil
	}
	return s
}

func (e *Endpoint) begin(alone bool) *session {
	name := "u"
	if e.Tolerant {
		name = ""
	}
	if e.Idle > 0 {
		e.sweep.Do(func() { go e.sessions.endIdle(e.Context, e.Idle) })
	}
	s := begin(e.Context, e.Open, alone, name)
	s.unrelated.keepAlive = e.KeepAlive
	return s
}

func (e *Endpoint) post(w http.ResponseWriter, r *http.Request) {
	if !e.Tolerant && !checkPost(w, r) {
		return
	}
	frame, ok := ReadBody(w, r)
	if !ok {
		return
	}
	envelope := jsonrpc.Scan(frame)
	route, refusal := e.Route(r, frame, envelope)
	if refusal != nil {
		refusal.Write(w)
		return
	}
	isAnswered := envelope.Kind != jsonrpc.Notification && !envelope.Kind.IsResponse()
	if route == Alone && !isAnswered {
		w.WriteHeader(http.StatusAccepted) // without a session, a notification or response matches no request
		return
	}
	var s *session
	if route == NewSession || route == Alone {
		s = e.begin(route == Alone)
	} else if s = e.find(w, r, route); s == nil {
		return
	}
	if !isAnswered {
		s.Handle(s.ctx, frame, nowhere())
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if route == Alone {
		defer s.end() // a client that leaves cancels the request
	}
	e.respond(w, r, s, route, frame, envelope.Kind)
}

// respond handles a request. If the first frame is the response, it is sent as JSON; otherwise a stream is
// sent.
func (e *Endpoint) respond(w http.ResponseWriter, r *http.Request, s *session, route Route, frame []byte, kind jsonrpc.Kind) {
	st := newStream("")
	if route != Alone && !e.Tolerant {
		st = s.newStream()
	}
	st.attach(0)
	defer st.detach()
	ctx, stop := s.during(r)
	defer stop()
	go s.Handle(ctx, frame, st) // Handle may wait for the client to read
	st.keepAlive = e.KeepAlive
	var wait time.Duration
	if route != NewSession {
		wait = e.HeadersAfter
	}
	first := st.nextWithin(ctx, wait)
	isWaiting := len(first) == 0 && ctx.Err() == nil && !st.finished()
	if route == NewSession {
		if s.Ready() {
			w.Header().Set(SessionHeader, s.id)
			e.sessions.add(s, cmp.Or(e.MaxSessions, maxSessions))
		} else {
			s.end()
		}
	}
	switch {
	case len(first) == 0 && !isWaiting && (ctx.Err() != nil || route == Alone):
	case len(first) == 0 && !isWaiting && kind == jsonrpc.Batch:
		w.WriteHeader(http.StatusAccepted) // notifications get no response
	case len(first) == 1 && first[0].isResponse:
		writeJSON(w, cmp.Or(first[0].status, http.StatusOK), first[0].frame)
	default:
		if route == Alone {
			w.Header().Set("X-Accel-Buffering", "no")
		}
		s.pour(ctx, w, st, first)
	}
}

// pour writes a stream from the given events on.
func (s *session) pour(ctx context.Context, w http.ResponseWriter, st *Stream, events []event) {
	var head []byte
	if st.name != "" && s.Primes() && (len(events) == 0 || events[0].number == 1) {
		head = []byte("id: " + st.id(st.seen(events)) + "\ndata: \n\n")
	}
	st.pour(ctx, w, head, events)
}

// get opens the stream of frames that belong to no request, or resumes the stream that Last-Event-ID names.
func (e *Endpoint) get(w http.ResponseWriter, r *http.Request) {
	if !e.Tolerant && !checkGet(w, r) {
		return
	}
	s := e.find(w, r, InSession)
	if s == nil {
		return
	}
	st, after := s.unrelated, -1
	if last := r.Header.Get("Last-Event-ID"); last != "" && !e.Tolerant {
		name, number, ok := parseEventID(last)
		if ok {
			st, after = s.stream(name), number
		}
		if !ok || st == nil {
			Refuse(w, http.StatusBadRequest, "no stream has an event "+strconv.Quote(last))
			return
		}
	}
	if !st.attach(after) {
		Refuse(w, http.StatusConflict, "the stream is being read already")
		return
	}
	defer st.detach()
	ctx, stop := s.during(r)
	defer stop()
	s.pour(ctx, w, st, nil)
}
