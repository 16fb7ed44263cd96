package demo

import (
	"encoding/json"
	"fmt"
	"sync/atomic"

	"mcptea/client/revision"

	"mcptea/client/jsonrpc"
	"mcptea/demo/peer"
)

// Faults of the eras: servers that know one of them only, or believe so.

// dieUnlessInitialize makes a process that cannot bear to be asked anything
// before the handshake.
func dieUnlessInitialize(r *run) peer.Bend {
	var seen atomic.Bool
	return peer.Bend{Incoming: func(_ *peer.Session, m peer.Message) bool {
		if seen.Swap(true) || m.Method == "initialize" {
			return false
		}
		fmt.Fprintf(r.errs, "demo: fatal: got %s, want initialize\n", m.Method)
		r.exit(1)
		return true
	}}
}

// refuseModernCalls makes a server that was taught server/discover and nothing
// else of its revision.
func refuseModernCalls(*run) peer.Bend {
	return peer.Bend{Answer: func(m peer.Message, frame []byte) [][]byte {
		if m.Method == "server/discover" || !peer.StandsAlone(m.Method, m.Params) {
			return [][]byte{frame}
		}
		return [][]byte{jsonrpc.AppendError(nil, m.ID, jsonrpc.CodeInvalidRequest, m.Method+" came before initialize", nil)}
	}}
}

func emptyDiscovery(*run) peer.Bend {
	return peer.Bend{Answer: func(m peer.Message, frame []byte) [][]byte {
		if m.Method != "server/discover" {
			return [][]byte{frame}
		}
		return [][]byte{jsonrpc.AppendResult(nil, m.ID, []byte("{}"))}
	}}
}

func refuseHeaders(*run) peer.Bend {
	return peer.Bend{Answer: func(m peer.Message, frame []byte) [][]byte {
		if m.Method != "tools/call" || !peer.StandsAlone(m.Method, m.Params) {
			return [][]byte{frame}
		}
		return [][]byte{jsonrpc.AppendError(nil, m.ID, revision.CodeHeaderMismatch,
			`the header Mcp-Name is "tea"; the body says otherwise`, nil)}
	}}
}

// addBadHeaderTools puts tools in front whose annotations break one rule each.
func addBadHeaderTools(server *peer.Server) {
	broken := []struct{ name, description, schema string }{
		{"header-empty", "The name of the header is empty", `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":""}}}`},
		{"header-space", "The name has a space", `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"My Region"}}}`},
		{"header-newline", "The name has a line break", `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A\r\nX-Evil: 1"}}}`},
		{"header-twice", "Two arguments want the same header", `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"Region"},"b":{"type":"string","x-mcp-header":"region"}}}`},
		{"header-number", "An argument that may be a fraction", `{"type":"object","properties":{"a":{"type":"number","x-mcp-header":"Weight"}}}`},
		{"header-object", "An argument that is an object", `{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"All"}}}`},
		{"header-items", "Inside of an array", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"Each"}}}}`},
		{"header-choice", "Inside of a choice", `{"type":"object","oneOf":[{"properties":{"a":{"type":"string","x-mcp-header":"Maybe"}}}]}`},
		{"header-not-text", "The name is no string", `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":7}}}`},
		{"header-secret", "A password for everybody to see", `{"type":"object","properties":{"password":{"type":"string","x-mcp-header":"Password"}}}`},
	}
	var tools []peer.Tool
	for _, b := range broken {
		echo := server.Tools[0]
		tools = append(tools, peer.Tool{Name: b.name, Description: b.description, Input: json.RawMessage(b.schema), Unchecked: true, Run: echo.Run})
	}
	server.Tools = append(tools, server.Tools...)
}
