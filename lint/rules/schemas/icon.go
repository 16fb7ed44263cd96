package schemas

import (
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
)

var iconMethods = append(revision.ListMethods(), "initialize", "server/discover")

// badIcons checks the icons of list entries, clientInfo and serverInfo.
func badIcons(c *lint.Context) {
	if c.M.IsRequest() {
		icons(c, c.M.Get(c.M.Params, "clientInfo"), lint.At("params", "clientInfo"))
		return
	}
	if !c.M.IsResult() {
		return
	}
	if list, ok := revision.ListOf(c.M.Method); ok {
		for i, item := range lint.Indexed(c.M.Get(c.M.Result, list.Member)) {
			icons(c, item, lint.At("result", list.Member, i))
		}
		return
	}
	icons(c, c.M.Get(c.M.Result, "serverInfo"), lint.At("result", "serverInfo"))
}

func icons(c *lint.Context, holder []byte, at lint.Place) {
	icons := jsonrpc.Get(holder, "icons")
	if icons == nil {
		return
	}
	at = lint.Below(at, "/icons")
	if icons[0] != '[' {
		c.Report(at, "path", lint.ShownPath(at.Path()), "reason", "icons is "+lint.KindOf(icons)+" and not an array")
		return
	}
	for i, icon := range lint.Indexed(icons) {
		here := lint.Below(at, fmt.Sprint("/", i))
		if member, reason := iconFault(icon); reason != "" {
			c.Report(lint.Below(here, member), "path", lint.ShownPath(here.Path()), "reason", reason)
		}
	}
}

// iconFault returns the wrong member of an icon and the reason, or "" if the icon is valid.
func iconFault(icon []byte) (pointer, reason string) {
	if icon[0] != '{' {
		return "", "it is " + lint.KindOf(icon) + " and not an object"
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
		return "/src", "src has the scheme " + lint.Quoted(scheme)
	}
	if sizes := jsonrpc.Get(icon, "sizes"); sizes != nil && sizes[0] != '[' {
		return "/sizes", "sizes is " + lint.KindOf(sizes) + " and not an array"
	}
	if theme := jsonrpc.Get(icon, "theme"); theme != nil && !jsonrpc.IsText(theme, "light") && !jsonrpc.IsText(theme, "dark") {
		return "/theme", "theme is " + lint.ShownValue(theme) + " and not light or dark"
	}
	return "", ""
}
