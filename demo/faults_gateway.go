package demo

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"sync"

	"mcptea/client/jsonrpc"
	"mcptea/internal/rpcserver"
)

// gateway passes requests through to a server of 2025-11-25, as gateways for
// stdio servers do: it routes server/discover to nothing, and answers requests
// that belong to no session in the one that it keeps open with the server.
type gateway struct {
	next http.Handler

	mu      sync.Mutex
	session string // at the server behind it; empty before the first use
}

func passThrough(_ *run, next http.Handler) http.Handler { return &gateway{next: next} }

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, ok := rpcserver.ReadBody(w, r, rpcserver.MaxBody)
	if !ok {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	e := jsonrpc.Scan(body)
	id := jsonrpc.ID(e.ID.Of(body))
	switch method := e.MethodName(body); {
	case method == "server/discover":
		(&rpcserver.Refusal{Status: http.StatusNotFound, ID: id, Code: jsonrpc.CodeMethodNotFound, Message: "Method not found"}).Write(w)
		return
	case e.Kind == jsonrpc.Request && method != "initialize" && r.Header.Get(sessionHeader) == "":
		session, err := g.open(r)
		if err != nil {
			(&rpcserver.Refusal{Status: http.StatusBadGateway, ID: id, Code: jsonrpc.CodeInternalError, Message: err.Error()}).Write(w)
			return
		}
		r.Header.Set(sessionHeader, session)
		r.Header.Del(versionHeader) // what the client names is not what that session speaks
	}
	g.next.ServeHTTP(w, r)
}

// open returns the gateway's own session, after the handshake for it.
func (g *gateway) open(r *http.Request) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.session != "" {
		return g.session, nil
	}
	const hello = `{"jsonrpc":"2.0","id":"gateway","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"gateway","version":"1"}}}`
	header, status := g.post(r, hello, "")
	session := header.Get(sessionHeader)
	if status != http.StatusOK || session == "" {
		return "", fmt.Errorf("initialize of the gateway was answered with HTTP %d", status)
	}
	if _, status = g.post(r, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, session); status != http.StatusAccepted {
		return "", fmt.Errorf("notifications/initialized of the gateway was answered with HTTP %d", status)
	}
	g.session = session
	return session, nil
}

// post sends a message of the gateway's own to the server behind it.
func (g *gateway) post(client *http.Request, frame, session string) (http.Header, int) {
	r := client.Clone(client.Context())
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader([]byte(frame))), int64(len(frame))
	r.Header.Del(versionHeader)
	if session != "" {
		r.Header.Set(sessionHeader, session)
	}
	w := &statusWriter{header: http.Header{}}
	g.next.ServeHTTP(w, r)
	return w.header, w.status
}

// statusWriter keeps the head of a response and drops its body.
type statusWriter struct {
	header http.Header
	status int
}

func (w *statusWriter) Header() http.Header { return w.header }
func (w *statusWriter) WriteHeader(s int)   { w.status = s }
func (w *statusWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return len(b), nil
}
