package config

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"mcptea/internal/words/editdistance"
)

// decoder checks a document against the keys, and collects the values.
type decoder struct {
	path string
	c    *Config
}

func decode(path string, doc *yaml.Node) (*Config, error) {
	d := decoder{path, &Config{lines: map[string]int{}}}
	top := root(doc)
	if top == nil {
		return d.c, nil
	}
	if top.Kind != yaml.MappingNode {
		return nil, d.wrong(top, "", "a mapping such as \"theme: nord\"")
	}
	return d.c, d.mapping(top, "", d.key)
}

// key decodes the value of a key; the name of a member of a mapping has a dot.
func (d *decoder) key(name string, key, value *yaml.Node) (err error) {
	c := d.c
	if name != "record" && name != "timeouts" && !slices.ContainsFunc(keys, func(k Key) bool { return k.Name == name }) {
		return d.unknown(name, key)
	}
	if value.Tag == "!!null" && value.Kind == yaml.ScalarNode {
		return nil // "mute:" without a value
	}
	d.c.lines[name] = key.Line
	switch name {
	case "theme":
		c.Theme, err = d.text(name, value)
	case "mouse":
		c.Mouse, err = d.boolean(name, value)
	case "confirm":
		if c.Confirm, err = d.text(name, value); err == nil && c.Confirm != ConfirmDestructive && c.Confirm != confirmNever {
			err = d.wrong(value, name, ConfirmDestructive+" or "+confirmNever)
		}
	case "keys":
		delete(c.lines, name)
		c.Keys = map[string][]string{}
		err = d.mapping(value, name, d.binding)
	case "servers":
		delete(c.lines, name)
		c.Servers, c.TLS = map[string]string{}, map[string]TLS{}
		err = d.mapping(value, name, d.server)
	case "mute":
		err = d.rules(value)
	case "record":
		if value.Kind == yaml.ScalarNode {
			delete(c.lines, name)
			c.lines["record.enabled"] = key.Line
			c.Record.Enabled, err = d.boolean(name, value)
			break
		}
		fallthrough
	case "timeouts":
		delete(c.lines, name)
		err = d.mapping(value, name, d.key)
	case "record.enabled":
		c.Record.Enabled, err = d.boolean(name, value)
	case "record.dir":
		c.Record.Dir, err = d.absolute(name, "directory", value)
	case "record.limit":
		c.Record.Limit, err = d.text(name, value)
	case "timeouts.request":
		c.Timeouts.Request, err = d.duration(name, value)
	case "timeouts.connect":
		c.Timeouts.Connect, err = d.duration(name, value)
	case "timeouts.authorization":
		c.Timeouts.Authorization, err = d.duration(name, value)
	}
	return err
}

// mapping calls f for each key of a mapping, with the name of the key in full.
func (d *decoder) mapping(n *yaml.Node, name string, f func(name string, key, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return d.wrong(n, name, "a mapping")
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			return d.wrong(key, name, "a name as the key")
		}
		if line, twice := seen[key.Value]; twice {
			return d.errorf(key, "the key %q is already set in line %d", key.Value, line)
		}
		seen[key.Value] = key.Line
		full := key.Value
		if name != "" {
			full = name + "." + full
		}
		if err := f(full, key, value); err != nil {
			return err
		}
	}
	return nil
}

// binding decodes the keys of one command: a key, or a list of keys. An empty list
// removes the default keys.
func (d *decoder) binding(name string, key, value *yaml.Node) error {
	d.c.lines[name] = key.Line
	bound := []string{}
	items := []*yaml.Node{value}
	if value.Kind == yaml.SequenceNode {
		items = value.Content
	}
	for _, n := range items {
		text, err := d.text(name, n)
		if err != nil {
			return d.wrong(n, name, "a key such as ctrl+s, or a list of keys")
		}
		bound = append(bound, text)
	}
	d.c.Keys[strings.TrimPrefix(name, "keys.")] = bound
	return nil
}

// server decodes a name of the user's own for a server.
func (d *decoder) server(name string, key, value *yaml.Node) error {
	text, err := "", error(nil)
	var tls *TLS
	if value.Kind == yaml.MappingNode {
		text, tls, err = d.serverMembers(name, value)
		if err != nil {
			return err
		}
	} else if text, err = d.text(name, value); err != nil {
		return d.wrong(value, name, "a command line, a URL or FILE#NAME, or a mapping with url or command")
	}
	if key.Value == "" || strings.ContainsAny(key.Value, " \t\r\n=#/") || strings.HasPrefix(key.Value, "-") {
		return d.errorf(key, "servers: the name %q is empty, begins with -, or contains a space or one of = # /", key.Value)
	}
	d.c.lines[name] = key.Line
	d.c.Servers[key.Value] = text
	if tls != nil {
		d.c.TLS[key.Value] = *tls
	}
	return nil
}

