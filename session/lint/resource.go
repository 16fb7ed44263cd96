package lint

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/yosida95/uritemplate/v3"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// resourceRules judge resources and roots.
var resourceRules = []rule{
	{id: "R001", methods: []string{"resources/read", "resources/subscribe", "resources/unsubscribe"}, message: withoutURI},
	{id: "R002", limit: perMessage(someEntries), methods: []string{
		"resources/read", "resources/subscribe", "resources/unsubscribe", "resources/list", "subscriptions/listen",
		"notifications/resources/updated", "tools/call", "prompts/get",
	}, message: invalidURI},
	{id: "R003", limit: perMessage(someEntries), methods: []string{"resources/list", "resources/templates/list"}, message: resourceListShape},
	{id: "R004", limit: perMessage(someEntries), methods: []string{"resources/read"}, message: contentsShape},
	{id: "R005", limit: perMessage(someEntries), methods: []string{"resources/read"}, message: textXorBlob},
	{id: "R006", methods: []string{"resources/read"}, message: notFoundCode},
	{id: "R007", methods: []string{"resources/read"}, message: notFoundAsEmpty},
	{id: "R008", limit: perMessage(someEntries), methods: []string{"resources/templates/list"}, message: invalidTemplate},
	{methods: []string{"resources/subscribe", "resources/unsubscribe", "subscriptions/listen"}, after: watchFollowers},
	{id: "R009", methods: []string{"notifications/resources/updated"}, message: updateUnasked},
	{id: "R010", methods: []string{"notifications/resources/updated"}, message: func(c *Context) {
		if k := Kind(c.M.Params); (k == "" || k == "object") && Kind(Member(c.M.Params, "uri")) != "string" {
			c.Report(At("params", "uri"))
		}
	}},
	{id: "R011", limit: perMessage(someEntries), methods: []string{"resources/list"}, message: func(c *Context) {
		c.twice("resources", "uri", func(at Place, uri string) { c.Report(at, "uri", `"`+shownURI(uri)+`"`) })
	}},
	{id: "R012", limit: perMessage(someEntries), methods: []string{"roots/list", "tools/call", "prompts/get", "resources/read"}, message: rootNotFile},
	{id: "R013", limit: perMessage(someEntries), methods: []string{"resources/read"}, message: otherURI},
}

// done reports a complete result that is an object.
func (m *Message) done() bool { return m.Request != nil && Kind(m.Result) == "object" && m.Complete() }

func withoutURI(c *Context) {
	if k := Kind(c.M.Params); !c.M.IsRequest() || k != "" && k != "object" || Kind(Member(c.M.Params, "uri")) == "string" {
		return
	}
	at, suggestion := At("params", "uri"), ""
	for _, slip := range []string{"url", "path", "name", "URI", "resource"} {
		if !has(c.M.Params, "uri") && has(c.M.Params, slip) {
			at, suggestion = At("params", slip), fmt.Sprintf(" It has %q instead.", slip)
			break
		}
	}
	c.Report(at, "method", `"`+c.M.Method+`"`, "suggestion", suggestion)
}

// invalidURI leaves those of roots to R012.
func invalidURI(c *Context) {
	wrong := func(uri []byte) bool {
		text, ok := jsonrpc.Unquote(uri)
		return ok && !isAbsoluteURI(text)
	}
	find := func(uri []byte, at ...any) {
		text, _ := jsonrpc.Unquote(uri)
		c.Report(At(at...), "got", shownURI(text))
	}
	if !c.M.IsAnswer() {
		if uri := Member(c.M.Params, "uri"); wrong(uri) {
			find(uri, "params", "uri")
		}
		for i, uri := range numbered(Member(c.M.Params, "notifications", "resourceSubscriptions")) {
			if wrong(uri) {
				find(uri, "params", "notifications", "resourceSubscriptions", i)
			}
		}
		return
	}
	for _, list := range []string{"resources", "contents", "content"} {
		for i, entry := range numbered(Member(c.M.Result, list)) {
			if uri := Member(entry, "uri"); wrong(uri) {
				find(uri, "result", list, i, "uri")
			}
			if uri := Member(entry, "resource", "uri"); wrong(uri) {
				find(uri, "result", list, i, "resource", "uri")
			}
		}
	}
	for i, message := range numbered(Member(c.M.Result, "messages")) {
		content := Member(message, "content")
		if uri := Member(content, "uri"); wrong(uri) {
			find(uri, "result", "messages", i, "content", "uri")
		}
		if uri := Member(content, "resource", "uri"); wrong(uri) {
			find(uri, "result", "messages", i, "content", "resource", "uri")
		}
	}
}

