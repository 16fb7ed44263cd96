package peer

import (
	"context"
	"encoding/json"

	"mcptea/client/jsonrpc"
)

// method is one row of the table of requests.
type method struct {
	// early methods may come before the handshake.
	early bool
	// waits says whether a request takes its time; nil is never.
	waits func(*Session, Message) bool
	serve func(context.Context, *Call) (any, error)
}

// methods are the requests that a client may send (legacy revisions).
var methods map[string]*method

func init() { // the handlers refer back to the table
	methods = map[string]*method{
		"initialize":               {early: true, serve: initialize},
		"ping":                     {early: true, serve: nothing},
		"tools/list":               {serve: listTools},
		"tools/call":               {serve: callTool, waits: toolWaits},
		"resources/list":           {serve: listResources},
		"resources/templates/list": {serve: listTemplates},
		"resources/read":           {serve: readResource},
		"resources/subscribe":      {serve: subscribe},
		"resources/unsubscribe":    {serve: unsubscribe},
		"prompts/list":             {serve: listPrompts},
		"prompts/get":              {serve: getPrompt},
		"completion/complete":      {serve: complete},
		"logging/setLevel":         {serve: setLevel},
	}
}

// find looks up the method of a request and checks that its time has come.
func (s *Session) find(m Message) (*method, *Error) {
	method := methods[m.Method]
	switch {
	case method == nil:
		return nil, &Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found: " + m.Method}
	case !method.early && !s.Ready():
		return nil, invalidRequest("%s came before initialize", m.Method)
	}
	return method, nil
}

// take acts on a notification; unknown ones are ignored.
func (s *Session) take(m Message) {
	if m.Method == "notifications/cancelled" {
		if id, ok := jsonrpc.Member(m.Params, "requestId"); ok {
			s.cancel(jsonrpc.ID(id))
		}
	}
}

func nothing(context.Context, *Call) (any, error) { return struct{}{}, nil }

// decodeParams reads the params of the request into v. Absent params are {}.
func (c *Call) decodeParams(v any) error {
	if len(c.message.Params) == 0 {
		return nil
	}
	if err := json.Unmarshal(c.message.Params, v); err != nil {
		return invalidParams("params: %v", err)
	}
	return nil
}

func initialize(_ context.Context, c *Call) (any, error) {
	var params struct {
		ProtocolVersion *string         `json:"protocolVersion"`
		Capabilities    json.RawMessage `json:"capabilities"`
		ClientInfo      json.RawMessage `json:"clientInfo"`
	}
	if err := c.decodeParams(&params); err != nil {
		return nil, err
	}
	switch {
	case params.ProtocolVersion == nil:
		return nil, invalidParams("protocolVersion is missing")
	case !isObject(params.Capabilities):
		return nil, invalidParams("capabilities must be an object")
	case !isObject(params.ClientInfo):
		return nil, invalidParams("clientInfo must be an object")
	}
	revision, _ := ParseRevision(*params.ProtocolVersion) // unknown: the newest
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready {
		return nil, invalidRequest("the session is initialized already")
	}
	s.revision, s.clientCaps, s.ready = revision, params.Capabilities, true
	return s.server.introduce(revision), nil
}

func isObject(token []byte) bool { return len(token) > 0 && token[0] == '{' }

// introduce makes the result of initialize.
func (s *Server) introduce(r Revision) any {
	info := map[string]any{"name": s.Name, "version": s.Version}
	if r.Has(Titles) {
		info["title"] = s.Title
	}
	if r.Has(Icons) {
		info["description"], info["websiteUrl"], info["icons"] = s.Description, s.Website, s.Icons
	}
	capabilities := map[string]any{
		"logging":   struct{}{},
		"prompts":   struct{}{},
		"resources": map[string]bool{"subscribe": true},
		"tools":     map[string]bool{"listChanged": true},
	}
	if r.Has(Completions) {
		capabilities["completions"] = struct{}{}
	}
	return struct {
		ProtocolVersion string         `json:"protocolVersion"`
		Capabilities    map[string]any `json:"capabilities"`
		ServerInfo      map[string]any `json:"serverInfo"`
		Instructions    string         `json:"instructions,omitempty"`
	}{r.String(), capabilities, info, s.Instructions}
}

func setLevel(_ context.Context, c *Call) (any, error) {
	var params struct {
		Level string `json:"level"`
	}
	if err := c.decodeParams(&params); err != nil {
		return nil, err
	}
	level := levelOf(params.Level)
	if level < 0 {
		return nil, &Error{
			Code: jsonrpc.CodeInvalidParams, Message: "no such log level: " + params.Level,
			Data: map[string]any{"levels": Levels},
		}
	}
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	c.session.level = level
	return struct{}{}, nil
}

// KnowsMethod reports whether there is a request of this name.
func KnowsMethod(name string) bool { return methods[name] != nil }
