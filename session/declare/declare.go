package declare

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/schema"
	"mcptea/internal/schema/check"
	"mcptea/internal/server/peer"
	"mcptea/offer/invoke"
)

// File is a server as a file declares it.
type File struct {
	name, title, version, instructions string
	entries                            []*entry
	faults                             faults
}

// entry is a tool, resource, template, prompt or skill.
type entry struct {
	every     time.Duration // between two events of an event type; 0 for none
	list      revision.List
	key       string
	wire      []byte
	arguments map[string]bool // names that a text may use; nil for a resource, which has none
	open      bool            // any argument is accepted
	values    map[string][]string
	responses []*response // responses by arguments, and last the response of the entry itself, if it has one
	example   []byte      // example of outputSchema, or nil
	files     []peer.SkillFile
}

// A response is a response that the file declares for an entry.
type response struct {
	When      json.RawMessage `json:"when"`
	Times     int             `json:"times"`
	Text      *string         `json:"text"`
	Blob      *string         `json:"blob"`
	Content   json.RawMessage `json:"content"`
	Structure json.RawMessage `json:"structuredContent"`
	IsError   bool            `json:"isError"`
	Meta      json.RawMessage `json:"_meta"`
	ToolError *string         `json:"toolError"`
	Error     json.RawMessage `json:"errorResponse"`
	Messages  []message       `json:"messages"`
	Delay     string          `json:"delay"`
	Progress  int             `json:"progress"`

	delay  time.Duration
	result json.RawMessage // result with {{argument}}, or nil for an error response
}

type message struct {
	Role    string          `json:"role"`
	Text    *string         `json:"text"`
	Content json.RawMessage `json:"content"`
}

// responseKeys are the keys of an entry that are not part of it in the lists of MCP.
var responseKeys = []string{"text", "blob", "content", "structuredContent", "isError", "toolError", "errorResponse", "messages", "delay", "progress", "fault", "responses", "values", "data", "every"}

// Parse reads a file. The error is an [*Error].
func Parse(name string, text []byte) (*File, error) {
	s, err := parse(name, text)
	if err != nil {
		return nil, err
	}
	f := &File{
		name: jsonrpc.Text(s.json, "name"), title: jsonrpc.Text(s.json, "title"), version: jsonrpc.Text(s.json, "version"),
		instructions: jsonrpc.Text(s.json, "instructions"),
	}
	for _, list := range revision.Lists {
		i, seen := 0, map[string]bool{}
		for item := range jsonrpc.Elements(jsonrpc.Get(s.json, list.Member)) {
			at := fmt.Sprintf("/%s/%d", list.Member, i)
			read := f.entry
			switch list.Name {
			case revision.Skills.Name:
				read = f.skill
			case revision.Events.Name:
				read = f.event
			}
			e, err := read(s, at, list, item)
			if err != nil {
				return nil, err
			}
			if seen[e.key] {
				return nil, s.wrong(at+"/"+list.Key, "Give one of them another "+list.Key+", or write its responses under the first one.", "there are two %ss %q", list.Noun, e.key)
			}
			seen[e.key] = true
			f.entries = append(f.entries, e)
			i++
		}
	}
	return f, nil
}

func (f *File) entry(s *source, at string, list revision.List, item []byte) (*entry, error) {
	e := &entry{list: list, key: jsonrpc.Text(item, list.Key), wire: item, values: map[string][]string{}}
	for _, name := range responseKeys {
		e.wire = jsonrpc.Without(e.wire, name)
	}
	if jsonrpc.Get(e.wire, "name") == nil {
		e.wire = withMember(e.wire, "name", jsonrpc.Quote(e.key))
	}
	var err error
	switch list.Name {
	case revision.Tools.Name:
		err = e.tool(s, at)
	case revision.Templates.Name:
		err = e.template(s, at, item)
	case revision.Prompts.Name:
		e.prompt()
	}
	if err == nil {
		err = e.read(s, at, item)
	}
	for text := range jsonrpc.Elements(jsonrpc.Get(item, "fault")) {
		if err := f.faults.add(list.Use, e.key, unquoted(text)); err != nil {
			return nil, s.wrong(at+"/fault", "mcptea help faults lists them.", "%v", err)
		}
	}
	return e, err
}

