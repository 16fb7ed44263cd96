package hosts

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/hosts/syntax"
	"mcptea/internal/lazyregexp"
)

// An MCP bundle is a ZIP archive (.mcpb, earlier .dxt), or its folder, with manifest.json. Its server is started as
// getMcpConfigForManifest of @anthropic-ai/mcpb 2.1.2 does for Claude Desktop.

const (
	// bundleReader is the name of readBundle in the tables.
	bundleReader = "bundle"
	// BundleManifest is the name of the file of a bundle that describes its server.
	BundleManifest = "manifest.json"
)

// platforms maps operating systems to their names in manifests.
var platforms = map[string]string{"windows": "win32", "darwin": "darwin", "linux": "linux"}

var (
	// bundleReference is a reference in a manifest.
	bundleReference = lazyregexp.New(`\$\{[^{}]*\}`)
	// wholeReference is a reference to a value of the user.
	wholeReference = lazyregexp.New(`^\$\{user_config\.([^}]+)\}$`)
)

// isBundle reports whether the root of a file is the manifest of a bundle.
func isBundle(root *syntax.Node) bool {
	return root != nil && (root.Get("manifest_version") != nil || root.Get("dxt_version") != nil) &&
		(root.Get("server", "mcp_config") != nil || root.Get("server", "entry_point") != nil)
}

// IsBundle reports whether the entry is the manifest of a bundle.
func (s *Server) IsBundle() bool { return s.file != nil && s.file.location.Reader == bundleReader }

// CheckBundles adds problems that prevent the servers of bundles from starting: references that no host
// replaces, and missing files. It is only for files of this machine, whose folders can be read.
func (c *Configuration) CheckBundles() {
	for _, s := range c.Servers {
		if !s.IsBundle() {
			continue
		}
		if len(s.unknown) > 0 {
			s.file.report(s, "F041", Error, s.node, "A bundle cannot use %s. Write the value itself, or add it to user_config.", named(s.unknown, "more reference"))
		}
		if len(s.Lacks) > 0 {
			s.file.report(s, "F046", Error, s.node, "The bundle does not have %s.", named(s.Lacks, "more file"))
		}
	}
}

// readBundle reads the manifest of a bundle.
func readBundle(f *file) {
	if !isBundle(f.root) {
		return
	}
	node := f.root.Get("server")
	config := f.root.Get("server", "mcp_config")
	if config != nil {
		node = config
	}
	s := f.add(syntax.TextOf(f.root.Get("name")), node)
	s.Transport, s.Declared = Stdio, syntax.TextOf(f.root.Get("server", "type"))
	entry := syntax.TextOf(f.root.Get("server", "entry_point"))
	if config == nil {
		s.Written.Command, s.Written.Args = withoutConfig(s.Declared, entry)
	} else {
		s.Written = f.bundleLaunch(config)
	}
	s.Expanded = s.Written // Fill replaces the directories, too
	f.checkBundleReferences(s)
	f.checkBundleFiles(s, entry)
	if all := syntax.TextsOf(f.root.Get("compatibility", "platforms")); len(all) > 0 && !slices.Contains(all, platforms[f.machine.OS]) {
		s.Platforms = all
	}
}

// withoutConfig returns the command of a manifest without mcp_config, by the type of its server (manifest_version 0.4). The
// command is "" for an unknown type.
func withoutConfig(kind, entry string) (command string, args []string) {
	path := "${__dirname}/" + entry
	switch kind {
	case "uv":
		return "uv", []string{"run", "--directory", "${__dirname}", path}
	case "python":
		return "python3", []string{path}
	case "node":
		return "node", []string{path}
	case "binary":
		return path, nil
	}
	return "", nil
}

// bundleLaunch returns the command of mcp_config on this system. platform_overrides replace each member as a whole.
func (f *file) bundleLaunch(config *syntax.Node) (l Launch) {
	override := config.Get("platform_overrides", platforms[f.machine.OS])
	member := func(name string) *syntax.Node {
		if n := override.Get(name); n != nil && (n.Text != "" || len(syntax.ItemsOf(n)) > 0 || len(n.Members) > 0) {
			return n
		}
		return config.Get(name)
	}
	l.Command, l.Args = syntax.TextOf(member("command")), syntax.TextsOf(member("args"))
	if env := member("env"); env != nil {
		for _, m := range env.Members {
			l.Env = append(l.Env, Field{Name: m.Key, Value: m.Text})
		}
	}
	return l
}

// checkBundleReferences records the references that no host replaces: the server would receive them as text.
func (f *file) checkBundleReferences(s *Server) {
	dirs := f.bundleDirs()
	s.Written.converted(func(meaning role, text string) string {
		for _, match := range bundleReference().FindAllString(text, maxReferences) {
			var definition *syntax.Node
			if m := wholeReference().FindStringSubmatch(match); m != nil {
				definition = f.root.Get("user_config", m[1])
			}
			switch {
			case dirs[match] != "":
			case definition == nil:
				s.addUnknown(match)
			case isList(definition) && (meaning != "args" || match != text):
				s.addUnknown(match + " (a list, within a text)")
			}
		}
		return text
	})
}

