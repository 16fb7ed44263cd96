package capability

import (
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/session/flow"
	"mcptea/session/lint/rule"
)

// inputRules compare the requests of the server with the capabilities of the
// client.
var inputRules = []rule.Rule{
	{ID: "C011", Methods: methodsWithInputRequests(), Message: elicitationMode},
	{ID: "C012", Methods: methodsWithInputRequests(), Message: func(c *rule.Context) {
		for _, q := range inputRequests(c, "sampling/createMessage") {
			if !isDeclared(q.capability("sampling")) || isDeclared(q.capability("sampling", "tools")) {
				continue // without sampling, C002
			}
			for _, name := range []string{"tools", "toolChoice"} {
				if rule.Has(q.params, name) {
					c.Report(q.place(name))
					break
				}
			}
		}
	}},
	{ID: "C014", Message: func(c *rule.Context) {
		if isMissingCapabilityError(c) && rule.Kind(rule.Member(c.M.Error, "data", "requiredCapabilities")) != "object" {
			c.Report(rule.At("error", "data"))
		}
	}},
	{ID: "C015", Message: func(c *rule.Context) {
		if !isMissingCapabilityError(c) || c.M.Request == nil {
			return
		}
		required := leaves(rule.Member(c.M.Error, "data", "requiredCapabilities"), nil)
		lacking := func(path []string) bool { return !hasDeclared(c.M.Request, path) }
		if len(required) == 0 || slices.ContainsFunc(required, lacking) {
			return
		}
		list := make([]string, len(required))
		for i, path := range required {
			list[i] = rule.Escaped(strings.Join(path, "."))
		}
		c.Report(rule.At("error", "data", "requiredCapabilities"), "cap", rule.JoinFirst(list, 5))
	}},
	{ID: "C016", Limit: rule.OncePerSubject, Message: deprecatedFeature},
}

// methodsWithInputRequests are the methods of server requests, and those whose
// results may have input requests (2026-07-28).
func methodsWithInputRequests() []string {
	list := []string{"elicitation/create", "sampling/createMessage", "roots/list", "tasks/get"}
	for _, m := range revision.Methods(revision.NewestStateless, revision.Client) {
		if m.MayRequestInput() {
			list = append(list, m.Name)
		}
	}
	return list
}

// inputRequest is a request of the server: a message, or an entry of
// inputRequests.
type inputRequest struct {
	method     string
	params     []byte
	at         []any // of the params
	capability func(path ...string) []byte
}

func (q inputRequest) place(name string) rule.Place {
	return rule.At(append(slices.Clone(q.at), name)...)
}

// inputRequests are the requests in a message with one of the methods.
func inputRequests(c *rule.Context, methods ...string) []inputRequest {
	if c.M.Frame.Dir != transport.In {
		return nil
	}
	if c.M.IsRequest() && !c.M.IsStateless() && slices.Contains(methods, c.M.Method) {
		caps := func(path ...string) []byte { return rule.Member(c.St.ClientCaps, path[0], path[1:]...) }
		return []inputRequest{{c.M.Method, c.M.Params, []any{"params"}, caps}}
	}
	if !c.M.IsResult() || !c.M.IsStateless() || c.M.Request == nil {
		return nil
	}
	declares := func(path ...string) []byte { return rule.Capability(c.M.Request, path...) }
	var found []inputRequest
	for key, asked := range jsonrpc.Members(rule.Member(c.M.Result, "inputRequests")) {
		if method := rule.Text(asked, "method"); slices.Contains(methods, method) {
			at := []any{"result", "inputRequests", string(key), "params"}
			found = append(found, inputRequest{method, rule.Member(asked, "params"), at, declares})
		}
	}
	return found
}

func isDeclared(value []byte) bool { return rule.Kind(value) == "object" }

func elicitationMode(c *rule.Context) {
	for _, q := range inputRequests(c, "elicitation/create") {
		can := q.capability("elicitation")
		if !isDeclared(can) {
			continue
		}
		have, requested := "form", "form"
		if rule.Has(can, "url") {
			if rule.Has(can, "form") {
				continue
			}
			have = "url"
		}
		if mode := rule.Member(q.params, "mode"); mode != nil {
			requested, _ = jsonrpc.Unquote(mode)
		}
		if requested != have && (requested == "form" || requested == "url") {
			c.Report(q.place("mode"), "have", have, "mode", requested)
		}
	}
}

// isMissingCapabilityError reports the error of 2026-07-28 about a capability that the
// request does not declare.
func isMissingCapabilityError(c *rule.Context) bool {
	return c.M.IsError() && c.M.IsStateless() && c.M.Frame.Dir == transport.In && c.M.Envelope.Code == revision.CodeMissingCapability
}

// maxLeaves bounds how many capabilities of an error are compared.
const maxLeaves = 100

// leaves are the paths to the ends of an object of capabilities.
func leaves(object []byte, path []string) [][]string {
	var found [][]string
	if len(path) < rule.MaxNesting/2 {
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

// hasDeclared takes into account that an empty elicitation object means forms.
func hasDeclared(r *flow.Flow, path []string) bool {
	v := rule.Capability(r, path...)
	if v == nil && len(path) == 2 && path[0] == "elicitation" && path[1] == "form" {
		can := rule.Capability(r, "elicitation")
		return isDeclared(can) && !rule.Has(can, "url")
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

func deprecatedFeature(c *rule.Context) {
	switch {
	case c.M.IsRequest() && isCall(c):
		meta := rule.Member(c.M.Params, "_meta")
		for _, name := range []string{"roots", "sampling"} {
			if isDeclared(rule.Member(meta, revision.MetaClientCapabilities, name)) {
				reportDeprecated(c, name, rule.At("params", "_meta", revision.MetaClientCapabilities, name))
			}
		}
		if rule.Has(meta, revision.MetaLogLevel) {
			reportDeprecated(c, "logging", rule.At("params", "_meta", revision.MetaLogLevel))
		}
	case c.M.IsNotification() && c.M.Method == "notifications/message":
		reportDeprecated(c, "logging", rule.At("method"))
	case c.M.IsResult():
		for _, q := range inputRequests(c, "roots/list", "sampling/createMessage") {
			feature, _, _ := strings.Cut(q.method, "/")
			reportDeprecated(c, feature, rule.At(q.at[:len(q.at)-1]...))
			if s := rule.Text(q.params, "includeContext"); s != "" && s != "none" {
				reportDeprecated(c, "includeContext", q.place("includeContext"))
			}
		}
	}
}

func reportDeprecated(c *rule.Context, feature string, at rule.Place) {
	c.About(feature).Report(at, "feature", feature, "since", deprecations[feature].since, "until", deprecations[feature].until)
}
