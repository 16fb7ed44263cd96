package hosts

import (
	"fmt"
	"maps"
	"slices"

	"mcptea/client/hosts/syntax"
	"mcptea/internal/words/phrase"
)

// transports are the names that any host has for a transport.
var transports = map[string]Transport{
	"stdio": Stdio, "local": Stdio, "http": HTTP, "streamable-http": HTTP, "streamableHttp": HTTP, "streamable_http": HTTP, "remote": HTTP,
	"sse": SSE, "ws": WS, "builtin": Builtin,
}

// synonyms are keys for the same thing in several hosts.
var synonyms = [][]string{
	{"env", "environment", "envs", "envFile"},
	{"command", "cmd"},
	{"url", "serverUrl", "uri", "httpUrl", "endpoint"},
	{"cwd", "workingDirectory", "working_directory", "workdir"},
	{"headers", "http_headers", "requestInit"},
	{"tools", "enabled_tools", "includeTools", "available_tools"},
	{"disabledTools", "disabled_tools", "excludeTools"},
	{"autoApprove", "alwaysAllow"},
	{"type", "transport", "transportType"},
}

// transport finds the transport of the host for an entry, and reports contradictions.
func (e *entry) transport() {
	d, host := e.file.dialect, e.file.host.Name
	command, url := e.mapped["command"] != nil, e.mapped["url"] != nil
	if e.Declared != "" {
		e.declared(command, url)
	} else {
		switch {
		case url && (!command || d.BothUses):
			e.Transport = HTTP
			if d.NeedType == Warning {
				e.Transport = SSE
			}
		case command:
			e.Transport = Stdio
		}
	}
	switch {
	case e.Transport == Builtin:
	case !command && !url:
		e.Transport = ""
		switch {
		case e.mapped["settings"] != nil:
			e.Transport, e.Extension = Builtin, true
		case e.file.location.Layered && len(e.mapped) > 0:
			e.Fragment = true
		default:
			e.report("F021", Error, e.node, "The server has neither %q nor %q.", d.keyOf("command"), orURL(d.keyOf("url")))
		}
	case d.StdioOnly && url:
		e.report("F024", Error, e.mapped["url"], "%s does not support servers with a URL here. Use a connector in its settings, or a command such as npx mcp-remote.", host)
	case command && url:
		severity, what := Error, "rejects the entry"
		if d.BothUses {
			severity, what = Warning, "uses the URL"
		}
		e.report("F022", severity, e.node, "The server has both %q and %q. %s %s. Remove one.", d.keyOf("command"), orURL(d.keyOf("url")), host, what)
	case url && e.Declared == "" && d.NeedType != "":
		consequence := "skips the entry"
		if d.NeedType == Warning {
			consequence = "assumes SSE"
		}
		e.report("F025", d.NeedType, e.node, `"type" is missing: %s %s. Add "type": %s.`, host, consequence, d.alternatives(true))
	}
	if url && !command {
		e.rejected()
	}
}

func orURL(key string) string {
	if key == "" {
		return "url"
	}
	return key
}

// declared determines the transport from the type that the entry declares.
func (e *entry) declared(command, url bool) {
	d, host, at := e.file.dialect, e.file.host.Name, e.mapped["type"]
	if at == nil {
		at = e.mapped["nested"]
	}
	inferred := Transport("")
	if command {
		inferred = Stdio
	} else if url {
		inferred = HTTP
	}
	if d.Types == nil {
		e.Transport = inferred
		switch generic := transports[e.Declared]; {
		case generic == SSE && d.NoSSE:
			e.report("F024", Error, at, "%s does not support %s here. Use Streamable HTTP.", host, e.Declared)
		case generic == SSE && url && d.keys["transport"] == "type":
			e.Transport = SSE
		}
		return
	}
	t, ok := d.Types[e.Declared]
	if !ok && d.Deprecated["transportType"] != "" && e.Declared == "http" && at.Key == "transportType" {
		t, ok = HTTP, true
	}
	if !ok {
		t = transports[e.Declared]
		e.report("F024", Error, at, "%s does not support %q here. Use %s.", host, e.Declared, d.alternatives(t != Stdio))
		e.Transport = t
		return
	}
	e.Transport = t
	switch {
	case t == Stdio && url && !command:
		e.report("F026", Error, at, `"type" is %q, but the entry has only a URL.`, e.Declared)
	case t != Stdio && t != Builtin && command && !url:
		e.report("F026", Error, at, `"type" is %q, but the entry has only a command.`, e.Declared)
	}
}

// rejected reports keys that make the host refuse an entry with a URL.
func (e *entry) rejected() {
	for _, key := range slices.Sorted(maps.Keys(e.file.dialect.Rejected)) {
		m := e.body.Get(key)
		if m == nil || m.Kind == syntax.Null {
			continue
		}
		instead := "Remove it."
		if replacement := e.file.dialect.Rejected[key]; replacement != "" {
			instead = fmt.Sprintf("Use %q.", replacement)
		}
		e.report("F031", Error, m, "%s rejects %q for servers with a URL. %s", e.file.host.Name, key, instead)
	}
}

// unknown reports a key that the host ignores.
func (e *entry) unknown(m *syntax.Node) {
	e.Extra = append(e.Extra, m.Key)
	switch near := e.near(m.Key); {
	case m.Key == "mcpServers":
		e.report("F020", Warning, m, "Unknown key %q; %s ignores it. When pasting into an existing file, paste only the content of mcpServers.", m.Key, e.file.host.Name)
	case near != "":
		e.report("F020", Warning, m, "Unknown key %q; %s ignores it. Did you mean %q?", m.Key, e.file.host.Name, near)
	default:
		e.report("F020", Warning, m, "Unknown key %q; %s ignores it. Remove it.", m.Key, e.file.host.Name)
	}
}

// near returns the known key that was probably meant.
func (e *entry) near(key string) string {
	best, least := "", 3
	for _, known := range slices.Sorted(maps.Keys(e.file.dialect.keys)) {
		if d := phrase.EditDistance(key, known); d < least && d < len(key) {
			best, least = known, d
		}
	}
	if best != "" {
		return best
	}
	for limit := range 3 { // the key itself, or one of its synonyms with a typing error
		for _, set := range synonyms {
			if !slices.ContainsFunc(set, func(other string) bool { return phrase.EditDistance(key, other) == limit }) {
				continue
			}
			for _, known := range set {
				if e.file.dialect.keys[known] != "" {
					return known
				}
			}
		}
	}
	return ""
}
