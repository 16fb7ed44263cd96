package lint

import (
	"net/http"
	"net/url"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/client/transport"
)

// loginRules judge what is asked of an authorization server, and what it sends
// back by way of the browser.
var loginRules = []rule{
	{id: "A006", http: func(c *Context) {
		if q := c.authorizationRequest(); q != nil {
			if reason := resourceParameterFault(q, ""); reason != "" {
				c.reportHead("which", "authorization", "reason", reason)
			}
		}
		if q := c.tokenRequest("authorization_code", "refresh_token"); q != nil {
			asked := ""
			if q.Get("grant_type") == "authorization_code" {
				asked = Own[announced](c.St).resource
			}
			if reason := resourceParameterFault(q, asked); reason != "" {
				c.reportHead("which", "token", "reason", reason)
			}
		}
	}},
	{id: "A007", http: func(c *Context) {
		if q := c.authorizationRequest(); q != nil && (q.Get("code_challenge") == "" || q.Get("code_challenge_method") != "S256") {
			c.reportHead("which", "authorization")
		}
		if q := c.tokenRequest("authorization_code"); q != nil && q.Get("code_verifier") == "" {
			c.reportHead("which", "token")
		}
	}},
	{id: "A008", http: func(c *Context) {
		if c.Step == nil || c.Step.Refused != oauth.WrongIssuer.String() && c.Step.Refused != oauth.MissingIssuer.String() {
			return
		}
		c.reportHead("got", orNone(c.Step.Found), "want", escaped(c.Step.Expected))
	}},
	{id: "A014", http: func(c *Context) {
		if body := c.registration(); body != nil && !has(body, "application_type") {
			c.reportHead()
		}
	}},
}

// beginning reports an exchange for a token that goes out.
func (c *Context) beginning(method string) bool {
	return c.X != nil && c.X.Purpose == transport.PurposeAuthorization && c.X.Method == method && c.X.Reached(transport.ExchangeSent)
}

// authorizationRequest is the query of the request that a browser makes; nil
// when this is none.
func (c *Context) authorizationRequest() url.Values {
	if !c.beginning(http.MethodGet) {
		return nil
	}
	if u, err := url.Parse(c.X.URL); err == nil && u.Query().Get("response_type") == "code" {
		return u.Query()
	}
	return nil
}

// tokenRequest is the form of a request for a token by one of some grants; nil
// when this is none.
func (c *Context) tokenRequest(grants ...string) url.Values {
	if !c.beginning(http.MethodPost) || isCut(c.X.RequestBody) {
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

// registration is the body of a dynamic registration; nil when this is none.
func (c *Context) registration() []byte {
	if !c.beginning(http.MethodPost) || !isJSONObject(c.X.RequestBody) || isCut(c.X.RequestBody) || !has(c.X.RequestBody, "redirect_uris") {
		return nil
	}
	return c.X.RequestBody
}

// redirects are where the browser is to be sent back to.
func (c *Context) redirects() []string {
	if q := c.authorizationRequest(); q != nil {
		return []string{q.Get("redirect_uri")}
	}
	var list []string
	if body := c.registration(); body != nil {
		for v := range jsonrpc.Elements(Member(body, "redirect_uris")) {
			s, _ := jsonrpc.Unquote(v)
			list = append(list, s)
		}
	}
	return list
}

// resourceParameterFault says what is wrong with the parameter that names the
// MCP server; asked is what the authorization request said.
func resourceParameterFault(q url.Values, asked string) string {
	resource := q.Get("resource")
	u, err := url.Parse(resource)
	switch {
	case resource == "":
		return "resource is missing"
	case err != nil || u.Scheme == "":
		return "resource is no absolute URI"
	case strings.Contains(resource, "#"):
		return "resource has a fragment"
	case asked != "" && asked != resource:
		return "the authorization request named another one"
	}
	return ""
}
