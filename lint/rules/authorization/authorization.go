// Package authorization checks authorization: challenges, metadata, and the use of tokens.
package authorization

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/client/revision"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/lint"
)

// Rules check challenges and the use of tokens. Values that a report redacts are only checked for presence.
var Rules = slices.Concat([]lint.Rule{
	{ID: "A001", HTTP: missingChallenge, Tick: metadataTimeout, End: func(c *lint.Context) { reportMissingMetadata(c) }},
	{ID: "A010", HTTP: func(c *lint.Context) {
		if c.X == nil || !c.X.Reached(transport.ExchangeSent) {
			return
		}
		if u, err := url.Parse(c.X.URL); err == nil && u.Query().Has("access_token") {
			c.ReportExchange()
		}
	}},
	{ID: "A011", HTTP: missingToken},
	{ID: "A012", HTTP: incompleteScopeChallenge},
	{ID: "A013", HTTP: scopeLoop},
	{ID: "A015", When: lint.FromServer | lint.Response, Message: errorWithStatus200},
	{ID: "A016", When: lint.ErrorResponse | lint.FromServer, Message: challengeOverStdio},
	{ID: "A017", Limit: lint.OncePerSubject, HTTP: func(c *lint.Context) {
		if c.X == nil || !c.X.Reached(transport.ExchangeSent) || !carriesToken(c.X) {
			return
		}
		u, err := url.Parse(c.X.URL)
		if err == nil && u.Scheme == "http" && !lint.IsLoopback(u.Hostname()) {
			c.About(u.Host).ReportExchange("host", lint.Escaped(u.Host))
		}
	}},
}, metadataRules, loginRules)

// isServerExchange reports whether an exchange with the MCP server itself has just reached a phase.
func isServerExchange(c *lint.Context, p transport.ExchangePhase) bool {
	return c.X != nil && c.X.HasFrames() && c.X.Reached(p)
}

// carriesToken reports a request with a token. Basic credentials are not a token.
func carriesToken(x *lint.Exchange) bool {
	v, _ := x.RequestField("Authorization")
	scheme, _, _ := strings.Cut(v, " ")
	return strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "DPoP")
}

// challengesOf returns the challenges in WWW-Authenticate.
func challengesOf(x *lint.Exchange) []oauth.Challenge {
	v, _ := x.ResponseField("Www-Authenticate")
	return oauth.Challenges(http.Header{"Www-Authenticate": {v}})
}

// pendingChallenge is a response with status 401 and without a challenge. Since
// 2025-11-25 the metadata may be at a well-known URL instead, so the finding
// waits until the client has requested it.
type pendingChallenge struct {
	row      int32
	pending  bool
	failedAt time.Time // when the newest request for metadata failed
}

func missingChallenge(c *lint.Context) {
	u := lint.Own[pendingChallenge](c.St)
	switch x := c.X; {
	case x.Purpose == transport.PurposeAuthorization:
		metadataRequested(c, u)
	case !x.HasFrames():
	case x.Status != http.StatusUnauthorized || !x.Reached(transport.ExchangeHeaders) || len(challengesOf(x)) > 0:
	case c.Revision() == "2025-06-18":
		c.ReportExchange()
	default:
		*u = pendingChallenge{row: x.Row, pending: true}
	}
}

func metadataRequested(c *lint.Context, u *pendingChallenge) {
	switch kind, _ := parseMetadataURL(c.X.URL); {
	case kind == resourceMetadata && c.X.Reached(transport.ExchangeDone):
		if c.X.Status == http.StatusOK && lint.IsJSONObject(c.X.ResponseBody) {
			u.pending = false
		} else if c.X.Status != 0 {
			u.failedAt = c.St.Now
		}
	case kind == serverMetadata && c.X.Reached(transport.ExchangeSent):
		reportMissingMetadata(c) // a client does not continue before it has tried the other URLs
	}
}

// reportMissingMetadata reports a pending challenge after a request for metadata
// has failed.
func reportMissingMetadata(c *lint.Context) {
	if u := lint.Own[pendingChallenge](c.St); u.pending && !u.failedAt.IsZero() {
		u.pending = false
		c.ReportIn(u.row, lint.Whole)
	}
}

func metadataTimeout(c *lint.Context) {
	const enough = 10 * time.Second // time for the client to try the next URL
	if u := lint.Own[pendingChallenge](c.St); c.St.Now.Sub(u.failedAt) > enough {
		reportMissingMetadata(c)
	}
}

// A tokenUse is the origin that a token was last sent to, or "".
type tokenUse struct{ origin string }

