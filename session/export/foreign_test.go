package export

import (
	"bytes"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/record"
)

// A recording of another writer has secrets in clear; each format leaves them out, and
// what mcptea has redacted keeps its marks.
func TestExport_ForeignRecordingInClear(t *testing.T) {
	request := http.Header{
		"Authorization": {"Bearer clear-bearer-1"}, "Proxy-Authorization": {"Basic Y2xlYXI6cHJveHktcGFzcw=="}, "Cookie": {"sid=clear-cookie-1; theme=dark"},
		"X-Api-Key": {"clear-key-one"}, "X-Auth-Token": {"clear-token-1"}, "Mcp-Session-Id": {"clearsession0123456789"}, "Content-Type": {"application/json"},
	}
	response := http.Header{"Set-Cookie": {"sid=clear-cookie-2; Path=/", "other=clear-cookie-3"}, "Content-Type": {"application/json"}, "Www-Authenticate": {"Bearer"}}
	secrets := []string{
		"clear-bearer-1", "Y2xlYXI6cHJveHktcGFzcw", "clear-cookie-1", "clear-cookie-2", "clear-cookie-3", "clear-key-one", "clear-token-1", "session0123456789", "clear-option-1", "clear-variable-1",
	}
	for _, over := range []string{"http", "sse", "stdio"} {
		target := "https://example.com/mcp?api_key=clear-option-1"
		if over == "stdio" {
			target = "env API_KEY=clear-variable-1 node server.js --token clear-option-1"
		}
		r := newRecording(over, target)
		r.event(record.Event{Kind: record.KindConnection, Connection: &record.Connection{What: record.ConnectionOpened, Number: 1, Transport: over, Target: target}})
		exchange := uint32(0)
		if over == "stdio" {
			r.event(record.Event{Kind: record.KindProcess, Process: &transport.ProcessEvent{What: transport.ProcessStarted, Path: "/usr/bin/env", Argv: strings.Fields(target)}})
		} else {
			exchange = 1
			x := transport.Exchange{ID: 1, Purpose: "message", Method: "POST", URL: target, RequestHeader: request, Start: r.at}
			r.event(record.Event{Kind: record.KindHTTP, Exchange: &x})
			headers := x
			headers.Phase, headers.Status, headers.ResponseHeader = transport.ExchangeHeaders, 200, response
			r.frameOver(exchange, out, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"said":"clear-bearer-1"}}}`)
			r.event(record.Event{Kind: record.KindHTTP, Exchange: &headers})
		}
		r.frameOver(exchange, out, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"x":"y"}}}`)
		r.frameOver(exchange, in, `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"you sent clear-option-1"}]}}`)
		r.frameOver(exchange, out, `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
		r.frameOver(exchange, in, `{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"t","description":"with clear-option-1","inputSchema":{"type":"object"}}]}}`)
		src := r.source(t)
		for _, f := range Formats() {
			for _, dir := range []transport.Direction{out, in} {
				var b bytes.Buffer
				if err := Write(t.Context(), &b, f, src, Options{Dir: dir, Tool: "mcptea 1", Redactor: NewRedactor()}); err != nil && err != errOverStdio {
					t.Fatalf("%s over %s: %v", f.Name, over, err)
				}
				for _, s := range secrets {
					if i := strings.Index(b.String(), s); i >= 0 {
						t.Errorf("%s over %s contains %q: …%s", f.Name, over, s, b.String()[max(0, i-60):min(b.Len(), i+len(s)+20)])
					}
				}
			}
		}
	}
}

func TestIsWhollyRedacted(t *testing.T) {
	for value, want := range map[string]bool{
		"•••• (30 characters)": true, "Bearer •••• (30 characters)": true, "Bearer ••••": true, "abcdefgh… (22 characters)": true, "1234… (8 characters)": true, "****": true,
		"Bearer x": false, "••••, Bearer clear": false, "sid=clear; t=••••": false, "": false, "•••• clear": false,
	} {
		if got := isWhollyRedacted(value); got != want {
			t.Errorf("%q: %t", value, got)
		}
	}
}

// What a user reads in an editor, runs or posts has no character that hides text: a program would do something else than
// it seems to.
func TestExport_HiddenCharacters(t *testing.T) {
	exact := map[string]string{"raw": "has the bytes", "jsonl": "has the bytes", "har": "is data", "html": "is data of its script, which shows them as marks"}
	r := newRecording("stdio", "node server.js")
	r.event(record.Event{Kind: record.KindProcess, Process: &transport.ProcessEvent{What: transport.ProcessStarted, Path: "/usr/bin/node", Argv: []string{"node", "server.js"}}})
	r.frame(out, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	r.frame(in, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[{\"name\":\"t\u202e\",\"description\":\"d\u200b\u202e\",\"inputSchema\":{\"type\":\"object\",\"properties\":{\"a\u2066\":{\"description\":\"\u202e\",\"enum\":[\"\U000e0041\"]}}}}]}}")
	r.frame(out, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"t\u202e\",\"arguments\":{\"a\u2066\":\"x\u202ey\"}}}")
	r.frame(in, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"line\\n\u202e\U000e0041\"}],\"structuredContent\":{\"k\u202e\":\"\u200b\"}}}")
	src := r.source(t)
	for _, f := range Formats() {
		if exact[f.Name] != "" {
			continue
		}
		var b bytes.Buffer
		if err := Write(t.Context(), &b, f, src, Options{Dir: out, Tool: "mcptea 1", Redactor: NewRedactor()}); err != nil && err != errOverStdio {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if i := strings.IndexFunc(b.String(), phrase.IsHiddenInText); i >= 0 {
			t.Errorf("%s has a hidden character: %q", f.Name, b.String()[max(0, i-40):min(b.Len(), i+40)])
		}
	}
}

// The page and the terminal agree about what is hidden.
func TestHTML_HiddenCharacters(t *testing.T) {
	_, class, _ := strings.Cut(pageScript, "const hidden = /")
	class, _, found := strings.Cut(class, "/gu;")
	if !found {
		t.Fatal("the script has no class of hidden characters")
	}
	class = strings.ReplaceAll(class, `\p{Noncharacter_Code_Point}`, "")
	class = regexp.MustCompile(`\\u\{?([0-9a-f]+)\}?`).ReplaceAllString(class, `\x{$1}`)
	hidden := regexp.MustCompile(class)
	for r := rune(0); r <= unicode.MaxRune; r++ {
		got := hidden.MatchString(string(r)) && !strings.ContainsRune("\t\n\r", r) || unicode.Is(unicode.Noncharacter_Code_Point, r)
		if want := phrase.IsHiddenInText(r); got != want && utf8.ValidRune(r) {
			t.Errorf("%U is hidden on the page: %t, in a terminal: %t", r, got, want)
		}
	}
}
