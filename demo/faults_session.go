package demo

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/server/peer"
)

// Faults of sessions: wrong responses, messages that were not requested, and the end.

// dieUnlessInitialize makes a process that exits if a request comes before the handshake.
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

// refuseModernCalls makes a server that supports only server/discover of the stateless version.
func refuseModernCalls(*run) peer.Bend {
	return peer.Bend{Answer: func(m peer.Message, frame []byte) [][]byte {
		if m.Method == "server/discover" || !peer.StandsAlone(m.Method, m.Params) {
			return [][]byte{frame}
		}
		return [][]byte{jsonrpc.EncodeError(m.ID, jsonrpc.CodeInvalidRequest, m.Method+" came before initialize", nil)}
	}}
}

// afterHandshake makes something happen once the client is initialized.
func afterHandshake(do func(*peer.Session)) peer.Bend {
	return peer.Bend{Incoming: func(s *peer.Session, m peer.Message) bool {
		if m.Method == "notifications/initialized" {
			do(s)
		}
		return false
	}}
}

// hugeSize is the length of the line of huge-line, in bytes.
const hugeSize = 50_000_000

func sendHugeLine(*run) peer.Bend {
	return afterHandshake(func(s *peer.Session) {
		head := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"huge","data":"`
		s.Emit([]byte(head + strings.Repeat("x", hugeSize-len(head)-3) + `"}}`))
	})
}

func answerNotifications(*run) peer.Bend {
	return peer.Bend{Incoming: func(s *peer.Session, m peer.Message) bool {
		if !m.ID.Present() {
			s.Emit(jsonrpc.EncodeResult(jsonrpc.IDOf("null"), nil))
		}
		return false
	}}
}

// onCall makes something happen when a tool is called; do reports whether that
// was the end of it.
func onCall(do func(*peer.Session, peer.Message) bool) peer.Bend {
	return peer.Bend{Incoming: func(s *peer.Session, m peer.Message) bool {
		return m.Method == "tools/call" && do(s, m)
	}}
}

func goBackwards(*run) peer.Bend {
	return onCall(func(s *peer.Session, m peer.Message) bool {
		token, ok := jsonrpc.Member(m.Params, "_meta", "progressToken")
		if !ok {
			token = []byte(`"not-requested"`)
		}
		for _, step := range []int{3, 1, 1, 9} {
			s.Notify("notifications/progress", peer.Encode(map[string]any{
				"progressToken": json.RawMessage(token), "progress": step, "total": 4,
			}))
		}
		s.Notify("notifications/progress", []byte(`{"progressToken":"of-no-request","progress":1}`))
		return false
	})
}

func exitOnCall(r *run) peer.Bend {
	return onCall(func(*peer.Session, peer.Message) bool {
		fmt.Fprintln(r.errs, "panic: runtime error: invalid memory address or nil pointer dereference")
		r.exit(2)
		return true
	})
}

func sendLastLine(r *run) peer.Bend {
	return onCall(func(s *peer.Session, m peer.Message) bool {
		if r.out == nil {
			return false // a transport without lines cannot cut one
		}
		s.Emit(jsonrpc.EncodeResult(m.ID, peer.Encode(peer.Said(lastLine))))
		r.exit(0)
		return true
	})
}

func closeStdout(r *run) peer.Bend {
	return onCall(func(*peer.Session, peer.Message) bool {
		if r.out == nil {
			return false
		}
		_ = r.out.Close() // closing is the fault, not its outcome
		return true
	})
}

// bendEvents makes the notifications of streams of events wrong.
func bendEvents(wrong func(method string, params map[string]any)) func(*run) peer.Bend {
	return func(*run) peer.Bend {
		return peer.Bend{Notify: func(method string, params map[string]any) (string, map[string]any) {
			wrong(method, params)
			return method, params
		}}
	}
}

func wrongData(method string, params map[string]any) {
	if method == revision.EventsEvent {
		params["data"] = map[string]any{"order": "one"}
	}
}

func withoutID(_ string, params map[string]any) { delete(params, "_meta") }
