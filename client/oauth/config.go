package oauth

import (
	"context"
	"time"
)

const (
	defaultTimeout        = 30 * time.Second
	defaultConsentTimeout = 5 * time.Minute
)

// A Config holds the server and the settings for obtaining tokens for it. [New] copies what it needs.
type Config struct {
	// Server is the URL of the MCP server. Tokens are sent to its origin only.
	Server string

	// Grant is the way to obtain a token; nil is the authorization code grant, with the consent of the user.
	Grant Grant

	// Client is a pre-registered client. It is used with only one issuer.
	Client Client

	// MetadataURL is the Client ID Metadata Document of this client, for servers that support
	// that, or empty.
	MetadataURL string

	// RedirectURI is the redirect URI of the authorization request, for a client that is registered with a fixed one:
	// http, on 127.0.0.1, [::1] or localhost, without a port for any free port. Empty is http://127.0.0.1/callback. See
	// [CheckRedirectURI].
	RedirectURI string

	// Scopes are requested instead of the scopes that the server names.
	Scopes []string

	// Issuer chooses among several authorization servers. Empty chooses one that
	// has been used before, else the first.
	Issuer string

	// RegisterUnannounced permits a registration at the default endpoint of 2025-03-26 if a server
	// has no metadata. Otherwise such a flow ends with an [*UnannouncedError]. The server has not
	// offered the endpoint, and may keep the registration.
	RegisterUnannounced bool

	// Lenient continues after a [Refusal] and adds a remark to the step.
	Lenient bool

	// Until ends a flow with [ErrStopped] after the step of this name: nothing more is sent. StepConsent
	// builds the URL of the consent page, and does not open it. StepRefresh immediately uses the refresh
	// token of the store, or otherwise the refresh token of the new token. "" ends with a token.
	Until string

	// Store keeps tokens. If it is nil, none are kept.
	Store Store

	// Browse opens the consent page in a browser. It must not wait for the user. [ErrNotOpened]
	// reports that the URL is only displayed, which is not a failure. Without it there is no
	// consent: the flow fails with a [*NoBrowserError].
	OpenBrowser func(ctx context.Context, at Consent) error

	// OneConsent makes the processes that share a store ask the user for consent for a resource one at a time.
	// The others wait for the token.
	OneConsent bool

	// Outlives lets a flow with an open consent page continue when no caller waits for it any longer: the next
	// caller joins it. [Authorizer.Cancel] ends it.
	Outlives bool

	// Watch, if not nil, is called with each change of a step, from one goroutine
	// at a time. It must not block.
	OnStep func(Step)

	// Timeout bounds each request; 30 s if zero. ConsentTimeout bounds how long the user may take for the
	// consent page; 5 min if zero.
	Timeout, ConsentTimeout time.Duration

	// Version is the version of this program, for dynamic registration.
	Version string
}

// Elsewhere returns the configuration for another server: it lacks the values for the previous one, such as the
// secret of a client. For nil it returns nil.
func (c *Config) Elsewhere() *Config {
	if c == nil {
		return nil
	}
	return &Config{
		Store: c.Store, OneConsent: c.OneConsent, Outlives: c.Outlives, OpenBrowser: c.OpenBrowser, OnStep: c.OnStep, Lenient: c.Lenient, Until: c.Until,
		Timeout: c.Timeout, ConsentTimeout: c.ConsentTimeout, Version: c.Version,
	}
}

// Secrets returns the secrets that the user has configured: of the clients at the authorization server and at
// the identity provider.
func (c *Config) Secrets() []string {
	all := []string{c.Client.Secret}
	if grant, ok := c.Grant.(Enterprise); ok {
		all = append(all, grant.Client.Secret)
	}
	return all
}

// Consent is a request for the consent of the user.
type Consent struct {
	URL      string    // the consent page, unmasked
	Issuer   string    // issuer of the authorization server
	Deadline time.Time // time at which the flow times out

	// Resource is the resource that the metadata names, if it covers the URL of the server and is not the same.
	Resource string
}

// Client is a client of one authorization server (OAuth 2.1 §2).
type Client struct {
	ID     string
	Secret string
	// Key signs assertions instead of a secret (private_key_jwt).
	Key *Key

	// Issuer is the authorization server. If [Config.Client] has none, it is the issuer of the first flow.
	Issuer string

	// AuthMethod is the authentication method at the token endpoint, or "" to choose a method that the server
	// supports.
	AuthMethod string

	// RedirectURI and Expires (of the secret) belong to a dynamic registration; they are zero for other
	// clients.
	RedirectURI string
	Expires     time.Time
}

// Token is an access token with its properties.
type Token struct {
	Access  string
	Refresh string // the refresh token, or empty
	Type    string // "Bearer" or "DPoP"
	Scopes  []string
	Expires time.Time // zero if the server did not send expires_in

	// Key is the private key of a DPoP-bound token, PKCS #8; nil for others.
	Key []byte
}

// Grant is [ClientCredentials], [Enterprise] or [Workload]. The nil Grant is the
// authorization code grant.
type Grant interface{ grant() }

// ClientCredentials obtains a token for the client itself (OAuth 2.1 §4.2), which authenticates with its secret
// or its key.
type ClientCredentials struct{}

// Enterprise gets a token through the identity provider of the user: it exchanges
// an ID token for an assertion (RFC 8693), which the authorization server accepts
// (RFC 7523; enterprise-managed authorization).
type Enterprise struct {
	// IDToken is called once for each access token.
	IDToken       func(ctx context.Context) (string, error)
	TokenEndpoint string // token endpoint of the identity provider
	Client        Client // client at the identity provider
}

// Workload gets a token with an assertion that the platform issues to a program
// (RFC 7523 §2.1, workload identity federation). Assertion is called once for each
// access token, and its result is sent once.
type Workload struct {
	Assertion func(ctx context.Context) (string, error)
}

func (ClientCredentials) grant() {}
func (Enterprise) grant()        {}
func (Workload) grant()          {}

// StoredToken is a token with the resource, issuer and client that it is valid for.
type StoredToken struct {
	Resource string
	Issuer   string
	Client   Client // without key
	Token    Token
}

// Store keeps tokens. Its methods may block and are called from any goroutine.
type Store interface {
	// Load returns the tokens of a resource, newest first.
	Load(resource string) ([]StoredToken, error)
	// Save stores s and replaces the entry with the same resource, issuer and
	// client.
	Save(s StoredToken) error
	// Forget removes the entry with the same resource, issuer and client.
	Forget(s StoredToken) error
	// Lock takes the lock with this name, for all users of the store, without waiting: release is nil if
	// another caller has the lock. When a process ends, its locks are released.
	Lock(name string) (release func(), err error)
}
