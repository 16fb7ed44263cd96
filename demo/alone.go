package demo

import (
	"context"
	"net/http"

	"mcptea/client/jsonrpc"
	"mcptea/demo/headers"
	"mcptea/demo/peer"
)

// The transport of 2026-07-28: each POST stands alone, and nothing is kept
// between two of them.

// standsAlone decides in which era a body is. It goes by what the body says,
// and by the headers only where that says nothing.
func (e *endpoint) standsAlone(r *http.Request, frame []byte, envelope jsonrpc.Envelope) bool {
	switch {
	case e.server.Era != peer.BothEras:
		return e.server.Era == peer.ModernOnly
	case peer.StandsAlone(envelope.MethodName(frame), envelope.Params.Of(frame)):
		return true
	case r.Header.Get(sessionHeader) != "", envelope.MethodName(frame) == "initialize":
		return false
	case r.Header.Get(headers.Method) != "":
		return true
	}
	version := r.Header.Get(versionHeader)
	revision, known := peer.ParseRevision(version)
	return version != "" && (!known || revision >= peer.R20260728)
}

// answerAlone serves a body by itself.
func (e *endpoint) answerAlone(w http.ResponseWriter, r *http.Request, frame []byte, envelope jsonrpc.Envelope) {
	switch {
	case envelope.Kind == jsonrpc.Notification:
		w.WriteHeader(http.StatusAccepted) // there is nothing that one could be about
		return
	case envelope.Kind == jsonrpc.Batch, envelope.Kind.IsResponse():
		refuse(w, http.StatusBadRequest, "", "the body must be one request or one notification")
		return
	}
	if err := e.checkHeaders(r, frame, envelope); err != nil && envelope.Kind == jsonrpc.Request {
		refuseWith(w, http.StatusBadRequest, jsonrpc.ID(envelope.ID.Of(frame)), peer.CodeHeaderMismatch, err.Error())
		return
	}
	session := peer.NewSession(e.run.ctx, e.server, func([]byte) {})
	defer session.Close() // a disconnect cancels the request
	st := newStream("")
	st.attach(0)
	defer st.detach()
	defer context.AfterFunc(r.Context(), st.wake)()
	defer context.AfterFunc(e.run.ctx, st.wake)()
	go session.Handle(frame, st) // it may wait for us to read
	gone := func() bool { return r.Context().Err() != nil || session.Ended() }
	switch first := st.next(gone); {
	case len(first) == 0:
	case len(first) == 1 && first[0].answer:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(statusAlone(first[0].frame))
		_, _ = w.Write(first[0].frame) // the peer is gone
	default:
		pourAlone(w, st, first, gone)
	}
}

// checkHeaders compares headers and body. A handshake that went astray has none
// of them, and another revision may have others.
func (e *endpoint) checkHeaders(r *http.Request, frame []byte, envelope jsonrpc.Envelope) error {
	method, params := envelope.MethodName(frame), envelope.Params.Of(frame)
	if method == "initialize" && !peer.StandsAlone(method, params) {
		return nil
	}
	token, _ := jsonrpc.Member(params, "_meta", headers.MetaVersion)
	version, _ := jsonrpc.Unquote(token)
	if version != "" && version != peer.R20260728.String() && version == r.Header.Get(versionHeader) {
		return nil
	}
	var schema []byte
	if token, ok := jsonrpc.Member(params, "name"); ok && method == "tools/call" {
		name, _ := jsonrpc.Unquote(token)
		schema = e.server.SchemaOf(name)
	}
	return headers.Check(r.Header, method, params, schema)
}

// statusAlone is the status that goes with an answer.
func statusAlone(answer []byte) int {
	token, ok := jsonrpc.Member(answer, "error", "code")
	if !ok {
		return http.StatusOK
	}
	switch code, _ := jsonrpc.Integer(token); code {
	case jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	case jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest, jsonrpc.CodeInvalidParams,
		peer.CodeHeaderMismatch, peer.CodeMissingCapability, peer.CodeUnsupportedVersion:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// pourAlone writes a stream as server-sent events without ids: what is lost is
// lost.
func pourAlone(w http.ResponseWriter, st *stream, events []event, gone func() bool) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	out := http.NewResponseController(w)
	var buf []byte
	for len(events) > 0 {
		buf = buf[:0]
		for _, e := range events {
			buf = appendEvent(buf, "", e.frame)
		}
		if _, err := w.Write(buf); err != nil || out.Flush() != nil {
			return
		}
		events = st.next(gone)
	}
}
