package schemas

import (
	"net/url"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/secret"
	"mcptea/internal/lazyregexp"
	"mcptea/lint"
)

const elicitationCreate = "elicitation/create"

// isForm reports an elicitation in form mode, the default.
func isForm(params []byte) bool {
	mode := jsonrpc.Get(params, "mode")
	return jsonrpc.TypeOf(params) == "object" && (mode == nil || jsonrpc.IsText(mode, "form"))
}

func isURLMode(params []byte) bool { return jsonrpc.Text(params, "mode") == "url" }

// forms returns the elicitations in form mode, and urlRequests those in url mode.
func forms(c *lint.Context) []lint.ServerRequest {
	return slices.DeleteFunc(c.ServerRequests(elicitationCreate), func(a lint.ServerRequest) bool { return !isForm(a.Params) })
}

func urlRequests(c *lint.Context) []lint.ServerRequest {
	return slices.DeleteFunc(c.ServerRequests(elicitationCreate), func(a lint.ServerRequest) bool { return !isURLMode(a.Params) })
}

// formProperty is a field of a form.
type formProperty struct {
	name   string
	schema []byte
	at     lint.Place
}

func formProperties(a lint.ServerRequest) []formProperty {
	var found []formProperty
	for name, schema := range jsonrpc.Members(jsonrpc.Get(a.Params, "requestedSchema", "properties")) {
		at := lint.Below(a.At, lint.At("requestedSchema", "properties", string(name)).Path())
		found = append(found, formProperty{string(name), schema, at})
	}
	return found
}

func formShape(c *lint.Context, a lint.ServerRequest) {
	schema, at := jsonrpc.Get(a.Params, "requestedSchema"), lint.Below(a.At, "/requestedSchema")
	found := func(at lint.Place, got string) { c.Report(at, "path", formPath(at), "got", got) }
	switch {
	case schema == nil:
		found(a.At, "a form without requestedSchema")
		return
	case schema[0] != '{':
		found(at, lint.KindOf(schema))
		return
	case jsonrpc.Text(schema, "type") != "object":
		found(at, `a root without "type":"object"`)
		return
	case jsonrpc.TypeOf(jsonrpc.Get(schema, "properties")) != "object":
		found(at, "a root without properties")
		return
	}
	for _, keyword := range []string{"$ref", "allOf", "anyOf", "oneOf", "not", "if"} {
		if lint.Has(schema, keyword) {
			found(lint.Below(at, "/"+keyword), keyword+" at the root")
		}
	}
	for _, p := range formProperties(a) {
		if got := nestedShape(p.schema); got != "" && got != multiSelect {
			found(p.at, got)
		}
	}
}

// formPath describes a place in a form for a sentence.
func formPath(at lint.Place) string {
	_, path, ok := strings.Cut(at.Path(), "/requestedSchema")
	if path = lint.ShownPath(path); !ok || path == "" {
		return "requestedSchema"
	}
	return path
}

// multiSelect is an array of listed values, the only array that a form may have.
const multiSelect = "a multi-select"

// nestedShape names the shape of a field that is not a single value; empty if it
// is one.
func nestedShape(schema []byte) string {
	switch {
	case jsonrpc.TypeOf(schema) != "object":
		return lint.KindOf(schema)
	case lint.Has(schema, "$ref"):
		return "$ref"
	}
	switch jsonrpc.Text(schema, "type") {
	case "object":
		return "a nested object"
	case "array":
		items := jsonrpc.Get(schema, "items")
		if jsonrpc.TypeOf(jsonrpc.Get(items, "enum")) == "array" || hasTitles(jsonrpc.Get(items, "anyOf")) || hasTitles(jsonrpc.Get(items, "oneOf")) {
			return multiSelect
		}
		return "an array of anything but listed values"
	}
	return ""
}

// hasTitles reports values with titles: [{"const":…,"title":…}].
func hasTitles(list []byte) bool {
	n := 0
	for v := range jsonrpc.Elements(list) {
		if n++; !lint.Has(v, "const") {
			return false
		}
	}
	return n > 0
}

// keywords of fields: for all types, annotations, and by type
var (
	formCommon      = []string{"type", "title", "description"}
	formAnnotations = []string{"examples", "$comment", "deprecated", "readOnly", "writeOnly"}
	formOf          = map[string][]string{
		"string":  {"minLength", "maxLength", "format", "enum", "enumNames"},
		"number":  {"minimum", "maximum"},
		"integer": {"minimum", "maximum"},
		"boolean": {"default"},
		"array":   {"items", "minItems", "maxItems"},
	}
	formFormats = []string{"email", "uri", "date", "date-time"}
)

