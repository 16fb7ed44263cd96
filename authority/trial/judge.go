package trial

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"mcptea/authority"
	"mcptea/internal/backoff"
)

// A judging is a result that is being made.
type judging struct {
	*trial
	token authority.Token
	got   response
	Result
}

// say sets the verdict, its kind and the message.
func (j *judging) say(v Verdict, k kind, format string, args ...any) {
	j.Verdict, j.kind, j.Message = v, k, authority.Redact(fmt.Sprintf(format, args...))
}

// try sends one token and judges the reaction. The verdict is empty if the server has nothing to try.
func (t *trial) try(ctx context.Context, token authority.Token) Result {
	if cause := t.impliedBy(token); cause != "" {
		t.accepted[token.Name] = true
		return Result{
			Token: token.Name, Summary: token.Summary, Verdict: Skipped, Spec: token.Spec, Fix: token.Fix,
			Message: "Not sent: a server that accepts " + cause + " accepts this, too.",
		}
	}
	t.takeCounts()
	got := t.sendToken(ctx, token)
	if got.skipped {
		return Result{}
	}
	j := &judging{trial: t, token: token, got: got, Result: Result{
		Token: token.Name, Summary: token.Summary, Verdict: Pass, Status: got.status, Challenge: authority.Redact(got.challenge()),
		Asked: t.takeCounts(), Spec: token.Spec, Fix: token.Fix,
	}}
	t.adviseIntrospection(&j.Result, token)
	if !got.accepted {
		j.Body = excerpt(got.body)
	}
	t.accepted[token.Name] = got.accepted && (got.did == "" || t.open[laterRequests[0].name])
	switch {
	case got.status == http.StatusTooManyRequests:
		j.say(Unjudged, kindOther, "The server limits the rate of requests: use --pace.")
	case token.Expect == "accept" && !got.accepted:
		j.rejectedRight(ctx)
	case token.Expect == "accept":
	case got.accepted:
		j.acceptedWrong(ctx)
	case token.Name == "jwks-flood" && j.Asked["jwks"] > maxFetches:
		j.say(Warning, kindOther, "The server fetches the keys for each unknown kid: %d times for %d tokens. Each sender of tokens can make it send requests.", j.Asked["jwks"], floodTokens)
	case token.AnyStatus && token.Disturbs: // each rejection is right, even 503
	case token.AnyStatus:
		j.judgeAnyRejection()
	default:
		j.rejectedWrong()
	}
	if !got.accepted && (j.Verdict == Pass || j.Verdict == Info) && got.repeats(got.sent) {
		j.say(Warning, kindRepeats, "The server repeats the token in its response, which clients and proxies log.")
		j.setBasis("RFC 6750 §5.3: safeguard bearer tokens", "Name the error, not the token.")
	}
	for endpoint, member := range named {
		if j.Asked[endpoint] > 0 {
			j.say(Error, kindFetched, "The server fetched an address that the token names (%s): the sender of a token chooses what the server fetches.", member)
			break
		}
	}
	if got.status != http.StatusTooManyRequests && !got.accepted && token.Expect != "accept" {
		j.controlAgain(ctx)
	}
	t.blame(&j.Result)
	return j.Result
}

// controlAgain checks that the server still accepts the right token: a server that rejects everything proves nothing.
func (j *judging) controlAgain(ctx context.Context) {
	again := j.rightLike(ctx, j.token.Name)
	if j.token.Disturbs && !again.accepted { // the server may wait before it requests the authority again
		j.settle(ctx, func() bool {
			again = j.rightLike(ctx, j.token.Name)
			return again.accepted
		})
	}
	j.takeCounts()
	switch {
	case again.accepted:
	case again.err != nil:
		j.say(Error, kindOther, "The server stopped responding after this token: %v.", again.err)
		j.setBasis(specStatus, fixSilent)
	default:
		j.setBasis(j.token.Spec, j.token.Fix)
		j.say(Unjudged, kindOther, "After this token the server rejected the right one too: %v.", again)
	}
}

// impliedBy returns an accepted token that explains the reaction to another token, or "".
func (t *trial) impliedBy(token authority.Token) string {
	causes := []string{token.After}
	if token.Expect != "accept" { // a server that does not look at the token
		causes = append(causes, "none", "garbage", "opaque-unknown")
	}
	for _, name := range causes {
		if t.accepted[name] {
			if cause := t.causes[name]; cause != "" {
				name = cause
			}
			t.causes[token.Name] = name
			return name
		}
	}
	return ""
}

// adviseIntrospection replaces the advice for a server that introspects tokens, and so verifies no signatures.
func (t *trial) adviseIntrospection(r *Result, token authority.Token) {
	switch {
	case !t.introspects():
	case token.Name == "aud-missing":
		r.Spec = "MCP authorization, token audience binding and validation; RFC 7662 §2.2"
	case token.Expect == "refuse" && !token.Introspected && token.Status == http.StatusUnauthorized && strings.HasPrefix(token.Spec, "RFC 7515"), token.Name == "garbage":
		r.Spec, r.Fix = "RFC 7662 §2.2, §4", "Introspect each token, and reject it unless active is true. Use the whole token as the key of a cache."
	}
}

