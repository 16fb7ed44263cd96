package facts

import (
	"cmp"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/lazyregexp"
)

// Sent holds the facts about the failed request.
type Sent struct {
	Accept      string // Accept header of mcptea itself, if it has both types
	ContentType string // Content-Type header of mcptea itself
	Own         string // names of headers that the user has given
	Lost        string // header that the response calls missing
	Unread      int64  // size of the body, if the response says that it was empty
	OtherMethod string // HTTP method that the response is about, although another one was sent
	Session     bool
	Token       bool
	TokenFault  string // the problem of the token according to the response: issuer, audience, expiry, signature or form
	Opaque      bool   // the token has not the form of a JWT
	Audience    string // audience of the token, if it is a JWT and its audience is refused
	Claims      string // audience and issuer of the token, if it is a JWT that has not expired, and the refusal does not say why
	Unsent      string // the header that the response requires and the request did not have
	Scope       string // scope that the request needs and the token lacks
	Size        int64  // size of the body, if it was refused for its size
	SizeLimit   string // the program whose limit refused the body, with the limit
	// NotFound reports that the response with the error had the status 404.
	NotFound bool
	// SessionRefused reports that the response says that the session, which the server has created, is unknown
	// or invalid.
	SessionRefused bool
}

// emptyBody matches words of parsers and frameworks for a body that is empty or was read before.
var emptyBody = lazyregexp.New(`(?i)unexpected end|end of (?:the )?(?:input|file|stream)|(?:stream|body) is not readable|(?:request )?body (?:is |was )?(?:missing|empty|required)|(?:missing|empty|no) (?:request )?body|\bline 1 column 1 \(char 0\)|\bnull body\b|\bbody: EOF\b|already (?:been )?(?:read|consumed)`)

// lacks matches words for a missing part of a request, except words about authorization.
var lacks = lazyregexp.New(`(?i)\b(?:missing|required?|requires|not (?:present|provided|found|set|sent|supplied)|absent|lacks?|without|must (?:be|have|send|include))\b`)

// SaysEmpty reports whether a response says that the body of the request was empty or had been read before.
func SaysEmpty(response []byte) bool { return emptyBody().Match(response) }

// unknownSession matches words for a session that is unknown or expired.
var unknownSession = lazyregexp.New(`(?i)\b(?:no (?:such|active|valid)|unknown|invalid|bad|expired|stale|terminated|closed|unrecognized|inactive)\W{1,3}(?:or \w+ )?(?:mcp[- ]?)?session(?:[ _-]?id)?(?:\W|$)|\b(?:mcp-)?session(?:[ _-]?id)?\W{1,4}(?:[\w-]*\d[\w-]*['"]?,? )?(?:(?:is|was|has|been|does|could|already|header) ){0,3}(?:not (?:found|valid|exist|recognized|be found)|invalid|unknown|expired|terminated|closed|gone|no longer|evicted)\b`)

// requiredHeader matches a header that a response requires: a name with a hyphen next to words for a missing
// part.
var requiredHeader = lazyregexp.New(`(?i)\b(?:missing|requires?|required|needs?|must (?:have|include|send|provide|set)|provide|expected|no|without)\b[^.;]{0,40}?\b(?:header:? ['"\x60]?([a-z][a-z0-9]*(?:-[a-z0-9]+)+)|([a-z][a-z0-9]*(?:-[a-z0-9]+)+)['"\x60]? (?:http |request )?header)\b|(?:\bheader:? ['"\x60]?)?\b([a-z][a-z0-9]*(?:-[a-z0-9]+)+)['"\x60]? (?:header )?(?:is |was |must be )?(?:missing|required|present|not (?:set|provided|found|present|sent))\b`)

