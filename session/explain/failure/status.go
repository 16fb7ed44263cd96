package failure

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/words/phrase"
	"mcptea/session/explain/card"
	"mcptea/session/explain/facts"
)

// maxHeaderLines is the maximum number of fields with one name that are shown of a response.
const maxHeaderLines = 4

// tellingHeaders holds the headers that explain a refusal.
var tellingHeaders = []string{"WWW-Authenticate", "Proxy-Authenticate", "Location", "Allow", "Retry-After", "Server", "Via"}

// badStatus explains an unsuccessful HTTP status. The body can say more than the number.
func badStatus(err *transport.StatusError, f Facts) Explanation {
	m := card.OfStatus(err.Status, card.Where{Wire: true, Verb: err.Method, URL: err.URL}).Likely()
	said, body := messageOf(err.Body), jsonrpc.Scan(err.Body)
	s := f.refused(situation{
		"returned": fmt.Sprintf("%s %s returned %s.", err.Method, escape(err.URL), transport.StatusText(err.Status)),
		"status":   err.Status, "class": err.Status / 100, "verb": err.Method, "method": f.method, "lines": saidLines(said),
		"expired":   errors.Is(f.err, mcphttp.ErrSessionExpired),
		"challenge": err.Header.Get("WWW-Authenticate"), "spoken": f.spoken, "scheme": schemeOf(err), "own_message": isOwnMessage(said, err),
		"rpc": body.IsError(), "empty": len(bytes.TrimSpace(err.Body)) == 0,
		"about_login": loginWords().MatchString(said),
	}, facts.Refusal{Status: err.Status, Header: err.Header, Body: err.Body})
	if step, ok := errors.AsType[*client.ConnectError](f.err); ok {
		s["initialized"] = step.Step == client.StepInitialized
	}
	f.addVersions(s, said, string(err.Body))
	f.addHost(s, said)
	f.addEndpoint(s, err)
	s["original"] = said
	if said != "" {
		s["said"] = phrase.Quote(said, messageHead)
	}
	if isOwnMessage(said, err) {
		s["reports"] = "it reports " + phrase.Quote(said, messageHead)
	}
	if after := err.Header.Get("Retry-After"); after != "" {
		s["retry_after"] = bare(after)
	}
	c := concluded{"means": m.Means, "usual_cause": m.Cause, "check": m.Check, "paths": s.addPath(err)}
	if err.Status/100 == 3 {
		s.addRedirect(f.target.URL, err)
	}
	var e Explanation
	for _, name := range tellingHeaders {
		values := err.Header.Values(name)
		for _, v := range values[:min(len(values), maxHeaderLines)] {
			e.Evidence = append(e.Evidence, Line{KindHeader, name + ": " + cut(v), true})
		}
	}
	e = e.withKnowledge("status", s, c)
	isQuoted := said != "" && len(said) <= messageHead && strings.Contains(e.Sentence, phrase.Quote(said, messageHead))
	if body := strings.TrimSpace(string(err.Body)); body != "" && !(isQuoted && isCovered(err.Body, said, err.Status)) {
		if _, page := phrase.Page(body); page {
			body = err.Said(textHead)
		}
		e.Evidence = append(e.Evidence, Line{KindBody, cut(body), true})
	}
	if isOwnMessage(said, err) {
		e = e.byMessage(s, said)
		e.said = true
		e.words = words{said, facts.Refusal{Status: err.Status, Header: err.Header, Body: err.Body}}
	}
	return e
}

// isCovered reports whether a body says nothing that its message and its status do not say.
func isCovered(body []byte, message string, status int) bool {
	value := bytes.TrimSpace(body)
	if !jsonrpc.Valid(value) {
		return phrase.OneLine(string(value)) == message
	}
	switch value[0] {
	case '{':
		for _, member := range jsonrpc.Members(value) {
			if !isCovered(member, message, status) {
				return false
			}
		}
	case '[':
		for element := range jsonrpc.Elements(value) {
			if !isCovered(element, message, status) {
				return false
			}
		}
	case '"':
		text, _ := jsonrpc.Unquote(value)
		return isStatusText(text) || strings.Contains(strings.ToLower(message), strings.ToLower(phrase.OneLine(text)))
	case 'n', 'f', 't':
	default:
		return string(value) == strconv.Itoa(status)
	}
	return true
}

// schemeOf is the authentication scheme of a challenge that is not of OAuth; empty without
// one.
func schemeOf(err *transport.StatusError) string {
	scheme, _, _ := strings.Cut(err.Header.Get("WWW-Authenticate"), " ")
	switch strings.ToLower(scheme) {
	case "bearer", "dpop":
		return ""
	case "basic":
		return "Basic"
	}
	return scheme
}

// addPath adds whether the path looks like a path of HTTP+SSE. It returns the usual paths of endpoints, except
// the one that was tried.
func (s situation) addPath(err *transport.StatusError) (usual string) {
	own := ""
	if u, bad := url.Parse(err.URL); bad == nil {
		own = u.Path
	}
	s["path_sse"] = strings.HasSuffix(strings.TrimRight(own, "/"), "/sse")
	if s["path"] = "/mcp"; own == "/mcp" {
		s["path"] = "/sse"
	}
	return strings.Join(slices.DeleteFunc([]string{"/mcp", "/sse", "/"}, func(p string) bool { return p == own }), ", ")
}

