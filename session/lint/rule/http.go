package rule

import (
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"mcptea/client/transport"
)

// headerOf is a header, whatever the spelling of its name; several fields are
// joined as HTTP has it. name is in the canonical form.
func headerOf(h http.Header, name string) (value string, ok bool) {
	values, ok := h[name]
	if !ok {
		for n, v := range h {
			if strings.EqualFold(n, name) {
				values, ok = v, true
				break
			}
		}
	}
	if len(values) == 1 {
		return values[0], ok
	}
	return strings.Join(values, ", "), ok
}

// RequestField is a header of the request, answered one of the answer.
func (x *Exchange) RequestField(name string) (string, bool)  { return headerOf(x.RequestHeader, name) }
func (x *Exchange) ResponseField(name string) (string, bool) { return headerOf(x.ResponseHeader, name) }

// MediaType is the bare type of the answer, in lower case.
func (x *Exchange) MediaType() string {
	v, _ := x.ResponseField("Content-Type")
	return MediaTypeOf(v)
}

// ClosedLocally reports that this side ended an exchange.
func (x *Exchange) ClosedLocally() bool {
	return x.ClosedBy == transport.ClosedByClient || x.ClosedBy == transport.ClosedByUser
}

// MediaTypeOf is a media type without its parameters.
func MediaTypeOf(media string) string {
	media, _, _ = strings.Cut(media, ";")
	return strings.ToLower(strings.TrimSpace(media))
}

// IsStreamableHTTP reports an exchange of Streamable HTTP: what is asked for a token
// is none, and HTTP+SSE has rules of its own.
func (c *Context) IsStreamableHTTP() bool {
	return c.X != nil && c.St.Link == HTTP && c.X.Purpose != transport.PurposeAuthorization
}

// ReportExchange reports something about the head of a request or an answer.
func (c *Context) ReportExchange(values ...any) { c.ReportIn(c.X.Row, Whole, values...) }

// IsLoopback reports a host of this machine.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") || strings.HasSuffix(strings.ToLower(host), ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// OriginOf is scheme, host and port, as text that can be compared.
func OriginOf(u *url.URL) string {
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	case u.Scheme == "http":
		port = "80"
	}
	return strings.ToLower(u.Scheme) + "://" + strings.ToLower(u.Hostname()) + ":" + port
}
