package pane_test

import (
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/internal/test/panetest"
	"mcptea/session/intercept"
)

// holding is the pane with a gate that holds a frame.
func holding(t *testing.T, frame string) (*panetest.Program, *refusing) {
	t.Helper()
	g := &refusing{held: []intercept.Held{{ID: 4, Kind: jsonrpc.Request, Bytes: []byte(frame)}}}
	program, _ := overGate(t, g)
	return program, g
}

// What is sent after an edit has the tokens as they were received, in one line; a frame that
// was only looked at has its bytes.
func TestIntercept_Editor_Sends(t *testing.T) {
	const odd = `{"jsonrpc":"2.0", "id":1,"method":"ping","params":{"n":1.0e400,"a":1,"a":2,"s":"\u0041: {\n","z":-0,"e":[],"o":{ }}}`
	const plain = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":1.0e400,"a":1,"a":2,"s":"\u0041: {\n","z":-0,"e":[],"o":{}}}`
	for _, tt := range []struct {
		name, frame string
		keys        []string
		typed       string
		says, want  string
	}{
		{"looked at", odd, nil, "", "Nothing is changed: the frame has 116 B.", odd},
		{"changed", odd, []string{"ctrl+end", "left", "left"}, `,"x":7`, "in one line, without the white space between values; before the edit it was 116 B.", plain[:len(plain)-1] + `,"x":7}`},
		{"changed as Python writes it", `{"a": {"b": [1, "x: y, \": z"]}, "s": {}}`, []string{"ctrl+end", "left", "left"}, `,"x":7`, "in one line; before the edit it was 41 B.", `{"a": {"b": [1, "x: y, \": z"]}, "s": {}, "x": 7}`},
		{"changed and compact", `{"a":{"b":[1,2]}}`, []string{"ctrl+end", "left", "left"}, `,"x":7`, "in one line; before the edit it was 17 B.", `{"a":{"b":[1,2]},"x":7}`},
		{"changed and back", odd, []string{"ctrl+end", "x", "backspace"}, "", "Nothing is changed: the frame has", odd},
		{"broken on purpose", `{"a":{"b": [1,2]},"s":"x: y"}`, []string{"ctrl+end"}, " MINE", "Will be 33 B that are not JSON", `{"a":{"b":[1,2]},"s":"x: y"} MINE`},
		{"a quote on purpose", `{"a":{"b": [1,2]},"s":"x: y"}`, []string{"ctrl+home", "right"}, `"`, "Will be 29 B that are not JSON, without line breaks and indentation.", `{""a":{"b":[1,2]},"s":"x: y"}`},
		{"not JSON", "not: \n  JSON", []string{"ctrl+end"}, "!", "Invalid character", "not: \n  JSON!"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			program, g := holding(t, tt.frame)
			program.Press("e")
			program.Press(tt.keys...)
			program.Type(tt.typed)
			if text := strings.Join(strings.Fields(program.Paint(100, 30, true)), " "); !strings.Contains(text, tt.says) {
				t.Errorf("the window does not say %q:\n%s", tt.says, program.Paint(100, 30, true))
			}
			program.Press("ctrl+s", "enter")
			if len(g.decided) != 1 {
				t.Fatalf("decided %+v", g.decided)
			}
			sent := string(g.decided[0].Bytes)
			if g.decided[0].Bytes == nil {
				sent = tt.frame
			}
			if sent != tt.want {
				t.Errorf("sent %s\nwant %s", sent, tt.want)
			}
		})
	}
}

// A frame that was edited to something other than JSON says so, once in the window and once in the pane, and its
// bytes are shown once.
func TestIntercept_Editor_NotJSON(t *testing.T) {
	for _, tt := range []struct{ typed, problem string }{
		{"xxo", "Invalid character 'x' at line 1, column 1"},
		{`{"a":`, "Unexpected end of JSON input"},
	} {
		for _, w := range []int{80, 120, 200} {
			program, _ := holding(t, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[1,2,3]}}`)
			program.Press("e", "ctrl+home")
			program.Type(tt.typed)
			window := strings.Join(strings.Fields(program.Paint(w, 30, true)), " ")
			if n := strings.Count(window, tt.problem); n != 1 || !strings.Contains(window, "that are not JSON") {
				t.Errorf("%d: the window says %q %d times:\n%s", w, tt.problem, n, program.Paint(w, 30, true))
			}
			said := program.Press("ctrl+s")
			if !strings.Contains(said, "Not JSON: "+tt.problem) || !strings.Contains(said, "still held") {
				t.Errorf("accepted: %q", said)
			}
			pane := program.Paint(w, 30, true)
			if !strings.Contains(pane, "Not JSON: "+tt.problem[:10]) || strings.Count(pane, "0000 ") != 1 {
				t.Errorf("%d: the pane is\n%s", w, pane)
			}
		}
	}
}

// JSON is edited with a line for each member.
func TestIntercept_Editor_Indents(t *testing.T) {
	program, _ := holding(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	program.Press("e")
	if text := program.Paint(100, 30, true); !strings.Contains(text, `  "method": "ping"`) || strings.Contains(text, `"2.0","id"`) {
		t.Errorf("the text is\n%s", text)
	}
}

// What has no key of its own is chosen in a window that a key opens.
func TestIntercept_More_Decides(t *testing.T) {
	for name, want := range map[string]intercept.Action{"duplicate": intercept.Duplicate, "forward unedited": intercept.Forward} {
		program, g := holding(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		write(program, "edit", `{"mine":1}`)
		program.Press("ctrl+s")
		program.Press("+")
		for range 8 {
			if strings.Contains(program.Paint(100, 30, true), "▌  "+name) {
				break
			}
			program.Press("down")
		}
		program.Press("enter")
		if len(g.decided) != 1 || g.decided[0].Action != want || (g.decided[0].Bytes == nil) != (want == intercept.Forward) {
			t.Errorf("%s: decided %+v", name, g.decided)
		}
	}
	program, g := holding(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	write(program, "edit", `{"mine":1}`)
	program.Press("ctrl+s", "+", "down", "enter") // undo
	if len(g.decided) != 0 {
		t.Errorf("decided %+v", g.decided)
	}
	if program.Press("enter"); len(g.decided) != 1 || g.decided[0].Bytes != nil {
		t.Errorf("after an undo: decided %+v", g.decided)
	}
}
