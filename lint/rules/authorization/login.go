package authorization

import (
	"net/http"
	"net/url"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/client/transport"
	"mcptea/lint"
)

// loginRules check the requests to an authorization server and its authorization
// responses.
var loginRules = []lint.Rule{
	{ID: "A006", HTTP: func(c *lint.Context) {
		if q := authorizationRequest(c); q != nil {
			if reason := resourceParameterFault(q, ""); reason != "" {
				c.ReportExchange("which", "authorization", "reason", reason)
			}
		}
		if q := tokenRequest(c, "authorization_code", "refresh_token"); q != nil {
			asked := ""
			if q.Get("grant_type") == "authorization_code" {
				asked = lint.Own[discovered](c.St).resource
			}
			if reason := resourceParameterFault(q, asked); reason != "" {
				c.ReportExchange("which", "token", "reason", reason)
			}
		}
	}},
	{ID: "A007", HTTP: func(c *lint.Context) {
		if q := authorizationRequest(c); q != nil && (q.Get("code_challenge") == "" || q.Get("code_challenge_method") != "S256") {
			c.ReportExchange("which", "authorization")
		}
		if q := tokenRequest(c, "authorization_code"); q != nil && q.Get("code_verifier") == "" {
			c.For("verifier").ReportExchange("which", "token")
		}
	}},
	{ID: "A008", HTTP: func(c *lint.Context) {
		if c.Step == nil || c.Step.Refused != oauth.WrongIssuer.String() && c.Step.Refused != oauth.MissingIssuer.String() {
			return
		}
		c.ReportExchange("got", lint.EscapedOrNone(c.Step.Found), "want", lint.Escaped(c.Step.Expected))
	}},
	{ID: "A014", HTTP: func(c *lint.Context) {
		if body := registration(c); body != nil && !lint.Has(body, "application_type") {
			c.ReportExchange()
		}
	}},
}

// isSentRequest reports an exchange for a token that goes out.
func isSentRequest(c *lint.Context, method string) bool {
	return c.X != nil && c.X.Purpose == transport.PurposeAuthorization && c.X.Method == method && c.X.Reached(transport.ExchangeSent)
}

// authorizationRequest returns the query of an authorization request, or nil for other exchanges.
func authorizationRequest(c *lint.Context) url.Values {
	if !isSentRequest(c, http.MethodGet) {
		return nil
	}
	if u, err := url.Parse(c.X.URL); err == nil && u.Query().Get("response_type") == "code" {
		return u.Query()
	}
	return nil
}

// tokenRequest returns the form of a token request with one of the grant types, or nil for other exchanges.
func tokenRequest(c *lint.Context, grants ...string) url.Values {
	if !isSentRequest(c, http.MethodPost) || isTruncated(c.X.RequestBody) {
		return nil
	}
	form, err := url.ParseQuery(string(c.X.RequestBody))
	if err != nil {
		return nil
	}
	for _, g := range grants {
		if form.Get("grant_type") == g {
			return form
		}
	}
	return nil
}

// registration returns the body of a dynamic client registration, or nil for other exchanges.
func registration(c *lint.Context) []byte {
	if !isSentRequest(c, http.MethodPost) || !lint.IsJSONObject(c.X.RequestBody) || isTruncated(c.X.RequestBody) || !lint.Has(c.X.RequestBody, "redirect_uris") {
		return nil
	}
	return c.X.RequestBody
}

// redirects returns the URIs that the browser may be redirected to.
func redirects(c *lint.Context) []string {
	if q := authorizationRequest(c); q != nil {
		return []string{q.Get("redirect_uri")}
	}
	return jsonrpc.Strings(jsonrpc.Get(registration(c), "redirect_uris"))
}

// resourceParameterFault returns why the parameter resource is invalid, or "". asked is its value in the
// authorization request.
func resourceParameterFault(q url.Values, asked string) string {
	resource := q.Get("resource")
	u, err := url.Parse(resource)
	switch {
	case resource == "":
		return "resource is missing"
	case err != nil || u.Scheme == "":
		return "resource is not an absolute URI"
	case strings.Contains(resource, "#"):
		return "resource has a fragment"
	case asked != "" && asked != resource:
		return "the authorization request has another one"
	}
	return ""
}
