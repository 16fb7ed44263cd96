//go:build unix

package e2e

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcptea/lint/sdks"
)

const (
	rightHandshake = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
	fullHandshake  = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},
		"prompts":{"listChanged":true},"logging":{},"completions":{},"experimental":{"x":{}},
		"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}},"extensions":{"io.x/y":{}}},
		"serverInfo":{"name":"s","title":"S","version":"1","websiteUrl":"https://x.example","icons":[{"src":"https://x.example/y.png","mimeType":"image/png","sizes":["16x16"],"theme":"light"}]},
		"instructions":"i","_meta":{"k":1}}`
)

// faultyHandshakes are results of initialize with each member missing and of each type of JSON. A version that
// an SDK does not know is another matter.
func faultyHandshakes(t *testing.T) (all []oneFault) {
	t.Helper()
	parsed := func() (root map[string]any) {
		if err := json.Unmarshal([]byte(fullHandshake), &root); err != nil {
			t.Fatal(err)
		}
		return root
	}
	add := func(name string, root any) {
		raw, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, oneFault{name, raw})
	}
	values := map[string]any{"null": nil, "boolean": true, "number": 5, "string": "x", "array": []any{}, "object": map[string]any{}}
	var visit func(value any, path []string)
	at := func(root any, path []string) any { // the object or array with the last part
		for _, part := range path[:len(path)-1] {
			switch in := root.(type) {
			case map[string]any:
				root = in[part]
			case []any:
				i, _ := strconv.Atoi(part)
				root = in[i]
			}
		}
		return root
	}
	faults := func(path []string) {
		last := path[len(path)-1]
		root := parsed()
		if in, ok := at(root, path).(map[string]any); ok {
			delete(in, last)
			add(jsonPath(path)+" missing", root)
		}
		for _, kind := range slices.Sorted(maps.Keys(values)) {
			if kind == "string" && last == "protocolVersion" {
				continue
			}
			root := parsed()
			switch in := at(root, path).(type) {
			case map[string]any:
				in[last] = values[kind]
			case []any:
				in[0] = values[kind]
			}
			add(jsonPath(path)+" "+kind, root)
		}
	}
	visit = func(value any, path []string) {
		if len(path) > 0 {
			faults(path)
		}
		switch in := value.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(in)) {
				visit(in[name], append(slices.Clone(path), name))
			}
		case []any:
			visit(in[0], append(slices.Clone(path), "0"))
		}
	}
	visit(parsed(), nil)
	add("right", parsed())
	return all
}

func jsonPath(parts []string) (path string) {
	for _, part := range parts {
		path += "/" + part
	}
	return path
}

func TestClientSDKs_GoConnects(t *testing.T) {
	faults := faultyHandshakes(t)
	var results []string
	for _, f := range faults {
		client := mcp.NewClient(&mcp.Implementation{Name: "connect", Version: "1"}, nil)
		server := &cannedTransport{initialize: string(f.tool), reply: make(chan jsonrpc.Message, 8), closed: make(chan struct{})}
		if session, err := client.Connect(t.Context(), server, nil); err != nil {
			results = append(results, "refused: "+err.Error())
		} else {
			results = append(results, "connected")
			_ = session.Close()
		}
	}
	compareSDK(t, "go-sdk", faults, results, (*sdks.SDK).RefusesConnection)
}

func TestClientSDKs_TypeScriptConnects(t *testing.T) {
	withTypeScriptSDKs(t, faultyHandshakes(t), (*sdks.SDK).RefusesConnection, "initialize")
}
