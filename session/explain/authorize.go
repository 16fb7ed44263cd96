package explain

import (
	"errors"
	"fmt"
	"net/http"

	"mcptea/client/oauth"
	"mcptea/client/secret"
	"mcptea/client/transport"
)

// unauthorized explains a failed authorization with a server that requires it.
func unauthorized(err *transport.AuthorizationError, f Facts) Explanation {
	e := badStatus(err.Status, false, Facts{})
	e.Sentence = sentence(fmt.Sprintf("The server requires authorization (%s %s returned %d %s), and no token was obtained: %v",
		err.Status.Method, err.Status.URL, err.Status.Status, http.StatusText(err.Status.Status), err.Err))
	e.Cause, e.Try = whyNoToken(err.Err)
	var refusal *oauth.Refusal
	if errors.As(err.Err, &refusal) && (refusal.Kind == oauth.CrossOriginMetadata || refusal.Kind == oauth.ResourceMismatch) {
		if named, ok := otherName(e, f.target.URL, refusal.Found, "has its resource metadata"); ok {
			return named
		}
	}
	return e
}

// whyNoToken says what a failed authorization comes from and what helps.
func whyNoToken(err error) (cause, try string) {
	var (
		consent  *oauth.NoBrowserError
		refusal  *oauth.Refusal
		client   *oauth.ClientError
		rejected *oauth.TokenRejectedError
		scope    *oauth.ScopeError
		server   *oauth.ServerError
		nowhere  *oauth.NoMetadataError
	)
	switch {
	case errors.As(err, &nowhere):
		return "The server uses tokens that are issued by other means, or its metadata is missing.",
			`Send a token, in MCPTEA_TOKEN or with -H "Authorization: Bearer …".`
	case errors.As(err, &consent):
		return "Consent needs a terminal, and no token is stored.",
			"Authorize once in a terminal (any command with this URL prompts for it), set MCPTEA_TOKEN, or use --grant client-credentials."
	case errors.As(err, &refusal):
		return "A client must stop here: the token could be sent to another party.",
			"Correct the metadata of the server; --lenient continues and reports it."
	case errors.As(err, &client):
		return "The authorization server issues tokens only to registered clients.",
			"Use a registered client: --client-id, with MCPTEA_CLIENT_SECRET or --client-key if it authenticates."
	case errors.As(err, &rejected):
		return "The server and the authorization server disagree on audience, issuer or clock.",
			"Check how the server validates tokens; aud must be the URL of this server."
	case errors.As(err, &scope):
		return "The token is valid, but its scopes are not sufficient.", "Request other scopes with --scope, or authorize as another user."
	case errors.Is(err, oauth.ErrConsentTimeout):
		return "The browser did not return to the redirect URI in time.", "Open the page sooner, or raise --auth-timeout; --grant client-credentials needs no browser."
	case errors.Is(err, oauth.ErrCancelled):
		return "", "Reconnect to start the authorization again."
	case errors.As(err, &server):
		return serverCause(server)
	}
	return "", "See the steps of the authorization."
}

// serverCause explains the codes of RFC 6749 §4.1.2.1 and §5.2.
func serverCause(err *oauth.ServerError) (cause, try string) {
	switch err.Code {
	case "access_denied":
		return "The user, or a policy of the server, denied access.", ""
	case "invalid_client", "unauthorized_client":
		return "The authorization server rejects the client, or this grant type for it.", "Check --client-id, the secret or key, and --grant."
	case "invalid_grant":
		return "The code, the assertion or the refresh token is not valid or has expired.", "Try again; for --assertion, check aud and exp of the JWT."
	case "invalid_scope":
		return "The authorization server does not support a requested scope.", "Set the scopes with --scope."
	case "invalid_target":
		return "The authorization server issues no tokens for this resource (RFC 8707).", "Check the URL of the server, and what is registered for it."
	case "invalid_redirect_uri", "invalid_client_metadata":
		return "The authorization server rejects the registration of this client.", "Register a client manually and use --client-id."
	}
	return "", "Check the log of the authorization server."
}

const labelAuth = "auth"

var authWords = map[oauth.State]string{oauth.Done: "done", oauth.Failed: "failed", oauth.Running: "still waiting"}

// authorizationOf is the same where that is what went wrong.
func (f Facts) authorizationOf(err error) []Line {
	var refused *transport.AuthorizationError
	if !errors.As(err, &refused) {
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
			text += " after " + transport.FormatDuration(s.Took)
		}
		if s.State == oauth.Done && s.Detail != "" {
			text += ": " + s.Detail
		}
		lines = append(lines, Line{labelAuth, cut(text), true})
		for _, remark := range s.Remarks {
			lines = append(lines, Line{labelAuth, "  " + cut(remark), true})
		}
	}
	return lines
}

// suspectToken names a token of an earlier session as the likely cause, where the
// server refused it or failed over it.
func suspectToken(e Explanation, err error, f Facts) Explanation {
	var status *transport.StatusError
	if !f.suspectToken || !errors.As(err, &status) || status.Status != http.StatusUnauthorized && status.Status/100 != 5 {
		return e
	}
	e.Evidence = append(e.Evidence, Line{Label: "token", Text: "a token stored in an earlier session was sent"})
	e.Cause = "The stored token may no longer be valid: the server was restarted, or the token was revoked."
	try := "Run: mcptea auth forget " + CommandLine([]string{secret.URL(f.target.URL)}) + ", then reconnect."
	if e.Try != "" {
		try += " If that does not help: " + e.Try
	}
	e.Try = try
	return e
}
