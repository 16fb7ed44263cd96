package failure

import (
	"html"
	"net/http"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/words/phrase"
	"mcptea/session/explain/facts"
)

// messageOf returns the message in the body of an unsuccessful response: the messages of a JSON value, the text
// of a short page or the title of a long one, the message of an exception, or the text.
func messageOf(body []byte) string {
	text := strings.TrimSpace(string(body))
	switch {
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "["):
		return jsonMessage(body)
	case strings.HasPrefix(text, "<"):
		return markupMessage(text)
	}
	if text, ok := jsonrpc.Unquote([]byte(text)); ok {
		return text
	}
	if strings.HasPrefix(text, "Traceback ") { // in Python, the message is the last line
		text = text[strings.LastIndexByte(text, '\n')+1:]
	}
	return phrase.OneLine(withoutStack(text))
}

// stackFrame matches the first frame of a stack trace below an exception, with the preceding line break.
var stackFrame = lazyregexp.New(`\r?\n\s+at [\w$.<>\[\]/ ]+[(:]|\r?\n#0 |\r?\nStack trace:`)

// withoutStack returns a text up to its stack trace.
func withoutStack(text string) string {
	if at := stackFrame().FindStringIndex(text); at != nil && at[0] > 0 {
		return text[:at[0]]
	}
	return text
}

// maxPageText bounds the text of a page that counts as a message, in bytes. A longer page belongs to a website.
const maxPageText = 500

var (
	// xmlMessage matches the message of an error in XML, as object stores and gateways write it.
	xmlMessage = lazyregexp.New(`(?is)<(?:\w+:)?(?:message|faultstring|detail|description)>\s*([^<]+?)\s*</`)
	// exceptionText matches an exception within the text of a page.
	exceptionText = lazyregexp.New(`\b(?:[\w.$]*(?:Error|Exception)): .+`)
	pageFrame     = lazyregexp.New(` at [\w$.<>\[\] ]*\(?(?:/|file:|[A-Za-z]:\\|node:).*`)
)

// markupMessage returns the message of a body in XML or HTML.
func markupMessage(text string) string {
	title, isPage := phrase.Page(text)
	if !isPage {
		if m := xmlMessage().FindStringSubmatch(text); m != nil {
			return phrase.OneLine(html.UnescapeString(m[1]))
		}
		return ""
	}
	shown := phrase.PageText(text)
	if m := exceptionText().FindString(shown); m != "" {
		return phrase.Clip(pageFrame().ReplaceAllString(m, ""), textHead)
	}
	if shown == "" || len(shown) > maxPageText {
		return title
	}
	return shown
}

// maxMessages bounds the messages that are taken from one JSON value, and maxMessageDepth its levels.
const (
	maxMessages     = 4
	maxMessageDepth = 5
)

var (
	// messageMembers holds names of members whose strings are messages.
	messageMembers = strings.Fields("error errors message data msg errormessage error_message error_description detail details reason description title hint exception cause faultstring")
	// placeMembers holds names of members that identify the value a message is about.
	placeMembers = strings.Fields("loc path field param parameter property pointer propertypath")
	// aside holds names of members that never contain a message.
	aside = strings.Fields("trace stack stacktrace traces input ctx value params")
)

// jsonMessage returns the messages of a JSON value, found by the usual names of members in its first levels. It
// leaves out messages that only repeat a status if there are others.
func jsonMessage(body []byte) string {
	value := []byte(strings.TrimSpace(string(body)))
	var all []string
	collectMessages(value, "", 0, &all)
	texts := distinct(slices.DeleteFunc(slices.Clone(all), isStatusText))
	if len(texts) == 0 && len(all) > 0 {
		texts = all[:1]
	}
	if len(texts) == 0 {
		return phrase.OneLine(string(value))
	}
	slices.SortStableFunc(texts, func(a, b string) int { // invalid_token before its description
		return len(codeName().FindString(b)) - len(codeName().FindString(a))
	})
	text := ""
	for i, t := range texts[:min(len(texts), maxMessages)] {
		switch {
		case i == 0:
			text = t
		case codeName().MatchString(texts[i-1]):
			text += ": " + t
		default:
			text = strings.TrimRight(text, ".;") + "; " + t
		}
	}
	return phrase.Body(text, -1, len(text))
}

