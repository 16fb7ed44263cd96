package oauth

import (
	"context"
	"errors"
	"fmt"
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
	prover prover

	mu      sync.Mutex
	now     held              // the token in force
	issued  map[string]int    // Authorization header → number of the token in it
	clients map[string]Client // by issuer: registered by us
	own     string            // the issuer that Config.Client turned out to be for
	looked  bool              // the store was asked
	stepUps int
	flows   int
	running *running
}

// held is a token and where it comes from.
type held struct {
	number   int // from 1; 0 when there is none
	token    Token
	client   Client
	issuer   string
	resource string
	asked    []string // the scopes that were asked for
	how      origins
	accepted bool // the server has taken it at least once
}

// origins says where a token comes from.
type origins uint8

const (
	byGrant origins = iota
	byRefresh
	byStore
)

// running is a flow and those who wait for it.
type running struct {
	done    chan struct{}
	err     error // set before done is closed
	waiters int
	cancel  context.CancelCauseFunc
}

// mostStepUps bounds how often a connection asks for more scopes.
const mostStepUps = 3

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
	if c.Patience == 0 {
		c.Patience = defaultPatience
	}
	if c.Name == "" {
		c.Name = "mcptea"
	}
	if c.Listen == nil {
		c.Listen = ListenLoopback
	}
	m, ok := c.Store.(*Memory)
	return &Authorizer{
		cfg: c, server: u, own: c.Client.Issuer,
		looked: ok && m.empty(), // there is nothing to look for, and nothing to tell of it
		issued: make(map[string]int), clients: make(map[string]Client),
	}, nil
}

// Sign implements [transport.Authorization].
func (a *Authorizer) Sign(method string, to *url.URL, header http.Header) {
	if field(header, "Authorization") != "" || origin(to) != origin(a.server) {
		return
	}
	a.mu.Lock()
	now := a.now
	a.mu.Unlock()
	if now.number == 0 {
		return
	}
	header["Authorization"] = []string{now.token.Type + " " + now.token.Access}
	if now.token.Type != "DPoP" {
		return
	}
	// A proof that cannot be made is missed by the server, which says so.
	if proof, err := a.prover.proof(method, to, now.token.Access); err == nil {
		header[proofHeader] = []string{proof}
	}
}