// isAbsoluteURI is no full test: it finds what cannot be one.
func isAbsoluteURI(s string) bool {
	scheme, _, ok := strings.Cut(s, ":")
	if !ok || scheme == "" {
		return false
	}
	for i, ch := range []byte(scheme) {
		letter := ch|0x20 >= 'a' && ch|0x20 <= 'z'
		if !letter && (i == 0 || (ch < '0' || ch > '9') && ch != '+' && ch != '-' && ch != '.') {
			return false
		}
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '\\' || r == 0x7f })
}

func resourceListShape(c *Context) {
	if !c.M.done() {
		return
	}
	member, shape := lists[c.M.Method], revision.ShapeResource
	if c.M.Method == "resources/templates/list" {
		shape = revision.ShapeTemplate
	}
	array := Member(c.M.Result, member)
	if Kind(array) != "array" {
		c.Report(At("result", member), "path", fmt.Sprintf("the array %q of the result", member))
		return
	}
	needed := shape.Members(c.M.Revision)
	for i, entry := range numbered(array) {
		for _, m := range needed {
			if m.Required && Kind(Member(entry, m.Name)) != "string" {
				c.Report(At("result", member, i, m.Name), "path", fmt.Sprintf("the text %q of %s[%d]", m.Name, member, i))
			}
		}
	}
}

func contentsShape(c *Context) {
	if !c.M.done() {
		return
	}
	contents := Member(c.M.Result, "contents")
	switch {
	case contents == nil && has(c.M.Result, "content"):
		c.Report(At("result", "content"))
	case Kind(contents) != "array":
		c.Report(At("result", "contents"))
	}
	for i, entry := range numbered(contents) {
		if Kind(Member(entry, "uri")) != "string" {
			c.Report(At("result", "contents", i, "uri"))
		}
	}
}

func textXorBlob(c *Context) {
	if !c.M.done() {
		return
	}
	for i, entry := range numbered(Member(c.M.Result, "contents")) {
		text, blob := Kind(Member(entry, "text")) == "string", Kind(Member(entry, "blob")) == "string"
		if Kind(entry) == "object" && text == blob {
			c.Report(At("result", "contents", i), "index", i)
		}
	}
}

// notFoundCode goes by the words of the error, since the code is what may be
// wrong: that of a missing method, session or server says something else.
func notFoundCode(c *Context) {
	if !c.M.IsError() || c.M.Revision == "" {
		return
	}
	want := int64(-32002)
	if c.M.Modern() {
		want = jsonrpc.CodeInvalidParams
	}
	uri := ""
	if c.M.Request != nil {
		uri = strings.ToLower(Text(c.M.Request.Params, "uri"))
	}
	text := strings.ToLower(Text(c.M.Error, "message"))
	about := containsAny(text, "resource", "uri", "file") || uri != "" && strings.Contains(text, uri)
	if about && saysMissing(text, "resource", "uri", "file") && c.M.Envelope.Code != want && c.M.Envelope.Code != jsonrpc.CodeMethodNotFound {
		c.Report(At("error", "code"), "got", c.M.Envelope.Code, "revision", c.M.Revision, "want", want)
	}
}

