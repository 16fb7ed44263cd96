package authorization

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/lint"
)

// metadataRules check the metadata of protected resources and authorization
// servers.
var metadataRules = []lint.Rule{
	{ID: "A002", HTTP: func(c *lint.Context) {
		if kind, _ := metadataOf(c); kind != resourceMetadata && !isNamedMetadata(c) {
			return
		}
		body := c.X.ResponseBody
		if !c.X.Reached(transport.ExchangeDone) || c.X.Status != http.StatusOK || !isJSONType(c.X.MediaType()) || isTruncated(body) {
			return
		}
		if reason := resourceMetadataFault(c, body); reason != "" {
			c.ReportExchange("reason", reason)
		}
	}},
	{ID: "A003", HTTP: issuerDiffers},
	{ID: "A004", HTTP: func(c *lint.Context) {
		if _, document := serverMetadataOf(c); document != nil && lint.Has(document, "authorization_endpoint") &&
			!slices.Contains(jsonrpc.Strings(jsonrpc.Get(document, "code_challenge_methods_supported")), "S256") {
			c.ReportExchange()
		}
	}},
	{ID: "A018", HTTP: func(c *lint.Context) {
		if _, document := serverMetadataOf(c); document != nil && lint.Has(document, "token_endpoint") && lint.First(jsonrpc.Get(document, "response_types_supported")) == nil {
			c.ReportExchange()
		}
	}},
	{ID: "A019", Limit: lint.OncePerSubject, HTTP: func(c *lint.Context) {
		if !isServerExchange(c, transport.ExchangeHeaders) || c.X.Status != http.StatusUnauthorized {
			return
		}
		for _, ch := range challengesOf(c.X) {
			at, ok := ch.Params["resource_metadata"]
			if u, err := url.Parse(at); ok && (err != nil || u.Scheme == "" || u.Host == "") {
				c.About(at).ReportExchange("got", lint.Quoted(at))
			}
		}
	}},
	{ID: "A005", HTTP: func(c *lint.Context) {
		_, document := serverMetadataOf(c)
		for _, field := range serverEndpoints {
			if v := jsonrpc.Text(document, field); v != "" && !isSecure(v) {
				c.ReportExchange("field", field, "got", shownAddress(v))
			}
		}
		for _, v := range redirects(c) {
			if v != "" && !isSecure(v) {
				c.ReportForIn(lint.Client, c.X.Row, lint.Whole, "field", "redirect_uri", "got", shownAddress(v))
			}
		}
	}},
	{HTTP: watchMetadata},
}

var serverEndpoints = []string{
	"authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint", "introspection_endpoint",
	"pushed_authorization_request_endpoint", "device_authorization_endpoint", "userinfo_endpoint", "jwks_uri",
}

// metadataKind is the kind of metadata at a well-known URL.
type metadataKind uint8

const (
	noMetadata metadataKind = iota
	resourceMetadata
	serverMetadata
)

// parseMetadataURL returns the kind of the metadata at a URL, and its issuer
// without a slash at the end.
func parseMetadataURL(raw string) (kind metadataKind, issuer string) {
	const known = "/.well-known/"
	u, err := url.Parse(raw)
	if err != nil {
		return noMetadata, ""
	}
	before, after, found := strings.Cut(u.EscapedPath(), known)
	if !found {
		return noMetadata, ""
	}
	name, path, _ := strings.Cut(after, "/")
	if path != "" {
		path = "/" + path
	}
	issuer = u.Scheme + "://" + u.Host + before + path
	switch name {
	case "oauth-protected-resource":
		return resourceMetadata, ""
	case "oauth-authorization-server", "openid-configuration":
		return serverMetadata, issuer
	}
	return noMetadata, ""
}

// metadataOf returns the kind and the issuer of the metadata that an exchange requests.
func metadataOf(c *lint.Context) (kind metadataKind, issuer string) {
	if c.X == nil || c.X.Purpose != transport.PurposeAuthorization || c.X.Method != http.MethodGet {
		return noMetadata, ""
	}
	return parseMetadataURL(c.X.URL)
}

// maxReportedBody is the number of bytes of a body in reports. A body of that size is cut off.
const maxReportedBody = 16 << 10

func isTruncated(body []byte) bool { return len(body) >= maxReportedBody }

func isJSONType(media string) bool {
	return media == "application/json" || strings.HasSuffix(media, "+json")
}

