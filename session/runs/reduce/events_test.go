package reduce

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/record/store"
)

// storeOf returns the store of a recording. Each line is the rest of an event after its number and time, or a frame behind
// its direction.
func storeOf(t *testing.T, transport, text string) *store.Store {
	t.Helper()
	all := `{"mcptea":2,"t":1780000000000000000,"tool":"mcptea 1","transport":"` + transport + `","target":"acme-server"}` + "\n"
	n := 0
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimSuffix(line, "\n")
		n++
		kind, frame, _ := strings.Cut(line, " ")
		rest, isFrame := map[string]string{">": `"k":"out"`, "<": `"k":"in"`}[kind[:1]]
		exchange := ""
		if number := kind[1:]; isFrame && number != "" {
			exchange = `,"x":` + number
		}
		switch {
		case !isFrame:
			rest = line
		case strings.HasPrefix(frame, "{"):
			rest += fmt.Sprintf(`%s,"n":%d,"msg":%s`, exchange, len(frame), frame)
		default:
			rest += fmt.Sprintf(`%s,"n":%d,"txt":"","b64":"%s"`, exchange, len(frame), base64.StdEncoding.EncodeToString([]byte(frame)))
		}
		all += fmt.Sprintf(`{"s":%d,"t":%d,%s}`+"\n", n, 1780000000000000000+int64(n)*1_000_000, rest)
	}
	path := filepath.Join(t.TempDir(), "r.mcptea.jsonl")
	if err := os.WriteFile(path, []byte(all), 0o600); err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	if err := st.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return st
}

const call = `> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"find_invoice","arguments":{"customer":"Jane Miller"}}}
`

// Findings about bytes, the process, HTTP, tasks and requests of the server are kept, too. The file has no other error or
// warning, no text of the user, and the same bytes each time.
func TestToFinding_Kinds(t *testing.T) {
	const modern = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"AcmeEditor","version":"7"},"io.modelcontextprotocol/clientCapabilities":{}}`
	for _, c := range []struct {
		name, transport, text, rule string
		most                        int
		isRecording                 bool
		has                         string // the file
	}{
		{"text on stdout", "stdio", handshake + call + `< DEBUG loading Jane Miller
< {"jsonrpc":"2.0","id":5,"result":{"content":[]}}`, "K001", 1, false, "# a part of a session\n< "},
		{"bytes that are not UTF-8", "stdio", handshake + call + "< {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"Caf\xe9 Miller\"}]}}", "J002", 1, true, `"b64"`},
		{"a member twice", "stdio", handshake + call + `< {"jsonrpc":"2.0","id":5,"result":{"content":[],"isError":false,"isError":false,"note":"Miller"}}`, "J019", 2, false, `"isError":false,"isError":`},
		{"an exit with a pending request", "stdio", handshake + call + `"k":"err","txt":"KeyError 'Jane Miller'"
"k":"process","what":"exited","pid":77,"code":7`, "J035", 4, true, `"what":"exited"`},
		{"a body for a notification", "http", `"k":"http","phase":"request","x":1,"start":1780000000000000000,"purpose":"message","method":"POST","url":"https://mcp.acme.example/tenants/miller","request":{"X-Acme-User":["miller"],"Content-Type":["application/json"],"Accept":["application/json, text/event-stream"],"Mcp-Protocol-Version":["2025-11-25"]}
>1 {"jsonrpc":"2.0","method":"notifications/initialized"}
"k":"http","phase":"response","x":1,"status":200,"first":1,"response":{"Content-Type":["application/json"],"X-Acme-Trace":["miller-77"]}
"k":"http","phase":"end","x":1,"took":2,"sent":54,"received":20,"by":"peer"`, "H011", 1, true, `"status":200`},
		{"a request of the server", "stdio", handshake + call + `< {"jsonrpc":"2.0","id":900,"method":"sampling/createMessage","params":{"messages":[{"role":"system","content":{"type":"text","text":"Debts of Jane Miller"}}],"maxTokens":100}}`, "S040", 1, false, `sampling/createMessage`},
		{"a request for input without requests", "stdio", `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay","arguments":{"to":"Miller"},` + modern + `}}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","note":"Miller"}}`, "X021", 2, false, `input_required`},
	} {
		st := storeOf(t, c.transport, c.text)
		all, err := Dialogues(st)
		if err != nil {
			t.Fatal(err)
		}
		d, want, ok := Worst(t.Context(), all, c.rule)
		if !ok {
			t.Errorf("%s: the recording has no %s", c.name, c.rule)
			continue
		}
		got, ok := d.ToFinding(t.Context(), want, nil)
		again, _ := d.ToFinding(t.Context(), want, nil)
		left, err := got.Left(st)
		switch {
		case !ok || err != nil || len(left)+len(got.Kept) > 0 || got.Frames > c.most || got.IsRecording != c.isRecording || !strings.Contains(got.Text, c.has):
			t.Errorf("%s: %t, %v, left %q, kept %q, %d frames, want at most %d, with %q\n%s", c.name, ok, err, left, got.Kept, got.Frames, c.most, c.has, got.Text)
		case got.Text != again.Text:
			t.Errorf("%s: other bytes the second time:\n%s\n%s", c.name, got.Text, again.Text)
		case rulesOf(t, got.Text) != c.rule:
			t.Errorf("%s: the file has %s, want %s\n%s", c.name, rulesOf(t, got.Text), c.rule, got.Text)
		}
		for _, word := range []string{"iller", "cme", "Jane", "invoice", "77"} {
			if strings.Contains(got.Text, word) {
				t.Errorf("%s: %q is left:\n%s", c.name, word, got.Text)
			}
		}
	}
}

// A finding is the one of its row and place: the first one of the rule is another bug.
func TestLookup_RowAndPlace(t *testing.T) {
	st := storeOf(t, "stdio", handshake+call+`< {"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"image","data":"aGVsbG8="}]}}
> {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"pay_invoice","arguments":{}}}
< {"jsonrpc":"2.0","id":6,"result":{"content":[{"type":"text","text":"a"},{"type":"audio","data":"aGVsbG8="}]}}`)
	all, err := Dialogues(st)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range all[0].Findings(t.Context()) {
		if want.Rule.ID != "S021" {
			continue
		}
		of := want
		of.Row = all[0].Frames[want.Row].Row
		d, found, ok := Lookup(t.Context(), all, &of)
		if !ok || found.Row != want.Row || found.Path != want.Path {
			t.Errorf("%d %s: found %d %s", want.Row, want.Path, found.Row, found.Path)
			continue
		}
		kind := `"type":"image"`
		if of.Row > 8 {
			kind = `"type":"audio"`
		}
		if got, ok := d.ToFinding(t.Context(), found, nil); !ok || !strings.Contains(got.Text, kind) {
			t.Errorf("row %d: without %s:\n%s", of.Row, kind, got.Text)
		}
	}
}
