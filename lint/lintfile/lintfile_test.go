package lintfile

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"mcptea/lint"
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
// An arrow between two names says who sent a message that both sides may send.
func TestWhoSentIt_Arrow(t *testing.T) {
	const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`
	for before, fault := range map[string]lint.Side{
		"2026-07-24 02:03:15.089 [debug] [editor -> server] ": lint.Client,
		"[server -> editor] ": lint.Server,
		"Client→Server: ":     lint.Client,
		"server => host ":     lint.Server,
	} {
		if _, found := lintText(t, before+cancel+"\n"); !has(found, "N012", 1, fault) {
			t.Errorf("%s: %v", before, found)
		}
	}
}

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
	if rep.Format != "recording" || rep.Frames != 2 || rep.lines != 4 {
		t.Errorf("%+v", rep)
	}
	// Time passes as it did then, and the end is the end.
	if !has(found, "J034", 2, lint.Server) || !has(found, "K008", 4, lint.Server) {
		t.Errorf("%v", found)
	}
}

// A recording of which no event can be read has not passed.
func TestLint_NoEvents(t *testing.T) {
	const header = `{"mcptea":2,"t":1780000000000000000,"tool":"mcptea","transport":"stdio","target":"x"}`
	const event = `{"s":1,"t":1780000000000000001,"k":"out","id":1,"m":"ping","n":40,"msg":{"jsonrpc":"2.0","id":1,"method":"ping"}}`
	for text, want := range map[string]error{
		header + "\n":                             ErrNoEvents,
		header + "\n{garbage\n":                   ErrNoEvents,
		header + "\r" + event + "\r":              ErrNoEvents, // line endings of no system that it was made on
		header + "\n" + event + "\n":              nil,
		header + "\r\n" + event + "\r\n":          nil, // of Git with core.autocrlf
		header + "\n{garbage\n" + event + "\n":    nil,
		header + "\n" + event + "\n" + event[:20]: nil,
		header + "\n" + event[:20]:                ErrNoEvents,
	} {
		rep, err := Lint(t.Context(), strings.NewReader(text), func(lint.Finding) {})
		if !errors.Is(err, want) || want == nil && rep.Frames != 1 {
			t.Errorf("%q: %v, %+v", text, err, rep)
		}
	}
}

// The report says that mcptea has changed frames on purpose.
func TestLint_ChangedFrames(t *testing.T) {
	rep, found := lintText(t, `{"mcptea":2,"t":1780000000000000000,"tool":"mcptea","transport":"stdio","target":"x"}
{"s":1,"t":1780000000000000001,"k":"out","id":1,"m":"ping","n":40,"msg":{"jsonrpc":"2.0","id":1,"method":"ping"}}
{"s":2,"t":1780000000000000002,"k":"in","id":1,"n":36,"msg":{"jsonrpc":"2.0","id":1,"result":{}}}
{"s":3,"t":1780000000000000003,"k":"change","row":2,"what":"fault","faults":["wrong-id"],"sent":["{\"jsonrpc\":\"2.0\",\"id\":1000001,\"result\":{}}"]}
{"s":4,"t":1780000000000000004,"k":"change","row":1,"what":"forwarded","breakpoint":1,"held":5}
`)
	const want = "mcptea changed 1 frame on purpose: frame 2 was changed by the fault wrong-id (line 4). Findings are about what the server and the client have sent."
	if rep.Changed != 1 || rep.ChangedText() != want || rep.Skipped != 0 {
		t.Errorf("%q, %+v, %v", rep.ChangedText(), rep, found)
	}
}

func TestLint_NoFrames(t *testing.T) {
	for _, text := range []string{"", "\n\n", "only words\n", "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"node\", \"args\": [\"x.js\"]}\n  }\n}\n", `{"a":1}` + "\n"} {
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

// stream gives a text so many times. It cannot be sought in.
type stream struct {
	line string
	left int
	rest string
}

func (s *stream) Read(p []byte) (int, error) {
	for s.rest == "" {
		if s.left == 0 {
			return 0, io.EOF
		}
		s.left--
		s.rest = s.line
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

func TestLint_MemoryDoesNotGrowWithTheFile(t *testing.T) {
	const lines = 100_000
	line := `{"jsonrpc":"2.0","method":"rpc.flood","params":{"data":"` + strings.Repeat("x", 200) + `"}}` + "\n"
	var most uint64
	n := 0
	rep, err := Lint(t.Context(), &stream{line: line, left: lines}, func(lint.Finding) {
		if n++; n%10_000 == 0 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
	})
	if err != nil || rep.Frames != lines || n < lines {
		t.Fatalf("%+v, %d findings, %v", rep, n, err)
	}
	if most > lines*200/2 {
		t.Errorf("%d MB are in use for a file of %d MB", most>>20, lines*len(line)>>20)
	}
}

// A pipe that stays open holds up nothing once the context has ended.
func TestLint_EndsWithTheContext(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = r.Close(), w.Close() }()
	ctx, stop := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	go func() {
		_, _ = io.WriteString(w, "> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"rpc.x\"}\n")
	}()
	_, err = Lint(ctx, r, func(lint.Finding) { stop(interrupted) })
	if !errors.Is(err, interrupted) {
		t.Errorf("it ended with %v", err)
	}
}

func TestLint_CutLastLine(t *testing.T) {
	const header = `{"mcptea":1,"t":1780000000000000000,"tool":"mcptea 0.1.0","transport":"stdio","target":"node server.js"}` + "\n"
	const line = `{"s":1,"t":1780000000000000001,"k":"out","id":1,"m":"ping","n":40,"msg":{"jsonrpc":"2.0","id":1,"method":"ping"}}` + "\n"
	whole, _ := lintText(t, header+line+line)
	if len(whole.Problems) > 0 || whole.Frames != 2 || whole.lines != 3 {
		t.Fatalf("the whole file: %+v", whole)
	}
	for cut := 1; cut < len(line); cut++ {
		rep, _ := lintText(t, header+line+line[:cut])
		if want := cut < len(line)-1; (len(rep.Problems) == 1) != want || rep.lines != 3 || want && (rep.Frames != 1 || !strings.Contains(rep.Problems[0], "line 3 is incomplete")) {
			t.Errorf("cut at %d: %+v", cut, rep)
		}
	}
	rep, found := lintText(t, "> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n< {\"jsonrpc\":\"2.0\",\"id\":1,\"res")
	if len(rep.Problems) != 1 || rep.Frames != 1 || len(found) != 0 {
		t.Errorf("frames: %+v, %v", rep, found)
	}
}

// A file that ends within a value over several lines has its first line as a finding.
func TestLines_EndWithinAValue(t *testing.T) {
	for _, text := range []string{"{\n", "{\n  \"jsonrpc\": \"2.0\",\n"} {
		_, found := lintText(t, text)
		if len(found) != 1 || found[0].Rule.ID != "J001" || found[0].Row != 1 || !strings.HasSuffix(found[0].Message, ` sent invalid JSON. Parsing stopped at byte 1: "{".`) {
			t.Errorf("%q: %v", text, found)
		}
	}
}

// Source code with messages in its text is not a log.
func TestLint_SourceCodeIsNotJudged(t *testing.T) {
	const code = "import json\nprint(json.dumps({\"jsonrpc\":\"2.0\",\"id\":i,\"result\":r}))\n"
	var found []lint.Finding
	if _, err := Lint(t.Context(), strings.NewReader(code), func(f lint.Finding) { found = append(found, f) }); !errors.Is(err, ErrNoFrames) || !strings.Contains(err.Error(), "source code is not linted") || len(found) > 0 {
		t.Errorf("%v, %v", err, found)
	}
	if rep, _ := lintText(t, code+`sent {"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); rep.Frames != 2 {
		t.Errorf("with a message in it: %+v", rep)
	}
}
