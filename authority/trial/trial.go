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
	// Settle is how long a server may take to learn about a new key.
	Settle time.Duration
	// Pace is the pause before each request.
	Pace time.Duration
	// Transport sends the requests; http.DefaultTransport if nil.
	Transport http.RoundTripper
	// Chosen, if not nil, is called before the first token with the audience, and with whether the server accepts only
	// tokens that are bound to a key. Run returns its error.
	Chosen func(audience string, bound bool) error
	// Report is called with each result.
	Report func(Result)
}

// A Verdict is the judgment of a reaction.
type Verdict string

// The verdicts. Unjudged results have a reason, and are neither right nor wrong.
const (
	Pass     Verdict = "pass"
	Info     Verdict = "info"
	Warning  Verdict = "warning"
	Error    Verdict = "error"
	Unjudged Verdict = "unjudged"
)

// A Result is the reaction to one token.
type Result struct {
	Token     string         `json:"token"`               // name of the token, "step-up TOOL", or "metadata"
	Summary   string         `json:"summary"`             // description of the token
	Verdict   Verdict        `json:"verdict"`             // "pass", "info", "warning", "error" or "unjudged"
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

	proofs     *proofs    // nil if the server does not announce DPoP
	libraries  []*library // libraries that the server is probably built on
	rightToken string     // the token of the controls, or "" before the first one
}

const (
	// maxSilent is the number of tokens without a response after which no more are sent.
	maxSilent = 3

	defaultTimeout = 10 * time.Second
)

// clientID is the client of all tokens.
const clientID = "mcptea-trial"

// Run sends all tokens. The error is a *[ControlError], that of Chosen, or the cause of the context.
func Run(ctx context.Context, cfg Config) error {
	if cfg.Timeout == 0 {
		cfg.Timeout = defaultTimeout
	}
	t := &trial{Config: cfg, accepted: make(map[string]bool)}
	t.client = http.Client{Transport: cfg.Transport, Timeout: cfg.Timeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer t.client.CloseIdleConnections()
	t.Authority.TakeCounts()
	bare := t.send(ctx, message{})
	if bare.err != nil && bare.status == 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return &ControlError{"the server does not respond: " + bare.err.Error(), "Start it, and compare the port."}
	}
	resource, dead := t.fetchMetadata(ctx, bare)
	metadata, about := t.readResource(resource, dead)
	if err := t.useProofs(bare, resource); err != nil {
		return err
	}
	if t.Chosen != nil {
		if err := t.Chosen(t.Audience, t.proofs != nil && t.proofs.required); err != nil {
			return err
		}
	}
	t.grant = t.boundGrant(authority.Grant{Client: clientID, Resource: t.Audience, Scope: strings.Join(t.Scopes, " ")})
	if err := t.control(ctx, metadata, about); err != nil {
		return err
	}
	t.recognize(ctx, bare)
	for _, token := range authority.Tokens() {
		if !t.isSelected(token.Name) || isProof(token.Name) && t.proofs == nil {
			continue
		}
		if t.silent >= maxSilent {
			t.Report(Result{Token: token.Name, Summary: token.Summary, Verdict: Unjudged, Message: "Not sent: the server did not respond to other tokens."})
			continue
		}
		r := t.try(ctx, token)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if r.Verdict != "" {
			t.Report(r)
		}
	}
	for _, s := range t.StepUp {
		r := t.tryStepUp(ctx, s)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		t.Report(r)
	}
	if metadata != "" && t.isSelected("metadata") {
		t.Report(Result{
			Token: "metadata", Summary: "the protected resource metadata", Verdict: Warning, Message: metadata,
			Spec: "RFC 9728 §2, §3.3", Fix: "Make the metadata from the settings that verify tokens.",
		})
	}
	return nil
}

// isSelected reports whether a token is one of Only.
func (t *trial) isSelected(name string) bool {
	return len(t.Only) == 0 || slices.ContainsFunc(t.Only, func(p string) bool { return Matches(p, name) })
}

// Matches reports whether a name fits a pattern, in which * stands for any text.
func Matches(pattern, name string) bool {
	before, after, ok := strings.Cut(pattern, "*")
	if !ok {
		return pattern == name
	}
	return len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
}
