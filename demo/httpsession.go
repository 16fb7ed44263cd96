package demo

import (
	"context"
	"net/http"
	"strconv"

	"mcptea/client/revision"

	"mcptea/client/jsonrpc"
	"mcptea/demo/peer"
)

// sessionFor finds the session of a request, or starts one for initialize. It
// returns nil when it has refused the request.
func (e *endpoint) sessionFor(w http.ResponseWriter, r *http.Request, frame []byte, envelope jsonrpc.Envelope) *httpSession {
	if r.Header.Get(sessionHeader) != "" {
		return e.knownSession(w, r)
	}
	id := jsonrpc.ID(envelope.ID.Of(frame))
	if envelope.Kind != jsonrpc.Request {
		refuse(w, http.StatusBadRequest, "", sessionHeader+" is missing; start with initialize")
		return nil
	}
	switch method := string(envelope.Method.Of(frame)); {
	case method == "initialize":
		return e.startSession()
	case !peer.KnowsMethod(method):
		refuseWith(w, http.StatusBadRequest, id, jsonrpc.CodeMethodNotFound, "method not found: "+method)
	default:
		refuse(w, http.StatusBadRequest, id, sessionHeader+" is missing; start with initialize")
	}
	return nil
}

// knownSession finds the session that the headers name and checks the revision.
func (e *endpoint) knownSession(w http.ResponseWriter, r *http.Request) *httpSession {
	id := r.Header.Get(sessionHeader)
	if id == "" {
		refuse(w, http.StatusBadRequest, "", sessionHeader+" is missing; start with initialize")
		return nil
	}
	e.mu.Lock()
	session := e.sessions[id]
	e.mu.Unlock()
	if session == nil {
		refuse(w, http.StatusNotFound, "", "there is no such session; start over with initialize")
		return nil
	}
	// A missing header stands for 2025-03-26; it is let through in any session,
	// since that is what clients of the time send.
	version := r.Header.Get(versionHeader)
	if version != "" && !revision.Revision(version).Known() {
		refuse(w, http.StatusBadRequest, "", versionHeader+": unknown revision "+strconv.Quote(version))
		return nil
	}
	if version != "" && peer.VersionHeader.In(session.Revision()) && version != string(session.Revision()) {
		refuse(w, http.StatusBadRequest, "", versionHeader+" is "+version+", the session speaks "+string(session.Revision()))
		return nil
	}
	return session
}

// startSession makes a session that is not registered yet.
func (e *endpoint) startSession() *httpSession {
	session := &httpSession{id: newSessionID(), unasked: newStream("u")}
	session.Session = peer.NewSession(e.run.ctx, e.server, session.unasked.Send)
	return session
}

// keepIfReady files a new session once its handshake is answered, and drops it
// when that was refused.
func (e *endpoint) keepIfReady(w http.ResponseWriter, session *httpSession) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sessions[session.id] != nil {
		return
	}
	if !session.Ready() {
		session.shut()
		return
	}
	w.Header().Set(sessionHeader, session.id)
	e.sessions[session.id] = session
	e.order = append(e.order, session.id)
	if len(e.order) > maxSessions {
		oldest := e.order[0]
		e.order = e.order[1:]
		e.sessions[oldest].shut()
		delete(e.sessions, oldest)
	}
}

// remove ends a session (DELETE).
func (e *endpoint) remove(w http.ResponseWriter, r *http.Request) {
	session := e.knownSession(w, r)
	if session == nil {
		return
	}
	e.mu.Lock()
	delete(e.sessions, session.id)
	for i, id := range e.order {
		if id == session.id {
			e.order = append(e.order[:i:i], e.order[i+1:]...)
			break
		}
	}
	e.mu.Unlock()
	session.shut()
	w.WriteHeader(http.StatusNoContent)
}

// get opens the stream of unasked frames, or goes on with the stream that
// Last-Event-ID names.
func (e *endpoint) get(w http.ResponseWriter, r *http.Request) {
	if !accepts(r, "text/event-stream") {
		refuse(w, http.StatusNotAcceptable, "", "accept text/event-stream")
		return
	}
	session := e.knownSession(w, r)
	if session == nil {
		return
	}
	st, after := session.unasked, -1
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		name, number, ok := parseEventID(last)
		if ok {
			st, after = session.stream(name), number
		}
		if !ok || st == nil {
			refuse(w, http.StatusBadRequest, "", "no stream has an event "+strconv.Quote(last))
			return
		}
	}
	if !st.attach(after) {
		refuse(w, http.StatusConflict, "", "the stream is being read already")
		return
	}
	defer st.detach()
	defer context.AfterFunc(r.Context(), st.wake)()
	defer context.AfterFunc(e.run.ctx, st.wake)()
	session.pour(w, st, nil, func() bool { return r.Context().Err() != nil || session.Ended() })
}

// shut ends a session and all its streams.
func (s *httpSession) shut() {
	s.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unasked.close()
	for _, st := range s.streams {
		st.close()
	}
}

// newStream makes the stream of a POST. Old ones are forgotten.
func (s *httpSession) newStream() *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	st := newStream(strconv.Itoa(s.count))
	s.streams = append(s.streams, st)
	for i := 0; len(s.streams) > keepStreams && i < len(s.streams); {
		if s.streams[i].finished() {
			s.streams = append(s.streams[:i:i], s.streams[i+1:]...)
			continue
		}
		i++
	}
	return st
}

func (s *httpSession) stream(name string) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	if name == s.unasked.name {
		return s.unasked
	}
	for _, st := range s.streams {
		if st.name == name {
			return st
		}
	}
	return nil
}

// pour writes a stream as server-sent events, from the given events on, until
// it ends or gone reports true.
func (s *httpSession) pour(w http.ResponseWriter, st *stream, events []event, gone func() bool) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	out := http.NewResponseController(w)
	var buf []byte
	if peer.PrimingEvents.In(s.Revision()) && (len(events) == 0 || events[0].number == 1) {
		// An id before anything else, so that the client can come back.
		buf = append(buf, "id: "+st.eventID(st.seen(events))+"\ndata: \n\n"...)
	}
	for {
		for _, e := range events {
			buf = appendEvent(buf, st.eventID(e.number), e.frame)
		}
		if _, err := w.Write(buf); err != nil || out.Flush() != nil || st.finished() {
			return
		}
		buf = buf[:0]
		if events = st.next(gone); len(events) == 0 {
			return
		}
	}
}
