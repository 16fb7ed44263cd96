package lint

import (
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
)

var iconMethods = []string{
	"initialize", "server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list",
}

// badIcons looks at the icons of what is listed, and of the two sides.
func badIcons(c *Context) {
	if c.M.IsRequest() {
		c.icons(Member(c.M.Params, "clientInfo"), At("params", "clientInfo"))
		return
	}
	if !c.M.IsResult() {
		return
	}
	if list, ok := lists[c.M.Method]; ok {
		i := 0
		for item := range jsonrpc.Elements(Member(c.M.Result, list)) {
			c.icons(item, At("result", list, i))
			i++
		}
		return
	}
	c.icons(Member(c.M.Result, "serverInfo"), At("result", "serverInfo"))
}

func (c *Context) icons(holder []byte, at Place) {
	icons := Member(holder, "icons")
	if icons == nil {
		return
	}
	at = below(at, "/icons")
	if icons[0] != '[' {
		c.Report(at, "path", shownPath(at.Path()), "reason", "icons is "+kindOf(icons)+" and not an array")
		return
	}
	i := 0
	for icon := range jsonrpc.Elements(icons) {
		here := below(at, fmt.Sprint("/", i))
		if member, reason := whyNotIcon(icon); reason != "" {
			c.Report(below(here, member), "path", shownPath(here.Path()), "reason", reason)
		}
		i++
	}
}

// whyNotIcon says what is wrong with an icon, and with which of its members;
// empty when nothing is.
func whyNotIcon(icon []byte) (pointer, reason string) {
	if icon[0] != '{' {
		return "", "it is " + kindOf(icon) + " and not an object"
	}
	src, ok := jsonrpc.Unquote(Member(icon, "src"))
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
		return "/src", "src has the scheme " + quoted(scheme)
	}
	if sizes := Member(icon, "sizes"); sizes != nil && sizes[0] != '[' {
		return "/sizes", "sizes is " + kindOf(sizes) + " and not an array"
	}
	if theme := Member(icon, "theme"); theme != nil && string(theme) != `"light"` && string(theme) != `"dark"` {
		return "/theme", "theme is " + shownValue(theme) + " and not light or dark"
	}
	return "", ""
}
