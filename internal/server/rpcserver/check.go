// Package rpcserver implements the server half of MCP's transports: the checks, state and responses that
// every server needs. The demo server and the mock of a recording use it.
//
// [Stdio] has one client, [Endpoint] implements Streamable HTTP (2025-03-26 and later), [SSE] implements
// HTTP+SSE (2024-11-05). A server passes them a function that opens a [Session], and writes the frames for
// its client to a [Stream].
package rpcserver

import (
	"io"
	"mime"
	"net/http"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/system"
)

// The headers of MCP.
const (
	SessionHeader = "Mcp-Session-Id"
	VersionHeader = "MCP-Protocol-Version"
)

// MaxBody bounds the body of a request, in bytes.
const MaxBody = 64 << 20

const (
	typeJSON   = "application/json"
	typeStream = "text/event-stream"
)

// Refusal is the response to a request that no session handles. Its body is a JSON-RPC
// error.
type Refusal struct {
	Status  int
	ID      jsonrpc.ID // id of the request, or the zero ID for null
	Code    int64      // 0 for [jsonrpc.CodeInvalidRequest]
	Message string
}

// Write sends the refusal.
func (f *Refusal) Write(w http.ResponseWriter) {
	id, code := f.ID, f.Code
	if !id.Present() {
		id = jsonrpc.IDOf("null")
	}
	if code == 0 {
		code = jsonrpc.CodeInvalidRequest
	}
	writeJSON(w, f.Status, jsonrpc.EncodeError(id, code, f.Message, nil))
}

// Refuse responds with a status and an error without id.
func Refuse(w http.ResponseWriter, status int, message string) {
	(&Refusal{Status: status, Message: message}).Write(w)
}

func refuseMethod(w http.ResponseWriter, allow, message string) {
	w.Header().Set("Allow", allow)
	Refuse(w, http.StatusMethodNotAllowed, message)
}

func writeJSON(w http.ResponseWriter, status int, frame []byte) {
	w.Header().Set("Content-Type", typeJSON)
	w.WriteHeader(status)
	_, _ = w.Write(frame) // the client may be gone
}

// LoopbackOnly refuses the requests that a web page could send by way of a browser.
func LoopbackOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if reason := system.LoopbackRefusal(r); reason != "" {
			Refuse(w, http.StatusForbidden, reason)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// ReadBody reads the body of a request. It returns false when it has refused it.
func ReadBody(w http.ResponseWriter, r *http.Request) (frame []byte, ok bool) {
	frame, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if err != nil {
		Refuse(w, http.StatusRequestEntityTooLarge, "cannot read the body: "+err.Error())
	}
	return frame, err == nil
}

// checkPost checks the headers of a POST about its body and its response. If it refuses the request, it returns
// false.
func checkPost(w http.ResponseWriter, r *http.Request) bool {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != typeJSON {
		Refuse(w, http.StatusUnsupportedMediaType, "the content type must be application/json")
		return false
	}
	if !accepts(r, typeJSON) || !accepts(r, typeStream) {
		Refuse(w, http.StatusNotAcceptable, "accept both application/json and text/event-stream")
		return false
	}
	return true
}

func checkGet(w http.ResponseWriter, r *http.Request) bool {
	if !accepts(r, typeStream) {
		Refuse(w, http.StatusNotAcceptable, "accept text/event-stream")
		return false
	}
	return true
}

// accepts reports whether the Accept header lists a media type.
func accepts(r *http.Request, want string) bool {
	family, _, _ := strings.Cut(want, "/")
	for _, value := range r.Header.Values("Accept") {
		for part := range strings.SplitSeq(value, ",") {
			kind, _, _ := strings.Cut(strings.TrimSpace(part), ";")
			if kind == want || kind == "*/*" || kind == family+"/*" {
				return true
			}
		}
	}
	return false
}
