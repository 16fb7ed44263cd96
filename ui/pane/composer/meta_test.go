package composer

import (
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/session"
	"mcptea/ui/app"
)

// onSession is a composer on a session that is connected. It keeps what is sent.
func onSession(t *testing.T, s *session.Session) *bench {
	frames := &noSession{}
	b := benchOf(t, keptFrames{s, frames}, frames)
	b.Pane.Refresh(app.Tick{State: s.State(), Now: time.Now()})
	return b
}

type keptFrames struct {
	*session.Session
	frames *noSession
}

func (k keptFrames) StartFrame(frame []byte) *session.Call { return k.frames.StartFrame(frame) }

func TestMeta_ARecordedRequestIsSentAgainWithItsBytes(t *testing.T) {
	demoSession(t, revision.R20260728, func(t *testing.T, s *session.Session) {
		params, err := s.RequestParams(jsonrpc.IDOf("5"), "tools/call", []byte(`{"name":"echo","arguments":{"message":"x"}}`))
		if err != nil {
			t.Fatal(err)
		}
		frame := string(jsonrpc.EncodeRequest(jsonrpc.IDOf("5"), "tools/call", params))
		p := onSession(t, s)
		p.ComposeFrame([]byte(frame))
		if p.raw || p.noMeta || strings.Contains(p.params.Value(), "_meta") {
			t.Fatalf("raw %v, _meta left out %v: %s", p.raw, p.noMeta, p.params.Value())
		}
		id := p.autoID().String()
		want := strings.ReplaceAll(strings.ReplaceAll(frame, `"id":5`, `"id":`+id), `"progressToken":5`, `"progressToken":`+id)
		if got := p.sent(); got != want {
			t.Errorf("sent %s, want %s", got, want)
		}
	})
}

func TestMeta_OfTheUserIsKept(t *testing.T) {
	demoSession(t, revision.R20260728, func(t *testing.T, s *session.Session) {
		const params = `{"_meta":{"mine":1},"name":"echo"}`
		p := onSession(t, s)
		p.Compose("tools/call", params)
		if got := p.sent(); !strings.HasSuffix(got, `"params":`+params+`}`) {
			t.Errorf("sent %s", got)
		}
		if asked := p.run("compose.meta"); !strings.Contains(asked, "is sent unchanged") {
			t.Errorf("got %v", asked)
		}
	})
}

func TestMeta_NotificationsHaveNone(t *testing.T) {
	demoSession(t, revision.R20260728, func(t *testing.T, s *session.Session) {
		p := onSession(t, s)
		p.Compose("notifications/cancelled", `{"requestId":1}`)
		p.run("send")
		p.run("send")
		if want := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`; len(p.s.frames) == 0 || p.s.frames[0] != want {
			t.Errorf("sent %s", p.s.frames)
		}
	})
}

// Frames that the form would change are edited as bytes.
func TestComposeFrame_RawUnlessTheFormKeepsTheBytes(t *testing.T) {
	for frame, raw := range map[string]bool{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`:                                      false,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`:                        false,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"é\u202e"}}`:    false,
		`{"id":1,"jsonrpc":"2.0","method":"ping"}`:                                      true, // another order
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a": 1}}`:                    true, // white space
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r":                          true,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"p\u0085\"}":                         true,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\"a\":\"\u0085\"}}": true,
		`{"jsonrpc":"2.0","id":1,"result":{}}`:                                          true,
		`[]`:                                                                            true,
		``:                                                                              true,
	} {
		p := newBench(t)
		p.ComposeFrame([]byte(frame))
		if p.raw != raw {
			t.Errorf("%q: raw is %v", frame, p.raw)
		}
		if raw && p.sent() != frame {
			t.Errorf("%q: sent %q", frame, p.params.Value())
		}
	}
}

// An editor gets escapes and gives back the same bytes.
func TestOpenEditor_RawBytesComeBack(t *testing.T) {
	const frame = "{\"a\":\"caf\xe9\x1b\\n\"}\r\n\n"
	p := newBench(t)
	p.ComposeFrame([]byte(frame))
	const want = `{"a":"caf\xe9\x1b\n"}\x0d\x0a\x0a`
	if asked := p.run("edit"); asked != "edit .json: "+want {
		t.Fatalf("asked %q, want %q", asked, want)
	}
	p.Edited(want)
	if got := p.params.Value(); got != frame {
		t.Errorf("%q comes back", got)
	}
}