// missingToken accepts Basic credentials as well as a token. After a 401 it expects no token,
// because the client may have to request a new one first.
func missingToken(c *lint.Context) {
	if c.X == nil || !c.X.HasFrames() {
		return
	}
	u, err := url.Parse(c.X.URL)
	if err != nil {
		return
	}
	use := lint.Own[tokenUse](c.St)
	if c.X.Reached(transport.ExchangeSent) {
		_, signed := c.X.RequestField("Authorization")
		switch {
		case carriesToken(c.X):
			use.origin = mcphttp.Origin(u)
		case !signed && use.origin == mcphttp.Origin(u):
			c.ReportExchange("method", c.X.Method)
		}
	}
	if c.X.Status == http.StatusUnauthorized && carriesToken(c.X) {
		use.origin = ""
	}
}

// incompleteScopeChallenge treats a 403 to a request with a token as one about
// scopes, unless the response indicates another reason.
func incompleteScopeChallenge(c *lint.Context) {
	if !isServerExchange(c, transport.ExchangeHeaders) || c.X.Status != http.StatusForbidden || !carriesToken(c.X) {
		return
	}
	if _, browser := c.X.RequestField("Origin"); browser || c.X.MediaType() == "text/html" {
		return
	}
	for _, ch := range challengesOf(c.X) {
		switch reason := ch.Params["error"]; {
		case reason == "insufficient_scope" && ch.Params["scope"] != "", reason != "" && reason != "insufficient_scope":
			return
		}
	}
	c.ReportExchange()
}

// scopeChallenges counts the demands for more rights, by operation.
type scopeChallenges map[string]int

func scopeLoop(c *lint.Context) {
	const tooOften = 3
	if !isServerExchange(c, transport.ExchangeHeaders) || c.X.Status != http.StatusForbidden || len(c.X.Requests) == 0 {
		return
	}
	wantsMore := func(ch oauth.Challenge) bool { return ch.Params["error"] == "insufficient_scope" }
	if !slices.ContainsFunc(challengesOf(c.X), wantsMore) {
		return
	}
	n := lint.Own[scopeChallenges](c.St)
	operation := lint.ShortKey(c.X.Requests[0].Method + " " + c.X.Requests[0].Name)
	if lint.Keep(n, lint.MaxSubjects+1, operation, (*n)[operation]+1); (*n)[operation] == tooOften {
		c.ReportExchange()
	}
}

// The beginnings of texts that report missing authorization. A brief phrase must
// be the whole text: "invalid token" is also an error of parsers.
var (
	authPhrases = []string{
		"unauthorized", "unauthenticated", "authentication required", "authorization required", "not authenticated",
	}
	briefAuthPhrases = []string{
		"invalid token", "invalid access token", "invalid bearer token", "missing token", "missing access token",
		"token expired", "token has expired", "access token expired",
	}
)

// isAuthorizationError reports whether a text means that authorization is missing. If exactly is set, the whole
// text must be such a phrase, because the text of a tool may be about another service.
func isAuthorizationError(text string, exactly bool) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	for _, prefix := range []string{"error: ", "401 ", "401: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	text = strings.TrimRight(text, ".! ")
	if slices.Contains(authPhrases, text) || slices.Contains(briefAuthPhrases, text) {
		return true
	}
	return !exactly && slices.ContainsFunc(authPhrases, func(r string) bool {
		rest, ok := strings.CutPrefix(text, r)
		return ok && strings.IndexByte(" :;,.(", rest[0]) >= 0
	})
}

func errorWithStatus200(c *lint.Context) {
	if !c.IsStreamableHTTP() || c.X.Status != http.StatusOK {
		return
	}
	const unauthorized = -32007 // used by some servers, but not defined by any protocol version
	if code, isError := lint.ErrorCode(c.M); isError {
		text := c.M.Text(c.M.Error, "message")
		if code == unauthorized || isAuthorizationError(text, false) {
			c.Report(lint.At("error", "message"))
		}
		return
	}
	if c.M.Method != "tools/call" || string(c.M.Get(c.M.Result, "isError")) != "true" {
		return
	}
	if isAuthorizationError(jsonrpc.Text(lint.First(c.M.Get(c.M.Result, "content")), "text"), true) {
		c.Report(lint.At("result", "content", 0, "text"))
	}
}

// challengeOverStdio checks only error responses: a tool may return the URL of
// another service.
func challengeOverStdio(c *lint.Context) {
	code, isError := lint.ErrorCode(c.M)
	if c.St.Link != lint.Stdio || !isError || !c.FromServer() || code == revision.CodeURLElicitationRequired {
		return
	}
	text := strings.ToLower(c.M.Text(c.M.Error, "message"))
	asks := strings.Contains(text, "www-authenticate") || strings.Contains(text, "https://") || strings.Contains(text, "http://")
	if asks && isAuthorizationError(text, false) {
		c.Report(lint.At("error", "message"))
	}
}
