package events

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/system"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

// subscriptionRules check events/subscribe and events/unsubscribe.
var subscriptionRules = []lint.Rule{
	{ID: "V060", Methods: subscribing, When: lint.Result | lint.FromServer | lint.Matched, Message: func(c *lint.Context) {
		if why := urlFault(paramsOf(c)); why != "" {
			c.Report(lint.At("result"), "why", why)
		}
	}},
	{ID: "V061", Methods: subscribing, When: lint.Result | lint.FromServer | lint.Matched, Message: func(c *lint.Context) {
		if why := secretFault(jsonrpc.Get(paramsOf(c), "delivery", "secret")); why != "" {
			c.Report(lint.At("result"), "why", why)
		}
	}},
	{ID: "V104", Methods: subscribing, When: lint.ErrorResponse | lint.FromServer | lint.Matched, Message: refusalCode},
	{ID: "V062", Methods: subscribing, When: lint.Result | lint.FromServer | lint.Matched | lint.InHTTP, Message: withoutPrincipal},
	{ID: "V063", Methods: subscribing, When: lint.Result | lint.FromServer | lint.Matched, Message: otherID},
	{ID: "V064", Methods: subscribing, When: lint.Result | lint.FromServer | lint.Matched, Message: sameID},
	{ID: "V065", Methods: subscribing, When: lint.Result | lint.FromServer | lint.Matched, Message: refreshTime},
	{ID: "V066", Methods: subscribing, When: lint.Result | lint.FromServer | lint.Matched, Message: longLife},
	{ID: "V067", Methods: subscribing, When: lint.Result | lint.FromServer, Message: rawStatus},
	{ID: "V068", Methods: []string{revision.EventsUnsubscribe}, When: lint.Result | lint.FromServer | lint.Matched, Message: unknownEnded},
}

// subscription is one that a server has granted.
type subscription struct {
	id, arguments string // arguments are raw
	row           int32
	refresh       time.Time // refreshBefore, or zero
	ended, late   bool      // unsubscribed; V087 has spoken
	principal     string
}

// subscriptions holds the subscriptions of a connection, by [subscriptionKey].
type subscriptions map[string]*subscription

// maxArguments bounds the arguments that are compared as text, in bytes.
const maxArguments = 4 << 10

// subscriptionKey returns the key that identifies a subscription, except for the principal.
func subscriptionKey(params []byte) string {
	return wantsOf(params).key() + " " + lint.ShortKey(jsonrpc.Text(params, "delivery", "url"))
}

// principalOf returns the credentials that the client has sent.
func principalOf(c *lint.Context) string {
	if c.X == nil {
		return ""
	}
	value, _ := c.X.RequestField("Authorization")
	return value
}

// urlFault returns why a callback URL must be refused, or "". Development servers may accept loopback
// addresses.
func urlFault(params []byte) string {
	text, ok := jsonrpc.Unquote(jsonrpc.Get(params, "delivery", "url"))
	if !ok {
		return ""
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "":
		return "is not a URL"
	case lint.IsLoopback(u.Hostname()):
		return ""
	case u.Scheme != "https":
		return "is not an https URL"
	}
	if a, ok := system.AddressOf(u.Hostname()); ok && system.IsPrivateAddr(a) {
		return "has an address that is not public"
	}
	return ""
}

// The bounds of a secret, in bytes.
const (
	minSecret = 24
	maxSecret = 64
)

// secretFault returns why a secret must be refused. In a recording, it may be redacted.
func secretFault(raw []byte) string {
	secret, ok := jsonrpc.Unquote(raw)
	if !ok || strings.ContainsAny(secret, "…*•") || strings.Contains(secret, "redacted") {
		return ""
	}
	text, ok := strings.CutPrefix(secret, "whsec_")
	if !ok {
		return "does not begin with whsec_"
	}
	key, err := base64.StdEncoding.DecodeString(text)
	switch {
	case err != nil:
		return "is not base64 after whsec_"
	case len(key) < minSecret || len(key) > maxSecret:
		return "has " + phrase.Count(len(key), "byte")
	}
	return ""
}

// withoutPrincipal does not see a key in the URL.
func withoutPrincipal(c *lint.Context) {
	_, authorized := c.X.RequestField("Authorization")
	_, cookie := c.X.RequestField("Cookie")
	if !authorized && !cookie && c.IsStreamableHTTP() {
		c.Report(lint.At("result"))
	}
}

// before returns the subscription with the key of a result.
func before(c *lint.Context) (was *subscription, params []byte) {
	if params = paramsOf(c); params == nil {
		return nil, nil
	}
	if s := (*lint.Own[subscriptions](c.St))[subscriptionKey(params)]; s != nil && s.principal == principalOf(c) {
		return s, params
	}
	return nil, params
}

