package peer

import (
	"encoding/json"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// terms describe the client: its declarations in the handshake, or in a stateless request.
type terms struct {
	modern   bool // the request is stateless
	revision revision.Revision
	caps     json.RawMessage // capabilities of the client
	client   string          // name of the client
	level    int             // minimum level of the log messages that it requested
}

// StandsAlone reports whether a request is stateless: it declares such a version, or has a method that no
// session has.
func StandsAlone(method string, params []byte) bool {
	if method == "server/discover" || method == "subscriptions/listen" {
		return true
	}
	for _, name := range []string{revision.MetaProtocolVersion, revision.MetaClientCapabilities, revision.MetaClientInfo} {
		if _, ok := jsonrpc.Member(params, "_meta", name); ok {
			return true
		}
	}
	return false
}

// readTerms reads the declarations of a stateless request about its client.
func (s *Server) readTerms(params []byte) (terms, *Error) {
	t := terms{modern: true, revision: revision.R20260728, level: len(revision.Levels())}
	token, ok := jsonrpc.Member(params, "_meta", revision.MetaProtocolVersion)
	if !ok {
		return t, invalidParams("_meta[%q] is missing", revision.MetaProtocolVersion)
	}
	version, ok := jsonrpc.Unquote(token)
	if !ok {
		return t, invalidParams("_meta[%q] must be a string", revision.MetaProtocolVersion)
	}
	if version != string(revision.R20260728) {
		return t, s.unsupported(version)
	}
	caps, ok := jsonrpc.Member(params, "_meta", revision.MetaClientCapabilities)
	if !ok || !isObject(caps) {
		return t, invalidParams("_meta[%q] must be there, and an object", revision.MetaClientCapabilities)
	}
	t.caps = caps
	if info, ok := jsonrpc.Member(params, "_meta", revision.MetaClientInfo); ok && !isObject(info) {
		return t, invalidParams("_meta[%q] must be an object", revision.MetaClientInfo)
	}
	t.client = jsonrpc.Text(params, "_meta", revision.MetaClientInfo, "name")
	if token, ok := jsonrpc.Member(params, "_meta", revision.MetaLogLevel); ok {
		name, _ := jsonrpc.Unquote(token)
		var err *Error
		if t.level, err = levelNamed(name); err != nil {
			return t, err
		}
	}
	return t, nil
}

// unsupported returns an error that rejects a version and names the supported ones.
func (s *Server) unsupported(version string) *Error {
	message := "this server does not support protocol version " + version
	if revision.Revision(version).HasHandshake() && s.Era == BothEras {
		message = "protocol version " + version + " opens with initialize; its requests do not stand alone"
	}
	return &Error{
		Code: revision.CodeUnsupportedVersion, Message: message,
		Data: map[string]any{"supported": s.Era.revisions(), "requested": version},
	}
}

// ClientHas reports whether the client declared a capability, such as "elicitation" or "elicitation.url". A
// client that declares only elicitation supports forms.
func (c *Call) ClientHas(path string) bool {
	names := strings.Split(path, ".")
	if _, ok := jsonrpc.Member(c.terms.caps, names[0], names[1:]...); ok {
		return true
	}
	_, url := jsonrpc.Member(c.terms.caps, "elicitation", "url")
	return path == "elicitation.form" && !url && c.ClientHas("elicitation")
}

// ClientName returns the name of the client, or "".
func (c *Call) ClientName() string { return c.terms.client }

// hasTasks reports whether the client declared the extension that turns tool calls into tasks.
func (c *Call) hasTasks() bool {
	_, ok := jsonrpc.Member(c.terms.caps, "extensions", revision.TasksExtension)
	return ok
}

var errNoTasks = missingCapability(revision.TasksExtension,
	map[string]any{"extensions": map[string]any{revision.TasksExtension: struct{}{}}})

// Lacks returns the error for a client that did not declare a capability that the call needs. In sessions it
// returns nil: the tool reports it in its result.
func (c *Call) Lacks(paths ...string) error {
	if !c.terms.modern {
		return nil
	}
	needed := map[string]any{}
	for _, path := range paths {
		at := needed
		for name := range strings.SplitSeq(path, ".") {
			inner, ok := at[name].(map[string]any)
			if !ok {
				inner = map[string]any{}
				at[name] = inner
			}
			at = inner
		}
	}
	return missingCapability(strings.Join(paths, ", "), needed)
}

func missingCapability(names string, needed map[string]any) *Error {
	return &Error{
		Code: revision.CodeMissingCapability, Message: "the client must declare: " + names,
		Data: map[string]any{"requiredCapabilities": needed},
	}
}