// plainMessage returns a text with the JSON value at its end replaced by the messages of that value.
func plainMessage(text string) string {
	text = phrase.OneLine(text)
	at := strings.IndexAny(text, "{[")
	for tries := 0; at >= 0 && tries < maxMessages; tries++ {
		if tail := []byte(text[at:]); jsonrpc.Valid(tail) {
			said := jsonMessage(tail)
			if strings.HasPrefix(said, "{") || strings.HasPrefix(said, "[") {
				return text
			}
			return strings.TrimPrefix(strings.TrimRight(text[:at], ": ")+": "+said, ": ")
		}
		next := strings.IndexAny(text[at+1:], "{[")
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return text
}

// codeName matches the name of an error, such as invalid_token.
var codeName = lazyregexp.New(`^[A-Za-z]+(?:[_-][A-Za-z]+)+$`)

// distinct returns the texts that are not part of another one.
func distinct(texts []string) (kept []string) {
	for i, t := range texts {
		within := func(other string) bool { return strings.Contains(strings.ToLower(other), strings.ToLower(t)) }
		if slices.ContainsFunc(texts[:i], within) || slices.ContainsFunc(texts[i+1:], func(other string) bool { return other != t && within(other) }) {
			continue
		}
		kept = append(kept, t)
	}
	return kept
}

// collectMessages appends the messages of a JSON value that is the member name of another one.
func collectMessages(value []byte, name string, depth int, all *[]string) {
	if len(value) == 0 || depth > maxMessageDepth || len(*all) >= 2*maxMessages {
		return
	}
	lower := strings.ToLower(strings.TrimSuffix(name, "[]"))
	switch value[0] {
	case '"':
		text, _ := jsonrpc.Unquote(value)
		if text = strings.TrimSpace(text); text != "" && slices.Contains(messageMembers, lower) {
			if inner := strings.TrimSpace(text); strings.HasPrefix(inner, "{") && jsonrpc.Valid([]byte(inner)) {
				collectMessages([]byte(inner), "", depth+1, all)
				return
			}
			*all = append(*all, phrase.OneLine(withoutStack(text)))
		}
	case '[':
		for element := range jsonrpc.Elements(value) {
			collectMessages(element, lower+"[]", depth+1, all)
		}
	case '{':
		if slices.Contains(aside, lower) {
			return
		}
		if issue := issueOf(value); issue != "" {
			*all = append(*all, issue)
			return
		}
		for key, member := range jsonrpc.Members(value) {
			memberName := string(key)
			if strings.EqualFold(name, "errors") && !slices.Contains(messageMembers, strings.ToLower(memberName)) {
				appendField(memberName, member, all)
				continue
			}
			if !slices.Contains(aside, strings.ToLower(memberName)) {
				collectMessages(member, memberName, depth+1, all)
			}
		}
	}
}

// appendField appends the messages of a field, as frameworks map fields to lists of them.
func appendField(field string, value []byte, all *[]string) {
	texts := [][]byte{value}
	if len(value) > 0 && value[0] == '[' {
		texts = slices.Collect(jsonrpc.Elements(value))
	}
	for _, t := range texts {
		text, ok := jsonrpc.Unquote(t)
		if !ok || text == "" {
			continue
		}
		if !strings.Contains(strings.ToLower(text), strings.ToLower(field)) {
			text = field + ": " + text
		}
		*all = append(*all, phrase.OneLine(text))
	}
}

// issueOf returns an entry of a list of validation errors as "place: message", or "" for another object.
func issueOf(object []byte) string {
	place, said := "", ""
	for key, member := range jsonrpc.Members(object) {
		switch name := strings.ToLower(string(key)); {
		case name == "msg" || name == "message" || name == "detail" && said == "":
			said, _ = jsonrpc.Unquote(member)
		case name == "source" || name == "location":
			place = placeOf([]byte(jsonrpc.Text(member, "pointer")))
		case slices.Contains(placeMembers, name) && place == "":
			place = placeOf(member)
		}
	}
	if place == "" || said == "" || strings.HasPrefix(place, "/") {
		return ""
	}
	return phrase.OneLine(place + ": " + said)
}

// requestParts holds the parts of a request that FastAPI names before a field.
var requestParts = strings.Fields("header query path cookie body")

// placeOf returns the path of a value in one word, after the part of the request if it is named.
func placeOf(value []byte) string {
	if text, ok := jsonrpc.Unquote(value); ok {
		return text
	}
	var names []string
	for element := range jsonrpc.Elements(value) {
		text, ok := jsonrpc.Unquote(element)
		if !ok {
			text = string(element)
		}
		names = append(names, text)
	}
	if len(names) > 1 && slices.Contains(requestParts, names[0]) {
		return names[0] + " " + strings.Join(names[1:], ".")
	}
	return strings.Join(names, ".")
}

// generic matches messages that frameworks send for a path or method without a handler.
var generic = lazyregexp.New(`(?i)^(?:\d{3}\b.*|(?:(?:the|page|route|path|resource|url|endpoint|requested|file) )*not found\W*|cannot (?:get|post|delete) \S*|method not allowed\W*|bad request\W*|unauthorized|forbidden|access denied\W*|ok|no route\b.*|something went wrong\W*|true|false|null|(?:one or more )?validation errors? occurred\W*|validation failed\W*)$`)

// saysNothing reports whether a message gives no reason: frameworks send it for a path or method without a handler, or it
// only says that something failed.
func saysNothing(text string) bool { return facts.OnlyFailed(text) || generic().MatchString(text) }

// onlyParams matches the standard message of the code -32602, which has no reason of its own.
var onlyParams = lazyregexp.New(`(?i)^invalid params\W*$`)

// isStatusText reports whether a text is only the words of a status.
func isStatusText(text string) bool {
	if saysNothing(text) || onlyParams().MatchString(text) {
		return true
	}
	for status := http.StatusBadRequest; status <= http.StatusNetworkAuthenticationRequired; status++ {
		if words := http.StatusText(status); words != "" && strings.EqualFold(strings.TrimRight(text, ".!"), words) {
			return true
		}
	}
	return false
}

// isOwnMessage reports whether a message contains more than the status.
func isOwnMessage(said string, err *transport.StatusError) bool {
	return said != "" && !isGeneric(said, err.Status) && (!isHTML(err.Body) || isOwnPage(said, err.Status))
}

// pageWords matches the standard texts of web servers for a status.
var pageWords = lazyregexp.New(`(?i)\b(?:nginx|openresty|apache|tomcat|jetty|caddy|microsoft-iis|iis|httpd?|cloudflare|cloudfront|envoy|varnish|litespeed)\b\S*|you don.?t have permission to access .{0,200}? on this server|you don.?t have permission to access[^.]*|reference #?[\w.]+|the (?:requested )?(?:url|resource|page|file)\b[^.]*(?:not found|not exist|not be found|not allowed)[^.]*|the server (?:is temporarily unable|encountered|cannot|could not|understood|did not)[^.]*|please (?:try again|contact|come back)[^.]*|server at \S+ port \d+|that.?s (?:an error|all we know)|application error|https?://\S+|\b(?:error|the|a|an|of|this|page|is|was|code|status|report|type|message|server|site|home|back|go|to|we|sorry|oops|request|access|denied|error:)\b|[^\p{L} ]+`)

// errorName matches the name of an error as platforms write it, such as ERR_NGROK_3200.
var errorName = lazyregexp.New(`\b[A-Z]{3,}(?:_[A-Z0-9]+)+\b`)

// leastPageWords is the number of words from which the text of a page is a message.
const leastPageWords = 4

// isOwnPage reports whether the text of a page contains more than its status. A page for a path that is not
// found belongs to the site.
func isOwnPage(said string, status int) bool {
	if exceptionText().MatchString(said) || errorName().MatchString(said) {
		return true
	}
	if status == http.StatusNotFound || len(said) > maxPageText {
		return false
	}
	rest := pageWords().ReplaceAllString(said, " ")
	for _, word := range strings.Fields(http.StatusText(status)) {
		rest = strings.ReplaceAll(strings.ToLower(rest), strings.ToLower(word), " ")
	}
	return len(strings.Fields(rest)) >= leastPageWords
}

// Said returns the part of the body of a refusal that adds information to its status, in one line of bounded
// length, or "".
func Said(err *transport.StatusError) string {
	said := messageOf(err.Body)
	if !isOwnMessage(said, err) {
		return ""
	}
	return cut(said)
}

// isHTML reports whether a body is a page.
func isHTML(body []byte) bool {
	_, page := phrase.Page(body)
	return page
}

// isGeneric reports whether a message only repeats the status.
func isGeneric(said string, status int) bool {
	return saysNothing(said) || strings.EqualFold(strings.TrimRight(said, ".!"), http.StatusText(status))
}
