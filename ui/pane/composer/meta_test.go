package composer

import (
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session"
	"mcptea/ui/action"
)

func TestMeta_ARecordedRequestIsSentAgainWithItsBytes(t *testing.T) {
	demoSession(t, revision.R20260728, func(t *testing.T, s *session.Session) {
		params, err := s.RequestParams("5", "tools/call", []byte(`{"name":"echo","arguments":{"message":"x"}}`))
		if err != nil {
			t.Fatal(err)
		}
		frame := string(jsonrpc.AppendRequest(nil, "5", "tools/call", params))
		p := New(s)
		p.Refresh(s.State(), noon, 0)
		p.ComposeFrame([]byte(frame))
		if p.raw || p.noMeta || strings.Contains(p.params.Value(), "_meta") {
			t.Fatalf("raw %v, _meta left out %v: %s", p.raw, p.noMeta, p.params.Value())
		}
		id := string(p.autoID())
		want := strings.ReplaceAll(strings.ReplaceAll(frame, `"id":5`, `"id":`+id), `"progressToken":5`, `"progressToken":`+id)
		if got := string(send(t, p).Frame); got != want {
			t.Errorf("sent %s, want %s", got, want)
		}
	})
}

func TestMeta_OfTheUserIsKept(t *testing.T) {
	demoSession(t, revision.R20260728, func(t *testing.T, s *session.Session) {
		const params = `{"_meta":{"mine":1},"name":"echo"}`
		p := New(s)
		p.Refresh(s.State(), noon, 0)
		p.Compose("tools/call", params)
		if got := string(send(t, p).Frame); !strings.HasSuffix(got, `"params":`+params+`}`) {
			t.Errorf("sent %s", got)
		}
		if a, ok := p.Do("compose.meta").(action.Flash); !ok || !strings.Contains(a.Text, "sent as it is written") {
			t.Errorf("got %v", a)
		}
	})
}

func TestMeta_NotificationsHaveNone(t *testing.T) {
	demoSession(t, revision.R20260728, func(t *testing.T, s *session.Session) {
		p := New(s)
		p.Refresh(s.State(), noon, 0)
		p.Compose("notifications/cancelled", `{"requestId":1}`)
		p.Do("send.notification")
		sent, ok := p.Do("send.notification").(action.StartFrame)
		if want := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`; !ok || string(sent.Frame) != want {
			t.Errorf("sent %s", sent.Frame)
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
		p := New(noSession{})
		p.ComposeFrame([]byte(frame))
		if p.raw != raw {
			t.Errorf("%q: raw is %v", frame, p.raw)
		}
		if raw && string(send(t, p).Frame) != frame {
			t.Errorf("%q: sent %q", frame, p.params.Value())
		}
	}
}

// An editor gets escapes and gives back the same bytes.
func TestOpenEditor_RawBytesComeBack(t *testing.T) {
	const frame = "{\"a\":\"caf\xe9\x1b\\n\"}\r\n\n"
	p := New(noSession{})
	p.ComposeFrame([]byte(frame))
	edit, ok := p.Do("editor").(action.Edit)
	if want := `{"a":"caf\xe9\x1b\n"}\x0d\x0a\x0a`; !ok || edit.Text != want {
		t.Fatalf("the editor gets %q, want %q", edit.Text, want)
	}
	p.Handle(action.Edited{Ref: edit.Ref, Text: edit.Text})
	if got := p.params.Value(); got != frame {
		t.Errorf("%q comes back", got)
	}
}
