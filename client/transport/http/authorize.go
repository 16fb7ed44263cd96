package http

import (
	"context"
	"net/http"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// maxAttempts bounds the attempts to send one request with other credentials.
const maxAttempts = 5

// authorize returns a copy of the headers with credentials. A repeated request gets
// new ones.
func (ex *Exchange) authorize(plain http.Header) http.Header {
	if ex.client.Authorization == nil {
		return plain
	}
	h := plain.Clone()
	ex.client.Authorization.Authorize(ex.Report.Method, ex.URL, h)
	return h
}

// shouldRefresh reports whether other credentials may help.
func (ex *Exchange) shouldRefresh(tries int) (a transport.ResponseInfo, renew bool) {
	if ex.client.Authorization == nil {
		return a, false
	}
	a = transport.ResponseInfo{
		Purpose: ex.Report.Purpose, URL: ex.URL, RequestHeader: ex.Header,
		Status: ex.Report.Status, Header: ex.Response.Header, Attempt: tries,
	}
	return a, ex.client.Authorization.ShouldRefresh(a) && tries < maxAttempts
}

// asked returns the method and the subject of the MCP request in the body.
func (ex *Exchange) asked() string {
	envelope := jsonrpc.Scan(ex.body)
	method := envelope.MethodName(ex.body)
	if param, ok := revision.NameParam(method); ok {
		method += " " + jsonrpc.Text(ex.body, "params", param)
	}
	return strings.TrimSpace(method)
}

// refresh ends the exchange, obtains other credentials, and starts the exchange that uses them.
func (ex *Exchange) refresh(ctx context.Context, a transport.ResponseInfo) (*Exchange, error) {
	body, _ := ex.Read(HeadLimit) // the status matters more than how its body ends
	ex.Finish(nil)
	a.Asked = ex.asked()
	if err := ex.client.Authorization.Refresh(ctx, a, ex.client); err != nil {
		if over := ex.client.closedErr(); over != nil {
			return ex, over
		}
		return ex, &transport.AuthorizationError{Status: ex.statusError(body), Err: ex.client.secrets.Error(err)}
	}
	return ex.repeat(ex.URL), nil
}
