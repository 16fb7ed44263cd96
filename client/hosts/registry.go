package hosts

import (
	"slices"
	"strings"

	"mcptea/client/hosts/syntax"
)

// either returns the member under one of two keys; old files have snake_case.
func either(n *syntax.Node, a, b string) *syntax.Node {
	if v := n.Get(a); v != nil {
		return v
	}
	return n.Get(b)
}

// readRegistry reads server.json, the description of a server in the MCP registry.
func readRegistry(f *file) {
	name := text(f.root.Get("name"))
	packages, remotes := f.root.Get("packages"), f.root.Get("remotes")
	if name == "" || packages == nil && remotes == nil {
		return
	}
	f.countServers(f.root, len(items(packages))+len(items(remotes)))
	for _, p := range items(packages) {
		f.readPackage(f.add(name, p), p)
	}
	for _, r := range items(remotes) {
		s := f.add(name, r)
		s.Declared = text(r.Get("type"))
		s.Variant, s.Transport, s.Written.URL = s.Declared, transports[s.Declared], text(r.Get("url"))
		s.Expanded = s.Written
		s.Expanded.URL = s.filled(s.Written.URL, r)
		for _, h := range items(r.Get("headers")) {
			if field, ok := s.field(h); ok {
				s.Written.Headers = append(s.Written.Headers, Field{Name: field.Name, Value: text(h.Get("value"))})
				s.Expanded.Headers = append(s.Expanded.Headers, field)
			}
		}
	}
}

// readPackage reads a package of server.json: the command line that runs it.
func (f *file) readPackage(s *Server, p *syntax.Node) {
	s.Variant = text(either(p, "registryType", "registry_type"))
	s.Declared = text(p.Get("transport", "type"))
	s.Transport = transports[s.Declared]
	for _, v := range items(either(p, "environmentVariables", "environment_variables")) {
		field, ok := s.field(v)
		if field.Name == "" {
			continue
		}
		s.Written.Env = append(s.Written.Env, Field{Name: field.Name, Value: field.Value})
		if ok {
			s.Expanded.Env = append(s.Expanded.Env, field)
		}
	}
	env := s.Expanded.Env
	identifier, version := text(p.Get("identifier")), text(p.Get("version"))
	s.Written.Command = text(either(p, "runtimeHint", "runtime_hint"))
	options := s.arguments(either(p, "runtimeArguments", "runtime_arguments"))
	switch s.Variant {
	case "npm":
		s.runWith("npx")
		if !slices.Contains(options, "-y") && !slices.Contains(options, "--yes") && program(s.Written.Command) == "npx" {
			options = append([]string{"-y"}, options...)
		}
	case "pypi":
		s.runWith("uvx")
	case "nuget":
		s.runWith("dnx")
	case "oci":
		s.runWith("docker")
		options = containerOptions(options, s.Written.Env)
	}
	if s.Variant == "oci" {
		if _, tag, _ := strings.Cut(identifier[strings.LastIndex(identifier, "/")+1:], ":"); version != "" && tag == "" && !strings.Contains(identifier, "@") {
			identifier += ":" + version
		}
	} else if version != "" {
		identifier += "@" + version
	}
	s.Written.Args = slices.Concat(options, []string{identifier}, s.arguments(either(p, "packageArguments", "package_arguments")))
	s.Expanded = s.Written
	s.Expanded.Env = env
}

// runWith sets the program that runs a package, if the manifest names none.
func (s *Server) runWith(command string) {
	if s.Written.Command == "" {
		s.Written.Command = command
	}
}

// containerOptions are the options of docker that run an image as a server over stdio, with
// the variables of its environment.
func containerOptions(options []string, env []Field) []string {
	if slices.Contains(options, "run") {
		return options
	}
	run := []string{"run", "-i", "--rm"}
	for _, v := range env {
		run = append(run, "-e", v.Name)
	}
	return append(run, options...)
}

// filled returns a value of a manifest with the defaults of its variables, such as {region}.
func (s *Server) filled(value string, n *syntax.Node) string {
	variables := n.Get("variables")
	if variables == nil {
		return value
	}
	for _, v := range variables.Members {
		known := text(v.Get("value"))
		if known == "" {
			known = text(v.Get("default"))
		}
		switch name := "{" + v.Key + "}"; {
		case !strings.Contains(value, name):
		case known != "":
			value = strings.ReplaceAll(value, name, known)
		default:
			s.Required = append(s.Required, name)
		}
	}
	return value
}

// field is a variable or a header of a manifest. ok is false if it has no name, or no value and
// needs none.
func (s *Server) field(n *syntax.Node) (field Field, ok bool) {
	field.Name = text(n.Get("name"))
	if field.Name == "" {
		return field, false
	}
	field.Value = text(n.Get("value"))
	if field.Value == "" {
		field.Value = text(n.Get("default"))
	}
	field.Value = s.filled(field.Value, n)
	missing := field.Value == "" && text(either(n, "isRequired", "is_required")) == "true"
	if missing {
		s.Required = append(s.Required, field.Name)
	}
	return field, field.Value != "" || missing
}

// arguments are the arguments of a package, in the form of a command line.
func (s *Server) arguments(n *syntax.Node) (out []string) {
	for _, a := range items(n) {
		value := text(a.Get("value"))
		if value == "" {
			value = text(a.Get("default"))
		}
		name := text(a.Get("name"))
		required := text(either(a, "isRequired", "is_required")) == "true"
		switch value = s.filled(value, a); {
		case value == "" && text(a.Get("type")) == "positional" && required:
			s.Required = append(s.Required, text(either(a, "valueHint", "value_hint")))
			continue
		case value == "" && text(either(a, "isRequired", "is_required")) == "false":
			continue // optional
		}
		if name != "" {
			out = append(out, name)
		}
		if value != "" {
			out = append(out, value)
		}
	}
	return out
}
