// Package trial sends the tokens of package authority to a server: first the correct one, which the server
// must accept, then each faulty one, which it must reject.
//
// A rejection counts only if the server still accepts the correct token afterwards. Each result contains the
// requests that the server sent to the authority in the meantime.
package trial

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"mcptea/authority"
)

// A Config holds the server to test, and the tokens and requests to send.
type Config struct {
	URL       string
	Authority *authority.Authority
	// Audience is the audience of the tokens; if empty, the resource of the metadata of the server, or else the URL.
	Audience string
	Scopes   []string // scopes of the correct token
	// ScopesRequired declares that each request requires the scopes.
	ScopesRequired bool
	// Only are names of tokens, with * for any text; empty for all.
	Only []string
	// StepUp are tools that require a scope of their own.
	StepUp []StepUp
	// Timeout is the timeout of a request; 10 s if zero.
	Timeout time.Duration
	// Settle is the maximum time that a server gets to learn about a new key.
	Settle time.Duration
	// Pace is the pause before each request.
	Pace time.Duration
	// Transport sends the requests; http.DefaultTransport if nil.
	Transport http.RoundTripper
	// Chosen, if not nil, is called before the first token with the audience, and with whether the server accepts only
	// tokens that are bound to a key; and again if the server rejects this audience and accepts another. Run returns its
	// error.
	Chosen func(audience string, bound bool) error
	// Report is called with each result.
	Report func(Result)
}

// A Verdict is the judgment of a reaction.
type Verdict string

// The verdicts. Unjudged and skipped results have a reason, and are neither right nor wrong: a skipped token was not
// sent, since the reaction to it follows from the reaction to another.
const (
	Pass     Verdict = "pass"
	Info     Verdict = "info"
	Warning  Verdict = "warning"
	Error    Verdict = "error"
	Unjudged Verdict = "unjudged"
	Skipped  Verdict = "skipped"
)

// A Result is the reaction to one token.
type Result struct {
	Token     string         `json:"token"`               // name of the token, or "step-up TOOL"
	Summary   string         `json:"summary"`             // description of the token
	Verdict   Verdict        `json:"verdict"`             // "pass", "info", "warning", "error", "unjudged" or "skipped"
	Message   string         `json:"message,omitempty"`   // reason of the verdict
	Status    int            `json:"status"`              // status of the response, or 0
	Challenge string         `json:"challenge,omitempty"` // WWW-Authenticate of the response
	Body      string         `json:"body,omitempty"`      // start of the body of a rejection
	Asked     map[string]int `json:"asked,omitempty"`     // requests of the server to the authority, by endpoint
	Spec      string         `json:"spec,omitempty"`      // section that requires the reaction
	Fix       string         `json:"fix,omitempty"`       // for the author of the server
	Library   string         `json:"library,omitempty"`   // name and measured version of the library that does this by itself, if the server is probably built on it

	kind        kind
	does, known string // see Does and Known
}

// Does returns what Library does by itself, in words without a period.
func (r Result) Does() string { return r.does }

// Known returns the evidence for Library, a sentence.
func (r Result) Known() string { return r.known }

// A ControlError reports that nothing can be judged, and what to do.
type ControlError struct{ Text, Try string }

func (e *ControlError) Error() string { return e.Text }

// trial is one run. One goroutine uses it.
type trial struct {
	Config
	client    http.Client
	stateless bool // server/discover of 2026-07-28 instead of initialize
	grant     authority.Grant
	accepted  map[string]bool // acceptance by name of the token
	silent    int             // tokens without a response
	revoked   string          // the token of revoked-later

	bare      response         // to the request without a token
	resource  resourceMetadata // metadata of the server
	complaint string           // what is wrong with the metadata, or ""

	asked  map[string]int    // requests to the authority by endpoint; of jwks, since the newest key
	causes map[string]string // accepted tokens by the tokens that they made unnecessary

	open           map[string]bool // requests that need no right credentials in a session
	laters         []later         // requests that work in a session, or nil before the first session
	isStreamSilent bool            // a GET had no response

	soon      primed
	withdrawn string // a token of the replaced key that was not sent, or ""
	oldToken  string // a token of the replaced key that was accepted, or ""

	proofs     *proofs    // nil if the server does not announce DPoP
	libraries  []*library // libraries that the server is probably built on
	rightToken string     // the token of the controls, or "" before the first one
}

const (
	// maxSilent is the number of tokens without a response after which no more tokens are sent.
	maxSilent = 3

	defaultTimeout = 10 * time.Second
)

// clientID is the client of all tokens.
const clientID = "mcptea-trial"

// Run sends all tokens. The error is a *[ControlError], the error of Chosen, or the cause of the
// context.
func Run(ctx context.Context, cfg Config) error {
	if cfg.Timeout == 0 {
		cfg.Timeout = defaultTimeout
	}
	t := &trial{
		Config: cfg, accepted: make(map[string]bool), causes: make(map[string]string), open: make(map[string]bool), asked: make(map[string]int),
	}
	t.client = http.Client{Transport: cfg.Transport, Timeout: cfg.Timeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer t.client.CloseIdleConnections()
	t.Authority.TakeCounts() // drop the counts of other trials
	t.bare = t.send(ctx, message{})
	if t.bare.err != nil && t.bare.status == 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return &ControlError{"the server does not respond: " + t.bare.err.Error(), "Start it, and compare the port."}
	}
	t.resource = t.fetchMetadata(ctx)
	complaint, about := t.readResource()
	t.complaint = complaint
	if err := t.useProofs(); err != nil {
		return err
	}
	if err := t.choose(); err != nil {
		return err
	}
	t.grant = t.boundGrant(authority.Grant{Client: clientID, Resource: t.Audience, Scope: strings.Join(t.Scopes, " ")})
	if err := t.control(ctx, about); err != nil {
		return err
	}
	t.recognize(ctx)
	if t.isSelected("cached-expired") {
		t.prime(ctx)
	}
	if err := t.tryAll(ctx, false); err != nil {
		return err
	}
	for _, s := range t.StepUp { // before the authority changes: the server may not know a new key
		r := t.tryStepUp(ctx, s)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t.Report(r)
	}
	return t.tryAll(ctx, true)
}

// choose reports the audience.
func (t *trial) choose() error {
	if t.Chosen == nil {
		return nil
	}
	return t.Chosen(t.Audience, t.proofs != nil && t.proofs.required)
}

// tryAll sends the selected tokens: those that leave the authority unchanged, or those that change
// it.
func (t *trial) tryAll(ctx context.Context, disturbing bool) error {
	for _, token := range authority.Tokens() {
		if token.Disturbs != disturbing || !t.isSelected(token.Name) || needsProofs(token.Name) && t.proofs == nil {
			continue
		}
		if t.silent >= maxSilent && token.Expect != "never" {
			t.Report(Result{Token: token.Name, Summary: token.Summary, Verdict: Unjudged, Message: "Not sent: the server did not respond to other tokens."})
			continue
		}
		var r Result
		if token.Expect == "never" {
			r = t.observe(ctx, token)
		} else {
			r = t.try(ctx, token)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if r.Verdict != "" {
			t.Report(r)
		}
	}
	return nil
}

// isSelected reports whether a token is one of Only.
func (t *trial) isSelected(name string) bool {
	return len(t.Only) == 0 || slices.ContainsFunc(t.Only, func(p string) bool { return Matches(p, name) })
}

// Matches reports whether a name matches a pattern. * in the pattern stands for any text.
func Matches(pattern, name string) bool {
	before, after, ok := strings.Cut(pattern, "*")
	if !ok {
		return pattern == name
	}
	return len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
}
