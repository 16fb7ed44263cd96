package demo

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"mcptea/client/jsonrpc"
	"mcptea/internal/server/rpcserver"
)

// page is the same response to every request.
type page struct {
	Status       int
	Type, Body   string
	Authenticate string // value of the header WWW-Authenticate, or ""
}

func (p *page) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	if p.Authenticate != "" {
		w.Header().Set("WWW-Authenticate", p.Authenticate)
	}
	w.Header().Set("Content-Type", p.Type)
	w.WriteHeader(p.Status)
	_, _ = io.WriteString(w, p.Body) // the peer may have disconnected
}

// mislabel sends everything as plain text, whatever it is.
func mislabel(_ *run, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&plainWriter{w}, r)
	})
}

// plainWriter overrides the content type at the last moment.
type plainWriter struct{ http.ResponseWriter }

func (w *plainWriter) WriteHeader(status int) {
	if w.Header().Get("Content-Type") != "" {
		w.Header().Set("Content-Type", "text/plain")
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets [http.ResponseController] flush.
func (w *plainWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func hang(run *run, _ http.Handler) http.Handler {
	return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		// Only after the body is read does the server notice a client that
		// goes away.
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-r.Context().Done():
		case <-run.ctx.Done():
		}
	})
}

// dropCalls starts to answer tool calls, and breaks the connection.
func dropCalls(_ *run, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, rpcserver.MaxBody))
		r.Body = io.NopCloser(bytes.NewReader(body))
		if err != nil || !jsonrpc.Scan(body).HasMethod(body, "tools/call") {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		_, _ = io.WriteString(w, ": the answer is on its way\n\n")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
}

// sessionRequests is the number of requests in a session with the fault http-session-expired.
const sessionRequests = 3

func expireSessions(_ *run, next http.Handler) http.Handler {
	var mu sync.Mutex
	seen := map[string]int{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if id := r.Header.Get(rpcserver.SessionHeader); id != "" {
			mu.Lock()
			seen[id]++
			expired := seen[id] > sessionRequests
			mu.Unlock()
			if expired {
				rpcserver.Refuse(w, http.StatusNotFound, "the session has expired")
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
