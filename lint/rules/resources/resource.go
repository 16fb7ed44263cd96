// Package resources checks resources, templates, subscriptions to resources and roots.
package resources

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/yosida95/uritemplate/v3"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/record/flow"
)

// Rules check resources and roots.
var Rules = []lint.Rule{
	{ID: "R001", Methods: []string{"resources/read", "resources/subscribe", "resources/unsubscribe"}, Message: missingURI},
	{ID: "R002", Limit: lint.PerMessage(lint.SomeEntries), Methods: []string{
		"resources/read", "resources/subscribe", "resources/unsubscribe", "resources/list", "subscriptions/listen",
		"notifications/resources/updated", "tools/call", "prompts/get",
	}, Message: invalidURI},
	{ID: "R004", Limit: lint.PerMessage(lint.SomeEntries)},
	{ID: "R005", Limit: lint.PerMessage(lint.SomeEntries), Methods: []string{"resources/read"}, When: lint.Complete, Message: textXorBlob},
	{ID: "R006", Methods: []string{"resources/read"}, When: lint.ErrorResponse, Message: notFoundCode},
	{ID: "R007", Methods: []string{"resources/read"}, Message: notFoundAsEmpty},
	{ID: "R008", Limit: lint.PerMessage(lint.SomeEntries), Methods: []string{"resources/templates/list"}, When: lint.Complete, Message: invalidTemplate},
	{ID: "R014", Methods: []string{"resources/read"}, When: lint.ErrorResponse | lint.Matched, Message: completedButMissing},
	{Methods: []string{"completion/complete"}, When: lint.Result | lint.Matched, After: watchCompletions},
	{Methods: []string{"resources/subscribe", "resources/unsubscribe", "subscriptions/listen"}, After: watchSubscribers},
	{When: lint.Matched, Message: endSubscribers},
	{ID: "R009", Methods: []string{"notifications/resources/updated"}, Message: unsubscribedUpdate},
	{ID: "R011", Limit: lint.PerMessage(lint.SomeEntries), Methods: []string{"resources/list", "resources/templates/list"}, Message: func(c *lint.Context) {
		c.Duplicates(func(at lint.Place, uri string) { c.Report(at, "uri", lint.QuotedURI(uri)) })
	}},
	{ID: "R012", Limit: lint.PerMessage(lint.SomeEntries), Methods: []string{"roots/list", "tools/call", "prompts/get", "resources/read"}, Message: rootNotFile},
	{ID: "R015", Limit: lint.PerMessage(lint.SomeEntries), Methods: []string{"resources/list", "resources/templates/list", "resources/read"}, When: lint.Complete, Message: noMIMEType},
	{ID: "R013", Limit: lint.PerMessage(lint.SomeEntries), Methods: []string{"resources/read"}, When: lint.Complete, Message: differentURI},
}

func missingURI(c *lint.Context) {
	if k := jsonrpc.TypeOf(c.M.Params); !c.M.IsRequest() || k != "" && k != "object" || jsonrpc.TypeOf(c.M.Get(c.M.Params, "uri")) == "string" {
		return
	}
	at, suggestion := lint.At("params", "uri"), ""
	for _, misspelled := range []string{"url", "path", "name", "URI", "resource"} {
		if !c.M.Has(c.M.Params, "uri") && c.M.Has(c.M.Params, misspelled) {
			at, suggestion = lint.At("params", misspelled), fmt.Sprintf(" It has %q instead.", misspelled)
			break
		}
	}
	c.Report(at, "method", `"`+c.M.Method+`"`, "suggestion", suggestion)
}

