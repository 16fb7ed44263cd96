package peer

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// method is one row of the table of requests. Package revision has the revisions that define it.
type method struct {
	// early methods may be sent before the handshake.
	early bool
	// waits reports whether the method always takes time.
	waits bool
	// ttl is for how many minutes the result may be kept; 0 is for results that have
	// no such member.
	ttl   int
	serve func(context.Context, *Call) (any, error)
}

// methods are the requests of both eras.
var methods map[string]*method

func init() { // the handlers refer back to the table
	methods = map[string]*method{
		"initialize":               {early: true, serve: initialize},
		"server/discover":          {serve: discover, ttl: 60},
		"ping":                     {early: true, serve: nothing},
		"tools/list":               {serve: list, ttl: 1},
		"tools/call":               {serve: callTool},
		"resources/list":           {serve: list, ttl: 1},
		"resources/templates/list": {serve: list, ttl: 1},
		"resources/read":           {serve: readResource, ttl: 5},
		"resources/subscribe":      {serve: subscribe},
		"resources/unsubscribe":    {serve: unsubscribe},
		"subscriptions/listen":     {serve: listen, waits: true},
		"prompts/list":             {serve: list, ttl: 1},
		"prompts/get":              {serve: getPrompt},
		"completion/complete":      {serve: complete},
		"logging/setLevel":         {serve: setLevel},
		"skills/list":              {serve: list, ttl: 1},
		"skills/get":               {serve: getSkill, ttl: 1},
		"resources/directory/read": {serve: readDirectory},
		"events/list":              {serve: list},
		"events/poll":              {serve: pollEvents},
		"events/stream":            {serve: streamEvents, waits: true},
		"events/subscribe":         {serve: subscribeToEvents, waits: true},
		"events/unsubscribe":       {serve: unsubscribeFromEvents},
		"tasks/get":                {serve: getTask},
		"tasks/result":             {serve: taskResult, waits: true},
		"tasks/list":               {serve: listTasks},
		"tasks/update":             {serve: updateTask},
		"tasks/cancel":             {serve: cancelTask},
	}
}

// methodIn returns a method of a revision, or nil.
func methodIn(r revision.Revision, name string) *method {
	if m, ok := revision.Lookup(name); !ok || !m.In(r) {
		return nil
	}
	return methods[name]
}

// KnowsMethod reports whether there is a request of this name in a
// session.
func KnowsMethod(name string) bool { return methodIn(revision.NewestHandshake, name) != nil }

// notifying are the capabilities that a client can listen to.
var notifying = [][]string{
	{"tools", "listChanged"},
	{"resources", "listChanged"},
	{"resources", "subscribe"},
	{"prompts", "listChanged"},
	{"extensions", revision.TasksExtension},
	{"extensions", revision.EventsExtension, "listChanged"},
}

// method returns a method of a revision that the server's capabilities enable, or nil.
func (s *Server) method(r revision.Revision, name string) *method {
	if m, ok := revision.Lookup(name); ok {
		needs := m.Needs(r, revision.Client)
		if !m.IsDeclared(s.Capabilities, r, revision.Client) || len(needs) > 0 && needs[0] == "extensions" && r.HasHandshake() {
			return nil // sessions have no extensions
		}
	}
	if name == "subscriptions/listen" && !slices.ContainsFunc(notifying, func(path []string) bool { return revision.Declares(s.Capabilities, path...) }) {
		return nil
	}
	return methodIn(r, name)
}

// find returns the method of a request, according to its terms.
func (c *Call) find() (*method, *Error) {
	s, name, params := c.session, c.message.Method, c.message.Params
	era, alone := s.server.Era, StandsAlone(name, params)
	switch {
	case era == ModernOnly && name == "initialize":
		return nil, s.server.unsupported(jsonrpc.Text(params, "protocolVersion"))
	case era == ModernOnly, era == BothEras && alone:
		// An unknown method is checked first: _meta does not matter for it.
		method := s.server.method(revision.NewestStateless, name)
		if method == nil {
			return nil, noSuchMethod(name)
		}
		var err *Error
		c.terms, err = s.server.readTerms(params)
		return method, err
	case era == LegacyOnly && alone && !s.Ready():
		return nil, noSuchMethod(name)
	}
	method := s.server.method(s.Revision(), name)
	switch {
	case method == nil:
		return nil, noSuchMethod(name)
	case !method.early && !s.Ready() && era == BothEras:
		return nil, invalidParams("%s came without initialize before it, and without _meta[%q]", name, revision.MetaProtocolVersion)
	case !method.early && !s.Ready():
		return nil, invalidRequest("%s came before initialize", name)
	}
	c.terms = s.agreed()
	return method, nil
}

func noSuchMethod(name string) *Error {
	return &Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found: " + name}
}

// acceptNotification acts on a notification; unknown ones are ignored.
func (s *Session) acceptNotification(m Message) {
	switch m.Method {
	case "notifications/cancelled":
		if id, ok := jsonrpc.Member(m.Params, "requestId"); ok {
			s.cancel(jsonrpc.IDOf(id))
		}
	case "notifications/roots/list_changed":
		s.askForRoots()
	}
}

