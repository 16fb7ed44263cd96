package authorization

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"mcptea/client/oauth"
	"mcptea/client/transport"
	"mcptea/session/lint/rule"
)

// authorizationRules judge the way to a token and its use. Those about the way
// are in authorization_login.go and authorization_metadata.go. What reports mask
// is judged by whether it is there.
var authorizationRules = slices.Concat([]rule.Rule{
	{ID: "A001", HTTP: missingChallenge, Tick: metadataTimeout, End: func(c *rule.Context) { reportMissingMetadata(c) }},
	{ID: "A010", HTTP: func(c *rule.Context) {
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
	{ID: "A015", Message: errorWithStatus200},
	{ID: "A016", Message: challengeOverStdio},
	{ID: "A017", Limit: rule.OncePerSubject, HTTP: func(c *rule.Context) {
		if c.X == nil || !c.X.Reached(transport.ExchangeSent) || !carriesToken(c.X) {
			return
		}
		u, err := url.Parse(c.X.URL)
		if err == nil && u.Scheme == "http" && !rule.IsLoopback(u.Hostname()) {
			c.About(u.Host).ReportExchange("host", rule.Escaped(u.Host))
		}
	}},
}, metadataRules, loginRules)

// isServerExchange reports an exchange with the MCP server itself that has got to a
// phase.
func isServerExchange(c *rule.Context, p transport.ExchangePhase) bool {
	return c.X != nil && c.X.Purpose != transport.PurposeAuthorization && c.X.Reached(p)
}

// carriesToken reports a request with a token; a password is none.
func carriesToken(x *rule.Exchange) bool {
	v, _ := x.RequestField("Authorization")
	scheme, _, _ := strings.Cut(v, " ")
	return strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "DPoP")
}

// challengesOf are what the answer says of the credentials that it wants.
func challengesOf(x *rule.Exchange) []oauth.Challenge {
	v, _ := x.ResponseField("Www-Authenticate")
	return oauth.Challenges(http.Header{"Www-Authenticate": {v}})
}

// pendingChallenge is a refusal that did not say where to get a token. Since
// 2025-11-25 there may be metadata at a well-known place in its stead; whether
// there is shows when somebody has looked.
type pendingChallenge struct {
	row     int32
	pending bool
	looked  time.Time // when the newest look came to nothing
}

func missingChallenge(c *rule.Context) {
	u := rule.Own[pendingChallenge](c.St)
	switch x := c.X; {
	case x.Purpose == transport.PurposeAuthorization:
		metadataRequested(c, u)
	case x.Status != http.StatusUnauthorized || !x.Reached(transport.ExchangeHeaders) || len(challengesOf(x)) > 0:
	case c.Revision() == "2025-06-18":
		c.ReportExchange()
	default:
		*u = pendingChallenge{row: x.Row, pending: true}
	}
}

func metadataRequested(c *rule.Context, u *pendingChallenge) {
	switch kind, _ := parseMetadataURL(c.X.URL); {
	case kind == resourceMetadata && c.X.Reached(transport.ExchangeDone):
		if c.X.Status == http.StatusOK && rule.IsJSONObject(c.X.ResponseBody) {
			u.pending = false
		} else if c.X.Status != 0 {
			u.looked = c.St.Now
		}
	case kind == serverMetadata && c.X.Reached(transport.ExchangeSent):
		reportMissingMetadata(c) // nobody goes on before the other places were looked at
	}
}

// reportMissingMetadata tells of a refusal after which nothing was found.
func reportMissingMetadata(c *rule.Context) {
	if u := rule.Own[pendingChallenge](c.St); u.pending && !u.looked.IsZero() {
		u.pending = false
		c.ReportIn(u.row, rule.Whole)
	}
}

func metadataTimeout(c *rule.Context) {
	const enough = 10 * time.Second // for the next place to be looked at
	if u := rule.Own[pendingChallenge](c.St); c.St.Now.Sub(u.looked) > enough {
		reportMissingMetadata(c)
	}
}

// tokenUse is where a token was last used; empty before.
type tokenUse struct{ origin string }

// missingToken counts a password as well as a token, and forgets a token that
// was refused: another one may have to be got first.
func missingToken(c *rule.Context) {
	if c.X == nil || c.X.Purpose == transport.PurposeAuthorization {
		return
	}
	u, err := url.Parse(c.X.URL)
	if err != nil {
		return
	}
	use := rule.Own[tokenUse](c.St)
	if c.X.Reached(transport.ExchangeSent) {
		_, signed := c.X.RequestField("Authorization")
		switch {
		case carriesToken(c.X):
			use.origin = rule.OriginOf(u)
		case !signed && use.origin == rule.OriginOf(u):
			c.ReportExchange("method", c.X.Method)
		}
	}
	if c.X.Status == http.StatusUnauthorized && carriesToken(c.X) {
		use.origin = ""
	}
}

// incompleteScopeChallenge takes a 403 to a request with a token for one about
// scopes, unless something speaks for another reason.
func incompleteScopeChallenge(c *rule.Context) {
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

// scopeChallenges are how often more rights were demanded, by the operation.
type scopeChallenges map[string]int

func scopeLoop(c *rule.Context) {
	const tooOften = 3
	if !isServerExchange(c, transport.ExchangeHeaders) || c.X.Status != http.StatusForbidden || len(c.X.Requests) == 0 {
		return
	}
	wantsMore := func(ch oauth.Challenge) bool { return ch.Params["error"] == "insufficient_scope" }
	if !slices.ContainsFunc(challengesOf(c.X), wantsMore) {
		return
	}
	n := rule.Own[scopeChallenges](c.St)
	if *n == nil || len(*n) > rule.MaxSubjects {
		*n = scopeChallenges{}
	}
	operation := rule.ShortKey(c.X.Requests[0].Method + " " + c.X.Requests[0].Name)
	if (*n)[operation]++; (*n)[operation] == tooOften {
		c.ReportExchange()
	}
}

// authPhrases are what an answer begins with that is about missing rights. Of the
// brief ones it says nothing else: parsers have tokens, too.
var (
	authPhrases = []string{
		"unauthorized", "unauthenticated", "authentication required", "authorization required", "not authenticated",
	}
	briefAuthPhrases = []string{
		"invalid token", "invalid access token", "invalid bearer token", "missing token", "missing access token",
		"token expired", "token has expired", "access token expired",
	}
)

// isAuthorizationError reports a text that is a refusal. exactly leaves no room for more:
// what a tool says may be about somebody else.
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

func errorWithStatus200(c *rule.Context) {
	if c.M.Frame.Dir != transport.In || !c.M.IsResponse() || !c.IsStreamableHTTP() || c.X.Status != http.StatusOK {
		return
	}
	const unauthorized = -32007 // in a catalogue of codes that was never one of MCP
	if code, isError := rule.ErrorCode(c.M); isError {
		text := rule.Text(c.M.Error, "message")
		if code == unauthorized || isAuthorizationError(text, false) {
			c.Report(rule.At("error", "message"))
		}
		return
	}
	if c.M.Method != "tools/call" || string(rule.Member(c.M.Result, "isError")) != "true" {
		return
	}
	if isAuthorizationError(rule.Text(firstOf(rule.Member(c.M.Result, "content")), "text"), true) {
		c.Report(rule.At("result", "content", 0, "text"))
	}
}

// challengeOverStdio looks at errors alone: a tool may well speak of the way to
// a third party.
func challengeOverStdio(c *rule.Context) {
	code, isError := rule.ErrorCode(c.M)
	if c.St.Link != rule.Stdio || !isError || !c.FromServer() || code == rule.CodeURLElicitation {
		return
	}
	text := strings.ToLower(rule.Text(c.M.Error, "message"))
	asks := strings.Contains(text, "www-authenticate") || strings.Contains(text, "https://") || strings.Contains(text, "http://")
	if asks && isAuthorizationError(text, false) {
		c.Report(rule.At("error", "message"))
	}
}