// invalidURI does not check roots, which is R012.
func invalidURI(c *lint.Context) {
	wrong := func(uri []byte) bool {
		text, ok := jsonrpc.Unquote(uri)
		return ok && !isAbsoluteURI(text)
	}
	find := func(uri []byte, at ...any) {
		text, _ := jsonrpc.Unquote(uri)
		c.Report(lint.At(at...), "got", lint.ShownURI(text))
	}
	if !c.M.IsResponse() {
		if uri, ok := c.M.URI(); ok && !isAbsoluteURI(uri) {
			c.Report(lint.At("params", "uri"), "got", lint.ShownURI(uri))
		}
		if c.M.Method != "subscriptions/listen" {
			return
		}
		for i, uri := range lint.Indexed(jsonrpc.Get(c.M.Params, "notifications", "resourceSubscriptions")) {
			if wrong(uri) {
				find(uri, "params", "notifications", "resourceSubscriptions", i)
			}
		}
		return
	}
	if !c.M.Envelope.MayHave("uri") {
		return
	}
	for _, list := range []string{"resources", "contents", "content"} {
		for i, entry := range lint.Indexed(c.M.Get(c.M.Result, list)) {
			if uri := jsonrpc.Get(entry, "uri"); wrong(uri) {
				find(uri, "result", list, i, "uri")
			}
			if uri := jsonrpc.Get(entry, "resource", "uri"); wrong(uri) {
				find(uri, "result", list, i, "resource", "uri")
			}
		}
	}
	for i, message := range lint.Indexed(c.M.Get(c.M.Result, "messages")) {
		content := jsonrpc.Get(message, "content")
		if uri := jsonrpc.Get(content, "uri"); wrong(uri) {
			find(uri, "result", "messages", i, "content", "uri")
		}
		if uri := jsonrpc.Get(content, "resource", "uri"); wrong(uri) {
			find(uri, "result", "messages", i, "content", "resource", "uri")
		}
	}
}

// isAbsoluteURI rejects only texts that cannot be an absolute URI.
func isAbsoluteURI(s string) bool {
	scheme, _, ok := strings.Cut(s, ":")
	if !ok || scheme == "" || !lint.IsLetter(scheme[0]) || !lint.IsWord(scheme, "+-.") {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f })
}

func textXorBlob(c *lint.Context) {
	for i, entry := range lint.Indexed(c.M.Get(c.M.Result, "contents")) {
		text, blob := jsonrpc.TypeOf(jsonrpc.Get(entry, "text")) == "string", jsonrpc.TypeOf(jsonrpc.Get(entry, "blob")) == "string"
		if jsonrpc.TypeOf(entry) == "object" && text == blob {
			c.Report(lint.At("result", "contents", i), "index", i)
		}
	}
}

// notFoundCode recognizes a missing resource by the text, because the code may be
// wrong. It ignores missing methods and sessions.
func notFoundCode(c *lint.Context) {
	code, ok := lint.ErrorCode(c.M)
	if !ok || c.M.Revision == "" || !isMissing(c) || code == missingCode(c) || code == jsonrpc.CodeMethodNotFound {
		return
	}
	c.Report(lint.At("error", "code"), "got", code, "version", c.M.Revision, "want", missingCode(c))
}

// missingCode returns the code for a missing resource.
func missingCode(c *lint.Context) int64 {
	if c.M.IsStateless() {
		return jsonrpc.CodeInvalidParams
	}
	return revision.CodeResourceNotFound
}

// isMissing reports whether the text of an error response says that a resource is missing.
func isMissing(c *lint.Context) bool {
	uri := ""
	if c.M.Request != nil {
		uri = strings.ToLower(jsonrpc.Text(c.M.Request.Params, "uri"))
	}
	text := strings.ToLower(c.M.Text(c.M.Error, "message"))
	about := lint.ContainsAny(text, "resource", "uri", "file") || uri != "" && strings.Contains(text, uri)
	return about && lint.DescribesMissing(text, "resource", "uri", "file")
}

func notFoundAsEmpty(c *lint.Context) {
	contents := c.M.Get(c.M.Result, "contents")
	if !c.M.IsCompleteObject() || jsonrpc.TypeOf(contents) != "array" || lint.First(contents) != nil {
		return
	}
	requested := uriKey(jsonrpc.Text(c.M.Request.Params, "uri"))
	if l := c.St.Lists["resources/list"]; l != nil {
		for _, item := range l.Items {
			if uriKey(jsonrpc.Text(item, "uri")) == requested {
				return
			}
		}
	}
	c.Report(lint.At("result", "contents"))
}

