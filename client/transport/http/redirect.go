package http

import (
	"context"
	"net/http"
	"net/url"
)

// MaxRedirects bounds the redirects of one request.
const MaxRedirects = 5

// RoundTrip sends the request and waits for the headers of the response. It follows redirects that keep method
// and body (307 and 308) within the origin; with [Client.Lenient] also to other origins, without secrets. It
// repeats the request after [transport.Authorization] has refreshed the credentials. Each of these is an
// exchange of its own; the last one is returned and belongs to the caller. After an error, all are finished.
// The context bounds the body, too.
func (ex *Exchange) RoundTrip(ctx context.Context) (*Exchange, error) {
	for hops, tries := 0, 1; ; {
		if err := ex.roundTrip(ctx); err != nil {
			return ex, err
		}
		if a, renew := ex.shouldRefresh(tries); renew {
			next, err := ex.refresh(ctx, a)
			if err != nil {
				return ex, err
			}
			ex, tries = next, tries+1
			continue
		}
		to, why := ex.redirect()
		if to == nil || why != "" || hops == MaxRedirects {
			return ex, nil
		}
		_, err := ex.Read(HeadLimit) // leaves the connection for the next hop
		ex.Finish(err)
		ex, hops = ex.repeat(to), hops+1
	}
}

// redirect returns the target of a redirect, nil for other responses, and the reason
// why it is not followed, if there is one.
func (ex *Exchange) redirect() (to *url.URL, why string) {
	location := ex.Response.Header.Get(locationHeader)
	if ex.Report.Status/100 != 3 || location == "" {
		return nil, ""
	}
	to, err := ex.URL.Parse(location)
	switch {
	case err != nil:
		return &url.URL{Opaque: location}, "not a URL"
	case !SameOrigin(ex.URL, to) && !ex.client.Lenient:
		return to, "another origin"
	case ex.Report.Status != http.StatusTemporaryRedirect && ex.Report.Status != http.StatusPermanentRedirect:
		return to, "only 307 and 308 keep the method and the body"
	}
	return to, ""
}