// Judge implements [transport.Authorization].
func (a *Authorizer) Judge(answered transport.Answered) bool {
	if origin(answered.URL) != origin(a.server) {
		return false
	}
	a.prover.note(answered.URL, answered.Header)
	a.mu.Lock()
	defer a.mu.Unlock()
	number, ours := a.numberOf(answered.Sent)
	switch {
	case !ours:
		return false // the user has chosen the credentials, and sees what comes of it
	case answered.Status == http.StatusUnauthorized:
		// Nobody is asked for consent so that a session may end.
		return answered.Purpose != "end session"
	case answered.Status == http.StatusForbidden:
		return demanded(Challenges(answered.Header)).err == "insufficient_scope"
	}
	if number != 0 && number == a.now.number {
		a.now.accepted = true
	}
	return false
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

// Renew implements [transport.Authorization]. The errors are *[Refusal],
// *[ServerError], *[ClientError], *[ConsentError], *[RejectedError],
// *[ScopeError], [ErrCancelled], the cause of the context, and failures to
// reach one of the servers.
func (a *Authorizer) Renew(ctx context.Context, answered transport.Answered, by transport.Requester) error {
	d := demanded(Challenges(answered.Header))
	if d.err == "use_dpop_nonce" && answered.Header.Get(nonceHeader) != "" && answered.Tries < 3 {
		return nil // Judge has noted it
	}
	a.mu.Lock()
	number, _ := a.numberOf(answered.Sent)
	if number != a.now.number {
		a.mu.Unlock()
		return nil // somebody else was faster
	}
	r := a.running
	if r == nil {
		f, err := a.flow(answered, d, by)
		if err != nil {
			a.flows++
			number := a.flows
			a.mu.Unlock()
			newChecklist(a.cfg.Watch, number, StepChallenge).fail(err)
			return err
		}
		r = &running{done: make(chan struct{})}
		var life context.Context
		// The flow belongs to all who wait for it.
		life, r.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
		a.running = r
		go a.carry(life, r, f, answered)
	}
	r.waiters++
	a.mu.Unlock()
	return a.await(ctx, r)
}

// await waits for a flow. One that nobody waits for is given up.
func (a *Authorizer) await(ctx context.Context, r *running) error {
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.waiters--; r.waiters == 0 {
		r.cancel(context.Cause(ctx))
	}
	return context.Cause(ctx)
}

// flow gets a flow ready, or says why none makes sense. The caller holds a.mu.
func (a *Authorizer) flow(answered transport.Answered, d demand, by transport.Requester) (*flow, error) {
	f := &flow{a: a, cfg: &a.cfg, by: by, demand: d, before: a.now}
	switch {
	case answered.Status == http.StatusForbidden:
		if err := a.mayStepUp(d); err != nil {
			return nil, err
		}
		a.stepUps++
		f.stepUp = true
	case a.now.number != 0 && a.now.how == byGrant && !a.now.accepted:
		return nil, &RejectedError{a.now.issuer, d.description}
	}
	a.flows++
	f.number, f.names = a.flows, a.stepsOfFlow(f)
	return f, nil
}

// mayStepUp refuses to ask for scopes where that would go on for ever.
func (a *Authorizer) mayStepUp(d demand) error {
	switch {
	case len(d.scopes) == 0:
		return &ScopeError{nil, "the server does not say which scopes it wants"}
	case len(missing(d.scopes, a.now.token.Scopes)) == 0:
		return &ScopeError{d.scopes, "it was issued for that already"}
	case len(missing(d.scopes, a.now.asked)) == 0:
		return &ScopeError{d.scopes, a.now.issuer + " was asked for that already and did not grant it"}
	case a.stepUps >= mostStepUps:
		return &ScopeError{d.scopes, fmt.Sprintf("more was asked for %d times on this connection", mostStepUps)}
	}
	return nil
}

func (a *Authorizer) stepsOfFlow(f *flow) []string {
	var names []string
	if a.cfg.Store != nil && !a.looked && !f.stepUp {
		names = append(names, StepStored)
	}
	return append(append(names, StepChallenge, StepResource, StepServer, StepMetadata), a.stepsOfGrant()...)
}

func (a *Authorizer) stepsOfGrant() []string {
	switch a.cfg.Grant.(type) {
	case nil:
		return []string{StepClient, StepConsent, StepToken}
	case Enterprise:
		return []string{StepClient, StepIdentity, StepToken}
	}
	return []string{StepClient, StepToken}
}

// carry brings a flow to its end and tells those who wait.
func (a *Authorizer) carry(ctx context.Context, r *running, f *flow, answered transport.Answered) {
	f.list = newChecklist(a.cfg.Watch, f.number, f.names...)
	got, ok := f.stored()
	var err error
	if !ok {
		got, err = f.run(ctx, answered)
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		f.list.fail(err)
	} else if got.how != byStore {
		f.save(got)
	}
	r.cancel(nil)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil {
		got.number = a.now.number + 1
		a.now = got
		a.issued[got.token.Type+" "+got.token.Access] = got.number
	}
	a.running, r.err = nil, err
	close(r.done)
}

// Cancel gives up the flow that is running, if there is one.
func (a *Authorizer) Cancel() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running != nil {
		a.running.cancel(ErrCancelled)
	}
}

// knows reports whether we have dealt with an issuer.
func (a *Authorizer) knows(issuer string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, known := a.clients[issuer]
	return known || a.own == issuer || a.now.issuer == issuer
}

// ownClient is the client that was agreed on beforehand, and the issuer that it
// is for: the one that is met first, when the configuration does not say.
func (a *Authorizer) ownClient(issuer string) (Client, string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cfg.Client.ID != "" && a.own == "" {
		a.own = issuer
	}
	return a.cfg.Client, a.own
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

func (a *Authorizer) remember(c Client) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.clients[c.Issuer] = c
}