func invalidTemplate(c *lint.Context) {
	for i, entry := range lint.Indexed(c.M.Get(c.M.Result, "resourceTemplates")) {
		template, ok := jsonrpc.Unquote(jsonrpc.Get(entry, "uriTemplate"))
		if !ok || strings.ContainsRune(template, '\uFFFD') { // the parser would report invalid UTF-8
			continue
		}
		if _, err := uritemplate.New(template); err != nil {
			c.Report(lint.At("result", "resourceTemplates", i, "uriTemplate"),
				"got", lint.ShownURI(template), "reason", templateReason(err), "name", "{name}")
		}
	}
}

// templateReason returns the error of the parser without the template.
func templateReason(err error) string {
	if strings.HasPrefix(err.Error(), "unacceptable character") {
		return "a character that must be written as %XX"
	}
	reason, _, _ := strings.Cut(err.Error(), ": ")
	return reason
}

func rootNotFile(c *lint.Context) {
	check := func(roots []byte, at ...any) {
		for i, root := range lint.Indexed(roots) {
			uri := jsonrpc.Get(root, "uri")
			text, _ := jsonrpc.Unquote(uri)
			if len(text) >= 7 && strings.EqualFold(text[:7], "file://") {
				continue
			}
			got := "none"
			if uri != nil {
				got = lint.QuotedURI(text).String()
			}
			c.Report(lint.At(append(at, i, "uri")...), "got", got)
		}
	}
	switch {
	case c.M.Frame.Dir != transport.Out:
	case c.M.IsResult() && c.M.Method == "roots/list":
		check(c.M.Get(c.M.Result, "roots"), "result", "roots")
	case c.M.IsRequest() && c.M.IsStateless():
		for key, response := range jsonrpc.Members(c.M.Get(c.M.Params, "inputResponses")) {
			check(jsonrpc.Get(response, "roots"), "params", "inputResponses", string(key), "roots")
		}
	}
}

func differentURI(c *lint.Context) {
	requested := jsonrpc.Text(c.M.Request.Params, "uri")
	for i, entry := range lint.Indexed(c.M.Get(c.M.Result, "contents")) {
		got, ok := jsonrpc.Unquote(jsonrpc.Get(entry, "uri"))
		if ok && requested != "" && !isBelow(uriKey(got), uriKey(requested)) {
			c.Report(lint.At("result", "contents", i, "uri"), "want", lint.ShownURI(requested), "got", lint.ShownURI(got))
		}
	}
}

// uriKey returns a URI for comparison: libraries write the same one in several ways, with a trailing slash, in
// capitals, or with escapes.
func uriKey(uri string) string {
	if plain, err := url.PathUnescape(uri); err == nil {
		uri = plain
	}
	return strings.ToLower(strings.TrimRight(uri, "/"))
}

// isBelow reports whether a key equals another one or is below it.
func isBelow(key, above string) bool {
	rest, ok := strings.CutPrefix(key, above)
	return ok && (rest == "" || above == "" || strings.HasSuffix(above, ":") || strings.ContainsAny(rest[:1], "/?#"))
}

// subscriber is a resource that the client has subscribed to.
type subscriber struct {
	key    string     // key of its URI
	listen *flow.Flow // the request that keeps it; nil for resources/subscribe
	ended  time.Time
	row    int32 // 1-based row of the response that ended it, or 0
	// over reports that a later request has got a response, too: on one stream, no update that was on its way
	// can still arrive.
	over bool
}

// subscribers holds the newest maxSubscribers subscriptions of a connection.
type subscribers struct {
	all []subscriber
	// isPart reports that older subscriptions were dropped, so that an update may belong to one of them.
	isPart bool
}

// maxSubscribers bounds the recorded subscriptions of a connection: each update is compared with all of them.
const maxSubscribers = 1000

// updateGrace is the time in which updates can still arrive after the end of a subscription.
const updateGrace = 5 * time.Second

// isExpired reports whether a subscription ended so long ago that its updates can no longer arrive.
func (s *subscriber) isExpired(now time.Time) bool {
	if s.listen != nil && s.listen.State == flow.Cancelled && s.ended.IsZero() {
		s.ended = s.listen.Ended
	}
	return s.over || !s.ended.IsZero() && now.Sub(s.ended) > updateGrace
}

