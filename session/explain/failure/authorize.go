package failure

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"mcptea/client/oauth"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
)

// notAboutLogin are the rows about a status 401 whose words are about something else.
var notAboutLogin = []string{"session-gone", "session-gone-connecting", "401-version", "401-version-unnamed"}

// OtherThanLogin reports that the server's own words say that its status, which may be 401, is not about authorization.
func (e Explanation) OtherThanLogin() bool { return slices.Contains(notAboutLogin, e.own.Remedy.ID) }

// unauthorized explains a failed authorization with a server that requires it.
func unauthorized(err *transport.AuthorizationError, f Facts) Explanation {
	if e := badStatus(err.Status, f); e.OtherThanLogin() {
		return e
	}
	e := Explanation{
		Sentence: sentence(fmt.Sprintf("The server requires authorization (%s %s returned %d %s), and no token was obtained: %v",
			err.Status.Method, err.Status.URL, err.Status.Status, http.StatusText(err.Status.Status), err.Err)),
		Evidence: badStatus(err.Status, Facts{}).Evidence,
	}
	if refusal, ok := errors.AsType[*oauth.Refusal](err.Err); ok && (refusal.Kind == oauth.CrossOriginMetadata || refusal.Kind == oauth.ResourceMismatch) {
		if named, ok := otherName(e, f.target.URL, refusal.Found, "has its resource metadata"); ok {
			return named
		}
	}
	s := f.seen(situation{"is": err.Err, "scheme": schemeOf(err.Status)})
	if server, ok := errors.AsType[*oauth.ServerError](err.Err); ok {
		s["code"], s["endpoint_of"], s["status"] = server.Code, server.Where, server.Status
	}
	if refusal, ok := errors.AsType[*oauth.Refusal](err.Err); ok {
		s["pkce"] = refusal.Kind == oauth.NoPKCE
		if named, bad := url.Parse(refusal.Found); refusal.Kind == oauth.ResourceMismatch && bad == nil && named.Host != "" {
			s["resource"] = refusal.Found
		}
	}
	return e.with("token", s)
}

var authWords = map[oauth.State]string{oauth.Done: "done", oauth.Failed: "failed", oauth.Running: "still waiting"}

// authorizationOf is the same where that is what went wrong.
func (f Facts) authorizationOf(err error) []Line {
	if !as[*transport.AuthorizationError](err) {
		return nil
	}
	return f.authorizationSteps()
}

// authorizationSteps returns the steps of the authorization that were reached.
func (f Facts) authorizationSteps() []Line {
	var lines []Line
	for _, s := range f.authorization {
		if s.State == oauth.Waiting {
			continue
		}
		text := fmt.Sprintf("%-20s %s", s.Name, authWords[s.State])
		if s.State != oauth.Running {
			text += " after " + phrase.Duration(s.Took)
		}
		if s.State == oauth.Done && s.Detail != "" {
			text += ": " + s.Detail
		}
		lines = append(lines, Line{kindAuthorization, cut(text), true})
		for _, remark := range s.Remarks {
			lines = append(lines, Line{kindAuthorization, "  " + cut(remark), true})
		}
	}
	return lines
}

// suspectToken names a token of an earlier session as the likely cause, where the
// server refused it or failed over it.
func suspectToken(e Explanation, err error, f Facts) Explanation {
	status, ok := errors.AsType[*transport.StatusError](err)
	if !f.suspectToken || !ok || status.Status != http.StatusUnauthorized && status.Status/100 != 5 {
		return e
	}
	e.Evidence = append(e.Evidence, Line{Kind: "token", Text: "a token stored in an earlier session was sent"})
	return e.withKnowledge("stored-token", situation{"url": CommandLine([]string{f.target.ShownURL()}), "advice": e.own.Remedy.Text != ""}, concluded{"try": e.own.Remedy.Text})
}
