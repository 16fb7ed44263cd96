package intercept

import (
	"fmt"
	"net/http"
)

// Status is the HTTP response of a fault, which replaces the response of the server. The request does not
// reach the server.
type Status struct {
	Code   int // 0: the connection ends without a response
	Header http.Header
	Body   []byte
}

const httpStatus = "http-status"

// httpFaults are the faults of HTTP, in the order of display.
var httpFaults = []FaultKind{
	{Name: httpStatus, Summary: "respond to tool calls with an HTTP status, 503 without one", Arg: "CODE", HTTP: true},
	{Name: "http-401", Summary: "respond to tool calls with 401 and a WWW-Authenticate header", HTTP: true, status: textStatus(http.StatusUnauthorized, "token required\n", "Www-Authenticate", `Bearer error="invalid_token"`)},
	{Name: "http-429", Summary: "respond to tool calls with 429 and a Retry-After header", HTTP: true, status: textStatus(http.StatusTooManyRequests, "too many requests\n", "Retry-After", "1")},
	{Name: "http-session-expired", Summary: "respond to tool calls with 404, as if the session had expired", HTTP: true, status: textStatus(http.StatusNotFound, "session not found\n")},
	{Name: "http-500-html", Summary: "respond to tool calls with 500 and an HTML page", HTTP: true, status: htmlStatus(http.StatusInternalServerError)},
	{Name: "http-html", Summary: "respond to tool calls with 200 and an HTML page", HTTP: true, status: htmlStatus(http.StatusOK)},
	{Name: "http-drop", Summary: "close the connection of a tool call without a response", HTTP: true, status: &Status{}},
}

func textStatus(code int, text string, header ...string) *Status {
	h := http.Header{"Content-Type": {"text/plain; charset=utf-8"}}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	return &Status{Code: code, Header: h, Body: []byte(text)}
}

func htmlStatus(code int) *Status {
	page := fmt.Sprintf("<!DOCTYPE html><title>%d %s</title>\n", code, http.StatusText(code))
	return &Status{Code: code, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: []byte(page)}
}
