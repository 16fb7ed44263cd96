package schema

import (
	"encoding/json"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
)

// pointers follows local references, "#/$defs/name". It remembers the objects
// on the way: a large schema has many references into the same few places.
type pointers struct {
	root   json.RawMessage
	parsed map[string]object // by the path to them
}

func (p *pointers) follow(ref string) (json.RawMessage, bool) {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok || path != "" && path[0] != '/' {
		return nil, false
	}
	at, done := p.root, 0
	for done < len(path) {
		end := len(path)
		if i := strings.IndexByte(path[done+1:], '/'); i >= 0 {
			end = done + 1 + i
		}
		name := jsonrpc.UnescapePointer(path[done+1 : end])
		if at = p.child(path[:done], at, name); at == nil {
			return nil, false
		}
		done = end
	}
	return at, true
}

func (p *pointers) child(path string, raw json.RawMessage, name string) json.RawMessage {
	if obj, ok := p.parsed[path]; ok {
		return obj.get(name)
	}
	if obj, ok := parseObject(raw); ok {
		if p.parsed == nil {
			p.parsed = map[string]object{}
		}
		p.parsed[path] = obj
		return obj.get(name)
	}
	var list []json.RawMessage
	if i, err := strconv.Atoi(name); err == nil && json.Unmarshal(raw, &list) == nil && i >= 0 && i < len(list) {
		return list[i]
	}
	return nil
}
