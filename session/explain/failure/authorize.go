package failure

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"mcptea/client/oauth"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
)

// notAboutLogin holds the rows for a status 401 whose words have another subject than the login.
var notAboutLogin = []string{"session-gone", "session-gone-connecting", "401-version", "401-version-unnamed", "401-own", "401-own-bearer", "401-key", "header", "status-fails-behind"}

// OtherThanLogin reports that the server's own words say that its status, which may be 401, is not about authorization.
func (e Explanation) OtherThanLogin() bool {
	return slices.Contains(notAboutLogin, e.own.Remedy.ID) || e.own.isAboutOther()
}

// unauthorized explains a failed authorization with a server that requires it.
func unauthorized(err *transport.AuthorizationError, f Facts) Explanation {
	if e := badStatus(err.Status, f); e.OtherThanLogin() {
		return e
	}
	e := Explanation{
		Sentence: sentence(fmt.Sprintf("%s: %v", required(err), err.Err)),
		Evidence: badStatus(err.Status, Facts{}).Evidence,
	}
	if refusal, ok := errors.AsType[*oauth.Refusal](err.Err); ok && (refusal.Kind == oauth.CrossOriginMetadata || refusal.Kind == oauth.ResourceMismatch) {
		if named, ok := otherName(e, f.target.URL, refusal.Found, "has its resource metadata"); ok {
			return named
		}
	}
	s := f.seen(situation{"is": err.Err, "scheme": schemeOf(err.Status), "url": CommandLine([]string{f.target.ShownURL()})})
	addToken(s, err.Err)
	if server, ok := errors.AsType[*oauth.ServerError](err.Err); ok {
		s["code"], s["endpoint_of"], s["status"], s["lines"] = server.Code, server.Where, server.Status, saidLines(server.Description)
		e.words = words{text: server.Code + " " + server.Description}
	}
	if incomplete, ok := errors.AsType[*oauth.IncompleteError](err.Err); ok {
		s["member"] = incomplete.Member
	}
	if refusal, ok := errors.AsType[*oauth.Refusal](err.Err); ok {
		s["pkce"] = refusal.Kind == oauth.NoPKCE
		if named, bad := url.Parse(refusal.Found); bad == nil && named.Host != "" {
			own, _ := url.Parse(f.target.URL)
			s["scheme_lost"] = own != nil && own.Scheme == "https" && named.Scheme == "http" && named.Hostname() == own.Hostname()
			if refusal.Kind == oauth.ResourceMismatch {
				s["resource"] = refusal.Found
			}
		}
	}
	return e.with("token", s)
}

// required says what the server requires, and that no token for it was obtained.
func required(err *transport.AuthorizationError) string {
	returned := fmt.Sprintf("(%s %s returned %s)", err.Status.Method, err.Status.URL, transport.StatusText(err.Status.Status))
	facts, _ := oauth.FactsOf(err.Err)
	switch {
	case facts.Challenge.StepUp:
		return "The server requires a token with more scopes " + returned + ", and none was obtained"
	case facts.Token.Sent:
		return "The server rejects the token " + returned + ", and no other was obtained"
	}
	if said := Said(err.Status); strings.Contains(said, " ") { // one word is no reason
		returned = strings.TrimSuffix(returned, ")") + ": " + phrase.Quote(said, textHead/2) + ")"
	}
	return "The server requires authorization " + returned + ", and no token was obtained"
}

// storedWords and refreshWords map states of tokens to the words that the conditions in
// failures.jsonl use for them.
var (
	storedWords = map[oauth.Stored]string{
		oauth.StoreUnknown: "", oauth.StoreOff: "off", oauth.StoreUnreadable: "unreadable", oauth.StoreEmpty: "empty", oauth.StoreUnused: "unused", oauth.StoreHasToken: "token",
	}
	refreshWords = map[oauth.Refresh]string{
		oauth.NotRefreshed: "", oauth.NoRefreshToken: "none", oauth.RefreshFailed: "failed", oauth.RefreshElsewhere: "elsewhere", oauth.RefreshedRejected: "rejected",
	}
)

// addToken adds to a situation the facts about tokens at the time a flow ended with an error.
func addToken(s situation, err error) {
	facts, ok := oauth.FactsOf(err)
	if !ok {
		return
	}
	s["stored"], s["step_up"], s["refresh"] = storedWords[facts.Stored], facts.Challenge.StepUp, refreshWords[facts.Refresh]
	if facts.Resource != "" {
		s["resource_other"] = phrase.Quote(facts.Resource, textHead)
	}
	if facts.StoreErr != nil {
		s["store_error"] = facts.StoreErr.Error()
	}
	if facts.RefreshErr != nil {
		s["refresh_error"] = facts.RefreshErr.Error()
	}
	if t := facts.Token; t.Present {
		s["token"], s["issuer"] = "The token "+tokenState(t), t.Issuer
		if facts.Stored == oauth.StoreHasToken {
			s["token"] = "The stored token " + tokenState(t)
		}
		s["scopes_had"] = cmp.Or(strings.Join(t.Scopes, " "), "none that is known")
	}
	s["scopes_wanted"], s["scopes"] = strings.Join(facts.Challenge.Scopes, " "), CommandLine([]string{strings.Join(facts.Needed(), " ")})
}

// tokenState returns why a token is not used.
func tokenState(t oauth.TokenFacts) string {
	if t.Expired {
		return "has expired"
	}
	return "was rejected by the server"
}

var authWords = map[oauth.State]string{oauth.Done: "done", oauth.Failed: "failed", oauth.Running: "still waiting"}

// authorizationOf returns the steps of the authorization if the authorization failed, or nil.
func (f Facts) authorizationOf(err error) []Line {
	failed, ok := errors.AsType[*transport.AuthorizationError](err)
	if !ok {
		return nil
	}
	return f.authorizationSteps(failed.Err.Error())
}

// authorizationSteps returns the steps of the authorization that were reached. The step that failed with the
// error told does not repeat that error, because the sentence has it.
func (f Facts) authorizationSteps(told string) []Line {
	var lines []Line
	for _, s := range f.authorization {
		if s.State == oauth.Waiting {
			continue
		}
		text := fmt.Sprintf("%-20s %s", s.Name, authWords[s.State])
		if s.State != oauth.Running {
			text += " after " + phrase.Duration(s.Took)
		}
		if s.State == oauth.Done && s.Detail != "" || s.State == oauth.Failed && s.Detail != "" && s.Detail != told {
			text += ": " + s.Detail
		}
		lines = append(lines, Line{kindAuthorization, cut(text), true})
		for _, remark := range s.Remarks {
			lines = append(lines, Line{kindAuthorization, "  " + cut(remark), true})
		}
	}
	return lines
}

// suspectToken names a token of an earlier session as the likely cause, if the server refused it or failed
// after it.
func suspectToken(e Explanation, err error, f Facts) Explanation {
	status, ok := errors.AsType[*transport.StatusError](err)
	if !f.suspectToken || !ok || status.Status != http.StatusUnauthorized && status.Status/100 != 5 {
		return e
	}
	e.Evidence = append(e.Evidence, Line{Kind: "token", Text: "a token stored in an earlier session was sent"})
	if _, known := oauth.FactsOf(err); known {
		return e // the cause is about this token
	}
	return e.withKnowledge("stored-token", situation{"url": CommandLine([]string{f.target.ShownURL()}), "advice": e.own.Remedy.Text != ""}, concluded{"try": e.own.Remedy.Text})
}
