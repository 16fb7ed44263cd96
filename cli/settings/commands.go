package settings

import (
	"os"
	"slices"

	"go.yaml.in/yaml/v3"

	"mcptea/internal/shell"
	"mcptea/record/filter"
	"mcptea/session/runs/usercommand"
)

// commandEntry is a command of the file that is a mapping.
type commandEntry struct {
	run    usercommand.Command
	hasRun bool
	input  string
	output usercommand.Output
	atOnce *yaml.Node // node of confirm, if it is false
	help   string
}

// commandMember is a key of such a mapping.
type commandMember struct {
	name, means string
	value       field[commandEntry]
}

var commandMembers = []commandMember{
	{"run", "the program and its arguments: a line that is quoted as in a shell, or a list of words; no shell runs it", field[commandEntry]{
		schema: object{"anyOf": []object{lineSchema, wordsSchema}},
		read: func(d *decoder, name string, _, value *yaml.Node, e *commandEntry) (err error) {
			e.run, err = d.commandLine(name, value)
			e.hasRun = true
			return err
		},
	}},
	{"input", "what the program gets on stdin", field[commandEntry]{
		schema: object{"enum": usercommand.Inputs()},
		read: func(d *decoder, name string, _, value *yaml.Node, e *commandEntry) (err error) {
			if e.input, err = d.text(name, value); err == nil {
				err = usercommand.CheckInput(e.input)
			}
			if err != nil {
				return d.errorf(value, "%s: %v", name, err)
			}
			return nil
		},
	}},
	{"output", "where its output goes: window (into a window, the default), none (nowhere), or terminal (the program has the terminal until it ends)", field[commandEntry]{
		schema: object{"enum": usercommand.Outputs},
		read: func(d *decoder, name string, _, value *yaml.Node, e *commandEntry) error {
			i := slices.Index(usercommand.Outputs, value.Value)
			if value.Kind != yaml.ScalarNode || i < 0 {
				return d.wrong(value, name, "window, terminal or none")
			}
			e.output = usercommand.Output(i)
			return nil
		},
	}},
	{"confirm", "whether the inspector asks before each start (true, the default); false works only for values that are not text of a server", field[commandEntry]{
		schema: object{"type": "boolean"},
		read: func(d *decoder, name string, _, value *yaml.Node, e *commandEntry) error {
			confirm := true
			if value.Decode(&confirm) != nil || value.Tag != "!!bool" {
				return d.wrong(value, name, "true or false")
			}
			if e.atOnce = nil; !confirm {
				e.atOnce = value
			}
			return nil
		},
	}},
	{"help", "what it does, as a sentence for the list of commands", text(func(e *commandEntry) *string { return &e.help })},
}

// lineSchema is a command line, which has a word.
var lineSchema = object{"type": textSchema["type"], "minLength": 1, "pattern": `[^ \t\r\n]`}

// wordsSchema are the words of one.
var wordsSchema = object{"type": "array", "items": textSchema, "minItems": 1}

// commandSchema returns the JSON Schema of such a mapping.
func commandSchema() object {
	properties := object{}
	for _, m := range commandMembers {
		properties[m.name] = described(m.value.schema, m.means)
	}
	return object{"type": "object", "properties": properties, "additionalProperties": false, "required": []string{"run"}}
}

// commands are programs of the user that the inspector starts with values of the selection.
var commands = field[Config]{
	schema: entries(object{"pattern": "^[A-Za-z0-9_-]+$"}, object{"anyOf": []object{lineSchema, wordsSchema, commandSchema()}}),
	read: func(d *decoder, name string, _, value *yaml.Node, c *Config) error {
		delete(c.lines, name)
		return d.mapping(value, name, d.command)
	},
}

func (d *decoder) command(name string, key, value *yaml.Node) (err error) {
	if !filter.IsName(key.Value) {
		return d.errorf(key, "commands: the name %q has characters other than letters, digits, - and _", key.Value)
	}
	e := commandEntry{}
	if value.Kind == yaml.MappingNode {
		err = d.mapping(value, name, func(name string, key, value *yaml.Node) error {
			i := slices.IndexFunc(commandMembers, func(m commandMember) bool { return m.name == key.Value })
			if i < 0 {
				var names []string
				for _, m := range commandMembers {
					names = append(names, m.name)
				}
				return d.unknownAmong(name, key, names)
			}
			return commandMembers[i].value.read(d, name, key, value, &e)
		})
		if err == nil && !e.hasRun {
			err = d.errorf(key, "%s: run is missing: the program and its arguments", name)
		}
	} else {
		e.run, err = d.commandLine(name, value)
	}
	if err != nil {
		return err
	}
	d.c.lines[name] = key.Line
	command := e.run
	command.RunsAtOnce = e.atOnce != nil
	command.Name, command.Help, command.Input, command.Output, command.At = key.Value, e.help, e.input, e.output, key.Line
	if command.RunsAtOnce {
		if err := command.CheckRunsAtOnce(); err != nil {
			return d.errorf(e.atOnce, "%s: confirm: %v", name, err)
		}
	}
	d.c.Commands = append(d.c.Commands, command)
	return nil
}

// commandLine reads a program with its arguments: as words, or as a line whose environment variables are
// replaced by their values.
func (d *decoder) commandLine(name string, value *yaml.Node) (usercommand.Command, error) {
	var words []string
	if value.Kind == yaml.SequenceNode {
		for _, item := range value.Content {
			word, err := d.text(name, item)
			if err != nil {
				return usercommand.Command{}, d.wrong(item, name, "a word of the command")
			}
			words = append(words, word)
		}
	} else {
		line, err := d.text(name, value)
		if err != nil {
			return usercommand.Command{}, d.wrong(value, name, "a command line, or a mapping with run")
		}
		if words, err = shell.Split(line, variable); err != nil {
			return usercommand.Command{}, d.errorf(value, "%s: %v", name, err)
		}
	}
	command, err := usercommand.New(words)
	if err != nil {
		return command, d.errorf(value, "%s: %v", name, err)
	}
	return command, nil
}

// variable returns the value of a variable of the environment; one that is not set stays unchanged written.
func variable(name string) (string, bool) {
	if value, ok := os.LookupEnv(name); ok {
		return value, true
	}
	return "$" + name, true
}
