package lintfile

import (
	"errors"
	"strings"
	"testing"

	"mcptea/session/lint"
)

func lintText(t *testing.T, text string) (Report, []lint.Finding) {
	t.Helper()
	var found []lint.Finding
	rep, err := Lint(t.Context(), strings.NewReader(text), func(f lint.Finding) { found = append(found, f) })
	if err != nil {
		t.Fatal(err)
	}
	return rep, found
}

func has(found []lint.Finding, rule string, row int32, fault lint.Side) bool {
	for _, f := range found {
		if f.Rule.ID == rule && f.Row == row && f.Fault == fault {
			return true
		}
	}
	return false
}

// Who sent a frame shows by a mark, by its method, or by what it answers.
func TestWhoSentIt(t *testing.T) {
	for name, text := range map[string]string{
		"marks":        "> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n< {\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}\n",
		"arrows":       "→ {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n← {\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}\n",
		"nothing":      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}\n",
		"a log":        "12:00 DEBUG sent {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"} ok\n12:00 DEBUG {\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}\n",
		"carriage":     "> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\r\n< {\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}\r\n",
		"no last line": "> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n< {\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}",
	} {
		rep, found := lintText(t, text)
		if rep.Frames != 2 || !has(found, "J031", 2, lint.Server) {
			t.Errorf("%s: %+v, %v", name, rep, found)
		}
	}
}

// What a server asks is from the server, and its answer from the client.
func TestRequestsOfTheServer(t *testing.T) {
	_, found := lintText(t, `{"jsonrpc":"2.0","id":5,"method":"roots/list"}
{"jsonrpc":"2.0","id":5,"result":7}
`)
	if !has(found, "J020", 2, lint.Client) {
		t.Errorf("%v", found)
	}
}

func TestARecording(t *testing.T) {
	rep, found := lintText(t, `{"mcptea":1,"t":1780000000000000000,"tool":"mcptea 0.1.0","transport":"stdio","target":"node server.js"}
{"s":1,"t":1780000000000000001,"k":"out","id":1,"m":"ping","n":40,"msg":{"jsonrpc":"2.0","id":1,"method":"ping"}}
{"s":2,"t":1780000070000000002,"k":"in","n":9,"txt":"listening","b64":"bGlzdGVuaW5n"}
{"s":3,"t":1780000070000000003,"k":"process","what":"exited","pid":7,"code":3}
`)
	if rep.Format != "recording" || rep.Frames != 2 || rep.Lines != 4 {
		t.Errorf("%+v", rep)
	}
	// Time passes as it did then, and the end is the end.
	if !has(found, "J034", 2, lint.Server) || !has(found, "K008", 4, lint.Server) {
		t.Errorf("%v", found)
	}
}

func TestLint_NoFrames(t *testing.T) {
	for _, text := range []string{"", "\n\n", "only words\n", `{"a":1}` + "\n"} {
		_, err := Lint(t.Context(), strings.NewReader(text), func(lint.Finding) {})
		if text == `{"a":1}`+"\n" {
			if err != nil {
				t.Errorf("%q: %v", text, err) // an object that lacks everything is a frame
			}
			continue
		}
		if !errors.Is(err, ErrNoFrames) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzLint(f *testing.F) {
	f.Add([]byte("> {\"jsonrpc\":\"2.0\"}\n< x\n[\n"))
	f.Add([]byte("{\"mcptea\":1,\"t\":1}\n{\"s\":1,\"t\":2,\"k\":\"http\",\"x\":1}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, _ = Lint(t.Context(), strings.NewReader(string(text)), func(f lint.Finding) {
			if f.Message == "" {
				t.Error("a finding without words")
			}
		})
	})
}
