package oauth

import (
	"context"
	"crypto/ecdsa"
	"net/url"
	"time"
)

const (
	defaultTimeout        = 30 * time.Second
	defaultConsentTimeout = 5 * time.Minute
)

// Config says for which server tokens are wanted and how to get them. [New]
// copies what it needs.
type Config struct {
	// Server is the URL of the MCP server. Tokens go to its origin alone.
	Server string

	// Grant is how to get a token; a person's consent when it is nil.
	Grant Grant

	// Client is who we are to the authorization server, where that was agreed
	// on beforehand. It is used with one issuer alone.
	Client Client

	// MetadataURL is where the document is that says who we are, for servers
	// that read one (Client ID Metadata Documents). Empty when there is none.
	MetadataURL string

	// Scopes are asked for in place of those that the server names.
	Scopes []string

	// Issuer chooses among several authorization servers. Empty means one with
	// which we have dealt before, or the first.
	Issuer string

	// Lenient goes on where a [Refusal] would end the matter, and says so as a
	// remark of the step.
	Lenient bool

	// Store keeps tokens for another time; they are forgotten when it is nil.
	Store Store

	// Browse opens the consent page in a browser. It must not wait for the user.
	// [ErrNotOpened] says that the page is only shown, which is no failure.
	// When it is nil nobody can be asked.
	OpenBrowser func(ctx context.Context, at Consent) error

	// Listen makes the catcher of the answer; [listenLoopback] when nil.
	// preferred is the redirect URI that was registered at an earlier time,
	// empty when there is none.
	Listen func(ctx context.Context, preferred string) (RedirectListener, error)

	// Watch, when set, is told of every step. It is called from one goroutine
	// at a time and must not wait.
	OnStep func(Step)

	// Timeout bounds each request; 30 s when zero. Patience bounds the wait for
	// a person; 5 min when zero.
	Timeout, ConsentTimeout time.Duration

	// Name and Version are what an authorization server is told of this
	// program when it is registered.
	Name, Version string
}

// Consent is what a person is asked to agree to.
type Consent struct {
	URL      string    // to open in a browser, whole
	Issuer   string    // who asks
	Deadline time.Time // when nobody waits any more
}

// Client is who we are to one authorization server (OAuth 2.1 §2).
type Client struct {
	ID     string
	Secret string
	// Key signs assertions in the place of a secret (private_key_jwt, ES256).
	Key *ecdsa.PrivateKey

	// Issuer is the authorization server; for a client of [Config] it may be
	// empty and is the first that is met then.
	Issuer string

	// AuthMethod is how to prove it at the token endpoint, empty when that is
	// ours to choose.
	AuthMethod string

	// RedirectURI is what was registered, Expires until when; both zero for a
	// client that was not registered by us.
	RedirectURI string
	Expires     time.Time
}

// Token is an access token and what belongs to it.
type Token struct {
	Access  string
	Refresh string // empty when there is none
	Type    string // "Bearer" or "DPoP"
	Scopes  []string
	Expires time.Time // zero when the server did not say

	// Key is what a DPoP token is bound to, PKCS #8; nil for others.
	Key []byte
}

// Grant is how a token is got: [ClientCredentials], [Enterprise] or [Workload].
// The nil Grant is the consent of a person (authorization code).
type Grant interface{ grant() }

// ClientCredentials gets a token in the name of the client alone (OAuth 2.1
// §4.2), which proves itself by its secret or its key.
type ClientCredentials struct{}

// Enterprise gets a token by way of the identity provider at which a person is
// signed in: an ID token is exchanged there for an assertion (RFC 8693), which
// the authorization server takes (RFC 7523; enterprise-managed authorization).
type Enterprise struct {
	// IDToken is asked once for each token.
	IDToken       func(ctx context.Context) (string, error)
	TokenEndpoint string // of the identity provider
	Client        Client // who we are to the identity provider
}

// Workload gets a token by an assertion that the platform issues to a program
// (RFC 7523 §2.1, workload identity federation). Assertion is asked once for
// each token; what it returns is sent once.
type Workload struct {
	Assertion func(ctx context.Context) (string, error)
}

func (ClientCredentials) grant() {}
func (Enterprise) grant()        {}
func (Workload) grant()          {}

// RedirectListener waits for the browser to come back (RFC 8252 §7.3).
type RedirectListener interface {
	// RedirectURI is where the browser is to be sent.
	RedirectURI() string
	// Expect names the state of the authorization request. It comes before the
	// browser is sent; what comes back with another state is to be refused and
	// not to end the wait.
	Expect(state string)
	// Catch returns the query with which it comes.
	Wait(ctx context.Context) (url.Values, error)
	// Close ends the waiting and frees what it took.
	Close() error
}

// StoredToken is what is kept of one authorization, for the resource, the issuer and
// the client that it names and for no others.
type StoredToken struct {
	Resource string
	Issuer   string
	Client   Client // without key
	Token    Token
}

// Store keeps authorizations. Its methods may wait, and be called from any
// goroutine.
type Store interface {
	// Load returns what was saved for a resource, the newest first.
	Load(resource string) ([]StoredToken, error)
	// Save keeps s in the place of what has the same resource, issuer and
	// client.
	Save(s StoredToken) error
	// Forget drops what has the same resource, issuer and client as s.
	Forget(s StoredToken) error
}