func (e *entry) tool(s *source, at string) error {
	input := jsonrpc.Get(e.wire, "inputSchema")
	if input == nil {
		input = []byte(`{"type":"object"}`)
		e.wire = withMember(e.wire, "inputSchema", string(input))
	}
	for _, name := range []string{"inputSchema", "outputSchema"} {
		if raw := jsonrpc.Get(e.wire, name); raw != nil {
			if p := check.Compile(raw, check.Options{Dialectless: true}).Problem(); p != nil && p.Fault == check.Invalid {
				at += "/" + name
				if s.nodes[at+p.Path] != nil {
					at += p.Path
				}
				return s.wrong(at, "", "%s of the tool %q is not a JSON Schema: %s", name, e.key, p.Reason)
			}
		}
	}
	e.arguments, e.open = map[string]bool{}, jsonrpc.Get(input, "properties") == nil
	for name := range jsonrpc.Members(jsonrpc.Get(input, "properties")) {
		e.arguments[string(name)] = true
	}
	if output := jsonrpc.Get(e.wire, "outputSchema"); output != nil {
		form := schema.Parse(output)
		e.example = form.Fill([]byte("{}"))
	}
	return nil
}

var simpleTemplate = lazyregexp.New(`^(?:[^{}]|\{[A-Za-z0-9_.]+\})*$`)

func (e *entry) template(s *source, at string, item []byte) error {
	names, err := invoke.TemplateVariables(e.key)
	if err != nil || !simpleTemplate().MatchString(e.key) {
		return s.wrong(at+"/uriTemplate", "Write it as notes://{id}.", "the template has more than simple variables")
	}
	e.arguments = map[string]bool{}
	for _, name := range names {
		e.arguments[name] = true
	}
	if values := jsonrpc.Get(item, "values"); values != nil {
		if err := json.Unmarshal(values, &e.values); err != nil {
			return s.wrong(at+"/values", "", "%v", err)
		}
	}
	return nil
}

func (e *entry) prompt() {
	e.arguments = map[string]bool{}
	var arguments []byte
	for argument := range jsonrpc.Elements(jsonrpc.Get(e.wire, "arguments")) {
		name := jsonrpc.Text(argument, "name")
		e.arguments[name] = true
		for value := range jsonrpc.Elements(jsonrpc.Get(argument, "values")) {
			e.values[name] = append(e.values[name], unquoted(value))
		}
		arguments = append(append(arguments, ','), jsonrpc.Without(argument, "values")...)
	}
	if len(arguments) > 0 {
		arguments[0] = '['
		e.wire = withMember(jsonrpc.Without(e.wire, "arguments"), "arguments", string(arguments)+"]")
	}
}

// read reads the responses of an entry.
func (e *entry) read(s *source, at string, item []byte) error {
	i := 0
	for raw := range jsonrpc.Elements(jsonrpc.Get(item, "responses")) {
		if _, err := e.response(s, fmt.Sprintf("%s/responses/%d", at, i), raw); err != nil {
			return err
		}
		i++
	}
	plain, err := e.response(s, at, jsonrpc.Without(item, "_meta"))
	if err == nil && plain.result == nil && plain.Error == nil { // the entry itself has no response
		e.responses = e.responses[:len(e.responses)-1]
		for _, r := range e.responses {
			if r.Delay == "" {
				r.delay = plain.delay
			}
			if r.Progress == 0 {
				r.Progress = plain.Progress
			}
		}
		if len(e.responses) == 0 {
			plain.result = e.nothing()
			e.responses = append(e.responses, plain)
		}
	}
	return err
}

