package checks

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"mcptea/authority"
	"mcptea/authority/trial"
	"mcptea/check/probe"
	"mcptea/cli/app"
	"mcptea/cli/journal"
	"mcptea/cli/link"
	"mcptea/client"
	mcphttp "mcptea/client/transport/http"
	"mcptea/lint"
	"mcptea/record/store"
)

// authorityGroup is the group of the results of --authority.
const authorityGroup = "authority"

// tokenSettle bounds how long a server may take to learn about a new key.
const tokenSettle = 40 * time.Second

// An authorityRun is mcptea as the authorization server of the server that is checked.
type authorityRun struct {
	stop    func()
	tokens  probe.Tokens // tokens for the probes that need them
	results []trial.Result
}

// startAuthority starts the authority of --authority, sends the tokens, and sets the correct token in the
// target. It returns nil without the flag.
func (p *checkCommand) startAuthority(t *client.Target, f *checkFlags, recording *store.Store) (*authorityRun, error) {
	if f.authority == "" {
		if len(f.stepUp) > 0 {
			return nil, app.Usage("Add --authority ADDRESS.", "--step-up has no effect without --authority")
		}
		return nil, nil //nolint:nilnil // no authority
	}
	u, err := url.Parse(t.URL)
	switch {
	case t.IsStdio() || t.Shared != nil || err != nil:
		return nil, app.Usage("Omit the flag, or check a URL.", "--authority requires the URL of a server")
	case !mcphttp.IsLoopback(u.Hostname()):
		return nil, app.Usage("Start the server on this machine.", "--authority is for servers on this machine: others cannot reach the authority")
	}
	steps, err := trial.ParseStepUps(f.stepUp)
	if err != nil {
		return nil, app.Usage("Write it as TOOL=SCOPE.", "--step-up: %v", err)
	}
	scopes := p.Flags.Auth.Scopes()
	tokens, requests, end := recordTokens(recording, t.String())
	defer end()
	a, stop, err := p.StartAuthority(link.AuthorityPlace{Flag: "authority", Listen: f.authority, Wrap: requests.Wrap}, authority.Options{Scopes: scopes, Seen: requests.Seen})
	if err != nil {
		return nil, err
	}
	run := &authorityRun{stop: stop}
	fmt.Fprintf(p.Err, "The authority listens at %s\n", a.Issuer())
	audience := ""
	err = trial.Run(p.Ctx, trial.Config{
		URL: t.URL, Authority: a, Scopes: scopes, StepUp: steps, Settle: tokenSettle, Timeout: f.Timeout,
		Transport: tokens.Transport(),
		Chosen: func(resource string, bound bool) error {
			audience = resource
			if bound {
				return app.Usage("Run: mcptea auth check URL", "--authority: the server accepts only tokens that are bound to a key (DPoP), which probes cannot send")
			}
			return nil
		},
		Report: func(r trial.Result) {
			tokens.Tried(r)
			r.Message = t.Redact(r.Message)
			run.results = append(run.results, r)
		},
	})
	var control *trial.ControlError
	if errors.As(err, &control) {
		err = &app.Error{Code: app.ExitConnect, Text: t.Redact(control.Text), Hint: t.Redact(control.Try)}
	}
	if err != nil {
		stop()
		return nil, err
	}
	run.giveTokens(a, t, authority.Grant{Client: "mcptea-check", Resource: audience, Scope: strings.Join(scopes, " ")})
	return run, nil
}

// recordTokens returns the journals of the requests with tokens and of the requests of the server to the authority, each
// a connection of its own; they are nil without a recording. end records the end of the first one: the authority goes
// on for the probes.
func recordTokens(recording *store.Store, target string) (tokens, requests *journal.Journal, end func()) {
	if recording == nil {
		return nil, nil, func() {}
	}
	all := journal.New(recording)
	tokens, end = all.Beside(target)
	requests, _ = all.Beside("the authority")
	return tokens, requests, end
}

