package lint

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"mcptea/client/oauth"
	"mcptea/client/transport"
)

// authorizationRules judge the way to a token and its use. Those about the way
// are in authorization_login.go and authorization_metadata.go. What reports mask
// is judged by whether it is there.
var authorizationRules = slices.Concat([]rule{
	{id: "A001", http: noChallenge, tick: metadataTookTooLong, end: func(c *Context) { c.unannounced() }},
	{id: "A010", http: func(c *Context) {
		if c.X == nil || !c.X.Reached(transport.ExchangeSent) {
			return
		}
		if u, err := url.Parse(c.X.URL); err == nil && u.Query().Has("access_token") {
			c.reportHead()
		}
	}},
	{id: "A011", http: tokenLeftOut},
	{id: "A012", http: incompleteScopeChallenge},
	{id: "A013", http: scopeLoop},
	{id: "A015", message: refusedIn200},
	{id: "A016", message: challengeOverStdio},
	{id: "A017", limit: oncePerSubject, http: func(c *Context) {
		if c.X == nil || !c.X.Reached(transport.ExchangeSent) || !c.X.carriesToken() {
			return
		}
		u, err := url.Parse(c.X.URL)
		if err == nil && u.Scheme == "http" && !isLoopback(u.Hostname()) {
			c.About(u.Host).reportHead("host", escaped(u.Host))
		}
	}},
}, metadataRules, loginRules)

// refusable reports an exchange with the MCP server itself that has got to a
// phase.
func (c *Context) refusable(p transport.ExchangePhase) bool {
	return c.X != nil && c.X.Purpose != transport.PurposeAuthorization && c.X.Reached(p)
}

// carriesToken reports a request with a token; a password is none.
func (x *Exchange) carriesToken() bool {
	v, _ := x.said("Authorization")
	scheme, _, _ := strings.Cut(v, " ")
	return strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "DPoP")
}

// challengesOf are what the answer says of the credentials that it wants.
func challengesOf(x *Exchange) []oauth.Challenge {
	v, _ := x.answered("Www-Authenticate")
	return oauth.Challenges(http.Header{"Www-Authenticate": {v}})
}

// unchallenged is a refusal that did not say where to get a token. Since
// 2025-11-25 there may be metadata at a well-known place in its stead; whether
// there is shows when somebody has looked.
type unchallenged struct {
	row    int32
	waits  bool
	looked time.Time // when the newest look came to nothing
}

func noChallenge(c *Context) {
	u := Own[unchallenged](c.St)
	switch x := c.X; {
	case x.Purpose == transport.PurposeAuthorization:
		c.lookedForMetadata(u)
	case x.Status != http.StatusUnauthorized || !x.Reached(transport.ExchangeHeaders) || len(challengesOf(x)) > 0:
	case c.revision() == "2025-06-18":
		c.reportHead()
	default:
		*u = unchallenged{row: x.Row, waits: true}
	}
}

func (c *Context) lookedForMetadata(u *unchallenged) {
	switch kind, _ := metadataPlace(c.X.URL); {
	case kind == resourceMetadata && c.X.Reached(transport.ExchangeDone):
		if c.X.Status == http.StatusOK && isJSONObject(c.X.ResponseBody) {
			u.waits = false
		} else if c.X.Status != 0 {
			u.looked = c.St.Now
		}
	case kind == serverMetadata && c.X.Reached(transport.ExchangeSent):
		c.unannounced() // nobody goes on before the other places were looked at
	}
}

// unannounced tells of a refusal after which nothing was found.
func (c *Context) unannounced() {
	if u := Own[unchallenged](c.St); u.waits && !u.looked.IsZero() {
		u.waits = false
		c.ReportIn(u.row, Whole)
	}
}

func metadataTookTooLong(c *Context) {
	const enough = 10 * time.Second // for the next place to be looked at
	if u := Own[unchallenged](c.St); c.St.Now.Sub(u.looked) > enough {
		c.unannounced()
	}
}

// tokenUse is where a token was last used; empty before.
type tokenUse struct{ origin string }

