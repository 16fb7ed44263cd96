package oauth

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"mcptea/client/transport"
)

// Authorizer gets the tokens for one server and puts them on its requests. Its
// methods may be called from any goroutine. It has no goroutine of its own but
// that of a flow somebody waits for.
type Authorizer struct {
	cfg    Config
	server *url.URL
	signer dpopSigner

	mu               sync.Mutex
	current          grantedToken      // the token in force
	issued           map[string]int    // Authorization header → number of the token in it
	clients          map[string]Client // by issuer: registered by us
	configuredIssuer string            // the issuer that Config.Client turned out to be for
	storeRead        bool              // the store was asked
	unconfirmed      bool              // a kept token was sent, and no response shows that it is good
	stepUps          int
	flows            int
	inFlight         *flowRun
}

// grantedToken is a token and where it comes from.
type grantedToken struct {
	number    int // from 1; 0 when there is none
	token     Token
	client    Client
	issuer    string
	resource  string
	requested []string // the scopes that were asked for
	source    tokenSource
	accepted  bool // the server has taken it at least once
}

// tokenSource says where a token comes from.
type tokenSource uint8

const (
	fromGrant tokenSource = iota
	fromRefresh
	fromStore
)

var _ transport.Authorization = (*Authorizer)(nil)

// New returns an authorizer for the server that the configuration names. It
// asks nobody before the server refuses something.
func New(c Config) (*Authorizer, error) {
	u, err := url.Parse(c.Server)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("the server is not named by an http:// or https:// URL")
	}
	if c.Timeout == 0 {
		c.Timeout = defaultTimeout
	}
	if c.ConsentTimeout == 0 {
		c.ConsentTimeout = defaultConsentTimeout
	}
	if c.Name == "" {
		c.Name = "mcptea"
	}
	if c.Listen == nil {
		c.Listen = listenLoopback
	}
	m, ok := c.Store.(*Memory)
	return &Authorizer{
		cfg: c, server: u, configuredIssuer: c.Client.Issuer,
		storeRead: ok && m.isEmpty(), // there is nothing to look for, and nothing to tell of it
		issued:    make(map[string]int), clients: make(map[string]Client),
	}, nil
}

// Authorize implements [transport.Authorization].
func (a *Authorizer) Authorize(method string, to *url.URL, header http.Header) {
	if field(header, "Authorization") != "" || origin(to) != origin(a.server) {
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
	// A proof that cannot be made is missed by the server, which says so.
	if proof, err := a.signer.proof(method, to, now.token.Access); err == nil {
		header[dpopHeader] = []string{proof}
	}
}

// ShouldRefresh implements [transport.Authorization].
func (a *Authorizer) ShouldRefresh(answered transport.ResponseInfo) bool {
	if origin(answered.URL) != origin(a.server) {
		return false
	}
	a.signer.noteNonce(answered.URL, answered.Header)
	a.mu.Lock()
	defer a.mu.Unlock()
	number, ours := a.numberOf(answered.RequestHeader)
	switch {
	case !ours:
		return false // the user has chosen the credentials, and sees what comes of it
	case answered.Status == http.StatusUnauthorized:
		// Nobody is asked for consent so that a session may end.
		return answered.Purpose != "end session"
	case answered.Status == http.StatusForbidden:
		return mergeChallenges(Challenges(answered.Header)).err == "insufficient_scope"
	}
	if number != 0 && number == a.current.number && answered.Status < http.StatusInternalServerError {
		a.current.accepted, a.unconfirmed = true, false
	}
	return false
}

// StoredTokenUnconfirmed reports whether a token of an earlier session was sent to the
// server, and no response shows that the server still accepts it. Servers that do
// not know it any more answer 401, or fail over it.
func (a *Authorizer) StoredTokenUnconfirmed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.unconfirmed
}

// numberOf returns the number of the token that a request carried, 0 for none;
// false when the credentials are not ours. The caller holds a.mu.
func (a *Authorizer) numberOf(sent http.Header) (int, bool) {
	value := field(sent, "Authorization")
	if value == "" {
		return 0, true
	}
	number, ours := a.issued[value]
	return number, ours
}

// field returns a header, whatever its spelling: people have theirs kept.
func field(h http.Header, name string) string {
	for n, values := range h {
		if strings.EqualFold(n, name) && len(values) > 0 {
			return values[0]
		}
	}
	return ""
}

// usedBefore reports whether we have dealt with an issuer.
func (a *Authorizer) usedBefore(issuer string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, known := a.clients[issuer]
	return known || a.configuredIssuer == issuer || a.current.issuer == issuer
}

// configuredClient is the client that was agreed on beforehand, and the issuer that it
// is for: the one that is met first, when the configuration does not say.
func (a *Authorizer) configuredClient(issuer string) (Client, string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cfg.Client.ID != "" && a.configuredIssuer == "" {
		a.configuredIssuer = issuer
	}
	return a.cfg.Client, a.configuredIssuer
}

// registered returns the client that an issuer knows from before.
func (a *Authorizer) registered(issuer string) (Client, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c, ok := a.clients[issuer]
	if ok && !c.Expires.IsZero() && time.Now().After(c.Expires) {
		return Client{}, false
	}
	return c, ok
}

// forgetClient forgets a registration, unless there is a newer one.
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
	a.clients[c.Issuer] = c
}
