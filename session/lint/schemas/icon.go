package schemas

import (
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/lint/rule"
)

var iconMethods = append(revision.ListMethods(), "initialize", "server/discover")

// badIcons checks the icons of list entries, clientInfo and serverInfo.
func badIcons(c *rule.Context) {
	if c.M.IsRequest() {
		icons(c, jsonrpc.Get(c.M.Params, "clientInfo"), rule.At("params", "clientInfo"))
		return
	}
	if !c.M.IsResult() {
		return
	}
	if list, ok := revision.ListOf(c.M.Method); ok {
		for i, item := range rule.Indexed(jsonrpc.Get(c.M.Result, list.Member)) {
			icons(c, item, rule.At("result", list.Member, i))
		}
		return
	}
	icons(c, jsonrpc.Get(c.M.Result, "serverInfo"), rule.At("result", "serverInfo"))
}

func icons(c *rule.Context, holder []byte, at rule.Place) {
	icons := jsonrpc.Get(holder, "icons")
	if icons == nil {
		return
	}
	at = rule.Below(at, "/icons")
	if icons[0] != '[' {
		c.Report(at, "path", rule.ShownPath(at.Path()), "reason", "icons is "+rule.KindOf(icons)+" and not an array")
		return
	}
	for i, icon := range rule.Indexed(icons) {
		here := rule.Below(at, fmt.Sprint("/", i))
		if member, reason := iconFault(icon); reason != "" {
			c.Report(rule.Below(here, member), "path", rule.ShownPath(here.Path()), "reason", reason)
		}
	}
}

// iconFault says why an icon is invalid, and the member; empty if it is valid.
func iconFault(icon []byte) (pointer, reason string) {
	if icon[0] != '{' {
		return "", "it is " + rule.KindOf(icon) + " and not an object"
	}
	src, ok := jsonrpc.Unquote(jsonrpc.Get(icon, "src"))
	if !ok {
		return "", "src is missing"
	}
	scheme, _, found := strings.Cut(src, ":")
	switch strings.ToLower(scheme) {
	case "https", "http", "data":
	default:
		if !found || strings.ContainsAny(scheme, "/?#") {
			return "/src", "src has no scheme"
		}
		return "/src", "src has the scheme " + rule.Quoted(scheme)
	}
	if sizes := jsonrpc.Get(icon, "sizes"); sizes != nil && sizes[0] != '[' {
		return "/sizes", "sizes is " + rule.KindOf(sizes) + " and not an array"
	}
	if theme := jsonrpc.Get(icon, "theme"); theme != nil && string(theme) != `"light"` && string(theme) != `"dark"` {
		return "/theme", "theme is " + rule.ShownValue(theme) + " and not light or dark"
	}
	return "", ""
}
