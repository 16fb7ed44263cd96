package authority

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"

	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/jose"
)

// A registration is the metadata of a client (RFC 7591 §2).
type registration struct {
	ID        string   `json:"client_id,omitempty"`
	Secret    string   `json:"client_secret,omitempty"`
	Name      string   `json:"client_name,omitempty"`
	Type      string   `json:"application_type,omitempty"`
	Redirects []string `json:"redirect_uris,omitempty"`
	Grants    []string `json:"grant_types,omitempty"`
	Responses []string `json:"response_types,omitempty"`
	Method    string   `json:"token_endpoint_auth_method,omitempty"`
	Scope     string   `json:"scope,omitempty"`
	Keys      *keySet  `json:"jwks,omitempty"`

	anyRedirect bool // any redirect URI of this machine is accepted
}

// A keySet holds the public keys of a client.
type keySet struct {
	Keys []jose.JWK `json:"keys"`
}

// register is the registration endpoint (RFC 7591 §3).
func (a *Authority) register(x *exchange) {
	if a.wrong.Name == "register-400" {
		x.fail(http.StatusBadRequest, "invalid_redirect_uri", onPurpose)
		return
	}
	var c registration
	if err := json.Unmarshal(x.body, &c); err != nil {
		x.find(levelError, "register-form", "RFC 7591 §3.1", "The body of the registration is not a JSON object of client metadata.")
		x.fail(http.StatusBadRequest, "invalid_client_metadata", "the body is not a JSON object of client metadata")
		return
	}
	x.seen.Client = c.Name
	for _, r := range c.Redirects {
		if why := redirectReason(r); why != "" {
			x.find(levelError, "register-redirect", "MCP authorization, communication security; RFC 8252 §7", "The redirect URI %s %s.", r, why)
			x.fail(http.StatusBadRequest, "invalid_redirect_uri", r+" "+why)
			return
		}
	}
	c.judge(x)
	if c.Method == "" {
		c.Method = methodBasic // RFC 7591 §2
	}
	c.ID = "client_" + jose.Random()[:12]
	c.Secret = ""
	if c.Method == methodBasic || c.Method == methodPost {
		c.Secret = prefixSecret + jose.Random()
	}
	a.addClient(c)
	x.json(http.StatusCreated, a.registrationResponse(c))
}

// judge reports data that a client must not register.
func (c *registration) judge(x *exchange) {
	if len(c.Redirects) == 0 && !slices.Contains(c.Grants, grantClient) {
		x.find(levelError, "register-redirect", "RFC 7591 §2", "The registration has no redirect_uris.")
	}
	loopback := slices.ContainsFunc(c.Redirects, func(r string) bool {
		u, err := url.Parse(r)
		return err == nil && mcphttp.IsLoopback(u.Hostname())
	})
	if c.Type == "" && loopback {
		x.find(levelInfo, "register-type", "MCP authorization 2026-07-28, application_type; OpenID Connect Registration §2", "The registration has no application_type, which means web: many authorities refuse a loopback redirect URI of a web client.")
	}
	if len(c.Grants) > 0 && !slices.Contains(c.Grants, grantRefresh) && slices.Contains(c.Grants, grantCode) {
		x.find(levelInfo, "register-refresh", "RFC 7591 §2", "The registration does not list refresh_token: some authorities then issue none.")
	}
	if c.Method == methodKey && (c.Keys == nil || len(c.Keys.Keys) == 0) {
		x.find(levelError, "register-key", "RFC 7591 §2", "The registration has private_key_jwt, but no jwks.")
	}
}

// registrationResponse returns the registered metadata of a client (RFC 7591 §3.2.1).
func (a *Authority) registrationResponse(c registration) any {
	d := struct {
		registration
		Issued  int64  `json:"client_id_issued_at"`
		Expires *int64 `json:"client_secret_expires_at,omitempty"`
	}{registration: c, Issued: a.now().Unix()}
	if c.Secret != "" {
		d.Expires = new(int64) // the registration never expires
	}
	switch a.wrong.Name {
	case "register-no-id":
		d.ID = ""
	case "register-redirect":
		d.Redirects = []string{"http://127.0.0.1:1/elsewhere"}
	}
	return d
}

func (a *Authority) addClient(c registration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.clients) >= maxClients {
		maps.DeleteFunc(a.clients, func(_ string, c registration) bool { return !c.anyRedirect })
	}
	a.clients[c.ID] = c
}
