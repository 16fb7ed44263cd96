package experiment

import (
	"context"
	"errors"
	"net/http"

	"mcptea/client"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

// isSilent reports whether an error means that no byte of the response to a request to a URL arrived in time.
func isSilent(s *session.Session, failed failure.Failed, err error) bool {
	_, timedOut := errors.AsType[*client.TimeoutError](err)
	return timedOut && failed.Exchange.Status == 0 && !failed.Before && s.Transport() != "sse"
}

// trySilent requests a made-up path of a server that did not respond. The outcome shows whether the whole
// server hangs.
func trySilent(ctx context.Context, s *session.Session) Report {
	u, bad := mcphttp.Endpoint(s.Target().URL)
	if bad != nil {
		return Report{}
	}
	u.Path, u.RawPath, u.RawQuery, u.User = madeUp(), "", "", nil
	r := &runner{s: s, client: s.Trials(), found: map[string]outcome{}}
	defer r.client.CloseIdle()
	o := r.try(ctx, "elsewhere", "GET of a made-up path", relocation, transport.Request{Purpose: transport.PurposeTrial, Method: http.MethodGet, URL: u, Header: mcphttp.DefaultHeaders(u)})
	switch {
	case o.status != 0:
		r.shows("silent-endpoint", map[string]string{"was": o.statusText()}, true)
	case ctx.Err() == nil:
		r.shows("silent-host", map[string]string{"was": o.reason}, true)
	}
	return r.report
}
