package rpchttp

import (
	"context"
	"net/http"

	"mcptea/client/transport"
)

// mostTries bounds how often one request is sent because of its credentials,
// whatever the authorization thinks.
const mostTries = 5

// signed returns the headers of a request with its credentials. The plain ones
// stay as they are: who sends the request again signs it again.
func (ex *Exchange) signed(plain http.Header) http.Header {
	if ex.wire.Authorization == nil {
		return plain
	}
	h := plain.Clone()
	ex.wire.Authorization.Sign(ex.Report.Method, ex.URL, h)
	return h
}

// refused reports whether other credentials may help.
func (ex *Exchange) refused(tries int) (a transport.Answered, renew bool) {
	if ex.wire.Authorization == nil {
		return a, false
	}
	a = transport.Answered{
		Purpose: ex.Report.Purpose, Method: ex.Report.Method, URL: ex.URL, Sent: ex.Header,
		Status: ex.Report.Status, Header: ex.Response.Header, Tries: tries,
	}
	return a, ex.wire.Authorization.Judge(a) && tries < mostTries
}

// renew ends the exchange, gets other credentials, and begins the exchange that
// is to use them.
func (ex *Exchange) renew(ctx context.Context, a transport.Answered) (*Exchange, error) {
	body, _ := ex.Read(HeadLimit) // the status matters more than how its body ends
	ex.Finish(nil)
	if err := ex.wire.Authorization.Renew(ctx, a, ex.wire); err != nil {
		if over := ex.wire.over(); over != nil {
			return ex, over
		}
		return ex, &transport.AuthorizationError{Status: ex.status(body), Err: err}
	}
	return ex.again(ex.URL), nil
}