func formKeywords(c *lint.Context, a lint.ServerRequest) {
	for _, p := range formProperties(a) {
		if shape := nestedShape(p.schema); shape != "" && shape != multiSelect {
			continue // S030
		}
		if keyword, pointer := unsupportedKeyword(p.schema, c.M.Revision); keyword != "" {
			at := lint.Below(p.at, pointer)
			c.Report(at, "path", formPath(p.at), "keyword", keyword, "version", lint.Escaped(c.M.Revision))
		}
	}
}

// unsupportedKeyword finds the first keyword of a field that forms of the revision do
// not have.
func unsupportedKeyword(schema []byte, r revision.Revision) (keyword, pointer string) {
	kind := jsonrpc.Text(schema, "type")
	if kind == "array" && r.Before(revision.R20251125) {
		return multiSelect, "/type"
	}
	if formOf[kind] == nil {
		if t := jsonrpc.Get(schema, "type"); t != nil {
			return "type " + lint.ShownValue(t), "/type"
		}
	}
	for name, value := range jsonrpc.Members(schema) {
		s := string(name)
		switch {
		case slices.Contains(formCommon, s), slices.Contains(formAnnotations, s), slices.Contains(formOf[kind], s), strings.HasPrefix(s, "x-"):
			if s == "format" && !slices.Contains(formFormats, jsonrpc.Text(schema, "format")) {
				return "format " + lint.ShownValue(value), "/format"
			}
		case !r.Before(revision.R20251125) && (s == "default" || kind == "string" && (s == "pattern" || s == "oneOf" && hasTitles(value))):
		default:
			return lint.Escaped(s), lint.At(s).Path()
		}
	}
	return "", ""
}

func formSecrets(c *lint.Context, a lint.ServerRequest) {
	asks := false // the form requests any text
	found := false
	fields, name := 0, ""
	for _, p := range formProperties(a) {
		fields, name = fields+1, p.name
		kind := jsonrpc.Text(p.schema, "type")
		text := kind == "string" || (kind == "integer" || kind == "number") && secret.IsField(p.name) && !isCount(p.name)
		if !text || lint.Has(p.schema, "enum") || lint.Has(p.schema, "oneOf") {
			continue
		}
		asks = true
		if secret.IsField(p.name) || secret.IsField(jsonrpc.Text(p.schema, "title")) {
			found = true
			c.Report(p.at, "prop", lint.Escaped(p.name))
		}
	}
	if fields > 1 {
		name = ""
	}
	if word := secretRequested(jsonrpc.Text(a.Params, "message"), name); word != "" && asks && !found {
		c.Report(lint.Below(a.At, "/message"), "prop", word)
	}
}

// isCount reports a number that only counts secrets.
func isCount(name string) bool { return strings.HasSuffix(strings.ToLower(name), "token") }

// secretWords name a secret that a person may type in, in some languages.
var secretWords = lazyregexp.New(`(?i)\b(?:password|passphrase|passcode|api[ -]?key|api token|access token|bearer token|secret key|private key|` +
	`(?:credit |debit )?card number|cvv|(?:2fa|mfa|otp|totp|one-time|verification|security) (?:code|password)|recovery code|social security number|` +
	`passwort|kennwort|mot de passe|contraseña|senha|wachtwoord)\b|\b(?-i:PIN)\b|密码|パスワード|пароль`)

// genericNames lists names of fields that do not describe their content.
var genericNames = []string{"value", "input", "text", "answer", "response", "reply", "data", "code", "content", "key", "field"}

// secretRequested returns the secret that a message requests: one that follows a verb such as "enter", or any
// if the form has a single field with a generic name.
func secretRequested(message, field string) string {
	s := message[:min(len(message), lint.MaxStart)]
	at := secretWords().FindStringIndex(s)
	if at == nil {
		return ""
	}
	word := s[at[0]:at[1]]
	if slices.Contains(genericNames, strings.ToLower(field)) {
		return word
	}
	for _, verb := range []string{"enter ", "provide ", "type ", "input ", "what is your ", "give me your ", "paste "} {
		if i := strings.LastIndex(strings.ToLower(s[:at[0]]), verb); i >= 0 && at[0]-i-len(verb) < 30 {
			return word
		}
	}
	return ""
}