func otherID(c *lint.Context) {
	was, params := before(c)
	id := c.M.Text(c.M.Result, "id")
	if was == nil || was.ended || id == "" || id == was.id || !was.refresh.IsZero() && c.St.Now.After(was.refresh) {
		return
	}
	why := "The same subscription"
	if args := string(jsonrpc.Get(params, "arguments")); args != was.arguments && was.arguments != "" {
		why = "The same subscription, with its arguments written in another way,"
	}
	c.With(was.row).Report(lint.At("result", "id"), "got", lint.Quoted(id), "before", lint.Quoted(was.id), "why", why)
}

func sameID(c *lint.Context) {
	params := paramsOf(c)
	id := c.M.Text(c.M.Result, "id")
	if params == nil || id == "" {
		return
	}
	key, principal := subscriptionKey(params), principalOf(c)
	own := *lint.Own[subscriptions](c.St)
	for other, s := range own {
		if other != key && s.id == id && s.principal == principal {
			c.With(s.row).Report(lint.At("result", "id"), "got", lint.Quoted(id))
			return
		}
	}
}

// clockSkew is the largest allowed difference between the clocks of client and server.
const clockSkew = 5 * time.Minute

func refreshTime(c *lint.Context) {
	raw := c.M.Get(c.M.Result, "refreshBefore")
	at := lint.At("result", "refreshBefore")
	asked := jsonrpc.Get(paramsOf(c), "ttlMs")
	switch text, ok := jsonrpc.Unquote(raw); {
	case raw == nil:
		c.Report(at, "what", "is missing")
	case string(raw) == "null" && string(asked) != "null" && paramsOf(c) != nil:
		c.Report(at, "what", "is null, which only a request with ttlMs null may get")
	case !ok:
	default:
		t, err := time.Parse(time.RFC3339Nano, text)
		switch {
		case err != nil:
			c.Report(at, "what", "is "+lint.Quoted(text)+", not a time in ISO 8601")
		case c.St.Now.Sub(t) > clockSkew:
			c.Report(at, "what", "is "+lint.Quoted(text)+", which is in the past")
		}
	}
}

// day is the longest lifetime that a floor explains.
const day = 24 * time.Hour

func longLife(c *lint.Context) {
	wish, ok := jsonrpc.Integer(jsonrpc.Get(paramsOf(c), "ttlMs"))
	t, err := time.Parse(time.RFC3339Nano, c.M.Text(c.M.Result, "refreshBefore"))
	if !ok || err != nil || wish < 0 || wish > maxWait {
		return
	}
	if life := t.Sub(c.St.Now); life > day+clockSkew {
		c.Report(lint.At("result", "refreshBefore"), "life", phrase.Count(int((life+time.Hour).Hours()/24), "day"), "wish", phrase.Duration(time.Duration(wish)*time.Millisecond))
	}
}

func rawStatus(c *lint.Context) {
	if got, ok := textOf(c.M.Get(c.M.Result, "deliveryStatus"), "lastError"); ok && !slices.Contains(failures, got) {
		c.Report(lint.At("result", "deliveryStatus", "lastError"), "got", lint.Quoted(got), "want", strings.Join(failures, ", "))
	}
}

// unknownEnded reports the successful end of a subscription that has already ended. Hosts such as ChatGPT
// expect this of a server that declares events at the top level.
func unknownEnded(c *lint.Context) {
	was, _ := before(c)
	if _, capability := revision.EventsDeclared(c.St.ServerCaps); was != nil && was.ended && !capability {
		c.With(was.row).Report(lint.At("result"))
	}
}

func watchSubscriptions(c *lint.Context) {
	params := paramsOf(c)
	if !c.M.IsResult() || params == nil || c.M.Sender() != lint.Server {
		return
	}
	own, key := lint.Own[subscriptions](c.St), subscriptionKey(params)
	if c.M.Method == revision.EventsUnsubscribe {
		if s := (*own)[key]; s != nil {
			s.ended, s.row = true, c.F.Row
		}
		return
	}
	s := &subscription{id: strings.Clone(c.M.Text(c.M.Result, "id")), row: c.F.Row, principal: principalOf(c)}
	if args := jsonrpc.Get(params, "arguments"); len(args) <= maxArguments {
		s.arguments = string(args)
	}
	if t, err := time.Parse(time.RFC3339Nano, c.M.Text(c.M.Result, "refreshBefore")); err == nil && t.After(c.St.Now) {
		s.refresh = t
	}
	lint.Keep(own, lint.MaxSubjects, key, s)
}

// refusalCode reports an error for an invalid URL or secret whose code is about something else. Errors of the extension
// may have another reason, such as a principal without permission.
func refusalCode(c *lint.Context) {
	code, ok := lint.ErrorCode(c.M)
	isOther := code == jsonrpc.CodeInternalError || code == jsonrpc.CodeInvalidRequest || code == jsonrpc.CodeParseError || code >= -32010 && code <= -32000 || code >= 0
	if !ok || !isOther {
		return
	}
	what, why := "a callback URL", urlFault(paramsOf(c))
	if why == "" {
		what, why = "a secret", secretFault(jsonrpc.Get(paramsOf(c), "delivery", "secret"))
	}
	if why != "" {
		c.Report(lint.At("error", "code"), "what", what, "why", why, "code", code)
	}
}
