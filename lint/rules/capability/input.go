package capability

import (
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record/flow"
)

// inputRules compare the requests of the server with the capabilities of the
// client.
var inputRules = []lint.Rule{
	{ID: "C011", Methods: serverRequests, Select: revision.Method.MayRequestInput, Message: lint.Each(lint.RequestsOf("elicitation/create"), elicitationMode)},
	{ID: "C012", Methods: serverRequests, Select: revision.Method.MayRequestInput, Message: lint.Each(lint.RequestsOf("sampling/createMessage"), func(c *lint.Context, q lint.ServerRequest) {
		if !isDeclared(c.OfClient("sampling")) || isDeclared(c.OfClient("sampling", "tools")) {
			return // C002 reports a missing sampling capability
		}
		for _, name := range []string{"tools", "toolChoice"} {
			if lint.Has(q.Params, name) {
				c.Report(lint.Below(q.At, "/"+name))
				break
			}
		}
	})},
	{ID: "C014", Message: func(c *lint.Context) {
		if !isMissingCapabilityError(c) {
			return
		}
		required := jsonrpc.Get(c.M.Error, "data", "requiredCapabilities")
		if jsonrpc.TypeOf(required) != "object" || len(leaves(required, nil)) == 0 {
			c.Report(lint.At("error", "data"))
		}
	}},
	{ID: "C019", Methods: serverRequests, Select: revision.Method.MayRequestInput, Message: lint.Each(lint.RequestsOf("sampling/createMessage"), func(c *lint.Context, q lint.ServerRequest) {
		context := jsonrpc.Text(q.Params, "includeContext")
		if (context == "thisServer" || context == "allServers") && isDeclared(c.OfClient("sampling")) && !isDeclared(c.OfClient("sampling", "context")) {
			c.Report(lint.Below(q.At, "/includeContext"), "context", context)
		}
	})},
	{ID: "C015", When: lint.Matched, Message: func(c *lint.Context) {
		if !isMissingCapabilityError(c) {
			return
		}
		required := leaves(jsonrpc.Get(c.M.Error, "data", "requiredCapabilities"), nil)
		lacking := func(path []string) bool { return !hasDeclared(c.M.Request, path) }
		if len(required) == 0 || slices.ContainsFunc(required, lacking) {
			return
		}
		list := make([]string, len(required))
		for i, path := range required {
			list[i] = lint.Escaped(strings.Join(path, "."))
		}
		c.Report(lint.At("error", "data", "requiredCapabilities"), "cap", phrase.JoinFirst(list, 5))
	}},
	{ID: "C016", Limit: lint.OncePerSubject, Message: deprecatedFeature},
}

// serverRequests lists the methods of server requests. Their rules also apply to methods whose results may have
// input requests (2026-07-28).
var serverRequests = []string{"elicitation/create", "sampling/createMessage", "roots/list", "tasks/get"}

func isDeclared(value []byte) bool { return jsonrpc.TypeOf(value) == "object" }

func elicitationMode(c *lint.Context, q lint.ServerRequest) {
	can := c.OfClient("elicitation")
	if !isDeclared(can) {
		return
	}
	have, requested := "form", "form"
	if lint.Has(can, "url") {
		if lint.Has(can, "form") {
			return
		}
		have = "url"
	}
	if mode := jsonrpc.Get(q.Params, "mode"); mode != nil {
		requested, _ = jsonrpc.Unquote(mode)
	}
	if requested != have && (requested == "form" || requested == "url") {
		c.Report(lint.Below(q.At, "/mode"), "have", have, "mode", requested)
	}
}

// isMissingCapabilityError reports the error of 2026-07-28 about a capability that the
// request does not declare.
func isMissingCapabilityError(c *lint.Context) bool {
	return c.M.IsError() && c.M.IsStateless() && c.M.Frame.Dir == transport.In && c.M.Envelope.ErrorCode().Is(revision.CodeMissingCapability)
}

// maxLeaves bounds how many capabilities of an error are compared.
const maxLeaves = 100

// leaves returns the paths to the leaves of an object of capabilities.
func leaves(object []byte, path []string) [][]string {
	var found [][]string
	if len(path) < lint.MaxNesting/2 {
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

// hasDeclared reports whether a capability is declared. An empty elicitation object means forms.
func hasDeclared(r *flow.Flow, path []string) bool {
	v := lint.Capability(r, path...)
	if v == nil && len(path) == 2 && path[0] == "elicitation" && path[1] == "form" {
		can := lint.Capability(r, "elicitation")
		return isDeclared(can) && !lint.Has(can, "url")
	}
	return v != nil && string(v) != "false" && string(v) != "null"
}

// deprecations maps the features that 2026-07-28 deprecates to the version since when, and the date until which
// they are guaranteed to work (2026-07-28, deprecated).
var deprecations = map[string]struct{ since, until string }{
	"roots":          {"2026-07-28", "2027-07-28"},
	"sampling":       {"2026-07-28", "2027-07-28"},
	"logging":        {"2026-07-28", "2027-07-28"},
	"includeContext": {"2025-11-25", "2027-07-28"}, // goes with sampling
}

func deprecatedFeature(c *lint.Context) {
	switch {
	case c.M.IsRequest() && isCall(c):
		meta := c.M.Get(c.M.Params, "_meta")
		for _, name := range []string{"roots", "sampling"} {
			if isDeclared(jsonrpc.Get(meta, revision.MetaClientCapabilities, name)) {
				reportDeprecated(c, name, lint.At("params", "_meta", revision.MetaClientCapabilities, name))
			}
		}
		if lint.Has(meta, revision.MetaLogLevel) {
			reportDeprecated(c, "logging", lint.At("params", "_meta", revision.MetaLogLevel))
		}
	case c.M.IsNotification() && c.M.Method == "notifications/message":
		reportDeprecated(c, "logging", lint.At("method"))
	case c.M.IsResult() && c.M.Request != nil:
		for _, q := range c.ServerRequests("roots/list", "sampling/createMessage") {
			feature, _, _ := strings.Cut(q.Method, "/")
			reportDeprecated(c, feature, lint.AtPointer(strings.TrimSuffix(q.At.Path(), "/params")))
			if s := jsonrpc.Text(q.Params, "includeContext"); s != "" && s != "none" {
				reportDeprecated(c, "includeContext", lint.Below(q.At, "/includeContext"))
			}
		}
	}
}

func reportDeprecated(c *lint.Context, feature string, at lint.Place) {
	c.About(feature).Report(at, "feature", feature, "since", deprecations[feature].since, "until", deprecations[feature].until)
}
