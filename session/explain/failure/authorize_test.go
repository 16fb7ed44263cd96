package failure

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/oauth"
	"mcptea/client/transport"
)

// A body that says that the session is unknown is not about authorization, although a token was looked for.
func TestUnauthorized_ASessionThatIsUnknown(t *testing.T) {
	status := &transport.StatusError{Method: "POST", URL: "http://127.0.0.1:3000/mcp", Status: 401, Body: []byte("Unauthorized: Session not found")}
	f := Facts{target: client.Target{URL: "http://127.0.0.1:3000/mcp"}, Connected: true, exchange: transport.Exchange{ID: 1, RequestHeader: http.Header{"Mcp-Session-Id": {"s"}}}}
	e := Explain(&transport.AuthorizationError{Status: status, Err: &oauth.NoMetadataError{Server: "http://127.0.0.1:3000"}}, f)
	if !strings.HasPrefix(e.Cause(), "The server's message says that the session is gone") || strings.Contains(e.Text(), "Send a token") {
		t.Error(e.Text())
	}
}

// A server that asks for Basic is not told to be sent a token.
func TestAuthorization_OtherScheme(t *testing.T) {
	for scheme, want := range map[string]string{"Basic": `-H "Authorization: Basic`, "Bearer": `-H "Authorization: Bearer`} {
		err := &client.ConnectError{Step: client.StepDiscover, Err: &transport.AuthorizationError{
			Status: &transport.StatusError{Method: "POST", URL: "http://example.com/mcp", Status: 401, Header: http.Header{"Www-Authenticate": {scheme + ` realm="x"`}}},
			Err:    &oauth.NoMetadataError{Server: "http://example.com", Err: errors.New("no")},
		}}
		if e := Explain(err, Facts{target: web}); !strings.Contains(e.Try(), want) {
			t.Errorf("%s: %s", scheme, e.Text())
		}
	}
}

func TestWhyThereIsNoToken(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want []string
	}{
		"no terminal": {&oauth.NoBrowserError{Issuer: "https://i"}, []string{"https://i requires consent in a browser", "MCPTEA_TOKEN"}},
		"a rule": {
			&oauth.Refusal{Kind: oauth.NoPKCE, Text: "https://i does not announce PKCE", Rule: "MCP authorization"},
			[]string{"https://i does not announce PKCE (MCP authorization).", "--lenient"},
		},
		"who are we":              {&oauth.ClientError{Issuer: "https://i", Why: "it does not register clients"}, []string{"does not register", "--client-id"}},
		"which key":               {&oauth.ClientAuthError{Issuer: "https://i", What: "signing algorithms", Supported: []string{"ES256"}, Able: []string{"RS256", "PS256"}}, []string{"signing algorithms ES256; this client has RS256, PS256", "cannot authenticate", "--client-key"}},
		"not taken":               {&oauth.TokenRejectedError{Issuer: "https://i"}, []string{"has just issued", "aud must be the URL of this server"}},
		"not enough":              {&oauth.ScopeError{Wanted: []string{"a", "b"}, Why: "it was issued for that already"}, []string{`"a b"`, "--scope"}},
		"no consent":              {fmt.Errorf("%w within 5 min", oauth.ErrConsentTimeout), []string{"no consent in the browser within 5 min", "--auth-timeout"}},
		"cancelled":               {oauth.ErrCancelled, []string{"authorization was cancelled", "Reconnect"}},
		"denied":                  {&oauth.ServerError{Where: "the authorization endpoint", Code: "access_denied", Description: "not today"}, []string{"access_denied: not today", "denied access"}},
		"wrong secret":            {&oauth.ServerError{Where: "the token endpoint", Status: 401, Code: "invalid_client"}, []string{"returned 401 invalid_client", "Check --client-id"}},
		"something else":          {errors.New("no such host \"i\""), []string{"no such host", "See the steps of the authorization"}},
		"scopes":                  {&oauth.ServerError{Where: "the registration endpoint", Status: 400, Code: "invalid_client_metadata", Description: "Requested scopes are not valid: email"}, []string{"refuses the scopes of the registration", "--scope"}},
		"incomplete":              {&oauth.IncompleteError{Member: "authorization_endpoint"}, []string{"metadata has no authorization_endpoint", "must have authorization_endpoint (RFC 8414", "Add authorization_endpoint"}},
		"a client that is gone":   {&oauth.ServerError{Where: "the token endpoint", Status: 400, Code: "unauthorized_client", Description: "Invalid client_id"}, []string{"does not know the client id", "registers the client again"}},
		"a client, another form":  {&oauth.ServerError{Where: "the token endpoint", Status: 400, Code: "invalid_grant", Description: "client not found"}, []string{"does not know the client id", "keep registered clients"}},
		"another grant":           {&oauth.ServerError{Where: "the token endpoint", Status: 400, Code: "invalid_grant", Description: "code is used"}, []string{"is not valid or has expired"}},
		"redirect host":           {&oauth.ServerError{Where: "the registration endpoint", Status: 400, Code: "invalid_request", Description: "Invalid redirect_uri: redirect_uri host '127.0.0.1' is not in the allowed list"}, []string{"permits only certain redirect URIs", "RFC 8252"}},
		"redirect, another form":  {&oauth.ServerError{Where: "the registration endpoint", Status: 400, Code: "invalid_redirect_uri", Description: "Redirect URIs must use https"}, []string{"permits only certain redirect URIs", "--client-id"}},
		"parameters":              {&oauth.ServerError{Where: "the token endpoint", Status: 400, Code: "invalid_request", Description: "Missing required parameters: code, client_id and redirect_uri are required"}, []string{"does not see a parameter", "client_secret_basic"}},
		"parameters, another one": {&oauth.ServerError{Where: "the token endpoint", Status: 422, Description: "grant_type: field required"}, []string{"does not see a parameter", "application/x-www-form-urlencoded"}},
		"no metadata": {
			&oauth.NoMetadataError{Server: "https://h", Err: &oauth.ServerError{Where: "the registration endpoint", Status: 404}},
			[]string{"https://h requires authorization, but has no OAuth metadata", "the registration endpoint returned 404", "Send a token"},
		},
		"not registered": {
			&oauth.NoMetadataError{Server: "https://h", Err: &oauth.UnannouncedError{Endpoint: "https://h/register"}},
			[]string{"no way to register a client was found; nothing was sent to the default endpoint https://h/register", "mcptea auth login, or --register"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := &client.ConnectError{Step: client.StepDiscover, Err: &transport.AuthorizationError{
				Status: &transport.StatusError{Method: "POST", URL: "http://example.com/mcp", Status: 401, Body: []byte("no")}, Err: c.err,
			}}
			e := Explain(err, Facts{target: web, authorization: []oauth.Step{
				{Name: oauth.StepChallenge, State: oauth.Done, Detail: "401 Unauthorized"},
				{Name: oauth.StepMetadata, State: oauth.Failed, Took: time.Second, Remarks: []string{"not found (404)"}},
				{Name: oauth.StepToken},
			}})
			text := e.Text()
			for _, want := range append(c.want, "requires authorization (POST http://example.com/mcp returned 401 Unauthorized)", "challenge            done", "failed after 1 s", "not found (404)") {
				if !strings.Contains(text, want) {
					t.Errorf("%q is missing:\n%s", want, text)
				}
			}
			if strings.Contains(text, "hunter2") || strings.Contains(text, "\n  auth      token") {
				t.Errorf("too much is told:\n%s", text)
			}
		})
	}
}
