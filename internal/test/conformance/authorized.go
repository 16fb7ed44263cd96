package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"mcptea/client"
	"mcptea/client/oauth"
)

// documentURL is the URL at which the suite simulates our client metadata document.
const documentURL = "https://conformance-test.local/client-metadata.json"

// authorized maps names to the scenarios behind an authorization server.
var authorized = map[string]scenario{
	"auth/metadata-default":                     byConsent,
	"auth/metadata-var1":                        byConsent,
	"auth/metadata-var2":                        byConsent,
	"auth/metadata-var3":                        byConsent,
	"auth/basic-cimd":                           byConsent,
	"auth/scope-from-www-authenticate":          byConsent,
	"auth/scope-from-scopes-supported":          byConsent,
	"auth/scope-omitted-when-undefined":         byConsent,
	"auth/scope-step-up":                        byConsent,
	"auth/token-endpoint-auth-basic":            byConsent,
	"auth/token-endpoint-auth-post":             byConsent,
	"auth/token-endpoint-auth-none":             byConsent,
	"auth/pre-registration":                     byConsent,
	"auth/offline-access-scope":                 byConsent,
	"auth/offline-access-not-supported":         byConsent,
	"auth/authorization-server-migration":       byConsent,
	"auth/iss-supported":                        byConsent,
	"auth/iss-not-advertised":                   byConsent,
	"auth/dpop":                                 byConsent,
	"auth/dpop-nonce":                           byConsent,
	"auth/2025-03-26-oauth-endpoint-fallback":   byConsent,
	"auth/2025-03-26-oauth-metadata-backcompat": olderMetadata,
	"auth/resource-mismatch":                    refusing(oauth.ResourceMismatch),
	"auth/metadata-issuer-mismatch":             refusing(oauth.IssuerMismatch),
	"auth/iss-supported-missing":                refusing(oauth.MissingIssuer),
	"auth/iss-wrong-issuer":                     refusing(oauth.WrongIssuer),
	"auth/iss-unexpected":                       refusing(oauth.WrongIssuer),
	"auth/iss-normalized":                       refusing(oauth.WrongIssuer),
	"auth/scope-retry-limit":                    endless,
	"auth/client-credentials-basic":             byCredentials,
	"auth/client-credentials-jwt":               byCredentials,
	"auth/enterprise-managed-authorization":     byEnterprise,
	"auth/cross-app-access-complete-flow":       byEnterprise,
	"auth/wif-jwt-bearer":                       byWorkload,
}

// credentials is the data of the scenarios that bring some.
type credentials struct {
	ID       string `json:"client_id"`
	Secret   string `json:"client_secret"`
	Key      string `json:"private_key_pem"`
	Workload string `json:"valid_jwt"`

	IDToken  string `json:"idp_id_token"`
	IDClient string `json:"idp_client_id"`
	IDPlace  string `json:"idp_token_endpoint"`
}

func (t task) credentials() (oauth.Client, credentials, error) {
	var given credentials
	if len(t.data) == 0 {
		return oauth.Client{}, given, nil
	}
	if err := json.Unmarshal(t.data, &given); err != nil {
		return oauth.Client{}, given, fmt.Errorf("MCP_CONFORMANCE_CONTEXT: %w", err)
	}
	c := oauth.Client{ID: given.ID, Secret: given.Secret}
	if given.Key != "" {
		key, err := oauth.ParseKey([]byte(given.Key))
		if err != nil {
			return c, given, err
		}
		c.Key = key
	}
	return c, given, nil
}

// authorize connects behind an authorization server, lists the tools and calls
// one.
func authorize(ctx context.Context, t task, cfg oauth.Config) error {
	cfg.Server, cfg.Version, cfg.OnStep = t.url, "1", narrate
	cfg.OpenBrowser = browse
	a, err := oauth.New(cfg)
	if err != nil {
		return err
	}
	return with(ctx, t, client.Config{Authorization: a}, func(c *client.Client) error {
		if err := list(ctx, c, client.Tools); err != nil {
			return err
		}
		return tool(ctx, c, "test-tool", "{}")
	})
}

func byConsent(ctx context.Context, t task) error {
	c, _, err := t.credentials()
	if err != nil {
		return err
	}
	return authorize(ctx, t, oauth.Config{Client: c, MetadataURL: documentURL, RegisterUnannounced: true})
}

// olderMetadata is lenient where the suite's own fixture is faulty: versions up to 0.1, which do not report the
// revision, have metadata with an issuer that does not match its place.
func olderMetadata(ctx context.Context, t task) error {
	return authorize(ctx, t, oauth.Config{MetadataURL: documentURL, Lenient: t.revision == ""})
}

// refusing returns a scenario that must end with one refusal and no other.
func refusing(kind oauth.Kind) scenario {
	return func(ctx context.Context, t task) error {
		err := byConsent(ctx, t)
		var refusal *oauth.Refusal
		if errors.As(err, &refusal) && refusal.Kind == kind {
			narrateEnd(err)
			return nil
		}
		return fmt.Errorf("it was not refused as it should be: %w", err)
	}
}

// endless connects to a server that never accepts the scopes.
func endless(ctx context.Context, t task) error {
	err := byConsent(ctx, t)
	var scope *oauth.ScopeError
	if errors.As(err, &scope) {
		narrateEnd(err)
		return nil
	}
	return fmt.Errorf("it did not end for its scopes: %w", err)
}

func byCredentials(ctx context.Context, t task) error {
	c, _, err := t.credentials()
	if err != nil {
		return err
	}
	return authorize(ctx, t, oauth.Config{Client: c, Grant: oauth.ClientCredentials{}})
}

func byEnterprise(ctx context.Context, t task) error {
	c, given, err := t.credentials()
	if err != nil {
		return err
	}
	return authorize(ctx, t, oauth.Config{Client: c, Grant: oauth.Enterprise{
		IDToken:       func(context.Context) (string, error) { return given.IDToken, nil },
		TokenEndpoint: given.IDPlace, Client: oauth.Client{ID: given.IDClient},
	}})
}

func byWorkload(ctx context.Context, t task) error {
	c, given, err := t.credentials()
	if err != nil {
		return err
	}
	return authorize(ctx, t, oauth.Config{Client: c, Grant: oauth.Workload{
		Assertion: func(context.Context) (string, error) { return given.Workload, nil },
	}})
}
