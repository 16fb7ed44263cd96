package replay

import (
	"encoding/json"
	"fmt"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// An era is the way in which a client and a server agree on the protocol: the handshake of
// initialize, or _meta in each message (2026-07-28). A mock supports the era of its recording. If
// possible, it translates messages for a client of the other era.

// recordedHandshake is the result of initialize or server/discover in a recording.
type recordedHandshake struct {
	stateless bool
	result    []byte // result, or nil
}

// handshakeOf returns the first handshake with a result. It returns none for a recording of both
// eras, because a client of either era finds its own.
func (s *Mock) handshakeOf() (h recordedHandshake) {
	if s.initializes == s.discovers {
		return h
	}
	for i := range s.turns.Turns {
		turn := &s.turns.Turns[i]
		if !revision.IsHandshake(turn.Method) || !turn.hasResponse() {
			continue
		}
		frame, err := s.turns.Frame(turn.Response)
		if e := jsonrpc.Scan(frame); err == nil && e.Kind == jsonrpc.Response {
			return recordedHandshake{stateless: s.discovers, result: e.Result.Of(frame)}
		}
	}
	return h
}

// isOther reports whether a request is one of the era that the recording does not have.
func (h *recordedHandshake) isOther(method string, params []byte) bool {
	if h.result == nil {
		return false
	}
	_, stateless := jsonrpc.Member(params, "_meta", revision.MetaProtocolVersion)
	return h.stateless != (stateless || method == "server/discover")
}

// serverInfo returns the name and version of the recorded server.
func (h *recordedHandshake) serverInfo() json.RawMessage {
	info := jsonrpc.Get(h.result, "serverInfo")
	if h.stateless {
		info = jsonrpc.Get(h.result, "_meta", revision.MetaServerInfo)
	}
	if info == nil {
		return json.RawMessage(`{"name":"mcptea mock","version":"1"}`)
	}
	return info
}

// capabilities returns the capabilities of the recorded server, or an empty object.
func (h *recordedHandshake) capabilities() json.RawMessage {
	if caps := jsonrpc.Get(h.result, "capabilities"); caps != nil {
		return caps
	}
	return json.RawMessage("{}")
}

// respond returns the result of the handshake of the other era: of initialize for a stateless recording, of
// server/discover for one with a handshake.
func (h *recordedHandshake) respond(params []byte) []byte {
	result := map[string]any{"capabilities": h.capabilities()}
	if text := jsonrpc.Get(h.result, "instructions"); text != nil {
		result["instructions"] = json.RawMessage(text)
	}
	if h.stateless {
		version := revision.Revision(jsonrpc.Text(params, "protocolVersion"))
		if !version.HasHandshake() {
			version = revision.NewestHandshake
		}
		result["capabilities"] = revision.ShapeServerCapabilities.Fit(jsonrpc.Without(h.capabilities(), "extensions"), version)
		result["protocolVersion"], result["serverInfo"] = version, revision.ShapeImplementation.Fit(h.serverInfo(), version)
		raw, _ := json.Marshal(result) // always marshals
		return raw
	}
	result["capabilities"] = revision.ShapeServerCapabilities.Fit(h.capabilities(), revision.NewestStateless)
	result["supportedVersions"] = []string{string(revision.NewestStateless), jsonrpc.Text(h.result, "protocolVersion")}
	raw, _ := json.Marshal(result) // always marshals
	return h.stamp("server/discover", raw)
}

// translate returns the response to a request of the other era. lost describes the part that cannot be
// translated, or is "".
func (h *recordedHandshake) translate(method string, frame []byte) (out []byte, lost string) {
	e := jsonrpc.Scan(frame)
	if e.Kind != jsonrpc.Response {
		return frame, ""
	}
	id, result := e.ID.Of(frame).ID(), e.Result.Of(frame)
	if !h.stateless {
		return jsonrpc.EncodeResult(id, h.stamp(method, result)), ""
	}
	if kind := jsonrpc.Text(result, "resultType"); kind != "" && kind != "complete" {
		lost = fmt.Sprintf("the recorded result of %s is %q, which is possible only in %s", method, kind, revision.NewestStateless)
		return jsonrpc.EncodeError(id, jsonrpc.CodeInternalError, lost, nil), lost
	}
	out = jsonrpc.Only(result, func(name string, value []byte) []byte {
		switch name {
		case "resultType", "ttlMs", "cacheScope":
			return nil
		case "_meta":
			if value = jsonrpc.Without(value, revision.MetaServerInfo); len(value) == len("{}") {
				return nil
			}
		}
		return value
	})
	return jsonrpc.EncodeResult(id, out), ""
}

// stamp adds the members that each result has in 2026-07-28 (basic, "Result"), after the recorded ones.
func (h *recordedHandshake) stamp(method string, result []byte) []byte {
	out, meta := []byte{'{'}, []byte{'{'}
	for name, value := range jsonrpc.Members(result) {
		if string(name) == "_meta" {
			for name, value := range jsonrpc.Members(value) {
				meta = jsonrpc.AppendMember(meta, string(name), value)
			}
			continue
		}
		out = jsonrpc.AppendMember(out, string(name), value)
	}
	out = jsonrpc.AppendMember(out, "resultType", []byte(`"complete"`))
	if m, ok := revision.Lookup(method); ok && m.IsCacheable() {
		out = jsonrpc.AppendMember(out, "ttlMs", []byte("0"))
		out = jsonrpc.AppendMember(out, "cacheScope", []byte(`"private"`))
	}
	meta = append(jsonrpc.AppendMember(meta, revision.MetaServerInfo, h.serverInfo()), '}')
	return append(jsonrpc.AppendMember(out, "_meta", meta), '}')
}
