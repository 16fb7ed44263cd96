package httptransport

import (
	"net/http"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint"
)

// lost is a GET with a session id that got 404 although an earlier GET had opened a stream. The next POST shows
// whether the session is lost: if it gets a response, only the stream is.
type lost struct {
	row int32
	id  string // session id, or ""
	// unknown is the newest session id of a POST that got 404, or "".
	unknown string
	// refused is the newest exchange with an error about its request. Such an error does not concern the
	// session.
	refused uint32
}

const newSessionRequired = "A new session is required."

// lostSession reports 404 to a POST with a session id. A server without a GET route, or that does
// not end sessions, may answer 404 to GET and DELETE, whatever the id is.
func lostSession(c *lint.Context) {
	if !c.IsStreamableHTTP() || !c.X.Reached(transport.ExchangeDone) {
		return
	}
	id, ok := c.X.RequestField("Mcp-Session-Id")
	own := lint.Own[lost](c.St)
	switch notFound := c.X.Status == http.StatusNotFound; {
	case !ok || c.X.Method == http.MethodDelete:
	case c.X.Method == http.MethodGet:
		if notFound && bool(*lint.Own[getStreamSeen](c.St)) {
			own.row, own.id = c.X.Row, id
		}
	case notFound && own.refused != c.X.ID:
		own.id = ""
		if own.unknown == id {
			c.For("kept").ReportForIn(lint.Client, c.X.Row, lint.Whole, "id", shownSession(id), "state", "It had returned 404 for it before this request.")
			return
		}
		own.unknown = id
		c.ReportForIn(lint.Server, c.X.Row, lint.Whole, "id", shownSession(id), "state", newSessionRequired)
	case c.X.Status/100 == 2 && id == own.id:
		own.id = ""
	}
}

// notedRefusal records an error about the method or the params of a request. Its status, which may be 404, does
// not concern the session.
func notedRefusal(c *lint.Context) {
	code, ok := lint.ErrorCode(c.M)
	if ok && c.X != nil && c.M.Request != nil && (code == jsonrpc.CodeMethodNotFound || code == jsonrpc.CodeInvalidParams) {
		lint.Own[lost](c.St).refused = c.X.ID
	}
}

// lostAtEnd reports the lost stream of a session if no later POST was answered.
func lostAtEnd(c *lint.Context) {
	if own := lint.Own[lost](c.St); own.id != "" {
		c.ReportForIn(lint.Server, own.row, lint.Whole, "id", shownSession(own.id), "state", newSessionRequired)
		own.id = ""
	}
}