// discovered holds the client's knowledge before the authorization request.
type discovered struct {
	endpoint   *url.URL // URL of the MCP server
	challenged string   // resource_metadata of the newest challenge
	issuers    []string // issuers named by the resource
	resource   string   // resource of the newest authorization request
}

func watchMetadata(c *lint.Context) {
	a := lint.Own[discovered](c.St)
	if c.X.Purpose != transport.PurposeAuthorization {
		if u, err := url.Parse(c.X.URL); err == nil && a.endpoint == nil {
			a.endpoint = u
		}
		if c.X.Status == http.StatusUnauthorized && c.X.Reached(transport.ExchangeHeaders) {
			for _, ch := range challengesOf(c.X) {
				if at := ch.Params["resource_metadata"]; at != "" {
					a.challenged = at
				}
			}
		}
		return
	}
	if kind, _ := metadataOf(c); (kind == resourceMetadata || isNamedMetadata(c)) && c.X.Reached(transport.ExchangeDone) && !isTruncated(c.X.ResponseBody) {
		a.issuers = jsonrpc.Strings(jsonrpc.Get(c.X.ResponseBody, "authorization_servers"))
	}
	if q := authorizationRequest(c); q != nil {
		a.resource = q.Get("resource")
	}
}

// isNamedMetadata reports the place that a challenge has named.
func isNamedMetadata(c *lint.Context) bool {
	at := lint.Own[discovered](c.St).challenged
	return at != "" && c.X != nil && c.X.Purpose == transport.PurposeAuthorization && c.X.URL == at
}

func resourceMetadataFault(c *lint.Context, body []byte) string {
	if !lint.IsJSONObject(body) || jsonrpc.Scan(body).Fault == jsonrpc.FaultNotJSON {
		return "is not a JSON object"
	}
	resource := jsonrpc.Text(body, "resource")
	named, err := url.Parse(resource)
	servers := jsonrpc.Get(body, "authorization_servers")
	switch {
	case resource == "":
		return `has no "resource"`
	case jsonrpc.TypeOf(servers) != "array" || lint.First(servers) == nil:
		return `has no "authorization_servers"`
	case err != nil || named.Host == "":
		return fmt.Sprintf(`has a "resource" that is not a URL: "%s"`, lint.Escaped(resource))
	}
	if server := lint.Own[discovered](c.St).endpoint; server != nil && !covers(named, server) {
		return fmt.Sprintf(`is about "%s", but this server is "%s"`, lint.ShownURL(named), lint.ShownURL(server))
	}
	return ""
}

// covers reports whether a resource is a server, or holds it.
func covers(resource, server *url.URL) bool {
	outer := strings.TrimSuffix(resource.EscapedPath(), "/")
	inner := strings.TrimSuffix(server.EscapedPath(), "/")
	return mcphttp.Origin(resource) == mcphttp.Origin(server) && (inner == outer || strings.HasPrefix(inner, outer+"/"))
}

// serverMetadataOf returns completely received metadata of an authorization server, or nil for other exchanges.
func serverMetadataOf(c *lint.Context) (issuer string, document []byte) {
	kind, issuer := metadataOf(c)
	if kind != serverMetadata || !c.X.Reached(transport.ExchangeDone) || c.X.Status != http.StatusOK ||
		!lint.IsJSONObject(c.X.ResponseBody) || isTruncated(c.X.ResponseBody) {
		return "", nil
	}
	return issuer, c.X.ResponseBody
}

// issuerDiffers compares the issuer of the metadata with the issuers that the resource names. If no listed
// issuer has its metadata at this URL, the issuer must match the URL, ignoring a trailing slash.
func issuerDiffers(c *lint.Context) {
	at, document := serverMetadataOf(c)
	if document == nil {
		return
	}
	got := jsonrpc.Text(document, "issuer")
	isHere := func(issuer string) bool { return strings.TrimSuffix(issuer, "/") == at }
	meant := slices.DeleteFunc(slices.Clone(lint.Own[discovered](c.St).issuers), func(issuer string) bool { return !isHere(issuer) })
	if slices.Contains(meant, got) || len(meant) == 0 && isHere(got) {
		return
	}
	want := at
	if len(meant) > 0 {
		want = meant[0]
	}
	c.ReportExchange("want", lint.Escaped(want), "got", lint.EscapedOrNone(got))
}

// isSecure reports an address that is https, or on this machine.
func isSecure(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && (u.Scheme == "https" || lint.IsLoopback(u.Hostname()))
}

func shownAddress(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "an invalid URL"
	}
	return lint.ShownURL(u)
}
