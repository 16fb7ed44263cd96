package lint

import (
	"iter"
	"regexp"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

const elicit = "elicitation/create"

// isForm reports a question that is a form: the mode when none is named.
func isForm(params []byte) bool {
	mode := Member(params, "mode")
	return Kind(params) == "object" && (mode == nil || string(mode) == `"form"`)
}

func isURLMode(params []byte) bool { return Text(params, "mode") == "url" }

// forms walks over the schemas of the forms that a message asks to fill in.
func forms(c *Context) iter.Seq[asked] {
	return func(yield func(asked) bool) {
		for a := range asks(c, elicit) {
			if isForm(a.params) && !yield(a) {
				return
			}
		}
	}
}

// formProperty is a field of a form.
type formProperty struct {
	name   string
	schema []byte
	at     Place
}

func formProperties(a asked) iter.Seq[formProperty] {
	return func(yield func(formProperty) bool) {
		for name, schema := range jsonrpc.Members(Member(a.params, "requestedSchema", "properties")) {
			at := below(a.at, At("requestedSchema", "properties", string(name)).Path())
			if !yield(formProperty{string(name), schema, at}) {
				return
			}
		}
	}
}

func formShape(c *Context) {
	for a := range forms(c) {
		schema, at := Member(a.params, "requestedSchema"), below(a.at, "/requestedSchema")
		found := func(at Place, got string) { c.Report(at, "path", formPath(at), "got", got) }
		switch {
		case schema == nil:
			found(a.at, "a form without requestedSchema")
			continue
		case schema[0] != '{':
			found(at, kindOf(schema))
			continue
		case Text(schema, "type") != "object":
			found(at, `a root without "type":"object"`)
			continue
		case Kind(Member(schema, "properties")) != "object":
			found(at, "a root without properties")
			continue
		}
		for _, keyword := range []string{"$ref", "allOf", "anyOf", "oneOf", "not", "if"} {
			if has(schema, keyword) {
				found(below(at, "/"+keyword), keyword+" at the root")
			}
		}
		for p := range formProperties(a) {
			if got := notFlat(p.schema); got != "" && got != multiSelect {
				found(p.at, got)
			}
		}
	}
}

// formPath is a place in a form as a sentence calls it.
func formPath(at Place) string {
	_, path, ok := strings.Cut(at.Path(), "/requestedSchema")
	if path = shownPath(path); !ok || path == "" {
		return "requestedSchema"
	}
	return path
}

// multiSelect is a list of listed values, the one array that a form may have.
const multiSelect = "a multi-select"

// notFlat says what a field is when it is no single value; empty when it is
// one.
func notFlat(schema []byte) string {
	switch {
	case Kind(schema) != "object":
		return kindOf(schema)
	case has(schema, "$ref"):
		return "$ref"
	}
	switch Text(schema, "type") {
	case "object":
		return "a nested object"
	case "array":
		items := Member(schema, "items")
		if Kind(Member(items, "enum")) == "array" || isTitled(Member(items, "anyOf")) || isTitled(Member(items, "oneOf")) {
			return multiSelect
		}
		return "an array of anything but listed values"
	}
	return ""
}

// isTitled reports values with titles: [{"const":…,"title":…}].
func isTitled(list []byte) bool {
	n := 0
	for v := range jsonrpc.Elements(list) {
		if n++; !has(v, "const") {
			return false
		}
	}
	return n > 0
}

// The keywords of fields: those of all, those that only tell something, and
// those of each type.
var (
	formCommon = []string{"type", "title", "description"}
	formNotes  = []string{"examples", "$comment", "deprecated", "readOnly", "writeOnly"}
	formOf     = map[string][]string{
		"string":  {"minLength", "maxLength", "format", "enum", "enumNames"},
		"number":  {"minimum", "maximum"},
		"integer": {"minimum", "maximum"},
		"boolean": {"default"},
		"array":   {"items", "minItems", "maxItems"},
	}
	formFormats = []string{"email", "uri", "date", "date-time"}
)

func formKeywords(c *Context) {
	for a := range forms(c) {
		for p := range formProperties(a) {
			if shape := notFlat(p.schema); shape != "" && shape != multiSelect {
				continue // S030 has said it
			}
			if keyword, pointer := oddKeyword(p.schema, c.M.Revision); keyword != "" {
				at := below(p.at, pointer)
				c.Report(at, "path", formPath(p.at), "keyword", keyword, "revision", escaped(c.M.Revision))
			}
		}
	}
}

// oddKeyword finds the first keyword of a field that forms of the revision do
// not have.
func oddKeyword(schema []byte, r revision.Revision) (keyword, pointer string) {
	kind := Text(schema, "type")
	if kind == "array" && r.Before(revision.R20251125) {
		return multiSelect, "/type"
	}
	if formOf[kind] == nil {
		if t := Member(schema, "type"); t != nil {
			return "type " + shownValue(t), "/type"
		}
	}
	for name, value := range jsonrpc.Members(schema) {
		s := string(name)
		switch {
		case slices.Contains(formCommon, s), slices.Contains(formNotes, s), slices.Contains(formOf[kind], s), strings.HasPrefix(s, "x-"):
			if s == "format" && !slices.Contains(formFormats, Text(schema, "format")) {
				return "format " + shownValue(value), "/format"
			}
		case !r.Before(revision.R20251125) && (s == "default" || kind == "string" && (s == "pattern" || s == "oneOf" && isTitled(value))):
		default:
			return escaped(s), At(s).Path()
		}
	}
	return "", ""
}

func formSecrets(c *Context) {
	for a := range forms(c) {
		asks := false // for any text
		found := false
		fields, name := 0, ""
		for p := range formProperties(a) {
			fields, name = fields+1, p.name
			kind := Text(p.schema, "type")
			text := kind == "string" || (kind == "integer" || kind == "number") && isSecretField(p.name) && !isCount(p.name)
			if !text || has(p.schema, "enum") || has(p.schema, "oneOf") {
				continue
			}
			asks = true
			if isSecretField(p.name) || isSecretField(Text(p.schema, "title")) {
				found = true
				c.Report(p.at, "prop", escaped(p.name))
			}
		}
		if fields > 1 {
			name = ""
		}
		if word := secretWanted(Text(a.params, "message"), name); word != "" && asks && !found {
			c.Report(below(a.at, "/message"), "prop", word)
		}
	}
}

// isCount reports a number that only counts secrets.
func isCount(name string) bool { return strings.HasSuffix(strings.ToLower(name), "token") }

// secretWords name a secret that a person may type in, in some languages.
var secretWords = regexp.MustCompile(`(?i)\b(?:password|passphrase|passcode|api[ -]?key|api token|access token|bearer token|secret key|private key|` +
	`(?:credit |debit )?card number|cvv|(?:2fa|mfa|otp|totp|one-time|verification|security) (?:code|password)|recovery code|social security number|` +
	`passwort|kennwort|mot de passe|contraseña|senha|wachtwoord)\b|\b(?-i:PIN)\b|密码|パスワード|пароль`)

// unspecific are names of fields that say nothing of what is asked for.
var unspecific = []string{"value", "input", "text", "answer", "response", "reply", "data", "code", "content", "key", "field"}

// secretWanted finds the secret that a message asks to type in: one that is named
// shortly after a verb that asks for it, or anywhere, if the form has a single
// field whose name does not say what it is for.
func secretWanted(message, field string) string {
	s := message[:min(len(message), maxSaid)]
	at := secretWords.FindStringIndex(s)
	if at == nil {
		return ""
	}
	word := s[at[0]:at[1]]
	if slices.Contains(unspecific, strings.ToLower(field)) {
		return word
	}
	for _, verb := range []string{"enter ", "provide ", "type ", "input ", "what is your ", "give me your ", "paste "} {
		if i := strings.LastIndex(strings.ToLower(s[:at[0]]), verb); i >= 0 && at[0]-i-len(verb) < 30 {
			return word
		}
	}
	return ""
}

func formAnswer(c *Context) {
	for r := range replies(c, elicit) {
		if Kind(r.result) != "object" || Kind(Member(r.result, "task")) == "object" {
			continue
		}
		action, content := Member(r.result, "action"), Member(r.result, "content")
		found := func(pointer, reason string) { c.Report(below(r.at, pointer), "reason", reason) }
		switch string(action) {
		case "":
			found("", "action is missing")
			continue
		case `"accept"`, `"decline"`, `"cancel"`:
		default:
			found("/action", "action is "+shownValue(action))
			continue
		}
		accepted := string(action) == `"accept"`
		switch {
		case isURLMode(r.params) && content != nil:
			found("/content", "an answer to a url request has no content")
		case isForm(r.params) && accepted && content == nil:
			found("", "content is missing")
		case isForm(r.params) && accepted && content[0] != '{':
			found("/content", "content is "+kindOf(content)+" and not an object")
		}
	}
}

func formMismatch(c *Context) {
	for r := range replies(c, elicit) {
		content, schema := Member(r.result, "content"), Member(r.params, "requestedSchema")
		if Text(r.result, "action") != "accept" || !isForm(r.params) || Kind(content) != "object" || Kind(schema) != "object" {
			continue
		}
		if m, _ := c.schema(schema, true).Check(content); m != nil {
			about := shownPath(m.About)
			if about == "" {
				about = "it"
			}
			c.Report(below(below(r.at, "/content"), m.Path), "reason", about+" "+m.Reason)
		}
	}
}