func (s *Server) addUnknown(reference string) {
	if len(s.unknown) < maxReferences && !slices.Contains(s.unknown, reference) {
		s.unknown = append(s.unknown, reference)
	}
}

// bundleDirs maps the references to directories to their values.
func (f *file) bundleDirs() map[string]string {
	m := f.machine
	home := func(name string) string { return m.join(m.Home, name) }
	return map[string]string{
		"${__dirname}": m.dirOf(f.path), "${HOME}": m.Home, "${DESKTOP}": home("Desktop"), "${DOCUMENTS}": home("Documents"),
		"${DOWNLOADS}": home("Downloads"), "${/}": m.separator(), "${pathSeparator}": m.separator(),
	}
}

// checkBundleFiles records the files of the bundle that its command refers to and that are missing. Validation and packing by
// the official program accept such a bundle.
func (f *file) checkBundleFiles(s *Server, entry string) {
	dir := f.machine.dirOf(f.path) + f.machine.separator()
	seen := map[string]bool{}
	check := func(path, note string) {
		name := strings.TrimPrefix(path, dir)
		if seen[name] || len(s.Lacks) == maxReferences {
			return
		}
		seen[name] = true
		if !f.machine.Exists(path) {
			s.Lacks = append(s.Lacks, name+note)
		}
	}
	if entry != "" {
		check(f.machine.join(f.machine.dirOf(f.path), entry), " (entry_point)")
	}
	for _, text := range s.Written.Argv() {
		text = f.withDirs(text)
		if strings.HasPrefix(text, dir) && !bundleReference().MatchString(text) {
			check(text, "")
		}
	}
}

// userValues returns the definitions of the values of the user.
func (f *file) userValues() []*syntax.Node {
	config := f.root.Get("user_config")
	if config == nil {
		return nil
	}
	return config.Members
}

func isList(definition *syntax.Node) bool { return syntax.TextOf(definition.Get("multiple")) == "true" }

// BundleInput describes a value of the user that the manifest of a bundle requests.
type BundleInput struct {
	Reference  string // reference as written
	IsOptional bool
	IsList     bool     // several values are possible
	Defaults   []string // defaults, or nil if there are none
	isNumber   bool
	min, max   *float64 // limits of a number, or nil
}

// bundleInput returns the definition of a value of the user.
func (f *file) bundleInput(id string) Input {
	definition := f.root.Get("user_config", id)
	b := &BundleInput{Reference: "${user_config." + id + "}"}
	in := Input{ID: id, Type: "promptString", Bundle: b}
	if definition == nil {
		return in
	}
	in.Description = strings.TrimPrefix(syntax.TextOf(definition.Get("title"))+": "+syntax.TextOf(definition.Get("description")), ": ")
	in.Password = syntax.TextOf(definition.Get("sensitive")) == "true"
	b.IsOptional, b.IsList = syntax.TextOf(definition.Get("required")) != "true", isList(definition)
	if d := definition.Get("default"); d != nil {
		texts := []string{syntax.TextOf(d)}
		if d.Kind == syntax.List {
			texts = syntax.TextsOf(d)
		}
		b.Defaults = []string{}
		for _, text := range texts {
			b.Defaults = append(b.Defaults, f.withDirs(text))
		}
		in.Default = strings.Join(b.Defaults, ", ")
	}
	switch syntax.TextOf(definition.Get("type")) {
	case "boolean":
		in.Choices = []Choice{{"true", "true"}, {"false", "false"}}
	case "number":
		b.isNumber, b.min, b.max = true, numberOf(definition.Get("min")), numberOf(definition.Get("max"))
	}
	return in
}

// withDirs returns a text with the directories in it.
func (f *file) withDirs(text string) string {
	dirs := f.bundleDirs()
	return bundleReference().ReplaceAllStringFunc(text, func(match string) string {
		if dir, ok := dirs[match]; ok {
			return dir
		}
		return match
	})
}

func numberOf(n *syntax.Node) *float64 {
	if value, err := strconv.ParseFloat(syntax.TextOf(n), 64); err == nil {
		return &value
	}
	return nil
}

// Values returns the values of an input for a text of the user: the text, or for a list the elements of a JSON
// array of strings.
func (in Input) Values(text string) ([]string, error) {
	b := in.Bundle
	if b == nil {
		return []string{text}, nil
	}
	values := []string{text}
	if b.IsList && strings.HasPrefix(strings.TrimSpace(text), "[") {
		if err := json.Unmarshal([]byte(text), &values); err != nil {
			return nil, errors.New(`a list is a JSON array of strings, such as ["a","b"]`)
		}
	}
	for _, value := range values {
		if err := b.check(value); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// check returns why a value is not possible.
func (b *BundleInput) check(value string) error {
	if !b.isNumber {
		return nil
	}
	switch number, err := strconv.ParseFloat(value, 64); {
	case err != nil:
		return errors.New("the value is not a number")
	case b.min != nil && number < *b.min:
		return fmt.Errorf("the value is less than %v, the minimum", *b.min)
	case b.max != nil && number > *b.max:
		return fmt.Errorf("the value is more than %v, the maximum", *b.max)
	}
	return nil
}
