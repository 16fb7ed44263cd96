package peer_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/demo/primitives"
	"mcptea/internal/server/peer"
)

// ledger checks what a session sends: every frame is one that a client can
// read, and a message is answered once at most.
type ledger struct {
	t       *testing.T
	mu      sync.Mutex
	answers int
}

func (l *ledger) Send(frame []byte) {
	if e := jsonrpc.Scan(frame); e.Kind == jsonrpc.Invalid || e.Flaws&^jsonrpc.FlawNoID&^jsonrpc.FlawIDType != 0 {
		l.t.Errorf("sent %q: %v %q", frame, e.Fault, e.Flaws.Texts())
	}
}

func (l *ledger) Answer(frame []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answers++
	if frame != nil {
		l.Send(frame)
	}
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}`

// FuzzHandle throws frames at a session before and after the handshake, in each
// revision.
func FuzzHandle(f *testing.F) {
	for _, frame := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"dG9vbHMvbGlzdEAyMA"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"tea","tags":["a"]}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"a","style":"warm"},"_meta":{"progressToken":1}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"make-report","arguments":{"title":"a","rows":[{"item":"b","count":1}]}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"demo://numbers/1/9"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"greeting"},"argument":{"name":"name","value":"a"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"code-review","arguments":{"language":"go"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},7,[]]`,
		`{"jsonrpc":"2.0","id":1,"error":"x"}`,
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{` + meta + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask-twice","inputResponses":{"order":{"action":"accept"}},` + meta + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"brew-task","requestState":"AAAA",` + meta + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["demo://clock"]},` + meta + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"brew","task":{"ttl":1}}}`,
		`nonsense`,
	} {
		f.Add([]byte(frame), uint8(3))
		f.Add([]byte(frame), uint8(1))
	}
	server := primitives.New(time.Nanosecond)
	f.Fuzz(func(t *testing.T, frame []byte, version uint8) {
		l := &ledger{t: t}
		session := peer.NewSession(context.Background(), server, l.Send)
		session.Handle(frame, l)
		hello := `{"jsonrpc":"2.0","id":"h","method":"initialize","params":{"protocolVersion":"` +
			string(revision.All()[version%4]) + `","capabilities":{"roots":{}},"clientInfo":{"name":"f","version":"1"}}}`
		session.Handle([]byte(hello), l)
		session.Handle(frame, l)
		session.Close()
		session.Wait()
		if l.answers != 3 {
			t.Errorf("%d answers to three messages", l.answers)
		}
	})
}
