package hosts

import (
	"strings"

	"mcptea/client/hosts/syntax"
)

// readers read files that do not have the usual form, by the name in the table.
var readers = map[string]func(*file){
	"claude-code": readClaudeCode, "docker": readDocker, "registry": readRegistry, "bundle": readBundle,
}

// readClaudeCode reads ~/.claude.json: the servers of the user, and those of the
// current project.
func readClaudeCode(f *file) {
	f.readRoot()
	projects := f.root.Value("projects")
	for _, dir := range []string{f.machine.Project, f.machine.Dir} {
		project := projects.Value(dir)
		if project == nil || dir == f.machine.Dir && dir == f.machine.Project && len(f.servers) > 0 && f.servers[len(f.servers)-1].Scope == Local {
			continue
		}
		if servers := project.Value("mcpServers"); servers != nil {
			f.readServers(servers, syntax.Pointer("", "projects", dir, "mcpServers"), Local, dir)
		}
		for _, s := range f.servers {
			if listed(project.Value("disabledMcpServers"), s.Name) {
				f.disable(s, "state", "disabledMcpServers of this project")
			}
		}
	}
}

func listed(list *syntax.Node, name string) bool {
	if list == nil {
		return false
	}
	for _, item := range list.Items {
		if item.Text == name {
			return true
		}
	}
	return false
}

// disable marks a server as switched off by something other than its entry.
func (f *file) disable(s *Server, by, what string) {
	if s.Disabled || !s.Loaded {
		return
	}
	s.Disabled, s.DisabledBy = true, by
	offset := s.node.Start
	if m := f.memberAt(s.Source.Pointer); m != nil {
		offset = m.KeyStart
	}
	f.report(s, "F033", Info, s.Source.Pointer, offset, "Disabled by %s.", what)
}

// applySettings applies the members of a file that concern its servers.
func (f *file) applySettings() {
	switch f.host.ID {
	case "gemini-cli":
		for _, s := range f.servers {
			allowed := f.root.Value("mcp", "allowed")
			if listed(f.root.Value("mcp", "excluded"), s.Name) || allowed != nil && !listed(allowed, s.Name) {
				f.disable(s, "settings", `"mcp" in the settings`)
			}
		}
	case "amazon-q":
		tools := f.root.Value("allowedTools")
		if tools == nil {
			return
		}
		for _, s := range f.servers {
			for _, t := range tools.Items {
				if name, ok := strings.CutPrefix(t.Text, "@"+s.Name+"/"); ok {
					s.ToolsAuto = append(s.ToolsAuto, name)
				} else if t.Text == "@"+s.Name {
					s.ToolsAuto = append(s.ToolsAuto, "*")
				}
			}
		}
	}
}

// add adds a server of a file that describes servers.
func (f *file) add(name, pointer string, n *syntax.Node) *Server {
	s := &Server{Host: f.host.ID, Scope: f.location.Scope, Name: name, Loaded: !f.unloaded, dialect: f.dialect, node: n, prefix: pointer}
	s.Source = Source{File: f.path, Format: f.location.Format, Pointer: pointer}
	offset := n.Start
	if m := f.memberAt(pointer); m != nil {
		offset = m.KeyStart
	}
	s.Source.Line, s.Source.Column = syntax.Position(f.data, offset)
	if len(f.servers) < maxEntries {
		f.servers = append(f.servers, s)
	}
	return s
}

func text(n *syntax.Node) string {
	if n == nil {
		return ""
	}
	return n.Text
}

func texts(n *syntax.Node) (out []string) {
	if n != nil {
		for _, item := range n.Items {
			out = append(out, item.Text)
		}
	}
	return out
}

func items(n *syntax.Node) []*syntax.Node {
	if n == nil {
		return nil
	}
	return n.Items
}

