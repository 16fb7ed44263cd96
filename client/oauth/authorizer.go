package oauth

import (
	"errors"
	"net/http"
	"net/url"
	"sync"

	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
)

// Authorizer obtains access tokens for one server and adds them to its requests. Its methods are safe for
// concurrent use. Its only goroutine runs a flow whose result a caller waits for.
type Authorizer struct {
	cfg    Config
	server *url.URL
	signer dpopSigner

	mu               sync.Mutex
	current          grantedToken      // the token that requests carry
	issued           map[string]int    // Authorization header → number of the token in it
	clients          map[string]Client // dynamically registered clients, by issuer
	configuredIssuer string            // issuer of Config.Client; if not configured, the issuer of the first flow
	storeRead        bool              // the store was read, or has nothing
	unconfirmed      bool              // a stored token was sent, and no response has confirmed it
	stepUps          int
	flows            int
	inFlight         *flowRun
	stored           Stored // result of the newest read of the store
	storeErr         error  // error of the newest read or write of the store
	last             ended  // newest flow that has ended
}

// grantedToken is a token with the values needed to refresh it.
type grantedToken struct {
	number    int // number of the token, from 1, or 0 if there is no token
	token     Token
	client    Client
	issuer    string
	requested []string // the scopes that were requested
	source    tokenSource
	accepted  bool // the server has accepted it at least once
}

// A tokenSource says how a token was obtained.
type tokenSource uint8

const (
	fromGrant tokenSource = iota
	fromRefresh
	fromStore
)

var _ transport.Authorization = (*Authorizer)(nil)

// New returns an authorizer for [Config.Server]. It sends nothing before the server
// rejects a request.
func New(c Config) (*Authorizer, error) {
	u, err := url.Parse(c.Server)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("authorization requires an http:// or https:// URL of the server")
	}
	if c.Timeout == 0 {
		c.Timeout = defaultTimeout
	}
	if c.ConsentTimeout == 0 {
		c.ConsentTimeout = defaultConsentTimeout
	}
	m, ok := c.Store.(*Memory)
	return &Authorizer{
		cfg: c, server: u, configuredIssuer: c.Client.Issuer,
		storeRead: ok && m.isEmpty(), // an empty memory needs no step
		issued:    make(map[string]int), clients: make(map[string]Client),
	}, nil
}

// Authorize implements [transport.Authorization].
func (a *Authorizer) Authorize(method string, to *url.URL, header http.Header) {
	if mcphttp.Value(header, "Authorization") != "" || mcphttp.Origin(to) != mcphttp.Origin(a.server) {
		return
	}
	a.mu.Lock()
	now := a.current
	a.mu.Unlock()
	if now.number == 0 {
		return
	}
	header["Authorization"] = []string{now.token.Type + " " + now.token.Access}
	if now.token.Type != "DPoP" {
		return
	}
	// Without a proof the server rejects the request, and that error is reported.
	if proof, err := a.signer.proof(method, to, now.token.Access); err == nil {
		header[dpopHeader] = []string{proof}
	}
}

// ShouldRefresh implements [transport.Authorization].
func (a *Authorizer) ShouldRefresh(answered transport.ResponseInfo) bool {
	if mcphttp.Origin(answered.URL) != mcphttp.Origin(a.server) {
		return false
	}
	a.signer.noteNonce(answered.URL, answered.Header)
	a.mu.Lock()
	defer a.mu.Unlock()
	number, ours := a.numberOf(answered.RequestHeader)
	switch {
	case !ours:
		return false // the user has set the credentials
	case answered.Status == http.StatusUnauthorized:
		// The user is not asked for consent only to end a session.
		return answered.Purpose != transport.PurposeEndSession
	case answered.Status == http.StatusForbidden:
		return mergeChallenges(Challenges(answered.Header)).err == "insufficient_scope"
	}
	if number != 0 && number == a.current.number && answered.Status < http.StatusInternalServerError {
		a.current.accepted, a.unconfirmed = true, false
	}
	return false
}

// StoredTokenUnconfirmed reports whether a token of an earlier session was sent to
// the server, and no response has shown yet that the server accepts it.
func (a *Authorizer) StoredTokenUnconfirmed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.unconfirmed
}

// numberOf returns the number of the token that a request carried, or 0 if it carried none. It returns false if
// the credentials are not from this authorizer. The caller holds a.mu.
func (a *Authorizer) numberOf(sent http.Header) (int, bool) {
	value := mcphttp.Value(sent, "Authorization")
	if value == "" {
		return 0, true
	}
	number, ours := a.issued[value]
	return number, ours
}

// usedBefore reports whether a client or token of an issuer is known.
func (a *Authorizer) usedBefore(issuer string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, known := a.clients[issuer]
	return known || a.configuredIssuer == issuer || a.current.issuer == issuer
}

// configuredClient returns the client of the configuration and its issuer: if that
// is not configured, the issuer of the first flow.
func (a *Authorizer) configuredClient(issuer string) (Client, string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cfg.Client.ID != "" && a.configuredIssuer == "" {
		a.configuredIssuer = issuer
	}
	return a.cfg.Client, a.configuredIssuer
}

// registered returns the dynamically registered client of an issuer, unless its
// secret has expired.
func (a *Authorizer) registered(issuer string) (Client, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c, ok := a.clients[issuer]
	if ok && HasExpired(c.Expires) {
		return Client{}, false
	}
	return c, ok
}

// forgetClient removes a registration, unless there is a newer one.
func (a *Authorizer) forgetClient(c Client) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.clients[c.Issuer].ID == c.ID {
		delete(a.clients, c.Issuer)
	}
}

func (a *Authorizer) addClient(c Client) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, known := a.clients[c.Issuer]; !known && len(a.clients) >= maxClients {
		clear(a.clients)
	}
	a.clients[c.Issuer] = c
}

// maxClients bounds the registered clients: a server can name a new authorization server each time. At the
// bound, all are forgotten and register again.
const maxClients = 64
