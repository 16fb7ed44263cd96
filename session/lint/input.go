package lint

import (
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// inputRules judge what servers ask of clients against what those declared.
var inputRules = []rule{
	{id: "C011", methods: asking(), message: elicitationMode},
	{id: "C012", methods: asking(), message: func(c *Context) {
		for _, q := range c.questions("sampling/createMessage") {
			if !isDeclared(q.capability("sampling")) || isDeclared(q.capability("sampling", "tools")) {
				continue // without sampling, C002
			}
			for _, name := range []string{"tools", "toolChoice"} {
				if has(q.params, name) {
					c.Report(q.place(name))
					break
				}
			}
		}
	}},
	{id: "C014", message: func(c *Context) {
		if c.lacksCapability() && Kind(Member(c.M.Error, "data", "requiredCapabilities")) != "object" {
			c.Report(At("error", "data"))
		}
	}},
	{id: "C015", message: func(c *Context) {
		if !c.lacksCapability() || c.M.Request == nil {
			return
		}
		required := leaves(Member(c.M.Error, "data", "requiredCapabilities"), nil)
		lacking := func(path []string) bool { return !hasDeclared(c.M.Request, path) }
		if len(required) == 0 || slices.ContainsFunc(required, lacking) {
			return
		}
		list := make([]string, len(required))
		for i, path := range required {
			list[i] = escaped(strings.Join(path, "."))
		}
		c.Report(At("error", "data", "requiredCapabilities"), "cap", quoteList(list, 5))
	}},
	{id: "C016", limit: oncePerSubject, message: deprecatedFeature},
}

// asking are the methods that bring questions of the server: those that ask,
// and since 2026-07-28 those whose results may.
func asking() []string {
	list := []string{"elicitation/create", "sampling/createMessage", "roots/list", "tasks/get"}
	for _, m := range revision.Methods(revision.NewestStateless, revision.Client) {
		if m.MayRequestInput() {
			list = append(list, m.Name)
		}
	}
	return list
}

// question is what a server asks of the client.
type question struct {
	method     string
	params     []byte
	at         []any // of the params
	capability func(path ...string) []byte
}

func (q question) place(name string) Place { return At(append(slices.Clone(q.at), name)...) }

// questions are those of a message that ask by certain methods.
func (c *Context) questions(methods ...string) []question {
	if c.M.Frame.Dir != transport.In {
		return nil
	}
	if c.M.IsRequest() && !c.M.Modern() && slices.Contains(methods, c.M.Method) {
		caps := func(path ...string) []byte { return Member(c.St.ClientCaps, path[0], path[1:]...) }
		return []question{{c.M.Method, c.M.Params, []any{"params"}, caps}}
	}
	if !c.M.IsResult() || !c.M.Modern() || c.M.Request == nil {
		return nil
	}
	var found []question
	for key, asked := range jsonrpc.Members(Member(c.M.Result, "inputRequests")) {
		if method := Text(asked, "method"); slices.Contains(methods, method) {
			at := []any{"result", "inputRequests", string(key), "params"}
			found = append(found, question{method, Member(asked, "params"), at, c.M.Request.Capability})
		}
	}
	return found
}

func isDeclared(value []byte) bool { return Kind(value) == "object" }

func elicitationMode(c *Context) {
	for _, q := range c.questions("elicitation/create") {
		can := q.capability("elicitation")
		if !isDeclared(can) {
			continue
		}
		have, wants := "form", "form"
		if has(can, "url") {
			if has(can, "form") {
				continue
			}
			have = "url"
		}
		if mode := Member(q.params, "mode"); mode != nil {
			wants, _ = jsonrpc.Unquote(mode)
		}
		if wants != have && (wants == "form" || wants == "url") {
			c.Report(q.place("mode"), "have", have, "mode", wants)
		}
	}
}

// lacksCapability reports the error of 2026-07-28 about a capability that the
// request does not declare.
func (c *Context) lacksCapability() bool {
	return c.M.IsError() && c.M.Modern() && c.M.Frame.Dir == transport.In && c.M.Envelope.Code == revision.CodeMissingCapability
}

// maxLeaves bounds how many capabilities of an error are compared.
const maxLeaves = 100

// leaves are the paths to the ends of an object of capabilities.
func leaves(object []byte, path []string) [][]string {
	var found [][]string
	if len(path) < maxNested/2 {
		for name, value := range jsonrpc.Members(object) {
			if len(found) >= maxLeaves {
				return found
			}
			below := leaves(value, append(slices.Clone(path), string(name)))
			found = append(found, below...)
		}
	}
	if found == nil && len(path) > 0 {
		return [][]string{path}
	}
	return found
}

// hasDeclared knows that an empty elicitation means forms.
func hasDeclared(r *Request, path []string) bool {
	v := r.Capability(path...)
	if v == nil && len(path) == 2 && path[0] == "elicitation" && path[1] == "form" {
		can := r.Capability("elicitation")
		return isDeclared(can) && !has(can, "url")
	}
	return v != nil && string(v) != "false" && string(v) != "null"
}

// deprecations are the features that 2026-07-28 advises against: since when, and
// until when they are sure to work (2026-07-28, deprecated).
var deprecations = map[string]struct{ since, until string }{
	"roots":          {"2026-07-28", "2027-07-28"},
	"sampling":       {"2026-07-28", "2027-07-28"},
	"logging":        {"2026-07-28", "2027-07-28"},
	"includeContext": {"2025-11-25", "2027-07-28"}, // goes with sampling
}

func deprecatedFeature(c *Context) {
	switch {
	case c.M.IsRequest() && c.isCall():
		meta := Member(c.M.Params, "_meta")
		for _, name := range []string{"roots", "sampling"} {
			if isDeclared(Member(meta, revision.MetaClientCapabilities, name)) {
				c.outdated(name, At("params", "_meta", revision.MetaClientCapabilities, name))
			}
		}
		if has(meta, revision.MetaLogLevel) {
			c.outdated("logging", At("params", "_meta", revision.MetaLogLevel))
		}
	case c.M.IsNotification() && c.M.Method == "notifications/message":
		c.outdated("logging", At("method"))
	case c.M.IsResult():
		for _, q := range c.questions("roots/list", "sampling/createMessage") {
			feature, _, _ := strings.Cut(q.method, "/")
			c.outdated(feature, At(q.at[:len(q.at)-1]...))
			if s := Text(q.params, "includeContext"); s != "" && s != "none" {
				c.outdated("includeContext", q.place("includeContext"))
			}
		}
	}
}

func (c *Context) outdated(feature string, at Place) {
	c.About(feature).Report(at, "feature", feature, "since", deprecations[feature].since, "until", deprecations[feature].until)
}
