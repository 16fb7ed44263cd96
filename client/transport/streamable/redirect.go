package streamable

import (
	"context"
	"net/http"
	"net/url"
	"strings"
)

const mostRedirects = 5

// roundTrip sends the request and follows redirects that keep method and body
// (307 and 308) within the origin. Every hop is an exchange of its own; the
// last one is returned. When it fails, all are finished.
func (ex *exchange) roundTrip(ctx context.Context) (*exchange, error) {
	for hops := 0; ; hops++ {
		if err := ex.do(ctx); err != nil {
			return ex, err
		}
		to, why := ex.redirect()
		if to == nil || why != "" || hops == mostRedirects {
			return ex, nil
		}
		_, err := ex.read(headLimit) // leaves the connection for the next hop
		ex.finish(err)
		next := ex.t.exchangeWith(to, ex.report.Purpose, ex.report.Method, ex.header, ex.body)
		next.last = ex.last
		ex = next
	}
}

// redirect returns where the answer sends us, and why we do not go there.
func (ex *exchange) redirect() (to *url.URL, why string) {
	location := ex.resp.Header.Get(locationHeader)
	if ex.report.Status/100 != 3 || location == "" {
		return nil, ""
	}
	to, err := ex.url.Parse(location)
	switch {
	case err != nil:
		return &url.URL{Opaque: location}, "this is no URL"
	case !sameOrigin(ex.url, to):
		return to, "this is another origin"
	case ex.report.Status != http.StatusTemporaryRedirect && ex.report.Status != http.StatusPermanentRedirect:
		return to, "only 307 and 308 keep the method and the body"
	}
	return to, ""
}

// sameOrigin compares scheme, host and port (RFC 6454 §5).
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	switch p := u.Port(); {
	case p != "":
		return p
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