var loginPath = lazyregexp.New(`login|signin|sign-in|auth`)

// addRedirect adds the target of a redirect that was not followed.
func (s situation) addRedirect(target string, err *transport.StatusError) {
	from, bad := url.Parse(err.URL)
	to, bad2 := url.Parse(err.Header.Get("Location"))
	if bad != nil || bad2 != nil || err.Header.Get("Location") == "" {
		return
	}
	to = from.ResolveReference(to)
	login, same := loginPath().MatchString(strings.ToLower(to.Path)), from.Host == to.Host && from.Scheme == to.Scheme
	if at := to.String(); len(at) <= maxText {
		s["to_url"] = at // in full, or not at all
	}
	s["to"], s["to_login"], s["to_same"] = escape(cut(to.String())), login, same
	s["to_tls"] = from.Scheme == "http" && to.Scheme == "https" && from.Hostname() == to.Hostname()
	s["to_itself"] = same && to.EscapedPath() == from.EscapedPath() && to.RawQuery == from.RawQuery
	s["loop"] = same && !login && (err.Status == http.StatusTemporaryRedirect || err.Status == http.StatusPermanentRedirect)
	s["redirects"] = mcphttp.MaxRedirects
	s["to_plain"] = from.Scheme == "https" && to.Scheme == "http"
	own, bad := url.Parse(target) // with secrets, which the URL of the error lacks
	if bad != nil || same || strings.Trim(from.Path, "/") != strings.Trim(to.Path, "/") || from.Path == to.Path {
		return
	}
	// The sender of the redirect does not know the scheme, host or port of the URL.
	own.Path, own.RawPath = to.Path, to.RawPath
	s["slash_url"], s["slash"] = own.String(), secret.URL(own.String())
	s["with_slash"] = strings.HasSuffix(to.Path, "/")
}

// wrongContent explains a successful response with a media type that Streamable HTTP does not have.
func wrongContent(err *mcphttp.ContentError, f Facts) Explanation {
	s := f.seen(situation{
		"returned": fmt.Sprintf("%s %s returned %d", err.Method, escape(err.URL), err.Status), "kind": "a body without Content-Type",
		"stream": err.StreamOnly, "html": strings.HasPrefix(strings.ToLower(err.ContentType), "text/html"),
	})
	if err.ContentType != "" {
		s["kind"] = phrase.Quote(err.ContentType, 60)
	}
	e := explain("content", s)
	if len(err.Head) > 0 {
		said := string(err.Head)
		if _, page := phrase.Page(said); page {
			said = err.Said()
		}
		e.Evidence = []Line{{KindBody, cut(said), true}}
	}
	return e
}

// eventInData matches the start of an event.
var eventInData = lazyregexp.New(`^(?:event|data|id): `)

// isJSON reports whether the newest body is JSON.
func isJSON(bodies []string) bool {
	if len(bodies) == 0 {
		return true
	}
	switch jsonrpc.Scan([]byte(bodies[len(bodies)-1])).Fault {
	case jsonrpc.FaultNotJSON, jsonrpc.FaultNotUTF8:
		return false
	}
	return true
}

// lost explains a request that the server accepted and did not respond to.
func lost(err *mcphttp.LostError, f Facts) (Explanation, bool) {
	x, encoding := f.exchange, f.exchange.ResponseHeader.Get("Content-Encoding")
	s := f.seen(situation{
		"is": err.Err, "returned": fmt.Sprintf("%s %s returned %s", x.Method, escape(x.URL), transport.StatusText(x.Status)),
		"method": f.method, "json": isJSON(f.Stray), "utf16": len(f.Stray) > 0 && isUTF16(f.Stray[len(f.Stray)-1]),
		"elsewhere": f.wire.elsewhere, "listens": f.listens(),
	})
	if f.wire.elsewhere == 0 {
		delete(s, "elsewhere")
	}
	if n := len(f.Stray); n > 0 {
		s["event_in_data"] = eventInData().MatchString(f.Stray[n-1])
		s["packed"] = packedAs(f.Stray[n-1])
	}
	if x.Status == 0 {
		s["returned"] = "The server responded"
	}
	if f.Connected {
		s["method"] = "the request"
	}
	f.addUnmatched(s)
	var e Explanation
	if encoding != "" {
		s["encoding"] = phrase.Quote(encoding, 20)
		e.Evidence = append(e.Evidence, Line{KindHeader, "Content-Encoding: " + cut(encoding), true})
	}
	for _, body := range f.Stray[max(0, len(f.Stray)-1):] {
		if _, page := phrase.Page(body); page {
			body = phrase.Body(body, int64(len(body)), textHead)
		}
		e.Evidence = append(e.Evidence, Line{KindBody, cut(body), true})
	}
	if x.ID == 0 { // the exchange is not known, and neither is its response
		e.Sentence, s["returned"] = sentence(err.Error()), ""
		return e, true
	}
	why, ok := find("lost", s)
	return e.because(why), ok
}
