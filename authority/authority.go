package authority

import (
	"net/url"
	"strings"
	"sync"
	"time"

	"mcptea/internal/jose"
)

// Options configure an authority.
type Options struct {
	// Wrong is the name of one of [Answers], or "" for a correct authority.
	Wrong string
	// Resource is the audience of tokens if the client names no resource.
	Resource string
	// Scopes are listed as supported. They are not enforced.
	Scopes []string
	// Clients are registered from the start, with any redirect URI of this machine.
	Clients []Client
	// Page makes the authority show a consent page for each request. Otherwise it shows one only if
	// a web page may have caused the request.
	Page bool
	// DPoP makes the protected server require tokens that are bound to a key, and proofs with a
	// nonce.
	DPoP bool
	// Life is the lifetime of an access token. If zero, it is one hour.
	Life time.Duration
	// Seen, if not nil, is called for each request that was received, never concurrently.
	Seen func(Seen)
	// Now returns the time. If nil, time.Now is used.
	Now func() time.Time
}

// A Client is a client that is registered without a registration request. It is public if it has no
// secret.
type Client struct{ ID, Secret string }

// Authority is an authorization server. It is safe for concurrent use.
type Authority struct {
	options Options
	wrong   Answer
	slow    time.Duration // delay of the answer token-slow

	mu      sync.Mutex
	issuer  string
	keys    []pair    // published keys; the last one signs
	foreign pair      // key that is not published
	curve   *jose.JWK // published key that signs nothing, or nil before the first new key
	failure Failure
	clients map[string]registration
	grants  map[string]*Grant  // grants by token, code or refresh token
	order   []string           // keys of grants, oldest first
	proofs  map[string]bool    // used ids of DPoP proofs, hashed
	pending map[string]request // authorization requests, by the token of the consent page
	counts  map[string]int     // number of requests by endpoint
	nonce   string             // nonce that the protected server requires in DPoP proofs

	seeing sync.Mutex
	client watched
}

// Bounds of an authority's memory. At the bound, the oldest token is dropped, as if it had expired.
// Clients, proofs and consent pages are dropped all together.
const (
	maxGrants  = 2048
	maxClients = 256
	maxProofs  = 4096
	maxPending = 64
)

// New returns an authority with new keys. It has no issuer until [Authority.ServeAs] is called.
func New(o Options) (*Authority, error) {
	if o.Life <= 0 {
		o.Life = time.Hour
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	a := &Authority{
		options: o, slow: slowResponse, nonce: jose.Random(),
		clients: make(map[string]registration), grants: make(map[string]*Grant), proofs: make(map[string]bool),
		pending: make(map[string]request), counts: make(map[string]int),
	}
	for _, c := range o.Clients {
		method := methodNone
		if c.Secret != "" {
			method = "" // the client may send the secret either way
		}
		a.clients[c.ID] = registration{ID: c.ID, Secret: c.Secret, Method: method, anyRedirect: true}
	}
	a.wrong, _ = AnswerNamed(o.Wrong)
	if a.wrong.ExpiresSoon {
		a.options.Life = soon
	}
	signing, err := newPair("key-1")
	if err != nil {
		return nil, err
	}
	a.keys = []pair{signing}
	a.foreign, err = newPair("other-1")
	return a, err
}

// soon is the lifetime of tokens if a wrong answer is about refresh. A test waits until they
// expire.
const soon = 2 * time.Second

// ServeAs sets the issuer: the URL of the handler. The URL may have a path.
func (a *Authority) ServeAs(issuer string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.issuer = strings.TrimSuffix(issuer, "/")
}

// Issuer returns the issuer.
func (a *Authority) Issuer() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.issuer
}

// JWKS returns the URL of the published keys.
func (a *Authority) JWKS() string { return a.Issuer() + pathJWKS }

// Introspection returns the URL of the introspection endpoint.
func (a *Authority) Introspection() string { return a.Issuer() + pathIntrospect }

// Metadata returns the URL of the metadata (RFC 8414 §3.1).
func (a *Authority) Metadata() string {
	u, _ := url.Parse(a.Issuer())
	return u.Scheme + "://" + u.Host + pathServerMetadata + u.Path
}

// SetResource sets the audience of tokens if the client names no resource.
func (a *Authority) SetResource(r string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.options.Resource = r
}

func (a *Authority) resource() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.options.Resource
}

// TakeCounts returns the number of requests since the last call, by endpoint.
func (a *Authority) TakeCounts() map[string]int {
	a.mu.Lock()
	defer a.mu.Unlock()
	counts := a.counts
	a.counts = make(map[string]int)
	return counts
}

func (a *Authority) now() time.Time { return a.options.Now() }

// signingKey returns the key that signs tokens.
func (a *Authority) signingKey() pair {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.keys[len(a.keys)-1]
}
