package rule

import (
	"net/http"
	"strings"

	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
)

// headerOf is a header field, with any spelling of its name; several lines are
// joined with commas. name is in canonical form.
func headerOf(h http.Header, name string) (value string, ok bool) {
	values := mcphttp.Values(h, name)
	if len(values) == 1 {
		return values[0], true
	}
	return strings.Join(values, ", "), values != nil
}

// RequestField is a header field of the request. name is in canonical form.
func (x *Exchange) RequestField(name string) (string, bool) { return headerOf(x.RequestHeader, name) }

// ResponseField is a header field of the response.
func (x *Exchange) ResponseField(name string) (string, bool) {
	return headerOf(x.ResponseHeader, name)
}

// MediaType is the type of the response without parameters, in lower case.
func (x *Exchange) MediaType() string {
	v, _ := x.ResponseField("Content-Type")
	return MediaTypeOf(v)
}

// ClosedLocally reports that the client or the user has ended the exchange.
func (x *Exchange) ClosedLocally() bool {
	return x.ClosedBy == transport.ClosedByClient || x.ClosedBy == transport.ClosedByUser
}

// MediaTypeOf is a media type without its parameters.
func MediaTypeOf(media string) string {
	media, _, _ = strings.Cut(media, ";")
	return strings.ToLower(strings.TrimSpace(media))
}

// IsStreamableHTTP reports an exchange of Streamable HTTP, without those of
// authorization.
func (c *Context) IsStreamableHTTP() bool {
	return c.X != nil && c.St.Link == HTTP && c.X.Purpose != transport.PurposeAuthorization
}

// ReportExchange reports a finding about the headers of a request or response.
func (c *Context) ReportExchange(values ...any) { c.ReportIn(c.X.Row, Whole, values...) }

// IsLoopback reports a host of this machine, names below localhost included (RFC
// 6761 §6.3).
func IsLoopback(host string) bool {
	return mcphttp.IsLoopback(host) || strings.HasSuffix(strings.ToLower(host), ".localhost")
}
