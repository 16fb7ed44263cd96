package settings

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"mcptea/internal/yamldoc"
)

// decoder checks a document against the keys, and collects the values.
type decoder struct {
	path string
	c    *Config
}

func decode(path string, doc *yaml.Node) (*Config, error) {
	d := decoder{path, &Config{lines: map[string]int{}}}
	top := yamldoc.Top(doc)
	if top == nil {
		return d.c, nil
	}
	if top.Kind != yaml.MappingNode {
		return nil, d.wrong(top, "", "a mapping such as \"theme: nord\"")
	}
	return d.c, d.mapping(top, "", d.key)
}

// key decodes the value of a key; the name of a member of a mapping has a dot.
func (d *decoder) key(name string, key, value *yaml.Node) error {
	row, known := keyNamed(name)
	group := !known && isGroup(name)
	if !known && !group {
		return d.unknown(name, key)
	}
	if value.Tag == "!!null" && value.Kind == yaml.ScalarNode {
		return nil // "mute:" without a value
	}
	if short, ok := keyNamed(shorthands[name]); ok && value.Kind == yaml.ScalarNode {
		d.c.lines[short.Name] = key.Line
		return short.value.read(d, name, key, value, d.c)
	}
	if group {
		return d.mapping(value, name, d.key)
	}
	d.c.lines[name] = key.Line
	return row.value.read(d, name, key, value, d.c)
}

// mapping calls f for each key of a mapping, with the name of the key in full.
func (d *decoder) mapping(n *yaml.Node, name string, f func(name string, key, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return d.wrong(n, name, "a mapping")
	}
	if err := yamldoc.CheckKeys(d.path, n); err != nil {
		return err
	}
	for key, value := range yamldoc.Members(n) {
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

// text returns a scalar that is not empty. A number is also a text: keys such as 1.
func (d *decoder) text(name string, n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode || n.Value == "" || n.Tag == "!!null" {
		return "", d.wrong(n, name, "a string")
	}
	return n.Value, nil
}

func (d *decoder) boolean(name string, n *yaml.Node) (v bool, err error) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || n.Decode(&v) != nil {
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

// absolute returns the absolute path of a file or directory. "~/" is the home directory, and a
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
	return yamldoc.Errorf(d.path, n, format, args...)
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
	return yamldoc.UnknownKey(d.path, key, name, names)
}
