package hosts

import (
	"slices"
	"strings"

	"mcptea/client/hosts/syntax"
)

// readers read files that do not have the usual form, by the name in the table.
var readers = map[string]func(*file){
	"claude-code": readClaudeCode, "docker": readDocker, "registry": readRegistry, "bundle": readBundle,
}

// readClaudeCode reads ~/.claude.json: the servers of the user and of the current project.
func readClaudeCode(f *file) {
	f.readRoot()
	projects := f.root.Get("projects")
	for _, dir := range []string{f.machine.Project, f.machine.Dir} {
		project := projects.Get(dir)
		if project == nil || dir == f.machine.Dir && dir == f.machine.Project && len(f.servers) > 0 && f.servers[len(f.servers)-1].Scope == Local {
			continue
		}
		if servers := project.Get("mcpServers"); servers != nil {
			f.readServers(servers, Local, dir)
		}
		for _, s := range f.servers {
			if listed(project.Get("disabledMcpServers"), s.Name) {
				f.disable(s, "state", "disabledMcpServers of this project")
			}
		}
	}
}

func listed(list *syntax.Node, name string) bool {
	return slices.Contains(syntax.TextsOf(list), name)
}

// disable marks a server as switched off by something other than its entry.
func (f *file) disable(s *Server, by, what string) {
	if s.Disabled || !s.Loaded {
		return
	}
	s.Disabled, s.DisabledBy = true, by
	f.report(s, "F033", Info, s.node, "Disabled by %s.", what)
}

// applySettings applies the members of a file that concern its servers.
func (f *file) applySettings() {
	switch f.host.ID {
	case "gemini-cli":
		for _, s := range f.servers {
			allowed := f.root.Get("mcp", "allowed")
			if listed(f.root.Get("mcp", "excluded"), s.Name) || allowed != nil && !listed(allowed, s.Name) {
				f.disable(s, "settings", `"mcp" in the settings`)
			}
		}
	case "amazon-q":
		for _, s := range f.servers {
			for _, tool := range syntax.TextsOf(f.root.Get("allowedTools")) {
				if name, ok := strings.CutPrefix(tool, "@"+s.Name+"/"); ok {
					s.ToolsAuto = append(s.ToolsAuto, name)
				} else if tool == "@"+s.Name {
					s.ToolsAuto = append(s.ToolsAuto, "*")
				}
			}
		}
	}
}

// add adds a server of a file that describes servers.
func (f *file) add(name string, n *syntax.Node) *Server {
	s := f.server(name, n, f.location.Scope)
	if len(f.servers) < maxEntries {
		f.servers = append(f.servers, s)
	}
	return s
}

// readDocker reads the list of enabled servers, or a catalog, of the Docker MCP Toolkit.
func readDocker(f *file) {
	registry := f.root.Get("registry")
	if registry == nil {
		return
	}
	f.countServers(registry, len(registry.Members))
	for _, m := range registry.Members {
		s := f.add(m.Key, m)
		s.Declared = syntax.TextOf(m.Get("type"))
		switch s.Declared {
		case "server", "poci":
			s.Transport, s.Image = Stdio, syntax.TextOf(m.Get("image"))
			s.Written.Args = syntax.TextsOf(m.Get("command"))
			for _, v := range syntax.ItemsOf(m.Get("env")) {
				s.Written.Env = append(s.Written.Env, Field{Name: syntax.TextOf(v.Get("name")), Value: syntax.TextOf(v.Get("value"))})
			}
			for _, v := range syntax.ItemsOf(m.Get("secrets")) {
				s.EnvForward = append(s.EnvForward, syntax.TextOf(v.Get("env")))
			}
		case "remote":
			s.Transport, s.Written.URL = HTTP, syntax.TextOf(m.Get("remote", "url"))
			if syntax.TextOf(m.Get("remote", "transport_type")) == "sse" {
				s.Transport = SSE
			}
		}
		s.Expanded = s.Written
	}
}
