package intercept

import (
	"fmt"
	"net/http"
	"strconv"
)

// Status is the HTTP response of a fault, in place of that of the server. The request
// does not reach the server.
type Status struct {
	Code   int // 0: the connection ends without a response
	Header http.Header
	Body   []byte
}

const (
	callRequests  = "dir:out method:tools/call"
	defaultStatus = http.StatusServiceUnavailable
	httpStatus    = "http-status"
)

// httpFaults are the faults of HTTP, in the order of display.
var httpFaults = []struct {
	kind   FaultKind
	status Status
}{
	{FaultKind{Name: httpStatus, Summary: "respond to tool calls with an HTTP status, 503 without one", Arg: "CODE"}, Status{}},
	{FaultKind{Name: "http-401", Summary: "respond to tool calls with 401 and a WWW-Authenticate header"}, textStatus(http.StatusUnauthorized, "token required\n", "Www-Authenticate", `Bearer error="invalid_token"`)},
	{FaultKind{Name: "http-429", Summary: "respond to tool calls with 429 and a Retry-After header"}, textStatus(http.StatusTooManyRequests, "too many requests\n", "Retry-After", "1")},
	{FaultKind{Name: "http-session-expired", Summary: "respond to tool calls with 404, as if the session had expired"}, textStatus(http.StatusNotFound, "session not found\n")},
	{FaultKind{Name: "http-500-html", Summary: "respond to tool calls with 500 and an HTML page"}, htmlStatus(http.StatusInternalServerError)},
	{FaultKind{Name: "http-html", Summary: "respond to tool calls with 200 and an HTML page"}, htmlStatus(http.StatusOK)},
	{FaultKind{Name: "http-drop", Summary: "close the connection of a tool call without a response"}, Status{}},
}

func textStatus(code int, text string, header ...string) Status {
	h := http.Header{"Content-Type": {"text/plain; charset=utf-8"}}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return Status{Code: code, Header: h, Body: []byte(text)}
}

func htmlStatus(code int) Status {
	page := fmt.Sprintf("<!DOCTYPE html><title>%d %s</title>\n", code, http.StatusText(code))
	return Status{Code: code, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: []byte(page)}
}

// httpFault returns the response of a fault of HTTP; nil for other faults.
func httpFault(name, arg string) (*Status, error) {
	for _, f := range httpFaults {
		if f.kind.Name != name {
			continue
		}
		status := f.status
		if name == httpStatus {
			code := defaultStatus
			if arg != "" {
				var err error
				if code, err = strconv.Atoi(arg); err != nil || code < 200 || code > 599 {
					return nil, fmt.Errorf("fault %s=%s: the status must be a number from 200 to 599", name, arg)
				}
			}
			status = textStatus(code, http.StatusText(code)+"\n")
		}
		return &status, nil
	}
	return nil, nil
}
