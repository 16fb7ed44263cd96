package peer

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// Entry is a row of a list: a tool, a resource, a resource template, a prompt or a skill. Its JSON
// is a line of a table.
type Entry struct {
	Key string `json:"-"` // name, URI or template
	// Wire is the entry as the newest protocol version lists it.
	Wire json.RawMessage `json:"entry"`
	// From and Until are the first and the last revision that show it; empty
	// for no bound.
	From, Until revision.Revision
	// Extension is the extension that a client must declare to see the entry in a list, or "".
	Extension string
	// Hidden entries are absent until [Call.Toggle] shows them.
	Hidden bool
	// Waits reports whether the tool takes time or asks the client: then it runs concurrently with other
	// requests instead of before the next one.
	Waits bool
	// Every is the time between two changes of a resource by itself, in seconds of the server's pace, or 0 for
	// never.
	Every float64
	// Fleeting contents of a resource are not the same twice.
	Fleeting bool
	// NoReplay marks an event type whose earlier events cannot be requested again: its cursor is always null.
	NoReplay bool
	// Unchecked leaves the arguments to the tool.
	Unchecked bool

	// Files are the files of a skill.
	Files []SkillFile `json:"files"`

	// Result is the result of Run if it depends only on the arguments.
	Result json.RawMessage
	Run    Run `json:"-"`
	// Complete maps the arguments of a prompt and the variables of a template to functions that propose values,
	// or is nil.
	Complete map[string]Completer `json:"-"`
}

// Run processes a request for an entry. It returns a [Result] of a tool, the []PromptMessage of a prompt, or
// the contents of a resource without uri and mimeType; any of them may be raw JSON. An *[Error] is sent as a
// JSON-RPC error, an error of [Failf] as a result.
type Run func(context.Context, *Call) (any, error)

// Completer returns all the values that an argument could have, given the other
// arguments.
type Completer func(others map[string]string) []string

// entry finds an entry that is visible to the client in a list, or returns nil.
func (c *Call) entry(of revision.List, key string) *Entry {
	for _, e := range c.server().list(of.Name) {
		if e.Key == key && c.sees(of, e) {
			return e
		}
	}
	return nil
}

func (c *Call) sees(of revision.List, e *Entry) bool {
	r := c.Revision()
	return r >= e.From && (e.Until == "" || r <= e.Until) && (!e.Hidden || c.memory().toggled(of.Name+"/"+e.Key))
}

// resource finds a resource, or the template that makes its URI, with the values of the
// variables as a JSON object.
func (c *Call) resource(uri string) (e *Entry, values json.RawMessage) {
	if e = c.entry(revision.Resources, uri); e != nil {
		return e, json.RawMessage("{}")
	}
	for _, e := range c.server().list(revision.Templates.Name) {
		if values, ok := matchTemplate(e.Key, uri); ok {
			return e, Encode(values)
		}
	}
	return nil, nil
}

// holds reports whether there is a resource with this uri.
func (c *Call) holds(uri string) bool {
	e, values := c.resource(uri)
	if e == nil || e.Key == uri {
		return e != nil || c.skillFiles()[uri] != nil
	}
	_, err := e.Run(c.session.ctx, &Call{session: c.session, message: c.message, terms: c.terms, used: e, Args: values})
	return err == nil
}

// matchTemplate finds values for the simple variables of a template ({name}, RFC 6570 level 1) that
// result in the uri.
func matchTemplate(template, uri string) (map[string]string, bool) {
	values := map[string]string{}
	for {
		literal, rest, more := strings.Cut(template, "{")
		var ok bool
		if uri, ok = strings.CutPrefix(uri, literal); !ok {
			return nil, false
		}
		if !more {
			return values, uri == ""
		}
		var name string
		name, template, _ = strings.Cut(rest, "}")
		end := strings.IndexByte(uri, '/')
		if end < 0 {
			end = len(uri)
		}
		value, err := url.PathUnescape(uri[:end])
		if err != nil || value == "" {
			return nil, false
		}
		values[name], uri = value, uri[end:]
	}
}

// declares reports whether the client has declared an extension; true for an empty one.
func (c *Call) declares(extension string) bool {
	return extension == "" || jsonrpc.Get(c.terms.caps, "extensions", extension) != nil
}

