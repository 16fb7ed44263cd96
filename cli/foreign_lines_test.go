package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/cli/app"
	"mcptea/internal/test/raced"
)

// spoof is a text whose further lines are those of mcptea, after each kind of line end.
var spoof = "no such thing" + strings.Join([]string{"", "mcptea: SPOOF", "  try       SPOOF", "warning: SPOOF", "note: SPOOF", "SPOOF"}, "\n") +
	"\r\nmcptea: SPOOF\rmcptea: SPOOF\vmcptea: SPOOF\fmcptea: SPOOF\u0085mcptea: SPOOF\u2028mcptea: SPOOF\n"

// spoofing is a server whose every text is [spoof]. It fails at a stage: "connect", "request" or "status"; or
// it answers, with a tool error for "tool".
func spoofing(t *testing.T, stage string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var message struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		_ = json.Unmarshal(body, &message)
		if message.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		connects := message.Method == "initialize"
		member, value := "result", spoofed(message.Method, stage)
		switch {
		case stage == "status":
			http.Error(w, spoof, http.StatusBadRequest) // it is not tried again
			return
		case stage == "connect" || stage == "request" && !connects || value == nil:
			member, value = "error", map[string]any{"code": -32000, "message": spoof, "data": map[string]any{"reason": spoof}}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": message.ID, member: value})
	}))
	t.Cleanup(s.Close)
	return s.URL + "/mcp"
}

// spoofed is the result of a method, or nil.
func spoofed(method, stage string) any {
	text := []any{map[string]any{"type": "text", "text": spoof}}
	extensions := map[string]any{"io.modelcontextprotocol/skills": map[string]any{}}
	switch method {
	case "initialize":
		return map[string]any{
			"protocolVersion": "2025-11-25", "serverInfo": map[string]any{"name": spoof, "title": spoof, "version": spoof}, "instructions": spoof,
			"capabilities": map[string]any{"tools": map[string]any{}, "resources": map[string]any{}, "prompts": map[string]any{}, "completions": map[string]any{}, "tasks": map[string]any{"list": map[string]any{}}, "extensions": extensions},
		}
	case "tools/list":
		schema := map[string]any{"type": "object", "properties": map[string]any{spoof: map[string]any{"description": spoof}}, "required": []any{spoof}}
		return map[string]any{"tools": []any{
			map[string]any{"name": "t", "description": spoof, "inputSchema": map[string]any{"type": "object"}},
			map[string]any{"name": spoof, "title": spoof, "description": spoof, "inputSchema": schema},
		}}
	case "tools/call":
		return map[string]any{"content": text, "isError": stage == "tool", "structuredContent": map[string]any{spoof: spoof}}
	case "resources/list":
		return map[string]any{"resources": []any{map[string]any{"uri": "x:y", "name": spoof, "description": spoof, "mimeType": spoof}, map[string]any{"uri": spoof, "name": spoof}}}
	case "resources/templates/list":
		return map[string]any{"resourceTemplates": []any{map[string]any{"uriTemplate": spoof, "name": spoof}}}
	case "resources/read":
		return map[string]any{"contents": []any{map[string]any{"uri": spoof, "mimeType": spoof, "text": spoof}}}
	case "prompts/list":
		return map[string]any{"prompts": []any{map[string]any{"name": "p", "description": spoof, "arguments": []any{map[string]any{"name": spoof, "required": true}}}, map[string]any{"name": spoof}}}
	case "prompts/get":
		return map[string]any{"description": spoof, "messages": []any{map[string]any{"role": "user", "content": text[0]}}}
	case "completion/complete":
		return map[string]any{"completion": map[string]any{"values": []any{spoof}, "total": 9}}
	case "skills/list":
		return map[string]any{"skills": []any{map[string]any{"name": spoof, "uri": "skill://s", "description": spoof}, map[string]any{"name": "s", "uri": spoof}}}
	case "tasks/list":
		return map[string]any{"tasks": []any{map[string]any{"taskId": spoof, "status": "failed", "statusMessage": spoof}}}
	case "tasks/get":
		return map[string]any{"taskId": spoof, "status": "failed", "statusMessage": spoof}
	}
	return nil
}