func formResponse(c *lint.Context, r clientResponse) {
	if jsonrpc.TypeOf(r.result) != "object" || jsonrpc.TypeOf(jsonrpc.Get(r.result, "task")) == "object" {
		return
	}
	accepted, content := jsonrpc.Text(r.result, "action") == "accept", jsonrpc.Get(r.result, "content")
	found := func(pointer, fault string) { c.Report(lint.Below(r.at, pointer), "fault", fault) }
	switch {
	case isURLMode(r.params) && content != nil:
		found("/content", "content is not allowed in url mode")
	case isForm(r.params) && accepted && content == nil:
		found("", "content is missing")
	case isForm(r.params) && accepted && content[0] != '{':
		found("/content", "content is "+lint.KindOf(content)+" and not an object")
	}
}

func formMismatch(c *lint.Context, r clientResponse) {
	content, schema := jsonrpc.Get(r.result, "content"), jsonrpc.Get(r.params, "requestedSchema")
	if action := jsonrpc.Text(r.result, "action"); (action == "decline" || action == "cancel") && jsonrpc.Count(content) > 0 {
		c.Report(lint.Below(r.at, "/action"), "reason", "it has content, and the action is "+action)
		return
	}
	if jsonrpc.Text(r.result, "action") != "accept" || !isForm(r.params) || jsonrpc.TypeOf(content) != "object" || jsonrpc.TypeOf(schema) != "object" {
		return
	}
	if m, _ := c.Schema(schema, true).Check(content); m != nil {
		about := lint.ShownPath(m.About)
		if about == "" {
			about = "it"
		}
		c.Report(lint.Below(lint.Below(r.at, "/content"), m.Path), "reason", about+" "+m.Reason)
	}
}

// urlMembers checks elicitations in url mode.
func urlMembers(c *lint.Context, a lint.ServerRequest) {
	u, err := url.Parse(jsonrpc.Text(a.Params, "url"))
	switch id := jsonrpc.Get(a.Params, "elicitationId"); {
	case !lint.Has(a.Params, "url"):
		c.Report(a.At, "reason", "url is missing")
	case err != nil || u.Scheme == "" || u.Host == "" && u.Opaque == "":
		c.Report(lint.Below(a.At, "/url"), "reason", "url is not an absolute URL")
	case c.M.Revision == revision.R20251125 && jsonrpc.TypeOf(id) != "string":
		c.Report(a.At, "reason", "elicitationId is missing")
	case c.M.Revision == revision.R20260728 && id != nil:
		c.Report(lint.Below(a.At, "/elicitationId"), "reason", "elicitationId is not part of it since 2026-07-28")
	}
}

func urlRisks(c *lint.Context, a lint.ServerRequest) {
	if reason := risk(jsonrpc.Text(a.Params, "url")); reason != "" {
		c.Report(lint.Below(a.At, "/url"), "reason", reason)
	}
}

// risk returns why a URL needs a check. It does not quote its values.
func risk(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "" {
		return ""
	}
	var reasons []string
	host := strings.ToLower(u.Hostname())
	if u.Scheme != "https" && !lint.IsLoopback(host) {
		reasons = append(reasons, "it is "+lint.Escaped(u.Scheme)+" and not https")
	}
	if u.User != nil {
		reasons = append(reasons, "it holds a user name before the host")
	}
	if strings.HasPrefix(host, "xn--") || strings.Contains(host, ".xn--") {
		reasons = append(reasons, "its host is written in Punycode")
	}
	for key := range u.Query() {
		if secret.IsField(key) || strings.EqualFold(key, "key") {
			reasons = append(reasons, "it seems to hold a credential")
			break
		}
	}
	return strings.Join(reasons, ", ")
}

// link matches a URL that a host could make clickable.
var link = lazyregexp.New(`(?i)\bhttps?://[^\s"'<>)]+`)

// formLinks reports a URL in the message of a form, or in the title or description of a field.
func formLinks(c *lint.Context, a lint.ServerRequest) {
	report := func(at lint.Place, text string) bool {
		found := link().FindString(text[:min(len(text), lint.MaxStart)])
		if found != "" {
			c.Report(at, "url", lint.ShownURI(found))
		}
		return found != ""
	}
	if report(lint.Below(a.At, "/message"), jsonrpc.Text(a.Params, "message")) {
		return
	}
	for _, p := range formProperties(a) {
		for _, name := range []string{"title", "description"} {
			if jsonrpc.Text(p.schema, "format") != "uri" && report(lint.Below(p.at, "/"+name), jsonrpc.Text(p.schema, name)) {
				return
			}
		}
	}
}