func sentOf(a Attempt, r Refusal) (s Sent) {
	header := a.Failed.RequestHeader
	s.Session = a.Session && header.Get("Mcp-Session-Id") != ""
	s.Token = header.Get("Authorization") != "" || a.Own.Get("Authorization") != ""
	s.Own = namesOf(a.Own)
	types := strings.FieldsFunc(header.Get("Accept"), func(r rune) bool { return r == ',' || r == ' ' })
	if a.Own.Get("Accept") == "" && slices.Contains(types, mcphttp.JSONType) && slices.Contains(types, mcphttp.StreamType) {
		s.Accept = header.Get("Accept")
	}
	if a.Own.Get("Content-Type") == "" {
		s.ContentType = header.Get("Content-Type")
	}
	if r.Status/100 == 2 || r.Status/100 == 3 {
		return s
	}
	if SaysEmpty(r.Body) {
		s.Unread = a.Failed.Sent
	}
	if s.Token && r.Status == http.StatusUnauthorized {
		s.Opaque = isOpaque(a.Own.Get("Authorization"))
		if s.TokenFault = tokenFault(r); s.TokenFault == "audience" {
			s.Audience = audienceOf(a.Own.Get("Authorization"))
		} else if s.TokenFault == "" {
			s.Claims = claimsOf(a.Own.Get("Authorization"), a.Failed.Start)
		}
	}
	for _, c := range oauth.Challenges(r.Header) {
		if s.Token && (c.Params["error"] == "insufficient_scope" || r.Status == http.StatusForbidden && c.Params["scope"] != "") {
			s.Scope = cmp.Or(c.Params["scope"], "not named")
		}
	}
	if s.SizeLimit = sizeLimit(r); s.SizeLimit != "" || r.Status == http.StatusRequestEntityTooLarge {
		s.Size = a.Failed.Sent
	}
	// A tool may have its own sessions.
	s.NotFound = a.Failed.Status == http.StatusNotFound
	s.SessionRefused = s.Session && unknownSession().Match(r.Body) && (!a.Request.IsTool || strings.Contains(strings.ToLower(string(r.Body)), "mcp-session"))
	s.Lost, s.OtherMethod = lostHeader(header, r), otherMethod(a.Failed, r)
	if s.SessionRefused && s.Lost == "Mcp-Session-Id" {
		s.Lost = ""
	}
	if s.Lost == "" && a.Failed.ID != 0 {
		s.Unsent = unsentHeader(header, r)
	}
	return s
}

// unsentHeader returns the header that a refusal requires and that was not sent, or "".
func unsentHeader(sent http.Header, r Refusal) string {
	m := requiredHeader().FindStringSubmatch(string(r.Body))
	if m == nil {
		return ""
	}
	name := http.CanonicalHeaderKey(m[1] + m[2] + m[3])
	if strings.HasPrefix(name, "Content-") || strings.HasPrefix(name, "Www-") || sent.Get(name) != "" {
		return ""
	}
	return name
}

// audienceOf returns the audience of a JWT, or "". It verifies nothing.
func audienceOf(authorization string) string {
	_, text, _ := strings.Cut(authorization, " ")
	claims := oauth.Claims(strings.TrimSpace(text))
	if claims == nil {
		return ""
	}
	audience, ok := jsonrpc.Member(claims, "aud")
	if !ok {
		return "none"
	}
	if one, ok := jsonrpc.Unquote(audience); ok {
		return one
	}
	var all []string
	for element := range jsonrpc.Elements(audience) {
		if one, ok := jsonrpc.Unquote(element); ok {
			all = append(all, one)
		}
	}
	return strings.Join(all, ", ")
}

// isOpaque reports whether a bearer token has not the form of a JWT.
func isOpaque(authorization string) bool {
	scheme, token, ok := strings.Cut(authorization, " ")
	const dots = 2
	return ok && strings.EqualFold(scheme, "bearer") && strings.Count(token, ".") != dots
}

// claimsOf returns the audience and the issuer of a token as text, or "" if it is no JWT or has expired.
// Nothing is verified.
func claimsOf(authorization string, now time.Time) string {
	_, text, _ := strings.Cut(authorization, " ")
	claims := oauth.Claims(strings.TrimSpace(text))
	if claims == nil {
		return ""
	}
	if exp, ok := jsonrpc.Member(claims, "exp"); ok {
		seconds, err := strconv.ParseFloat(string(exp), 64)
		if err != nil || float64(now.Unix()) >= seconds {
			return ""
		}
	}
	audience := audienceOf(authorization)
	if audience == "none" {
		audience = "no audience"
	} else {
		audience = "the audience " + audience
	}
	if issuer := jsonrpc.Text(claims, "iss"); issuer != "" {
		return audience + " and the issuer " + issuer
	}
	return audience + " and no issuer"
}

