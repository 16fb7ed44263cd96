package settings

import (
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"mcptea/record/filter"
)

// Key documents a key of the file.
type Key struct {
	Name  string // name, with a dot before a member of a mapping
	Type  string
	Means string
	value field[Config]
}

// Keys returns the keys of the file, in the order of the documentation.
func Keys() []Key { return slices.Clone(keys) }

var keys = []Key{
	{"theme", "name", "color theme of the inspector; mcptea config themes lists them", text(func(c *Config) *string { return &c.Theme })},
	{"mouse", "boolean", "whether the inspector handles the mouse", boolean(func(c *Config) *bool { return &c.Mouse })},
	{"notify", "boolean", "whether the terminal notifies the user while its window does not have the focus: when an action of at least 10 seconds has ended, and when the server sends a request", boolean(func(c *Config) *bool { return &c.Notify })},
	{"restore", "boolean", "whether the inspector shows a recording or a server as the user left it: tab, borders, filter and selected frame", boolean(func(c *Config) *bool { return &c.Restore })},
	{"confirm", "destructive or never", "whether the inspector asks before a call of a tool that is annotated as destructive", oneOf(func(c *Config) *string { return &c.Confirm }, ConfirmDestructive, confirmNever)},
	{"keys", "mapping", "key bindings of the inspector: the id of a command, and a list of keys", bindings},
	{"filters", "mapping", "named filters: a name, and a filter that @NAME stands for", filters},
	{"commands", "mapping", "commands of your own: a name, and a program with its arguments, in which {tool} and the like are values of the selection; or a mapping with run, input, output and help", commands},
	{"servers", "mapping", "names of your own for servers: a name, and a URL, a command line or FILE#NAME; or a mapping with url, cacert, cert, key, insecure and tls-server-name", servers},
	{"mute", "list", "lint rules whose findings are ignored, by id or slug", mute},
	{"record.enabled", "boolean", "whether the inspector records sessions; also written \"record: false\"", boolean(func(c *Config) *bool { return &c.Record.Enabled })},
	{"record.dir", "directory", "where the inspector creates recordings", path(func(c *Config) *string { return &c.Record.Dir }, "directory")},
	{"record.limit", "size", "maximum size of a recording, such as 500MB; 0 is unlimited", text(func(c *Config) *string { return &c.Record.Limit })},
	{"timeouts.request", "duration", "maximum time without a response or progress of a request", duration(func(c *Config) *time.Duration { return &c.Timeouts.Request })},
	{"timeouts.connect", "duration", "maximum time without a response while connecting", duration(func(c *Config) *time.Duration { return &c.Timeouts.Connect })},
	{"timeouts.authorization", "duration", "maximum time to wait for consent", duration(func(c *Config) *time.Duration { return &c.Timeouts.Authorization })},
}

// shorthands maps the mappings that a single value can replace to the key that the value sets.
var shorthands = map[string]string{"record": "record.enabled"}

// keyNamed returns the row of a key.
func keyNamed(name string) (Key, bool) {
	i := slices.IndexFunc(keys, func(k Key) bool { return k.Name == name })
	if i < 0 {
		return Key{}, false
	}
	return keys[i], true
}

// isGroup reports whether a key is a mapping of keys.
func isGroup(name string) bool {
	return slices.ContainsFunc(keys, func(k Key) bool { return strings.HasPrefix(k.Name, name+".") })
}

// bindings maps commands to their keys: one, or a list of them. An empty list removes the default keys.
var bindings = field[Config]{
	schema: entries(nil, orList(textSchema)),
	read: func(d *decoder, name string, _, value *yaml.Node, c *Config) error {
		delete(c.lines, name)
		c.Keys = map[string][]string{}
		return d.mapping(value, name, func(name string, key, value *yaml.Node) error {
			c.lines[name] = key.Line
			bound := []string{}
			for _, n := range listOf(value) {
				text, err := d.text(name, n)
				if err != nil {
					return d.wrong(n, name, "a key such as ctrl+s, or a list of keys")
				}
				bound = append(bound, text)
			}
			c.Keys[key.Value] = bound
			return nil
		})
	},
}

// filters holds filters by name. [filter.NewNames] checks that they are consistent.
var filters = field[Config]{
	schema: entries(object{"pattern": "^[A-Za-z0-9_-]+$", "not": object{"enum": filter.Reserved}}, textSchema),
	read: func(d *decoder, name string, _, value *yaml.Node, c *Config) error {
		delete(c.lines, name)
		return d.mapping(value, name, func(name string, key, value *yaml.Node) error {
			text, err := d.text(name, value)
			switch {
			case err != nil:
				return d.wrong(value, name, "a filter such as status:error")
			case !filter.IsName(key.Value):
				return d.errorf(key, "filters: the name %q has characters other than letters, digits, - and _", key.Value)
			case slices.Contains(filter.Reserved, key.Value):
				return d.errorf(key, "filters: the name %q is taken: filter.%s is a command of the inspector", key.Value, key.Value)
			}
			c.lines[name] = key.Line
			c.Filters = append(c.Filters, filter.Named{Name: key.Value, Text: text, Line: key.Line})
			return nil
		})
	},
}

var mute = field[Config]{
	schema: object{"type": "array", "items": textSchema},
	read: func(d *decoder, name string, _, value *yaml.Node, c *Config) error {
		if value.Kind != yaml.SequenceNode {
			return d.wrong(value, name, "a list of rules such as [J030, T001]")
		}
		for _, item := range value.Content {
			rule, err := d.text(name, item)
			if err != nil {
				return d.wrong(item, name, "the id or slug of a rule, such as J030")
			}
			c.Mute = append(c.Mute, Rule{Name: rule, Line: item.Line})
		}
		return nil
	},
}
