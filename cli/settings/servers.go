package settings

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// entry is a server of the file that is a mapping.
type entry struct {
	url, command string
	tls          TLS
}

// serverMember is a key of such a mapping.
type serverMember struct {
	name, means string
	value       field[entry]
}

// serverMembers lists all members of a server; from the third on they are about TLS.
var serverMembers = []serverMember{
	{"url", "URL of the server", text(func(e *entry) *string { return &e.url })},
	{"command", "command line that starts it", text(func(e *entry) *string { return &e.command })},
	{"cacert", "files with authorities that are trusted in addition to the authorities of the system", field[entry]{
		schema: orList(textSchema),
		read: func(d *decoder, name string, _, value *yaml.Node, e *entry) error {
			for _, item := range listOf(value) {
				file, err := d.absolute(name, "file", item)
				if err != nil {
					return err
				}
				e.tls.CACert = append(e.tls.CACert, file)
			}
			return nil
		},
	}},
	{"cert", "client certificate with its chain", path(func(e *entry) *string { return &e.tls.Cert }, "file")},
	{"key", "key of the client certificate", path(func(e *entry) *string { return &e.tls.Key }, "file")},
	{"insecure", "accept any certificate of the server", boolean(func(e *entry) *bool { return &e.tls.Insecure })},
	{"tls-server-name", "name that is verified, and sent as SNI", text(func(e *entry) *string { return &e.tls.ServerName })},
}

// aboutTLS returns the names of the members that are about TLS.
func aboutTLS() (names []string) {
	for _, m := range serverMembers[2:] {
		names = append(names, m.name)
	}
	return names
}

// serverSchema returns the JSON Schema of such a mapping. [decoder.server] reads it.
func serverSchema() object {
	properties := object{}
	for _, m := range serverMembers {
		properties[m.name] = described(m.value.schema, m.means)
	}
	properties["url"] = described(object{"type": "string", "pattern": `^(https?://|\$)`}, serverMembers[0].means)
	without := object{"url": false}
	for _, name := range aboutTLS() {
		without[name] = false
	}
	return object{
		"type": "object", "properties": properties, "additionalProperties": false,
		"oneOf":             []object{{"required": []string{"url"}, "properties": object{"command": false}}, {"required": []string{"command"}, "properties": without}},
		"dependentRequired": object{"key": []string{"cert"}},
	}
}

// servers are names of the user's own for servers.
var servers = field[Config]{
	schema: entries(object{"pattern": "^[^- \\t\\r\\n=#/][^ \\t\\r\\n=#/]*$"}, object{"anyOf": []object{textSchema, serverSchema()}}),
	read: func(d *decoder, name string, _, value *yaml.Node, c *Config) error {
		delete(c.lines, name)
		c.Servers, c.TLS = map[string]string{}, map[string]TLS{}
		return d.mapping(value, name, d.server)
	},
}

func (d *decoder) server(name string, key, value *yaml.Node) error {
	line, err := "", error(nil)
	var tls *TLS
	if value.Kind == yaml.MappingNode {
		line, tls, err = d.serverEntry(name, value)
		if err != nil {
			return err
		}
	} else if line, err = d.text(name, value); err != nil {
		return d.wrong(value, name, "a command line, a URL or FILE#NAME, or a mapping with url or command")
	}
	if key.Value == "" || strings.ContainsAny(key.Value, " \t\r\n=#/") || strings.HasPrefix(key.Value, "-") {
		return d.errorf(key, "servers: the name %q is empty, begins with -, or contains a space or one of = # /", key.Value)
	}
	d.c.lines[name] = key.Line
	d.c.Servers[key.Value] = line
	if tls != nil {
		d.c.TLS[key.Value] = *tls
	}
	return nil
}

// serverEntry reads a server that is a mapping. tls is nil if it has no TLS settings.
func (d *decoder) serverEntry(name string, value *yaml.Node) (line string, tls *TLS, err error) {
	var e entry
	var last *yaml.Node // last key about TLS
	err = d.mapping(value, name, func(full string, key, n *yaml.Node) error {
		i := slices.IndexFunc(serverMembers, func(m serverMember) bool { return m.name == key.Value })
		switch {
		case i < 0:
			var names []string
			for _, m := range serverMembers {
				names = append(names, m.name)
			}
			slices.Sort(names)
			return d.unknownAmong(full, key, names)
		case i > 1:
			last = key
		case e.url != "" || e.command != "":
			return d.errorf(key, "%s: a server has either url or command", name)
		}
		return serverMembers[i].value.read(d, full, key, n, &e)
	})
	switch {
	case err != nil:
	case e.url == "" && e.command == "":
		err = d.errorf(value, "%s: url or command is missing", name)
	case e.url != "" && !strings.HasPrefix(e.url, "http://") && !strings.HasPrefix(e.url, "https://") && !strings.HasPrefix(e.url, "$"):
		// A file path as the value could lead to a server of another project.
		err = d.errorf(value, "%s.url: expected a URL that begins with http:// or https://, or with a variable, found %q", name, e.url)
	case e.command != "" && last != nil:
		err = d.errorf(last, "%s: %s is for a server with a url", name, last.Value)
	case e.tls.Key != "" && e.tls.Cert == "":
		err = d.errorf(last, "%s: key requires cert", name)
	case last != nil:
		tls = &e.tls
	}
	return e.url + e.command, tls, err
}