// askForRoots requests the roots again, and logs the result.
func (s *Session) askForRoots() {
	c := &Call{session: s, reply: unaskedReply{s}, terms: s.agreed()}
	if !c.ClientHas("roots") || !s.Ready() {
		return
	}
	s.work.Go(func() {
		raw, err := s.ask(s.ctx, c.reply, "roots/list", nil)
		var answer struct{ Roots []any }
		if err == nil {
			err = json.Unmarshal(raw, &answer)
		}
		switch {
		case s.ended():
		case err != nil:
			s.logf("roots/list after notifications/roots/list_changed: %v", err)
		default:
			c.Log("info", "roots", fmt.Sprintf("the roots changed; there are %d now", len(answer.Roots)))
		}
	})
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

// param returns a param that must be a string.
func (c *Call) param(name string) (string, error) {
	value := jsonrpc.Get(c.message.Params, name)
	text, ok := jsonrpc.Unquote(value)
	switch {
	case len(value) == 0, string(value) == "null":
		return "", invalidParams("%s is missing", name)
	case !ok:
		return "", invalidParams("params: %s must be a string", name)
	}
	return text, nil
}

func isObject(token []byte) bool { return len(token) > 0 && token[0] == '{' }

func initialize(_ context.Context, c *Call) (any, error) {
	version, err := c.param("protocolVersion")
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"capabilities", "clientInfo"} {
		if !isObject(jsonrpc.Get(c.message.Params, name)) {
			return nil, invalidParams("%s must be an object", name)
		}
	}
	r := revision.Revision(version)
	if !r.HasHandshake() { // later, or unknown
		r = revision.NewestHandshake
	}
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready {
		return nil, invalidRequest("the session is initialized already")
	}
	s.terms.revision, s.terms.caps, s.ready = r, jsonrpc.Get(c.message.Params, "capabilities"), true
	s.terms.client = jsonrpc.Text(c.message.Params, "clientInfo", "name")
	return struct {
		ProtocolVersion string          `json:"protocolVersion"`
		Capabilities    json.RawMessage `json:"capabilities"`
		ServerInfo      json.RawMessage `json:"serverInfo"`
		Instructions    string          `json:"instructions,omitempty"`
	}{string(r), s.server.capabilities(r), s.server.info(r), s.server.Instructions}, nil
}

func discover(_ context.Context, c *Call) (any, error) {
	s := c.server()
	return struct {
		Versions     []string        `json:"supportedVersions"`
		Capabilities json.RawMessage `json:"capabilities"`
		Instructions string          `json:"instructions,omitempty"`
		Meta         map[string]any  `json:"_meta"`
	}{
		s.Era.revisions(), s.capabilities(c.Revision()), s.Instructions,
		map[string]any{revision.MetaServerInfo: s.info(c.Revision())},
	}, nil
}

// info returns the serverInfo.
func (s *Server) info(r revision.Revision) json.RawMessage {
	return revision.ShapeImplementation.Fit(s.Info, r)
}

// badge returns the serverInfo in a form short enough for each result.
func (s *Server) badge() json.RawMessage { return s.info(revision.R20250618) }

// capabilities returns the capabilities of the server. Sessions do not use its extensions.
func (s *Server) capabilities(r revision.Revision) json.RawMessage {
	all := revision.ShapeServerCapabilities.Fit(s.Capabilities, r)
	if r.HasHandshake() {
		return jsonrpc.Without(all, "extensions")
	}
	return all
}

// stamp inserts the members that each result of 2026-07-28 has. Incomplete results declare themselves, and
// cannot be cached.
func (c *Call) stamp(method *method, raw []byte) []byte {
	_, kind := jsonrpc.Member(raw, "resultType")
	head := map[string]any{}
	if !kind {
		head["resultType"] = "complete"
	}
	if method.ttl > 0 && !kind {
		head["ttlMs"], head["cacheScope"] = method.ttl*60_000, "public"
		// Nor can the response to a repeated request, or a result that changes each time.
		if c.rounds.fresh != nil || c.rounds.state.Passed != nil || c.used != nil && (c.used.Fleeting || c.used.Waits) {
			head["ttlMs"], head["cacheScope"] = 0, "private"
		}
	}
	if _, meta := jsonrpc.Member(raw, "_meta"); !meta {
		head["_meta"] = map[string]any{revision.MetaServerInfo: c.server().badge()}
	}
	return prepend(raw, head)
}

// prepend puts the members of a head in front of an object.
func prepend(object []byte, head any) []byte {
	front := Encode(head)
	switch {
	case len(front) == len("{}"):
		return object
	case len(object) == len("{}"):
		return front
	}
	front[len(front)-1] = ','
	return append(front, object[1:]...)
}

func setLevel(_ context.Context, c *Call) (any, error) {
	level, err := levelNamed(jsonrpc.Text(c.message.Params, "level"))
	if err != nil {
		return nil, err
	}
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	c.session.terms.level = level
	return struct{}{}, nil
}

// levelNamed returns the number of a log level, the least urgent first.
func levelNamed(name string) (int, *Error) {
	all := revision.Levels()
	level := slices.Index(all, name)
	if level < 0 {
		return level, &Error{Code: jsonrpc.CodeInvalidParams, Message: "no such log level: " + name, Data: map[string]any{"levels": all}}
	}
	return level, nil
}
