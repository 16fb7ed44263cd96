package hosts

import (
	"slices"
	"strings"

	"mcptea/client/hosts/syntax"
	"mcptea/client/servercard"
)

// readRegistry reads server.json, the description of a server in the MCP registry.
func readRegistry(f *file) {
	name := syntax.TextOf(f.root.Get("name"))
	packages, remotes := f.root.Get("packages"), f.root.Get("remotes")
	if name == "" || packages == nil && remotes == nil {
		return
	}
	f.countServers(f.root, len(syntax.ItemsOf(packages))+len(syntax.ItemsOf(remotes)))
	for _, p := range syntax.ItemsOf(packages) {
		f.readPackage(f.add(name, p), p)
	}
	for _, n := range syntax.ItemsOf(remotes) {
		s, r := f.add(name, n), servercard.ReadRemote(n)
		s.Declared = r.Type
		s.Variant, s.Transport, s.Written.URL = r.Type, transports[r.Type], r.URL
		s.Expanded = s.Written
		s.Expanded.URL = s.filled(r.URL, r.Variables)
		for i := range r.Headers {
			if field, ok := s.field(&r.Headers[i]); ok {
				s.Written.Headers = append(s.Written.Headers, Field{Name: field.Name, Value: r.Headers[i].Value})
				s.Expanded.Headers = append(s.Expanded.Headers, field)
			}
		}
	}
}

// readPackage reads a package of server.json: the command line that runs it.
func (f *file) readPackage(s *Server, p *syntax.Node) {
	s.Variant = syntax.TextOf(servercard.Either(p, "registryType", "registry_type"))
	s.Declared = syntax.TextOf(p.Get("transport", "type"))
	s.Transport = transports[s.Declared]
	for _, v := range syntax.ItemsOf(servercard.Either(p, "environmentVariables", "environment_variables")) {
		in := servercard.ReadInput(v)
		field, ok := s.field(&in)
		if field.Name == "" {
			continue
		}
		s.Written.Env = append(s.Written.Env, Field{Name: field.Name, Value: field.Value})
		if ok {
			s.Expanded.Env = append(s.Expanded.Env, field)
		}
	}
	env := s.Expanded.Env
	identifier, version := syntax.TextOf(p.Get("identifier")), syntax.TextOf(p.Get("version"))
	s.Written.Command = syntax.TextOf(servercard.Either(p, "runtimeHint", "runtime_hint"))
	options := s.arguments(servercard.Either(p, "runtimeArguments", "runtime_arguments"))
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
	s.Written.Args = slices.Concat(options, []string{identifier}, s.arguments(servercard.Either(p, "packageArguments", "package_arguments")))
	s.Expanded = s.Written
	s.Expanded.Env = env
}

// runWith sets the program that runs a package, if the manifest names none.
func (s *Server) runWith(command string) {
	if s.Written.Command == "" {
		s.Written.Command = command
	}
}

// containerOptions returns the options of docker that run an image as a server over stdio, with
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
func (s *Server) filled(value string, variables []servercard.Input) string {
	value, missing := servercard.Filled(value, variables)
	s.Required = append(s.Required, missing...)
	return value
}

// field returns a variable or a header of a manifest. ok is false if it has no name, or if it has no value and
// is not required.
func (s *Server) field(in *servercard.Input) (field Field, ok bool) {
	if field.Name = in.Name; field.Name == "" {
		return field, false
	}
	field.Value = s.filled(in.Known(), in.Variables)
	missing := field.Value == "" && in.Required
	if missing {
		s.Required = append(s.Required, field.Name)
	}
	return field, field.Value != "" || missing
}

// arguments returns the arguments of a package, in the form of a command line.
func (s *Server) arguments(n *syntax.Node) (out []string) {
	for _, a := range syntax.ItemsOf(n) {
		in := servercard.ReadInput(a)
		value, name := s.filled(in.Known(), in.Variables), in.Name
		switch {
		case value == "" && syntax.TextOf(a.Get("type")) == "positional" && in.Required:
			s.Required = append(s.Required, syntax.TextOf(servercard.Either(a, "valueHint", "value_hint")))
			continue
		case value == "" && syntax.TextOf(servercard.Either(a, "isRequired", "is_required")) == "false":
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
