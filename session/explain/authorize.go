package explain

import (
	"errors"
	"fmt"
	"net/http"

	"mcptea/client/oauth"
	"mcptea/client/secret"
	"mcptea/client/transport"
)

// unauthorized is a server that wants a token, where there was a way to get one.
func unauthorized(err *transport.AuthorizationError, f Facts) Explanation {
	e := badStatus(err.Status, false, Facts{})
	e.Sentence = sentence(fmt.Sprintf("The server wants authorization (%s %s answered %d %s), and there is no token: %v",
		err.Status.Method, err.Status.URL, err.Status.Status, http.StatusText(err.Status.Status), err.Err))
	e.Cause, e.Try = whyNoToken(err.Err)
	var refusal *oauth.Refusal
	if errors.As(err.Err, &refusal) && (refusal.Kind == oauth.ForeignMetadata || refusal.Kind == oauth.ResourceMismatch) {
		if named, ok := otherName(e, f.Target.URL, refusal.Found, "has its resource metadata"); ok {
			return named
		}
	}
	return e
}

// whyNoToken says what a failed authorization comes from and what helps.
func whyNoToken(err error) (cause, try string) {
	var (
		consent  *oauth.ConsentError
		refusal  *oauth.Refusal
		client   *oauth.ClientError
		rejected *oauth.RejectedError
		scope    *oauth.ScopeError
		server   *oauth.ServerError
		nowhere  *oauth.UnannouncedError
	)
	switch {
	case errors.As(err, &nowhere):
		return "The server takes tokens that are given out by other means, or its metadata is missing.",
			`Send a token, in MCPTEA_TOKEN or with -H "Authorization: Bearer …".`
	case errors.As(err, &consent):
		return "Nobody sits at a terminal here, and no token is kept from an earlier time.",
			"Agree once in a terminal (any command with this URL asks); or set MCPTEA_TOKEN; or use --grant client-credentials."
	case errors.As(err, &refusal):
		return "A client must not go on here, since a token might get into the wrong hands.",
			"Correct what the server says of itself; --lenient goes on all the same and says so."
	case errors.As(err, &client):
		return "An authorization server gives tokens only to clients that it knows.",
			"Give the client that is registered there: --client-id, and MCPTEA_CLIENT_SECRET or --client-key if it has a proof."
	case errors.As(err, &rejected):
		return "The two servers do not agree: on the audience of tokens, on the issuer, or on the clock.",
			"Look at what the server checks; the token's aud must be the URL of this server."
	case errors.As(err, &scope):
		return "The token is good, and it does not allow this.", "Ask for other scopes with --scope, or as somebody who may have them."
	case errors.Is(err, oauth.ErrNobodyAgreed):
		return "The browser never came back to this machine.", "Open the page sooner, or wait longer with --auth-timeout; --grant client-credentials needs nobody."
	case errors.Is(err, oauth.ErrCancelled):
		return "", "Connect again to be asked once more."
	case errors.As(err, &server):
		return serverCause(server)
	}
	return "", "The steps of the authorization say how far it got."
}

// serverCause explains the codes of RFC 6749 §4.1.2.1 and §5.2.
func serverCause(err *oauth.ServerError) (cause, try string) {
	switch err.Code {
	case "access_denied":
		return "The person, or a rule of the server, said no.", ""
	case "invalid_client", "unauthorized_client":
		return "The authorization server does not accept the client, or not for this grant.", "Check --client-id, the secret or key, and --grant."
	case "invalid_grant":
		return "The code, the assertion or the refresh token is not good, or not any more.", "Try again; for --assertion, check aud and exp of the JWT."
	case "invalid_scope":
		return "The authorization server does not know a scope that was asked for.", "Name the scopes with --scope."
	case "invalid_target":
		return "The authorization server gives no tokens for this resource (RFC 8707).", "Check the URL of the server, and what is registered for it."
	case "invalid_redirect_uri", "invalid_client_metadata":
		return "The authorization server does not register a client like this one.", "Register one there by hand and give --client-id."
	}
	return "", "Look at the log of the authorization server."
}

const labelAuth = "auth"

var authWords = map[oauth.State]string{oauth.Done: "done", oauth.Failed: "failed", oauth.Running: "still waiting"}

// authorizationOf is the same where that is what went wrong.
func (f Facts) authorizationOf(err error) []Line {
	var refused *transport.AuthorizationError
	if !errors.As(err, &refused) {
		return nil
	}
	return f.authorization()
}

// authorization tells how far the way to a token went.
func (f Facts) authorization() []Line {
	var lines []Line
	for _, s := range f.Authorization {
		if s.State == oauth.Waiting {
			continue
		}
		text := fmt.Sprintf("%-20s %s", s.Name, authWords[s.State])
		if s.State != oauth.Running {
			text += " after " + transport.Took(s.Took)
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
	if !f.SuspectToken || !errors.As(err, &status) || status.Status != http.StatusUnauthorized && status.Status/100 != 5 {
		return e
	}
	e.Evidence = append(e.Evidence, Line{Label: "token", Text: "one that was stored in an earlier session was sent"})
	e.Cause = "The server may not know the stored token any more: it was restarted, or the token was revoked."
	try := "Run: mcptea auth forget " + CommandLine([]string{secret.URL(f.Target.URL)}) + " — and connect again."
	if e.Try != "" {
		try += " If that changes nothing: " + e.Try
	}
	e.Try = try
	return e
}