// tokenFaults are words of libraries that verify tokens.
var tokenFaults = []struct {
	fault string
	words func() *regexp.Regexp
}{
	{"claim", lazyregexp.New(`(?i)\bno expiration\b|\b(?:missing|lacks?|without|required|requires?) (?:the |a )?(?:required )?claim|\bclaim\b.{0,30}\b(?:is missing|missing|required|absent|not (?:present|found))|\bhas no (?:expiration|audience|issuer|subject)\b`)},
	{"expiry", lazyregexp.New(`(?i)\bexpir|\blifetime\b|\bexp\b`)},
	{"issuer", lazyregexp.New(`(?i)\bissuer\b|\biss\b|\btenant\b`)},
	{"audience", lazyregexp.New(`(?i)\baudience\b|\baud\b`)},
	{"signature", lazyregexp.New(`(?i)\bsignature\b|\bsigning key\b|\bkid\b`)},
	{"form", lazyregexp.New(`(?i)\bmalformed\b|\bnot well formed\b|\b(?:enough|number of) segments\b|\binvalid (?:compact )?(?:jwt|jws)\b|\bnot a (?:valid )?jwt\b|\bjwt must\b|\binvalid token format\b|\btoken is unverifiable\b`)},
}

// tokenFault returns the fault of the token that a refusal reports, or "".
func tokenFault(r Refusal) string {
	text := strings.Join(r.Header.Values("WWW-Authenticate"), " ") + " " + string(r.Body)
	for _, f := range tokenFaults {
		if f.words().MatchString(text) {
			return f.fault
		}
	}
	return ""
}

// aboutMethod matches words of frameworks that reject an HTTP method, and the method.
var aboutMethod = lazyregexp.New(`(?i)\bmethod\W{0,3}(get|head|post|put|options)\W{0,3}(?: (?:is )?not| isn't)|\b(?:the )?(get|head|options) (?:method|requests?) (?:is|are) not|\bcannot (get|head|options) /`)

// otherMethod returns the method in a refusal if the request had another method, or "". A refusal that
// allows the sent method is about another method too.
func otherMethod(sent transport.Exchange, r Refusal) string {
	if sent.Method == "" || r.Status != http.StatusMethodNotAllowed && r.Status != http.StatusNotFound {
		return ""
	}
	if m := aboutMethod().FindStringSubmatch(string(r.Body)); m != nil {
		if method := strings.ToUpper(m[1] + m[2] + m[3]); method != sent.Method {
			return method
		}
	}
	if r.Status == http.StatusMethodNotAllowed && slices.ContainsFunc(strings.Split(r.Header.Get("Allow"), ","), func(m string) bool { return strings.TrimSpace(m) == sent.Method }) {
		return "another method"
	}
	return ""
}

// lostHeader returns the sent header that a refusal calls missing, or "". Credentials do not count: servers
// call wrong ones missing.
func lostHeader(sent http.Header, r Refusal) string {
	text := strings.ToLower(string(r.Body))
	if !lacks().MatchString(text) {
		return ""
	}
	return Named(sent, text, func(name string) bool { return strings.Contains(name, "-") })
}

// Named returns the longest sent header that a text names and for which counts returns true. It never returns
// User-Agent or Content-Length, which every request has. The text is in lower case.
func Named(sent http.Header, text string, counts func(canonical string) bool) (found string) {
	for name := range sent {
		name = http.CanonicalHeaderKey(name)
		if name != "User-Agent" && name != "Content-Length" && len(name) > len(found) && counts(name) && strings.Contains(text, strings.ToLower(name)) {
			found = name
		}
	}
	return found
}

func namesOf(h http.Header) string {
	var names []string
	for name := range h {
		names = append(names, http.CanonicalHeaderKey(name))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