func watchSubscribers(c *lint.Context) {
	all := lint.Own[subscribers](c.St)
	switch {
	case c.M.IsRequest() && c.M.Method == "resources/subscribe":
		key := uriKey(c.M.Text(c.M.Params, "uri"))
		all.drop(func(old *subscriber) bool { return old.isExpired(c.St.Now) || old.listen == nil && old.key == key })
		all.add(subscriber{key: key})
	case c.M.IsRequest() && c.M.Method == "subscriptions/listen":
		listen := c.St.Flows.Find(c.M.Frame.Dir, c.M.ID)
		all.drop(func(old *subscriber) bool { return old.isExpired(c.St.Now) })
		for _, uri := range jsonrpc.Strings(jsonrpc.Get(c.M.Params, "notifications", "resourceSubscriptions")) {
			all.add(subscriber{key: uriKey(uri), listen: listen})
		}
	case c.M.IsResponse() && c.M.Request != nil:
		all.handleResponse(c.M, c.St.Now)
	}
}

// endSubscribers notes for each subscription that has ended whether the response is one to a later request.
func endSubscribers(c *lint.Context) {
	if c.St.Link != lint.Stdio || c.M.Request == nil {
		return
	}
	all := lint.Own[subscribers](c.St).all
	for i := range all {
		all[i].over = all[i].over || all[i].row > 0 && c.M.Request.Row() >= all[i].row
	}
}

// drop drops the old subscriptions, without a copy of each on the heap.
func (s *subscribers) drop(old func(*subscriber) bool) {
	kept := s.all[:0]
	for i := range s.all {
		if !old(&s.all[i]) {
			kept = append(kept, s.all[i])
		}
	}
	clear(s.all[len(kept):])
	s.all = kept
}

func (s *subscribers) add(sub subscriber) {
	if len(s.all) == maxSubscribers {
		s.all, s.isPart = slices.Delete(s.all, 0, 1), true
	}
	s.all = append(s.all, sub)
}

// handleResponse ends a subscription: any response to subscriptions/listen, an
// error for resources/subscribe, a result for resources/unsubscribe.
func (s *subscribers) handleResponse(m *lint.Message, now time.Time) {
	key := uriKey(jsonrpc.Text(m.Request.Params, "uri"))
	for i := range s.all {
		sub := &s.all[i]
		switch {
		case m.Method == "subscriptions/listen":
			if sub.listen == m.Request {
				sub.ended, sub.row = now, m.Frame.Row+1
			}
		case sub.listen == nil && sub.key == key && sub.row == 0 && m.IsError() == (m.Method == "resources/subscribe"):
			sub.ended, sub.row = now, m.Frame.Row+1
		}
	}
}

func unsubscribedUpdate(c *lint.Context) {
	uri, ok := c.M.URI()
	if !ok {
		return
	}
	key := uriKey(uri)
	own := lint.Own[subscribers](c.St)
	for i := range own.all {
		if sub := &own.all[i]; isBelow(key, sub.key) && !sub.isExpired(c.St.Now) {
			return
		}
	}
	if own.isPart {
		return
	}
	c.Report(lint.At("params", "uri"), "uri", lint.QuotedURI(uri))
}

// noMIMEType reports a mimeType without a type and a subtype (RFC 6838, section 4.2).
func noMIMEType(c *lint.Context) {
	if !c.M.Envelope.MayHave("mimeType") {
		return
	}
	for _, list := range []string{"resources", "resourceTemplates", "contents"} {
		for i, entry := range lint.Indexed(c.M.Get(c.M.Result, list)) {
			text, ok := jsonrpc.Unquote(jsonrpc.Get(entry, "mimeType"))
			if kind, part, cut := strings.Cut(lint.MediaTypeOf(text), "/"); ok && (!cut || !isRestrictedName(kind) || !isRestrictedName(part)) {
				uri := cmp.Or(jsonrpc.Text(entry, "uri"), jsonrpc.Text(entry, "uriTemplate"))
				c.Report(lint.At("result", list, i, "mimeType"), "what", lint.QuotedURI(uri), "got", lint.Quoted(text))
			}
		}
	}
}

// isRestrictedName reports whether a part of a MIME type has only the characters that it may have.
func isRestrictedName(s string) bool {
	return s != "" && lint.IsWord(s, "!#$&-^_.+*")
}
