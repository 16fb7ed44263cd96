package demo

import (
	"bytes"
	"encoding/json"

	"mcptea/client/jsonrpc"
	"mcptea/client/jsonrpc/framefault"
	"mcptea/demo/peer"
)

// Faults of messages: wrong responses, and messages that were not requested.

// ignoring makes the requests of one method go unanswered.
func ignoring(method string) func(*run) peer.Bend {
	return func(*run) peer.Bend {
		return peer.Bend{Incoming: func(_ *peer.Session, m peer.Message) bool { return m.Method == method }}
	}
}

func refuseInitialize(*run) peer.Bend {
	return peer.Bend{Answer: func(m peer.Message, frame []byte) [][]byte {
		if m.Method != "initialize" {
			return [][]byte{frame}
		}
		return [][]byte{jsonrpc.AppendError(nil, m.ID, jsonrpc.CodeInternalError,
			"the demo database is not there", []byte(`{"path":"/var/lib/tea.db"}`))}
	}}
}

// claiming changes the revision in the answer to initialize.
func claiming(revision string) func(*run) peer.Bend {
	return func(*run) peer.Bend {
		return peer.Bend{Result: func(method string, result []byte) []byte {
			if token, ok := jsonrpc.Member(result, "protocolVersion"); ok && method == "initialize" {
				return bytes.Replace(result, token, []byte(jsonrpc.StringID(revision)), 1)
			}
			return result
		}}
	}
}

// onCalls changes the frames that answer tool calls, onAll all answers.
func onCalls(change func(m peer.Message, frame []byte) [][]byte) func(*run) peer.Bend {
	return onAll(func(m peer.Message, frame []byte) [][]byte {
		if m.Method != "tools/call" {
			return [][]byte{frame}
		}
		return change(m, frame)
	})
}

func onAll(change func(m peer.Message, frame []byte) [][]byte) func(*run) peer.Bend {
	return func(*run) peer.Bend { return peer.Bend{Answer: change} }
}

// frameFault changes a frame as a fault of package framefault does.
func frameFault(name string) func(peer.Message, []byte) [][]byte {
	f, _ := framefault.Named(name) // TestFaults checks that each has an effect
	return func(_ peer.Message, frame []byte) [][]byte { return f.Apply(frame) }
}

func answerLate(*run) peer.Bend { return peer.Bend{LateAnswers: true} }

func loopCursors(*run) peer.Bend { return peer.Bend{CursorLoop: true} }

// afterHandshake makes something happen once the client is initialized.
func afterHandshake(do func(*peer.Session)) peer.Bend {
	return peer.Bend{Incoming: func(s *peer.Session, m peer.Message) bool {
		if m.Method == "notifications/initialized" {
			do(s)
		}
		return false
	}}
}

func sendUnknownNotification(*run) peer.Bend {
	return afterHandshake(func(s *peer.Session) {
		s.Notify("notifications/kettle/boiled", []byte(`{"degrees":100}`))
		s.Notify("kettle", nil)
	})
}

func sendOddRequests(*run) peer.Bend {
	return afterHandshake(func(s *peer.Session) {
		s.Emit(jsonrpc.AppendRequest(nil, jsonrpc.IntID(7001), "kettle/boil", []byte(`{"degrees":100}`)))
		for range 2 {
			s.Emit(jsonrpc.AppendRequest(nil, jsonrpc.IntID(7002), "ping", nil))
		}
	})
}

func answerNotifications(*run) peer.Bend {
	return peer.Bend{Incoming: func(s *peer.Session, m peer.Message) bool {
		if m.ID == "" {
			s.Emit(jsonrpc.AppendResult(nil, "null", nil))
		}
		return false
	}}
}

func goBackwards(*run) peer.Bend {
	return onCall(func(s *peer.Session, m peer.Message) bool {
		token, ok := jsonrpc.Member(m.Params, "_meta", "progressToken")
		if !ok {
			token = []byte(`"not-requested"`)
		}
		for _, step := range []int{3, 1, 1, 9} {
			params, _ := json.Marshal(map[string]any{ // of plain values: cannot fail
				"progressToken": json.RawMessage(token), "progress": step, "total": 4})
			s.Notify("notifications/progress", params)
		}
		s.Notify("notifications/progress", []byte(`{"progressToken":"of-no-request","progress":1}`))
		return false
	})
}

// addBrokenTools puts tools in front whose schemas are wrong in different ways.
func addBrokenTools(server *peer.Server) {
	broken := []struct{ name, description, schema string }{
		{"schema-not-object", "The root is a string", `{"type":"string"}`},
		{"schema-no-type", "The root has no type", `{"properties":{"a":{"type":"string"}}}`},
		{"schema-unknown-type", "A property of type text", `{"type":"object","properties":{"a":{"type":"text"}}}`},
		{"schema-lost-ref", "Refers to what is not there", `{"type":"object","properties":{"a":{"$ref":"#/$defs/gone"}}}`},
		{"schema-far-ref", "Refers to another machine", `{"type":"object","properties":{"a":{"$ref":"https://example.com/schema.json"}}}`},
		{"schema-circle", "Refers to itself", `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/a"}}}`},
		{"schema-pattern", "A pattern that does not compile", `{"type":"object","properties":{"a":{"type":"string","pattern":"([a-z"}}}`},
		{"schema-required", "Requires as a word, not a list", `{"type":"object","properties":{"a":{"type":"string"}},"required":"a"}`},
		{"schema-null", "No schema at all", `null`},
		{"schema-list", "Properties as a list", `{"type":"object","properties":[{"name":"a"}]}`},
		{"Schema with spaces!", "A name that is not one", `{"type":"object"}`},
	}
	var tools []peer.Tool
	for _, b := range broken {
		echo := server.Tools[0]
		tools = append(tools, peer.Tool{Name: b.name, Description: b.description, Input: json.RawMessage(b.schema), Unchecked: true, Run: echo.Run})
	}
	server.Tools = append(tools, server.Tools...)
}