// named maps endpoints of the authority that only tokens name to the member of the token.
var named = map[string]string{"other-jwks": "jku", "other-certificate": "x5u", "other-metadata": "iss"}

// sendToken makes and sends a token.
func (t *trial) sendToken(ctx context.Context, token authority.Token) response {
	if send := ways[token.Name]; send != nil {
		return send(t, ctx)
	}
	if isProof(token.Name) {
		return t.sendProven(ctx, token.Name)
	}
	text, _ := t.Authority.Forge(token.Name, t.grant) // a test makes each of them
	return t.send(ctx, message{scheme: "Bearer", token: text, unproven: token.Name == "dpop-as-bearer"})
}

// rejectedRight judges that a right token was rejected.
func (j *judging) rejectedRight(ctx context.Context) {
	j.say(Verdict(j.token.Level), kindRejected, "The server rejects %s: %v.", j.token.Summary, j.got)
	if j.token.Name != "key-rotated" {
		return
	}
	waited, ok := j.settle(ctx, func() bool { return j.right(ctx).accepted })
	if ok {
		j.say(Info, kindLate, "The server accepts a new key only after about %v: until then it rejects right tokens.", waited)
	} else {
		j.rightToken = j.oldToken // for the controls of the remaining tokens
	}
}

// settle waits until the server does something, at most the time of Settle. ok is false if it does not.
func (t *trial) settle(ctx context.Context, does func() bool) (waited time.Duration, ok bool) {
	pauses := backoff.Series{Backoff: backoff.Backoff{First: 500 * time.Millisecond, Most: 2 * time.Second}}
	for pause := pauses.Next(); waited+pause <= t.Settle; pause = pauses.Next() {
		waited += pause
		select {
		case <-ctx.Done():
			return waited, false
		case <-time.After(pause):
		}
		if does() {
			return waited, true
		}
	}
	return waited, false
}

// acceptedWrong judges that a wrong token was accepted.
func (j *judging) acceptedWrong(ctx context.Context) {
	level := Verdict(j.token.Level)
	switch name := j.token.Name; {
	case strings.HasPrefix(name, "scope-") && !j.ScopesRequired:
		j.say(Info, kindAccepted, "The server accepts %s for this request. Declare with --scope-required that each request requires the scopes of --scope.", j.token.Summary)
		return
	case name == "dpop-as-bearer" && j.proofs == nil:
		j.say(Info, kindAccepted, "The server does not announce DPoP, and accepts a token that is bound to a key without a proof: its authority must issue only Bearer tokens for it.")
		return
	case name == "revoked" && !j.introspects():
		j.say(Info, kindAccepted, "The server verifies tokens without introspection, and accepts a revoked one until it expires.")
		return
	case name == "revoked-later":
		again := func() bool { return !j.send(ctx, message{scheme: "Bearer", token: j.revoked}).accepted }
		if waited, ok := j.settle(ctx, again); ok {
			j.say(Info, kindLate, "The server rejects a revoked token only after about %v: it keeps the result of introspection.", waited)
			return
		}
		j.say(level, kindAccepted, "The server still accepts a revoked token %v after the revocation: it keeps the result of introspection.", j.Settle)
		return
	case carriedOut[name] != "":
		j.say(level, kindAccepted, "The server %s.", carriedOut[name])
		return
	case (name == "proof-old" || name == "proof-future") && j.proofs.nonce != "":
		level = Info // the server may judge the age of a proof by its nonce (RFC 9449 §4.3)
	case j.got.did != "":
		j.say(level, kindAccepted, "The server accepts %s: %s.", j.token.Summary, j.got.did)
		return
	case name == "aud-missing" && j.introspects():
		level = Warning // aud is optional in RFC 7662
	}
	j.say(level, kindAccepted, "The server accepts %s.", j.token.Summary)
}

// setBasis sets the section and the remedy of a finding about the form of a rejection.
func (j *judging) setBasis(spec, fix string) { j.Spec, j.Fix = spec, fix }

// The remedies of findings about the form of a rejection.
const (
	specStatus    = "RFC 6750 §3.1; MCP authorization, error handling"
	specChallenge = "RFC 6750 §3; RFC 9110 §11.6.1: a 401 has WWW-Authenticate"

	fixStatus    = "Return %d with WWW-Authenticate: %s error=\"%s\", even if the verification fails with an exception."
	fixSilent    = "Respond to each request, even if the verification fails."
	fixChallenge = "Add WWW-Authenticate: %s error=\"%s\", resource_metadata=… to the response."
)