// tokenLeftOut counts a password as well as a token, and forgets a token that
// was refused: another one may have to be got first.
func tokenLeftOut(c *Context) {
	if c.X == nil || c.X.Purpose == transport.PurposeAuthorization {
		return
	}
	u, err := url.Parse(c.X.URL)
	if err != nil {
		return
	}
	use := Own[tokenUse](c.St)
	if c.X.Reached(transport.ExchangeSent) {
		_, signed := c.X.said("Authorization")
		switch {
		case c.X.carriesToken():
			use.origin = originOf(u)
		case !signed && use.origin == originOf(u):
			c.reportHead("method", c.X.Method)
		}
	}
	if c.X.Status == http.StatusUnauthorized && c.X.carriesToken() {
		use.origin = ""
	}
}

// incompleteScopeChallenge takes a 403 to a request with a token for one about
// scopes, unless something speaks for another reason.
func incompleteScopeChallenge(c *Context) {
	if !c.refusable(transport.ExchangeHeaders) || c.X.Status != http.StatusForbidden || !c.X.carriesToken() {
		return
	}
	if _, browser := c.X.said("Origin"); browser || c.X.media() == "text/html" {
		return
	}
	for _, ch := range challengesOf(c.X) {
		switch reason := ch.Params["error"]; {
		case reason == "insufficient_scope" && ch.Params["scope"] != "", reason != "" && reason != "insufficient_scope":
			return
		}
	}
	c.reportHead()
}

// stepUps are how often more rights were demanded, by the operation.
type stepUps map[string]int

func scopeLoop(c *Context) {
	const tooOften = 3
	if !c.refusable(transport.ExchangeHeaders) || c.X.Status != http.StatusForbidden || len(c.X.Requests) == 0 {
		return
	}
	wantsMore := func(ch oauth.Challenge) bool { return ch.Params["error"] == "insufficient_scope" }
	if !slices.ContainsFunc(challengesOf(c.X), wantsMore) {
		return
	}
	n := Own[stepUps](c.St)
	if *n == nil || len(*n) > maxSubjects {
		*n = stepUps{}
	}
	operation := shortKey(c.X.Requests[0].Method + " " + c.X.Requests[0].Name)
	if (*n)[operation]++; (*n)[operation] == tooOften {
		c.reportHead()
	}
}

// refusals are what an answer begins with that is about missing rights. Of the
// brief ones it says nothing else: parsers have tokens, too.
var (
	refusals = []string{
		"unauthorized", "unauthenticated", "authentication required", "authorization required", "not authenticated",
	}
	briefRefusals = []string{
		"invalid token", "invalid access token", "invalid bearer token", "missing token", "missing access token",
		"token expired", "token has expired", "access token expired",
	}
)

// isRefusal reports a text that is a refusal. exactly leaves no room for more:
// what a tool says may be about somebody else.
func isRefusal(text string, exactly bool) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	for _, prefix := range []string{"error: ", "401 ", "401: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	text = strings.TrimRight(text, ".! ")
	if slices.Contains(refusals, text) || slices.Contains(briefRefusals, text) {
		return true
	}
	return !exactly && slices.ContainsFunc(refusals, func(r string) bool {
		rest, ok := strings.CutPrefix(text, r)
		return ok && strings.IndexByte(" :;,.(", rest[0]) >= 0
	})
}

func refusedIn200(c *Context) {
	if c.M.Frame.Dir != transport.In || !c.M.IsAnswer() || !c.streamable() || c.X.Status != http.StatusOK {
		return
	}
	const unauthorized = -32007 // in a catalogue of codes that was never one of MCP
	if code, isError := errorCode(c.M); isError {
		text := Text(c.M.Error, "message")
		if code == unauthorized || isRefusal(text, false) {
			c.Report(At("error", "message"))
		}
		return
	}
	if c.M.Method != "tools/call" || string(Member(c.M.Result, "isError")) != "true" {
		return
	}
	if isRefusal(Text(firstOf(Member(c.M.Result, "content")), "text"), true) {
		c.Report(At("result", "content", 0, "text"))
	}
}

// challengeOverStdio looks at errors alone: a tool may well speak of the way to
// a third party.
func challengeOverStdio(c *Context) {
	code, isError := errorCode(c.M)
	if c.St.Link != Stdio || !isError || !c.fromServer() || code == urlElicitation {
		return
	}
	text := strings.ToLower(Text(c.M.Error, "message"))
	asks := strings.Contains(text, "www-authenticate") || strings.Contains(text, "https://") || strings.Contains(text, "http://")
	if asks && isRefusal(text, false) {
		c.Report(At("error", "message"))
	}
}