// giveTokens issues the tokens of the probes, and the right one of the target.
func (run *authorityRun) giveTokens(a *authority.Authority, t *client.Target, g authority.Grant) {
	run.tokens.Expired, _ = a.Forge("expired", g)
	run.tokens.Foreign, _ = a.Forge("aud-other", g)
	run.tokens.LowScope, _ = a.Forge("scope-missing", g)
	if t.Header = t.Header.Clone(); t.Header == nil {
		t.Header = http.Header{}
	}
	t.Header.Set("Authorization", "Bearer "+a.Access(g))
}

// addTokens adds the results to a summary: one report for each finding, and one for each token that is right.
func (run *authorityRun) addTokens(s *probe.Summary) {
	if run == nil {
		return
	}
	for _, f := range trial.Fold(run.results) {
		blameScope(s.Reports, f)
		dropChallenge(s.Reports, f)
		if f.Message == "" {
			for _, name := range f.Tokens {
				s.Reports = append(s.Reports, tokenReport(s, name, f))
			}
			continue
		}
		s.Reports = append(s.Reports, tokenReport(s, f.Tokens[0], f))
	}
}

// scopeProbe is the probe that finds the same as tokens without a scope.
const scopeProbe = "P-167"

// blameScope attributes the findings of scopeProbe to the library that rejects tokens without a scope.
func blameScope(reports []probe.Report, f trial.Finding) {
	if f.First.Library == "" || !slices.Contains(f.Tokens, "scope-missing") {
		return
	}
	i := slices.IndexFunc(reports, func(r probe.Report) bool { return r.Entry.ID == scopeProbe })
	if i < 0 {
		return
	}
	for k := range reports[i].Findings {
		reports[i].Findings[k].Library = &probe.Library{Name: f.First.Library, Known: f.First.Known()}
	}
}

// invalidProbe is the probe that sends invalid tokens, too.
const invalidProbe = "P-163"

// dropChallenge removes the info of invalidProbe about a challenge that a finding about tokens is about.
func dropChallenge(reports []probe.Report, f trial.Finding) {
	const about = `error="invalid_token"`
	for i := range reports {
		if reports[i].Entry.ID == invalidProbe && strings.Contains(f.Message, about) {
			reports[i].Findings = slices.DeleteFunc(reports[i].Findings, func(g probe.Finding) bool {
				return g.Severity == lint.Info && strings.Contains(g.Message, about)
			})
		}
	}
}

// tokenReport returns the report about a token and all others with the same finding.
func tokenReport(s *probe.Summary, name string, f trial.Finding) probe.Report {
	token, _ := authority.TokenNamed(name)
	level := probe.Should
	if token.Level == "error" {
		level = probe.Must
	}
	r := probe.Report{Verdict: probe.Pass, Entry: &probe.Entry{
		ID: tokenPrefix + strings.ReplaceAll(name, " ", "-"), Slug: "auth-check", Group: authorityGroup, Level: level, Basis: lint.Spec,
		Sends: "a right token, then wrong ones", Pass: "the right token is accepted, and the others are rejected with 401 or 403",
		Fail: "the reaction to this is not the reaction of a right server: " + f.First.Summary, Fix: f.Fix, Spec: f.Spec,
	}}
	if len(s.Servers) > 0 {
		r.Revision, r.Transport = string(s.Servers[0].Revision), s.Servers[0].Transport
	}
	finding := probe.Finding{Case: f.First.Summary, Message: f.Message, Hint: f.Fix}
	if l := f.First.Library; l != "" {
		finding.Library = &probe.Library{Name: l, Known: f.First.Known()}
		finding.Hint += " " + f.First.Known() + " If it is built on that: " + f.First.Does() + "."
	}
	if f.Message != "" && len(f.Tokens) > 1 {
		finding.Also = []string{"the same for the tokens " + strings.Join(f.Tokens[1:], ", ")}
	}
	switch f.Verdict {
	case trial.Error:
		r.Verdict, finding.Severity = probe.Fail, lint.Error
	case trial.Warning:
		r.Verdict, finding.Severity = probe.Warn, lint.Warn
	case trial.Info:
		finding.Severity = lint.Info
	case trial.Unjudged:
		r.Verdict, r.Skip = probe.Failure, f.Message
		return r
	case trial.Skipped:
		r.Verdict, r.Skip = probe.Skipped, f.Message
		return r
	case trial.Pass:
		return r
	}
	r.Findings = []probe.Finding{finding}
	return r
}
