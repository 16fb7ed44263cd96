package peer

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"mcptea/client/revision"

	"mcptea/client/jsonrpc"
)

// method is one row of the table of requests.
type method struct {
	// early methods may come before the handshake.
	early bool
	// from is the first revision with a handshake that has it.
	from revision.Revision
	// waits says whether a request takes its time; nil is never.
	waits func(*Call) bool
	// cache is how long the result may be kept; nil is for results that have
	// no such member.
	cache func(*Call) caching
	serve func(context.Context, *Call) (any, error)
}

var (
	// methods are the requests of a session.
	methods map[string]*method
	// modernMethods are the requests that stand alone.
	modernMethods map[string]*method
)

func init() { // the handlers refer back to the tables
	both := map[string]*method{
		"tools/list":               {serve: listTools, cache: lists},
		"tools/call":               {serve: callTool, waits: toolWaits},
		"resources/list":           {serve: listResources, cache: lists},
		"resources/templates/list": {serve: listTemplates, cache: lists},
		"resources/read":           {serve: readResource, waits: readWaits, cache: contentsKeep},
		"prompts/list":             {serve: listPrompts, cache: lists},
		"prompts/get":              {serve: getPrompt, waits: promptWaits},
		"completion/complete":      {serve: complete},
	}
	methods = map[string]*method{
		"initialize":            {early: true, serve: initialize},
		"ping":                  {early: true, serve: nothing},
		"resources/subscribe":   {serve: subscribe},
		"resources/unsubscribe": {serve: unsubscribe},
		"logging/setLevel":      {serve: setLevel},
		"tasks/get":             {from: revision.R20251125, serve: getCoreTask},
		"tasks/result":          {from: revision.R20251125, serve: coreTaskResult, waits: always},
		"tasks/list":            {from: revision.R20251125, serve: listCoreTasks},
		"tasks/cancel":          {from: revision.R20251125, serve: cancelCoreTask},
	}
	modernMethods = map[string]*method{
		"server/discover":      {serve: discover, cache: discovery},
		"subscriptions/listen": {serve: listen, waits: always},
		"tasks/get":            {serve: getTask},
		"tasks/update":         {serve: updateTask},
		"tasks/cancel":         {serve: cancelTask},
	}
	maps.Copy(methods, both)
	maps.Copy(modernMethods, both)
}

func always(*Call) bool { return true }

