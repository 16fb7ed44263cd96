package peer

import (
	"context"
	"encoding/json"

	"mcptea/client/revision"

	"mcptea/client/jsonrpc"
)

// findModern looks up the method of a request that stands alone.
func (c *Call) findModern() (*method, *Error) {
	// An unknown method is checked first: _meta does not matter for it.
	method := modernMethods[c.message.Method]
	if method == nil {
		return nil, noSuchMethod(c.message.Method)
	}
	var err *Error
	if c.terms, err = c.server().readTerms(c.message.Params); err != nil {
		return nil, err
	}
	return method, nil
}

// refuseHandshake is what a server without handshakes has to say to one.
func (s *Server) refuseHandshake(params []byte) *Error {
	token, _ := jsonrpc.Member(params, "protocolVersion")
	version, _ := jsonrpc.Unquote(token)
	return s.unsupported(version)
}

func discover(_ context.Context, c *Call) (any, error) {
	s := c.server()
	return struct {
		Versions     []string       `json:"supportedVersions"`
		Capabilities map[string]any `json:"capabilities"`
		Instructions string         `json:"instructions,omitempty"`
		Meta         map[string]any `json:"_meta"`
	}{
		s.Era.revisions(), s.capabilities(c.Revision()), s.Instructions,
		map[string]any{revision.MetaServerInfo: s.info(c.Revision())},
	}, nil
}

// caching is ttlMs and cacheScope of a result.
type caching struct {
	ttl   int // milliseconds
	scope string
}

const minute = 60_000

func discovery(*Call) caching { return caching{60 * minute, "public"} }

func lists(*Call) caching { return caching{minute, "public"} }

// contentsKeep is for resources/read: what changes each time is private.
func contentsKeep(c *Call) caching {
	uri, _ := c.decodeURI()
	for i := range c.server().Resources {
		if r := &c.server().Resources[i]; r.URI == uri && (r.Fleeting || r.Ask != nil) {
			return caching{0, "private"}
		}
	}
	return caching{5 * minute, "public"}
}

// stamp puts what each result of 2026-07-28 has in front of one. Results that
// are not complete say so themselves, and are not kept.
func (c *Call) stamp(method *method, raw []byte) []byte {
	_, kind := jsonrpc.Member(raw, "resultType")
	head := map[string]any{}
	if !kind {
		head["resultType"] = "complete"
	}
	// The response to a repeated request is private, too.
	if again := c.rounds.fresh != nil || c.rounds.state.Passed != nil; method.cache != nil && !kind {
		keep := method.cache(c)
		if again {
			keep = caching{0, "private"}
		}
		head["ttlMs"], head["cacheScope"] = keep.ttl, keep.scope
	}
	if _, meta := jsonrpc.Member(raw, "_meta"); !meta {
		head["_meta"] = map[string]any{revision.MetaServerInfo: c.server().badge()}
	}
	return prepend(raw, head)
}

// prepend puts members in front of an object.
func prepend(object []byte, members map[string]any) []byte {
	if len(members) == 0 {
		return object
	}
	head := encode(members)
	if len(object) == len("{}") {
		return head
	}
	head[len(head)-1] = ','
	return append(head, object[1:]...)
}

// SchemaOf returns the input schema of a tool, nil if there is no such tool.
func (s *Server) SchemaOf(tool string) json.RawMessage {
	if t := s.tool(tool); t != nil {
		return t.Input
	}
	return nil
}
