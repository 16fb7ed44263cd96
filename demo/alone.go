package demo

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"mcptea/client/paramheader"
	"mcptea/client/revision"

	"mcptea/client/jsonrpc"
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
	case r.Header.Get(methodHeader) != "":
		return true
	}
	version := r.Header.Get(versionHeader)
	return version != "" && !revision.Revision(version).HasHandshake()
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
		refuseWith(w, http.StatusBadRequest, jsonrpc.ID(envelope.ID.Of(frame)), revision.CodeHeaderMismatch, err.Error())
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
	version, _ := jsonrpc.Member(params, "_meta", revision.MetaProtocolVersion)
	if text, _ := jsonrpc.Unquote(version); text != "" && text != string(revision.R20260728) && text == r.Header.Get(versionHeader) {
		return nil
	}
	return compareHeaders(r.Header, method, params, e.server.SchemaOf(jsonrpc.Text(params, "name")))
}

// compareHeaders compares the headers of a request with its method and params. schema is
// the input schema of the tool that is called, if it is one.
func compareHeaders(h http.Header, method string, params, schema []byte) error {
	if h.Get(versionHeader) == "" {
		return fmt.Errorf("the header %s is missing", versionHeader)
	}
	version, _ := jsonrpc.Member(params, "_meta", revision.MetaProtocolVersion)
	if err := compare(h, versionHeader, version); len(version) > 0 && err != nil {
		return err
	}
	if err := compare(h, methodHeader, []byte(jsonrpc.StringID(method))); err != nil {
		return err
	}
	if param, ok := revision.NameParam(method); ok {
		value, _ := jsonrpc.Member(params, param)
		if err := compare(h, "Mcp-Name", value); err != nil {
			return err
		}
	}
	if method != "tools/call" {
		return nil
	}
	mirrored, err := paramheader.Read(schema)
	if err != nil {
		return err
	}
	arguments, _ := jsonrpc.Member(params, "arguments")
	for _, p := range mirrored {
		value, _ := jsonrpc.Member(arguments, p.Path[0], p.Path[1:]...)
		if string(value) == "null" {
			value = nil
		}
		if err := compare(h, paramheader.Prefix+p.Header, value); err != nil {
			return err
		}
	}
	return nil
}

// compare compares one header with a value of the body, which is JSON, and empty if the
// body has none: strings and booleans letter for letter, numbers by what they are worth.
func compare(h http.Header, name string, value []byte) error {
	got := h.Values(name)
	switch {
	case len(got) == 0 && len(value) == 0:
		return nil
	case len(got) == 0:
		return fmt.Errorf("the header %s is missing; the body says %s", name, value)
	case len(got) > 1:
		return fmt.Errorf("the header %s is there %d times", name, len(got))
	case len(value) == 0:
		return fmt.Errorf("the header %s is %q; the body has no such thing", name, got[0])
	}
	text := got[0]
	if name != versionHeader && name != methodHeader {
		var err error
		if text, err = revision.DecodeHeaderValue(text); err != nil {
			return fmt.Errorf("the header %s is %q: %w", name, text, err)
		}
	}
	want, ok := jsonrpc.Unquote(value)
	a, errA := strconv.ParseFloat(text, 64)
	b, errB := strconv.ParseFloat(string(value), 64)
	if ok && want == text || !ok && (string(value) == text || errA == nil && errB == nil && a == b) {
		return nil
	}
	return fmt.Errorf("the header %s is %q; the body says %s", name, text, value)
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
		revision.CodeHeaderMismatch, revision.CodeMissingCapability, revision.CodeUnsupportedVersion:
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