// readDocker reads the list of enabled servers, or a catalog, of the Docker MCP Toolkit.
func readDocker(f *file) {
	registry := f.root.Value("registry")
	if registry == nil {
		return
	}
	for _, m := range registry.Members {
		s := f.add(m.Key, syntax.Pointer("/registry", m.Key), m.Value)
		s.Declared = text(m.Value.Value("type"))
		switch s.Declared {
		case "server", "poci":
			s.Transport, s.Image = Stdio, text(m.Value.Value("image"))
			s.Written.Args = texts(m.Value.Value("command"))
			for _, v := range items(m.Value.Value("env")) {
				s.Written.Env = append(s.Written.Env, Field{Name: text(v.Value("name")), Value: text(v.Value("value"))})
			}
			for _, v := range items(m.Value.Value("secrets")) {
				s.EnvForward = append(s.EnvForward, text(v.Value("env")))
			}
		case "remote":
			s.Transport, s.Written.URL = HTTP, text(m.Value.Value("remote", "url"))
			if text(m.Value.Value("remote", "transport_type")) == "sse" {
				s.Transport = SSE
			}
		}
		s.Expanded = s.Written
	}
}

// either returns the member under one of two keys; old files have snake_case.
func either(n *syntax.Node, a, b string) *syntax.Node {
	if v := n.Value(a); v != nil {
		return v
	}
	return n.Value(b)
}

// readRegistry reads server.json, the description of a server in the MCP registry.
func readRegistry(f *file) {
	name := text(f.root.Value("name"))
	packages, remotes := f.root.Value("packages"), f.root.Value("remotes")
	if name == "" || packages == nil && remotes == nil {
		return
	}
	for i, p := range items(packages) {
		s := f.add(name, syntax.Index("/packages", i), p)
		s.Declared = text(p.Value("transport", "type"))
		s.Transport = transports[s.Declared]
		s.Written.Command = text(either(p, "runtimeHint", "runtime_hint"))
		s.Written.Args = arguments(either(p, "runtimeArguments", "runtime_arguments"))
		identifier := text(p.Value("identifier"))
		if version := text(p.Value("version")); version != "" {
			identifier += "@" + version
		}
		s.Written.Args = append(append(s.Written.Args, identifier), arguments(either(p, "packageArguments", "package_arguments"))...)
		for _, v := range items(either(p, "environmentVariables", "environment_variables")) {
			value := text(v.Value("value"))
			if value == "" {
				value = text(v.Value("default"))
			}
			s.Written.Env = append(s.Written.Env, Field{Name: text(v.Value("name")), Value: value})
		}
		s.Expanded = s.Written
	}
	for i, r := range items(remotes) {
		s := f.add(name, syntax.Index("/remotes", i), r)
		s.Declared = text(r.Value("type"))
		s.Transport, s.Written.URL = transports[s.Declared], text(r.Value("url"))
		s.Expanded = s.Written
		if variables := r.Value("variables"); variables != nil {
			for _, v := range variables.Members {
				if fallback := text(v.Value.Value("default")); fallback != "" {
					s.Expanded.URL = strings.ReplaceAll(s.Expanded.URL, "{"+v.Key+"}", fallback)
				}
			}
		}
	}
}

// arguments are the arguments of a package, in the form of a command line.
func arguments(n *syntax.Node) (out []string) {
	for _, a := range items(n) {
		value := text(a.Value("value"))
		if value == "" {
			value = text(a.Value("default"))
		}
		if name := text(a.Value("name")); name != "" {
			out = append(out, name)
		}
		if value != "" {
			out = append(out, value)
		}
	}
	return out
}

// readBundle reads the manifest of an MCP bundle.
func readBundle(f *file) {
	config := f.root.Value("server", "mcp_config")
	if config == nil || f.root.Value("manifest_version") == nil && f.root.Value("dxt_version") == nil {
		return
	}
	s := f.add(text(f.root.Value("name")), "/server/mcp_config", config)
	s.Transport, s.Declared = Stdio, text(f.root.Value("server", "type"))
	s.Written.Command, s.Written.Args = text(config.Value("command")), texts(config.Value("args"))
	if env := config.Value("env"); env != nil {
		for _, m := range env.Members {
			s.Written.Env = append(s.Written.Env, Field{Name: m.Key, Value: m.Value.Text})
		}
	}
	s.Expanded = s.Written
}