// serverMembers decodes a server that is a mapping; tls is nil if it says nothing about TLS.
func (d *decoder) serverMembers(name string, value *yaml.Node) (text string, tls *TLS, err error) {
	var t TLS
	var last *yaml.Node // which is about TLS
	members := map[string]func(member string, n *yaml.Node) error{
		"url":     func(member string, n *yaml.Node) (err error) { text, err = d.text(member, n); return err },
		"command": func(member string, n *yaml.Node) (err error) { text, err = d.text(member, n); return err },
		"cacert": func(member string, n *yaml.Node) error {
			items := []*yaml.Node{n}
			if n.Kind == yaml.SequenceNode {
				items = n.Content
			}
			for _, item := range items {
				file, err := d.absolute(member, "file", item)
				if err != nil {
					return err
				}
				t.CACert = append(t.CACert, file)
			}
			return nil
		},
		"cert":            func(member string, n *yaml.Node) (err error) { t.Cert, err = d.absolute(member, "file", n); return err },
		"key":             func(member string, n *yaml.Node) (err error) { t.Key, err = d.absolute(member, "file", n); return err },
		"insecure":        func(member string, n *yaml.Node) (err error) { t.Insecure, err = d.boolean(member, n); return err },
		"tls-server-name": func(member string, n *yaml.Node) (err error) { t.ServerName, err = d.text(member, n); return err },
	}
	isCommand := false
	err = d.mapping(value, name, func(member string, key, n *yaml.Node) error {
		decode := members[key.Value]
		switch {
		case decode == nil:
			return d.unknownAmong(member, key, slices.Sorted(maps.Keys(members)))
		case text != "" && (key.Value == "url" || key.Value == "command"):
			return d.errorf(key, "%s: a server has either url or command", name)
		case key.Value == "command":
			isCommand = true
		case key.Value != "url":
			last = key
		}
		return decode(member, n)
	})
	switch {
	case err != nil:
	case text == "":
		err = d.errorf(value, "%s: url or command is missing", name)
	case !isCommand && !strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "https://") && !strings.HasPrefix(text, "$"):
		// A file that is named here could lead to any server.
		err = d.errorf(value, "%s.url: expected a URL that begins with http:// or https://, or with a variable, found %q", name, text)
	case isCommand && last != nil:
		err = d.errorf(last, "%s: %s is for a server with a url", name, last.Value)
	case t.Key != "" && t.Cert == "":
		err = d.errorf(last, "%s: key requires cert", name)
	case last != nil:
		tls = &t
	}
	return text, tls, err
}

func (d *decoder) rules(n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		return d.wrong(n, "mute", "a list of rules such as [J030, T001]")
	}
	for _, item := range n.Content {
		if item.Kind != yaml.ScalarNode || item.Value == "" {
			return d.wrong(item, "mute", "the id or slug of a rule, such as J030")
		}
		d.c.Mute = append(d.c.Mute, Rule{Name: item.Value, Line: item.Line})
	}
	return nil
}

// text is a scalar that is not empty. A number is a text too: keys such as 1.
func (d *decoder) text(name string, n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode || n.Value == "" || n.Tag == "!!null" {
		return "", d.wrong(n, name, "a string")
	}
	return n.Value, nil
}

func (d *decoder) boolean(name string, n *yaml.Node) (v bool, err error) {
	if n.Kind != yaml.ScalarNode || n.Decode(&v) != nil {
		return false, d.wrong(n, name, "true or false")
	}
	return v, nil
}

func (d *decoder) duration(name string, n *yaml.Node) (time.Duration, error) {
	v, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || v <= 0 {
		return 0, d.wrong(n, name, "a duration such as 500ms, 30s or 2m")
	}
	return v, nil
}

// absolute is the absolute path of a file or directory. "~/" is the home directory, and a
// relative path begins at the directory of the configuration file.
func (d *decoder) absolute(name, what string, n *yaml.Node) (string, error) {
	text, err := d.text(name, n)
	if err != nil {
		return "", d.wrong(n, name, "the path of a "+what)
	}
	if rest, ok := strings.CutPrefix(text, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", d.errorf(n, "%s: %v", name, err)
		}
		return filepath.Join(home, rest), nil
	}
	if !filepath.IsAbs(text) {
		text = filepath.Join(filepath.Dir(d.path), text)
	}
	return filepath.Abs(text)
}

func (d *decoder) errorf(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", d.path, n.Line, fmt.Sprintf(format, args...))
}

// wrong reports a value of the wrong type.
func (d *decoder) wrong(n *yaml.Node, name, want string) error {
	found := fmt.Sprintf("%q", n.Value)
	switch {
	case n.Kind == yaml.MappingNode:
		found = "a mapping"
	case n.Kind == yaml.SequenceNode:
		found = "a list"
	case n.Kind == yaml.AliasNode:
		found = "an alias, which is not supported"
	case n.Tag == "!!null":
		found = "nothing"
	}
	if name != "" {
		name += ": "
	}
	return d.errorf(n, "%sexpected %s, found %s", name, want, found)
}

// unknown reports a key that does not exist, with the nearest one that does.
func (d *decoder) unknown(name string, key *yaml.Node) error {
	parent, _, nested := strings.Cut(name, ".")
	var names []string
	for _, k := range keys {
		top, rest, isMember := strings.Cut(k.Name, ".")
		switch {
		case nested && isMember && top == parent:
			names = append(names, rest)
		case !nested && !slices.Contains(names, top):
			names = append(names, top)
		}
	}
	return d.unknownAmong(name, key, names)
}

// unknownAmong reports a key that is not one of the names.
func (d *decoder) unknownAmong(name string, key *yaml.Node, names []string) error {
	hint := "the keys are " + strings.Join(names, ", ")
	if near := editdistance.Nearest(key.Value, names); len(near) > 0 {
		hint = fmt.Sprintf("did you mean %q?", near[0])
	}
	return d.errorf(key, "unknown key %q; %s", name, hint)
}