// code returns the error code of a rejection (RFC 6750 §3.1, RFC 9449 §7.1).
func (j *judging) code() string {
	switch {
	case j.token.Status == http.StatusForbidden:
		return "insufficient_scope"
	case strings.Contains(j.token.Name, "proof-") && j.token.Name != "proof-unbound":
		return "invalid_dpop_proof"
	}
	return "invalid_token"
}

// rejectedWrong judges how a wrong token was rejected.
func (j *judging) rejectedWrong() {
	j.judgeRejection()
	scheme, code := "Bearer", j.code()
	if isProof(j.token.Name) {
		scheme = schemeDPoP
	}
	switch {
	case j.Verdict == Pass:
	case j.got.err != nil && j.got.status == 0:
		j.setBasis(specStatus, fixSilent)
	case j.got.status != j.token.Status:
		j.setBasis(specStatus, fmt.Sprintf(fixStatus, j.token.Status, scheme, code))
	case j.kind == kindSpaced:
		j.setBasis("RFC 9110 §5.6.3, §11.2", "Write parameters as name=\"value\", without white space.")
	case j.kind == kindMalformed:
		j.setBasis("RFC 9110 §5.6.4; RFC 6750 §3: no quotation mark in error_description", "Write error_description without quotation marks and backslashes.")
	case j.token.Status == http.StatusUnauthorized:
		j.setBasis(specChallenge, fmt.Sprintf(fixChallenge, scheme, code))
	}
}

// judgeAnyRejection judges the rejection of a token for which any 4xx status is right, and also
// 501, the status of a server without the method. Without a response, it is unknown whether the
// server has carried out the request: it may send the header of a stream with the first event.
func (j *judging) judgeAnyRejection() {
	switch status := j.got.status; {
	case j.got.err != nil && status < http.StatusBadRequest:
		j.say(Unjudged, kindOther, "There is no complete response (%v), so it is unknown whether the server accepts %s.", j.got.err, j.token.Summary)
	case status >= http.StatusInternalServerError && status != http.StatusNotImplemented:
		j.say(Warning, kindOther, "The server returns %d instead of a rejection, such as %d.", status, j.token.Status)
	}
}

// tokenless are the tokens whose rejection needs no error: there is no token in the header Authorization.
var tokenless = []string{"none", "basic", "query", "cookie", "trusted-headers", "later-none", "proof-query"}

// malformed are the tokens whose request is not one of OAuth, which 400 rejects, too.
var malformed = []string{"query", "proof-query", "two-headers"}

func (j *judging) judgeRejection() {
	got, status := j.got, j.token.Status
	challenge := challengeOf(got)
	name := j.token.Name
	switch {
	case got.err != nil && got.status == 0 && errors.Is(got.err, context.DeadlineExceeded):
		j.silent++
		j.say(Error, kindOther, "The server sends no response to a wrong token.")
	case got.err != nil && got.status == 0:
		j.say(Error, kindOther, "The server ends the connection instead of responding: %v.", got.err)
	case got.status >= http.StatusInternalServerError:
		j.say(Warning, kindUncaught, "The server returns %d instead of %d: the error of the verification is not caught.", got.status, status)
	case got.status/100 == 2:
		j.say(Warning, kindStatus, "The server rejects the token only in the body: the status is %d instead of %d, which clients need.", got.status, status)
	case status == http.StatusForbidden && got.status == http.StatusForbidden:
		if complaint := challenge.scopeComplaint(); complaint != "" {
			j.say(Warning, kindNoScope, "%s", complaint)
		}
	case slices.Contains(malformed, name) && got.status == http.StatusBadRequest:
	case name == "large" && got.status == http.StatusRequestHeaderFieldsTooLarge:
	case got.status != status:
		j.say(Warning, kindStatus, "The server returns %d instead of %d.", got.status, status)
	case got.challenge() == "":
		j.say(Warning, kindNoChallenge, "The %d has no WWW-Authenticate.", got.status)
	case !isWellFormed(got.header.Values("WWW-Authenticate")):
		j.say(Warning, kindMalformed, "WWW-Authenticate is malformed: a quoted text in it has a quotation mark, so a client may not find what follows.")
	case !challenge.bearer && !challenge.dpop:
		j.say(Warning, kindNoChallenge, "WWW-Authenticate does not name the scheme Bearer.")
	case name == "none" && challenge.metadata == "":
		j.say(Info, kindNoMetadata, "WWW-Authenticate has no resource_metadata: a client looks at the well-known addresses.")
	case !slices.Contains(tokenless, name) && challenge.err == "":
		j.say(Info, kindNoError, "WWW-Authenticate has no error=\"%s\".", j.code())
	case isSpaced(got.header.Values("WWW-Authenticate")):
		j.say(Info, kindSpaced, "WWW-Authenticate has white space around =, which a sender must not write: some clients do not read these parameters.")
	}
}