// list makes the result of a list method.
func list(_ context.Context, c *Call) (any, error) {
	of, _ := revision.ListOf(c.message.Method)
	var all []any
	for _, e := range c.server().list(of.Name) {
		if c.sees(of, e) && c.declares(e.Extension) {
			all = append(all, of.Shape.Fit(e.Wire, c.Revision()))
		}
	}
	if of.Name == revision.Resources.Name {
		all = append(all, c.mainFiles()...)
	}
	return page(c, of.Member, all)
}

// loopCursor is the cursor that leads nowhere but to itself.
const loopCursor = "YW5vdGhlciByb3VuZA"

// page makes the result of a list method: the page of entries that the cursor in the params selects, under the
// given name, and the cursor of the next page.
func page(c *Call, name string, all []any) (any, error) {
	var params struct {
		Cursor *string `json:"cursor"`
	}
	if err := c.decodeParams(&params); err != nil {
		return nil, err
	}
	server, method := c.server(), c.message.Method
	size := server.Pages[method]
	if size <= 0 {
		size = max(len(all), 1)
	}
	from := 0
	if params.Cursor != nil && (!server.Bend.CursorLoop || *params.Cursor != loopCursor) {
		var ok bool
		if from, ok = parseCursor(*params.Cursor, method); !ok || from > len(all) {
			return nil, invalidParams("unknown cursor")
		}
	}
	to := min(from+size, len(all))
	result := map[string]any{name: append([]any{}, all[from:to]...)} // never null
	switch {
	case server.Bend.CursorLoop:
		result["nextCursor"] = loopCursor
	case to < len(all):
		result["nextCursor"] = makeCursor(to, method)
	}
	return result, nil
}

// A cursor is opaque to clients: the method and the position, in Base64.
func makeCursor(at int, method string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(method + "@" + strconv.Itoa(at)))
}

func parseCursor(cursor, method string) (int, bool) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	number, ok := strings.CutPrefix(string(text), method+"@")
	if err != nil || !ok {
		return 0, false
	}
	at, err := strconv.Atoi(number)
	return at, err == nil && at > 0
}

// maxCompletions bounds the values of a completion.
const maxCompletions = 100

func complete(_ context.Context, c *Call) (any, error) {
	var params struct {
		Ref      struct{ Type, Name, URI string }
		Argument struct {
			Name  *string `json:"name"`
			Value string  `json:"value"`
		}
		Context struct{ Arguments map[string]string }
	}
	if err := c.decodeParams(&params); err != nil {
		return nil, err
	}
	if params.Argument.Name == nil {
		return nil, invalidParams("argument.name is missing")
	}
	of, key := revision.Prompts, params.Ref.Name
	switch params.Ref.Type {
	case "ref/prompt":
	case "ref/resource":
		of, key = revision.Templates, params.Ref.URI
	default:
		return nil, invalidParams("ref.type must be ref/prompt or ref/resource")
	}
	e := c.entry(of, key)
	if e == nil {
		return nil, invalidParams("unknown %s: %s", of.Noun, key)
	}
	completer, ok := e.Complete[*params.Argument.Name]
	if !ok {
		return nil, invalidParams("no such argument: %s", *params.Argument.Name)
	}
	others := params.Context.Arguments
	if !completionContext.In(c.Revision()) {
		others = nil
	}
	values := []string{}
	if completer != nil {
		for _, v := range completer(others) {
			if strings.HasPrefix(strings.ToLower(v), strings.ToLower(params.Argument.Value)) {
				values = append(values, v)
			}
		}
	}
	total := len(values)
	return map[string]any{"completion": map[string]any{
		"values":  values[:min(total, maxCompletions)],
		"total":   total,
		"hasMore": total > maxCompletions,
	}}, nil
}

// SchemaOf returns the input schema of a tool, or nil if there is no such tool.
func (s *Server) SchemaOf(tool string) []byte {
	for _, e := range s.list(revision.Tools.Name) {
		if e.Key == tool {
			return jsonrpc.Get(e.Wire, "inputSchema")
		}
	}
	return nil
}