// find looks up the method of a request, by the terms under which it comes.
func (c *Call) find() (*method, *Error) {
	s, m := c.session, c.message
	era := s.server.Era
	alone := StandsAlone(m.Method, m.Params)
	switch {
	case era == ModernOnly && m.Method == "initialize":
		return nil, s.server.refuseHandshake(m.Params)
	case era == ModernOnly, era == BothEras && alone:
		return c.findModern()
	case era == LegacyOnly && alone && !s.Ready():
		return nil, noSuchMethod(m.Method)
	}
	method := methods[m.Method]
	switch {
	case method == nil:
		return nil, noSuchMethod(m.Method)
	case !method.early && !s.Ready() && era == BothEras:
		return nil, invalidParams("%s came without initialize before it, and without _meta[%q]", m.Method, revision.MetaProtocolVersion)
	case !method.early && !s.Ready():
		return nil, invalidRequest("%s came before initialize", m.Method)
	case s.Revision() < method.from:
		return nil, noSuchMethod(m.Method)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.terms = terms{caps: s.clientCaps}
	return method, nil
}

func noSuchMethod(name string) *Error {
	return &Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found: " + name}
}

// take acts on a notification; unknown ones are ignored.
func (s *Session) take(m Message) {
	switch m.Method {
	case "notifications/cancelled":
		if id, ok := jsonrpc.Member(m.Params, "requestId"); ok {
			s.cancel(jsonrpc.ID(id))
		}
	case "notifications/roots/list_changed":
		s.askForRoots()
	}
}

// askForRoots asks for the roots once more, and tells in the log what came.
func (s *Session) askForRoots() {
	s.mu.Lock()
	_, has := jsonrpc.Member(s.clientCaps, "roots")
	s.mu.Unlock()
	if !has || !s.Ready() {
		return
	}
	s.work.Go(func() {
		raw, err := s.ask(s.ctx, unaskedReply{s}, "roots/list", nil)
		var answer struct{ Roots []any }
		if err == nil {
			err = json.Unmarshal(raw, &answer)
		}
		switch {
		case s.Ended():
		case err != nil:
			s.logf("roots/list after notifications/roots/list_changed: %v", err)
		default:
			s.logMessage("info", "roots", fmt.Sprintf("the roots changed; there are %d now", len(answer.Roots)))
		}
	})
}

// logMessage sends a log message that belongs to no request.
func (s *Session) logMessage(level, logger, text string) {
	s.mu.Lock()
	wanted := levelOf(level) >= s.level
	s.mu.Unlock()
	if wanted {
		s.Notify("notifications/message", encode(map[string]string{"level": level, "logger": logger, "data": text}))
	}
}

// unaskedReply sends what belongs to no request of the client.
type unaskedReply struct{ session *Session }

func (u unaskedReply) Send(frame []byte) { u.session.Emit(frame) }

func (u unaskedReply) Answer([]byte) {}

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
	r := revision.Revision(*params.ProtocolVersion)
	if !r.HasHandshake() { // later, or unknown
		r = revision.NewestHandshake
	}
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready {
		return nil, invalidRequest("the session is initialized already")
	}
	s.revision, s.clientCaps, s.ready = r, params.Capabilities, true
	return s.server.introduce(r), nil
}

func isObject(token []byte) bool { return len(token) > 0 && token[0] == '{' }

// introduce makes the result of initialize.
func (s *Server) introduce(r revision.Revision) any {
	return struct {
		ProtocolVersion string         `json:"protocolVersion"`
		Capabilities    map[string]any `json:"capabilities"`
		ServerInfo      map[string]any `json:"serverInfo"`
		Instructions    string         `json:"instructions,omitempty"`
	}{string(r), s.capabilities(r), s.info(r), s.Instructions}
}

// info is the serverInfo.
func (s *Server) info(r revision.Revision) map[string]any {
	info := map[string]any{"name": s.Name, "version": s.Version}
	if titles.In(r) {
		info["title"] = s.Title
	}
	if icons.In(r) {
		info["description"], info["websiteUrl"], info["icons"] = s.Description, s.Website, s.Icons
	}
	return info
}

// badge says it shortly enough to stand in each result.
func (s *Server) badge() map[string]any {
	return map[string]any{"name": s.Name, "title": s.Title, "version": s.Version}
}

// capabilities says what the server can do.
func (s *Server) capabilities(r revision.Revision) map[string]any {
	listChanged := map[string]bool{"listChanged": true}
	all := map[string]any{
		"logging":   struct{}{},
		"prompts":   listChanged,
		"resources": map[string]bool{"listChanged": true, "subscribe": true},
		"tools":     listChanged,
	}
	if completions.In(r) {
		all["completions"] = struct{}{}
	}
	if coreTasks.In(r) {
		all["tasks"] = map[string]any{
			"list": struct{}{}, "cancel": struct{}{},
			"requests": map[string]any{"tools": map[string]any{"call": struct{}{}}},
		}
	}
	if r > revision.NewestHandshake {
		all["extensions"] = s.Extensions
	}
	return all
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
		return nil, noSuchLevel(params.Level)
	}
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	c.session.level = level
	return struct{}{}, nil
}

func noSuchLevel(name string) *Error {
	return &Error{
		Code: jsonrpc.CodeInvalidParams, Message: "no such log level: " + name,
		Data: map[string]any{"levels": logLevels},
	}
}

// KnowsMethod reports whether there is a request of this name in a
// session.
func KnowsMethod(name string) bool { return methods[name] != nil }