// spoofedLines are command lines for [TestOutput_ForeignLinesAreMarked]. URL is a server, REC a recording of
// one, and ODD a file whose name and content are such a text.
var spoofedLines = map[string][]string{
	"info": {"info URL", "info --discover URL", "info --trace=full URL"}, "list": {"list URL", "list tools --long URL"},
	"call":   {"call t URL", "call t --trace=full URL", "call nosuch URL", "call t a=1 URL", "call t --json URL"},
	"app":    {"app t URL"},
	"read":   {"read x:y URL", "read nosuch URL"},
	"prompt": {"prompt p URL", "prompt nosuch URL", "prompt p a=b URL"}, "complete": {"complete p a=b URL", "complete prompt:p x= URL"},
	"skill": {"skill s URL", "skill nosuch URL", "skill skill://s URL"}, "send": {"send x/y URL", "send tools/call {\"name\":\"t\"} URL"},
	"task":  {"task list URL", "task get x URL", "task result x URL", "task cancel x URL", "task answer x a=b URL"},
	"bench": {"bench t -n 2 URL"}, "listen": {"listen tools -n 1 --timeout 1s URL"},
	"check": {"check --only P-001 URL"}, "run": {"run SCRIPT URL", "run ODD URL"},
	"lint": {"lint REC", "lint ODD"}, "open": {"open --json ODD", "open --save-client - REC", "open --hosts REC", "open --stats ODD"},
	"export": {"export REC --to raw", "export REC --to markdown", "export ODD --to har", "export REC --filter nothing:here --to har"},
	"diff":   {"diff REC ODD", "diff REC REC2"}, "mock": {"mock ODD", "mock --declare ODD"}, "replay": {"replay REC URL", "replay ODD URL"}, "reduce": {"reduce REC", "reduce REC --needed", "reduce ODD", "reduce REC --yes --runs 5 URL", "reduce REC --allow t --runs 5 URL"},
	"auth": {"auth steps URL", "auth login URL"}, "servers": {"servers --config ODD", "servers nosuch"}, "explain": {"explain ODD"},
	"tap": {"tap ODD"}, "config": {"config --config ODD"}, "demo": {"demo --fault ODD"}, "mcp": {"mcp ODD"},
	"version": {"version ODD"}, "completion": {"completion ODD"}, "help": {"help ODD"},
}

// No line of stderr looks like one of mcptea that a server or the name or content of a file has written.
func TestOutput_ForeignLinesAreMarked(t *testing.T) {
	raced.ByNight(t, "hundreds of commands, which other tests race too")
	dir := t.TempDir()
	t.Chdir(dir)
	env := app.Env(append(os.Environ(), "MCPTEA_CONFIG=off", "MCPTEA_TOKEN_STORE=off", "HOME="+dir, "XDG_STATE_HOME="+dir, "XDG_CONFIG_HOME="+dir))
	odd := filepath.Join(dir, "a\nmcptea: SPOOF\n  try       SPOOF\n.txtar")
	words := map[string]string{"SCRIPT": filepath.Join(dir, "s.txtar"), "ODD": odd, "REC": filepath.Join(dir, "r.jsonl"), "REC2": filepath.Join(dir, "r2.jsonl")}
	for path, text := range map[string]string{odd: spoof, words["SCRIPT"]: "call t\ncall nosuch\nread x:y\n"} {
		writeFile(t, path, text)
	}
	for _, c := range newProgram(os.Stdin, os.Stdout, os.Stderr, env).root("").Commands() {
		if c.IsAvailableCommand() && spoofedLines[c.Name()] == nil {
			t.Errorf("%s has no command line here", c.Name())
		}
	}
	stages := []string{"", "tool", "request", "connect", "status"}
	urls := map[string]string{}
	for _, stage := range stages {
		urls[stage] = spoofing(t, stage)
	}
	for rec, stage := range map[string]string{"REC": "", "REC2": "tool"} {
		if _, stderr, _ := calledIn(t, env, "call", "t", "--record", words[rec], urls[stage]); !strings.Contains(stderr, "") {
			t.Fatal(stderr)
		}
	}
	marked := 0
	for _, lines := range spoofedLines {
		for _, line := range lines {
			for _, stage := range stages {
				args := strings.Fields(line)
				for i, word := range args {
					if word == "URL" {
						args[i] = urls[stage]
					} else if with := words[word]; with != "" {
						args[i] = with
					}
				}
				var stderr string
				t.Run(line, func(t *testing.T) { _, stderr, _ = calledIn(t, env, args...) })
				for text := range strings.SplitSeq(stderr, "\n") {
					if begin := strings.TrimSpace(text); strings.HasPrefix(begin, "SPOOF") || spoofsLabel(begin) {
						t.Errorf("%s, %s: %q in\n%s", line, fmt.Sprintf("%q", stage), text, stderr)
						break
					}
					if strings.HasPrefix(text, "│ mcptea: SPOOF") {
						marked++
					}
				}
				if !strings.Contains(line, "URL") {
					break
				}
			}
		}
	}
	if marked < 10 {
		t.Errorf("%d lines are marked", marked)
	}
}

// spoofsLabel reports whether a line has a label of mcptea before the text.
func spoofsLabel(line string) bool {
	for _, label := range []string{"mcptea:", "try", "warning:", "note:", "cause"} {
		if rest, ok := strings.CutPrefix(line, label); ok && strings.HasPrefix(strings.TrimSpace(rest), "SPOOF") {
			return true
		}
	}
	return false
}

// writeFile writes a file and returns its path.
func writeFile(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