// nothing returns the result of an entry without a response.
func (e *entry) nothing() json.RawMessage {
	text, _ := json.Marshal(e.key) // Marshal never fails here
	switch e.list.Name {
	case revision.Tools.Name:
		if e.example != nil {
			quoted, _ := json.Marshal(string(e.example))
			return fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}],"structuredContent":%s}`, quoted, e.example)
		}
		return fmt.Appendf(nil, `{"content":[{"type":"text","text":%s}]}`, text)
	case revision.Prompts.Name:
		return fmt.Appendf(nil, `[{"role":"user","content":{"type":"text","text":%s}}]`, text)
	}
	return json.RawMessage(`{"text":""}`)
}

// response reads a response, and adds it to the responses of the entry.
func (e *entry) response(s *source, at string, raw []byte) (*response, error) {
	r := &response{}
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, s.wrong(at, "", "%v", err)
	}
	if r.Delay != "" {
		var err error
		if r.delay, err = time.ParseDuration(r.Delay); err != nil || r.delay < 0 || r.delay > time.Hour {
			return nil, s.wrong(at+"/delay", "Write it as 200ms or 2s, at most 1h.", "%q is not a delay", r.Delay)
		}
	}
	var given []string
	for _, name := range []string{"text", "blob", "content", "structuredContent", "toolError", "errorResponse", "messages"} {
		if jsonrpc.Get(raw, name) != nil && !(name == "structuredContent" && (r.Text != nil || r.Content != nil)) {
			given = append(given, name)
		}
	}
	if len(given) > 1 {
		return nil, s.wrong(at+"/"+given[1], "Omit one of them.", "%s and %s exclude each other", given[0], given[1])
	}
	if r.Blob != nil {
		if _, err := base64.StdEncoding.DecodeString(*r.Blob); err != nil {
			return nil, s.wrong(at+"/blob", "", "the blob is not Base64: %v", err)
		}
	}
	r.result = e.resultOf(r)
	if e.arguments != nil && !e.open {
		for _, m := range placeholder().FindAllSubmatch(r.result, -1) {
			name, _, _ := strings.Cut(string(m[2]), ".")
			if m[1] == nil && !e.arguments[name] {
				return nil, s.wrong(at+"/"+strings.Join(given, ""), "The arguments are "+list(e.arguments)+".", "{{%s}} is not an argument of the %s %q", m[2], e.list.Noun, e.key)
			}
		}
	}
	e.responses = append(e.responses, r)
	return r, nil
}

// resultOf returns the result of a response in the form that package peer expects, or nil if the response
// is an error or missing.
func (e *entry) resultOf(r *response) json.RawMessage {
	block := func(text string) json.RawMessage {
		quoted, _ := json.Marshal(text) // Marshal never fails here
		return fmt.Appendf(nil, `{"type":"text","text":%s}`, quoted)
	}
	switch {
	case r.Error != nil:
		return nil
	case e.list.Name == revision.Prompts.Name && r.Text != nil:
		return fmt.Appendf(nil, `[{"role":"user","content":%s}]`, block(*r.Text))
	case e.list.Name == revision.Prompts.Name && r.Messages != nil:
		var all []string
		for _, m := range r.Messages {
			if m.Content == nil && m.Text != nil {
				m.Content = block(*m.Text)
			}
			all = append(all, fmt.Sprintf(`{"role":%q,"content":%s}`, m.Role, orObject(m.Content)))
		}
		return json.RawMessage("[" + strings.Join(all, ",") + "]")
	case e.list.Name != revision.Tools.Name && r.Text != nil:
		quoted, _ := json.Marshal(*r.Text)
		return fmt.Appendf(nil, `{"text":%s}`, quoted)
	case r.Blob != nil:
		return fmt.Appendf(nil, `{"blob":%q}`, *r.Blob)
	case e.list.Name != revision.Tools.Name:
		return nil
	case r.ToolError != nil:
		return fmt.Appendf(nil, `{"content":[%s],"isError":true}`, block(*r.ToolError))
	case r.Text == nil && r.Content == nil && r.Structure == nil:
		return nil
	}
	result := []byte("{}")
	if r.Text != nil {
		r.Content = fmt.Appendf(nil, "[%s]", block(*r.Text))
	}
	if r.Content != nil {
		result = withMember(result, "content", string(r.Content))
	}
	if r.Structure != nil {
		result = withMember(result, "structuredContent", string(r.Structure))
	}
	if r.IsError {
		result = withMember(result, "isError", "true")
	}
	if r.Meta != nil {
		result = withMember(result, "_meta", string(r.Meta))
	}
	return result
}