// saysMissing reports whether an error, in small letters, says that what was
// asked for is not there; it may be called by one of the names.
func saysMissing(text string, names ...string) bool {
	if containsAny(text, "method", "session") {
		return false
	}
	for _, name := range names {
		if strings.Contains(text, "unknown "+name) {
			return true
		}
	}
	return containsAny(text, "not found", "does not exist", "doesn't exist", "no such")
}

func containsAny(text string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

func notFoundAsEmpty(c *Context) {
	contents := Member(c.M.Result, "contents")
	if !c.M.done() || Kind(contents) != "array" {
		return
	}
	for range jsonrpc.Elements(contents) {
		return
	}
	asked := uriKey(Text(c.M.Request.Params, "uri"))
	if l := c.St.Lists["resources/list"]; l != nil {
		for _, item := range l.Items {
			if uriKey(Text(item, "uri")) == asked {
				return
			}
		}
	}
	c.Report(At("result", "contents"))
}

func invalidTemplate(c *Context) {
	if !c.M.done() {
		return
	}
	for i, entry := range numbered(Member(c.M.Result, "resourceTemplates")) {
		template, ok := jsonrpc.Unquote(Member(entry, "uriTemplate"))
		if !ok || strings.ContainsRune(template, '\uFFFD') { // which the parser takes for bytes that are no text
			continue
		}
		if _, err := uritemplate.New(template); err != nil {
			c.Report(At("result", "resourceTemplates", i, "uriTemplate"),
				"got", shownURI(template), "reason", templateReason(err), "name", "{name}")
		}
	}
}

// templateReason is what the parser says, without the template that it quotes.
func templateReason(err error) string {
	if strings.HasPrefix(err.Error(), "unacceptable character") {
		return "a character that must be written as %XX"
	}
	reason, _, _ := strings.Cut(err.Error(), ": ")
	return reason
}

func rootNotFile(c *Context) {
	check := func(roots []byte, at ...any) {
		for i, root := range numbered(roots) {
			uri := Member(root, "uri")
			text, _ := jsonrpc.Unquote(uri)
			if len(text) >= 7 && strings.EqualFold(text[:7], "file://") {
				continue
			}
			got := "none"
			if uri != nil {
				got = `"` + shownURI(text) + `"`
			}
			c.Report(At(append(at, i, "uri")...), "got", got)
		}
	}
	switch {
	case c.M.Frame.Dir != transport.Out:
	case c.M.IsResult() && c.M.Method == "roots/list":
		check(Member(c.M.Result, "roots"), "result", "roots")
	case c.M.IsRequest() && c.M.Modern():
		for key, response := range jsonrpc.Members(Member(c.M.Params, "inputResponses")) {
			check(Member(response, "roots"), "params", "inputResponses", string(key), "roots")
		}
	}
}

func otherURI(c *Context) {
	if !c.M.done() {
		return
	}
	asked := Text(c.M.Request.Params, "uri")
	for i, entry := range numbered(Member(c.M.Result, "contents")) {
		got, ok := jsonrpc.Unquote(Member(entry, "uri"))
		if ok && asked != "" && !isBelow(uriKey(got), uriKey(asked)) {
			c.Report(At("result", "contents", i, "uri"), "want", shownURI(asked), "got", shownURI(got))
		}
	}
}

// uriKey is a URI as it is compared: libraries write the same one in several
// ways, with a slash at the end, in capitals, or with escapes.
func uriKey(uri string) string {
	if plainToken, err := url.PathUnescape(uri); err == nil {
		uri = plainToken
	}
	return strings.ToLower(strings.TrimRight(uri, "/"))
}

// isBelow reports whether a key is another one, or lies isBelow it.
func isBelow(key, above string) bool {
	rest, ok := strings.CutPrefix(key, above)
	return ok && (rest == "" || above == "" || strings.HasSuffix(above, ":") || strings.ContainsAny(rest[:1], "/?#"))
}
