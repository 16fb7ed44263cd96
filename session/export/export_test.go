package export

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mcptea/client/transport"
	"mcptea/internal/test/oddframes"
	"mcptea/record"
	"mcptea/record/filter"
	"mcptea/record/store"
)

// The bytes of the wire come back, whatever they are.
func TestRaw_ExactBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(10, 7))
	pieces := []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `  {"jsonrpc" : "2.0",` + "\t" + `"id":1e400,"method":"x"}  `, `{"a":1,"a":2,"\u0061":"\ud83d\ude00\/"}`,
		"", "   ", "\xff\xfe not UTF-8", `{"n":123456789012345678901234567890.000}`, "listening on 3000", "[1,2", `{"jsonrpc":"2.0","method":"m","params":{"msg":{"n":40,"b64":"eA=="}}}`,
		"\ufeff{}", "null", strings.Repeat("[", 3000),
	}
	for round := range 20 {
		r := newRecording("stdio", "node server.js")
		var want bytes.Buffer
		for range 200 {
			text, ending := pieces[random.IntN(len(pieces))], []string{"\n", "\r\n"}[random.IntN(2)]
			r.line(in, text, ending, 0)
			want.WriteString(text + ending)
			r.frame(out, `{"jsonrpc":"2.0","id":9,"method":"ping"}`)
		}
		r.line(in, pieces[random.IntN(len(pieces))], "", 0)
		want.Write([]byte(lastFrame(r)))
		for _, redactor := range []*Redactor{nil, NewRedactor()} {
			got := export(t, "raw", r.source(t), Options{Dir: in, Redactor: redactor})
			if sha256.Sum256([]byte(got)) != sha256.Sum256(want.Bytes()) {
				t.Fatalf("round %d: other bytes came back", round)
			}
		}
	}
}

// So do the odd lines that also the tests of the transports and of the tap send.
func TestRaw_OddFrames(t *testing.T) {
	for seed := range uint64(10) {
		r := newRecording("stdio", "node server.js")
		want := sha256.New()
		for _, line := range oddframes.Lines(seed, 300) {
			text, ending := bytes.TrimSuffix(line, []byte("\n")), "\n"
			switch {
			case len(text) == len(line):
				ending = ""
			case bytes.HasSuffix(text, []byte("\r")):
				text, ending = text[:len(text)-1], "\r\n"
			}
			r.line(in, string(text), ending, 0)
			want.Write(line)
		}
		got := sha256.Sum256([]byte(export(t, "raw", r.source(t), Options{Dir: in, Redactor: NewRedactor()})))
		if !bytes.Equal(got[:], want.Sum(nil)) {
			t.Errorf("seed %d: other bytes came back", seed)
		}
	}
}

func lastFrame(r *recording) string {
	lines := bytes.Split(bytes.TrimSuffix(r.bytes, []byte("\n")), []byte("\n"))
	var d record.Decoder
	e, err := d.Decode(lines[len(lines)-1])
	if err != nil {
		panic(err)
	}
	return string(e.Frame.Bytes)
}

// A planted secret is in no export, wherever it was.
func TestExport_NoSecret(t *testing.T) {
	const (
		byName  = "correct horse battery"
		byForm  = "ghp_abcdefghijklmnop0123456789"
		byUser  = "employee-4711"
		escaped = `sk-abcdefghijklmnop1234`
	)
	for _, over := range []string{"stdio", "http"} {
		r := newRecording(over, "node server.js --token "+byForm)
		exchange := uint32(0)
		if over == "http" {
			exchange = 1
			h := http.Header{"Content-Type": {"application/json"}, "X-Trace": {byForm}, "Authorization": {"Bearer •••• (30 characters)"}}
			x := transport.Exchange{ID: 1, Purpose: "message", Method: "POST", URL: "https://user:" + byForm + "@example.com/mcp?api_key=" + byForm, RequestHeader: h, Start: r.at}
			r.event(record.Event{Kind: record.KindHTTP, Exchange: &x})
			begun := x
			begun.Phase, begun.Status = transport.ExchangeHeaders, 500
			begun.TLS = &transport.TLS{Client: byUser, Chain: []transport.Certificate{{Subject: byForm, Issuer: byForm, Names: []string{byUser + ".example"}}}}
			r.event(record.Event{Kind: record.KindHTTP, Exchange: &begun})
			done := x
			done.Phase, done.Status, done.ResponseHeader, done.Err = transport.ExchangeDone, 500, h, "failed with "+byForm
			done.ResponseBody = []byte(`{"password":"` + byName + `"}`)
			defer func() { _ = done }()
			r.frameOver(exchange, out, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"login","arguments":{"password":"`+byName+`","note":"`+byUser+`"}}}`)
			r.event(record.Event{Kind: record.KindHTTP, Exchange: &done})
		}
		r.event(record.Event{Kind: record.KindConnection, Connection: &record.Connection{What: record.ConnectionOpened, Number: 1, Transport: over, Target: "https://example.com/mcp?token=" + byForm}})
		if over == "stdio" {
			r.event(record.Event{Kind: record.KindProcess, Process: &transport.ProcessEvent{What: transport.ProcessStarted, Path: "/opt/" + byForm + "/bin/node", Dir: "/home/" + byUser + "/" + byForm, Argv: []string{"node", "--api-key", byForm, "server.js"}}})
		}
		r.event(record.Event{Kind: record.KindStep, Step: &record.Step{Name: "x", State: "failed", Detail: "with " + byForm}})
		r.event(record.Event{Kind: record.KindAuthorization, Step: &record.Step{Name: "token", State: "failed", Detail: byForm, URL: "https://a.example/?code=" + byForm, Refused: "x", Found: byForm, Expected: byForm}})
		r.frameOver(exchange, out, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"login","arguments":{"password":"`+byName+`","env":[{"name":"API_KEY","value":"`+byName+`"}],"note":"`+byUser+`"}}}`)
		r.frameOver(exchange, in, `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"hello `+byUser+`, your password is `+byName+` and your token `+byForm+` or `+strings.Replace(escaped, "a", `\u0061`, 1)+`"}]}}`)
		r.frameOver(exchange, out, `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
		r.frameOver(exchange, in, `{"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"of `+byUser+`","description":"with `+byForm+`","inputSchema":{"type":"object","properties":{"note":{"enum":["`+byUser+`","`+byForm+`"],"description":"`+byForm+`"}}}}]}}`)
		r.frameOver(exchange, in, `not JSON: token=`+byForm)
		r.frameOver(exchange, in, `{"jsonrpc":"2.0","id":9,"error":{"code":-32000,"message":"wrong `+byForm+`"}}`)
		r.event(record.Event{Kind: record.KindChange, Change: &record.Change{
			Row: 0, What: record.Edited, Why: "a breakpoint on " + byForm + " by " + byUser, Received: []byte(`{"password":"` + byName + `"} token=` + byForm),
			Sent: [][]byte{[]byte(`{"params":{"arguments":{"password":"` + byName + `"}},"note":"` + byUser + `"}`), []byte("not JSON: token=" + byForm)},
		}})
		r.event(record.Event{Kind: record.KindStderr, Text: "API_KEY=" + byForm})
		r.event(record.Event{Kind: record.KindNote, Text: "retried with " + byForm})
		r.event(record.Event{Kind: record.KindConnection, Connection: &record.Connection{What: record.ConnectionClosed, Number: 1, Reason: "said " + byForm}})
		src := r.source(t)
		for _, f := range Formats() {
			for _, dir := range []transport.Direction{out, in} {
				var b bytes.Buffer
				err := Write(t.Context(), &b, f, src, Options{Dir: dir, Tool: "mcptea 1", Redactor: NewRedactor(regexp.MustCompile(`employee-\d+`))})
				if err != nil && err != errOverStdio {
					t.Fatalf("%s over %s: %v", f.Name, over, err)
				}
				for _, s := range []string{byName, byForm, byUser, escaped, strings.Replace(escaped, "a", `\u0061`, 1)} {
					if i := strings.Index(b.String(), s); i >= 0 {
						t.Errorf("%s over %s contains %q: …%s", f.Name, over, s, b.String()[max(0, i-60):min(b.Len(), i+len(s)+20)])
					}
				}
			}
		}
	}
}

// A redacted recording is a recording: it has the same frames, and valid JSON stays
// valid.
func TestRecording_ReadsBack(t *testing.T) {
	r := session1()
	r.frame(out, `{"jsonrpc":"2.0","id":3,"method":"x","params":{"secret":"abcdefgh", "n": 1.50}}`)
	text := export(t, "jsonl", r.source(t), Options{Redactor: NewRedactor()})
	again := &recording{bytes: []byte(text)}
	got := export(t, "raw", again.source(t), Options{Dir: out})
	if want := `{"jsonrpc":"2.0","id":3,"method":"x","params":{"secret":"••••", "n": 1.50}}` + "\n"; !strings.HasSuffix(got, want) {
		t.Errorf("the last frame is not %s in\n%s", want, got)
	}
	if unredacted := export(t, "jsonl", r.source(t), Options{}); unredacted != string(r.bytes) {
		t.Errorf("an export without redaction is another file:\n%s\n%s", unredacted, r.bytes)
	}
}

func TestSelection(t *testing.T) {
	path := session1().file(t)
	src, err := FromFile(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	f, err := filter.Parse("script")
	if err != nil {
		t.Fatal(err)
	}
	both := Filtered(s, &f)
	if got := export(t, "raw", src, Options{Dir: out, Rows: both}); !strings.Contains(got, "tools/call") || strings.Contains(got, "initialize") {
		t.Errorf("the filter selects\n%s", got)
	}
	response, err := Ranges("5")
	if err != nil {
		t.Fatal(err)
	}
	if got := export(t, "command", src, Options{Rows: Format{Requests: true}.Extend(s, response)}); !strings.Contains(got, "call --tool=echo") {
		t.Errorf("of a response its request is not written: %s", got)
	}
	if got := export(t, "jsonl", FromStore(s, s.Header()), Options{}); !strings.Contains(got, `"k":"step"`) || strings.Count(got, "\n") != 10 {
		t.Errorf("the store has other events:\n%s", got)
	}
	for text, want := range map[string]string{"2": "[2]", "2-3": "[2 3]", "3-": "[3 4 5]", "-2": "[1 2]", "1,#4": "[1 4]", "": "", "0": "", "3-2": "", "x": "", "-": "", "1,": ""} {
		rows, err := Ranges(text)
		got := ""
		if err == nil {
			var selected []int
			for i := range 5 {
				if rows(int32(i)) {
					selected = append(selected, i+1)
				}
			}
			got = fmt.Sprint(selected)
		}
		if got != want {
			t.Errorf("%q selects %s, want %s", text, got, want)
		}
	}
}

// preview returns the beginning of what [Write] would write: at most so many bytes.
// more reports whether there is more.
func preview(ctx context.Context, f Format, src Source, o Options, size int) (text []byte, more bool, err error) {
	w := &head{size: size}
	err = Write(ctx, w, f, src, o)
	if errors.Is(err, errHeadFull) {
		return w.Bytes(), true, nil
	}
	return w.Bytes(), false, err
}

// head keeps the beginning of what is written to it.
type head struct {
	bytes.Buffer
	size int
}

var errHeadFull = errors.New("the preview is full")

func (h *head) Write(b []byte) (int, error) {
	n := min(len(b), h.size-h.Len())
	h.Buffer.Write(b[:n])
	if n < len(b) {
		return n, errHeadFull
	}
	return n, nil
}

func TestWrite_EndsEarly(t *testing.T) {
	read := 0
	frame := []byte(`{"jsonrpc":"2.0","method":"x"}`)
	src := Source{Header: record.Header{Transport: "stdio"}, Events: func(yield func(*record.Event, error) bool) {
		for read = 0; read < 1_000_000; read++ {
			if !yield(&record.Event{Kind: record.KindFrame, Time: time.Unix(0, 0), Frame: transport.Frame{Bytes: frame, Ending: "\n", Dir: in}}, nil) {
				return
			}
		}
	}}
	for _, name := range []string{"raw", "jsonl", "har", "mermaid"} {
		f, _ := Lookup(name)
		text, more, err := preview(t.Context(), f, src, Options{Dir: in}, 1000)
		if err != nil || !more || len(text) != 1000 || read > 10_000 {
			t.Errorf("%s: %d bytes, more %v, %d events were read, %v", name, len(text), more, read, err)
		}
	}
	f, _ := Lookup("raw")
	if _, more, err := preview(t.Context(), f, session1().source(t), Options{Dir: in}, 1<<20); more || err != nil {
		t.Errorf("more %v, %v", more, err)
	}
}

func TestWrite_Cancelled(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for _, f := range Formats() {
		if err := Write(ctx, &bytes.Buffer{}, f, session1().source(t), Options{}); err == nil {
			t.Errorf("%s was written", f.Name)
		}
	}
}

// A diagram has a line per message, and nothing in a label can end it.
func TestMermaid_Labels(t *testing.T) {
	r := session1()
	r.frame(out, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a;\nend\n%%{x}#quot;->>"}}`)
	r.frame(in, `{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"no; such\n<b>tool</b>"}}`)
	got := export(t, "mermaid", r.source(t), Options{})
	message := regexp.MustCompile(`^    [CS](->>|-->>|--x|-\))[CS]: (?:[A-Za-z0-9 ./_(),…-]|#\d+;)+$`)
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if len(lines) != 3+7 || lines[0] != "sequenceDiagram" {
		t.Fatalf("%d lines:\n%s", len(lines), got)
	}
	for _, l := range lines[3:] {
		if !message.MatchString(l) {
			t.Errorf("not a message: %s", l)
		}
	}
	if !strings.Contains(got, "S--xC: 7 error -32602 no#59; such") {
		t.Errorf("no error response in\n%s", got)
	}
}

// The page loads nothing, and no text of the peer is markup in it.
func TestHTML_SelfContained(t *testing.T) {
	r := session1()
	r.event(record.Event{Kind: record.KindStderr, Text: `<img src=x onerror=alert(1)>`})
	r.frame(in, `<script src="http://evil.example/x.js"></script>`)
	r.frame(in, `{"jsonrpc":"2.0","id":77,"result":{}}`)
	page := export(t, "html", r.source(t), Options{Redactor: NewRedactor()})
	for _, load := range []string{`<[a-z]+[^>]*\s(src|href|action|srcset|data)\s*=`, `url\(`, `@import`, `fetch\(`, `XMLHttpRequest`, `WebSocket`, `EventSource`, `import\(`, `<link`, `<img`, `<iframe`, `innerHTML`, `insertAdjacentHTML`, `document\.write`, `sendBeacon`, `new Worker`} {
		if m := regexp.MustCompile(load).FindString(page); m != "" {
			t.Errorf("the page has %q", m)
		}
	}
	if !strings.Contains(page, `content="default-src 'none'; style-src 'sha256-`) {
		t.Error("the page has no policy")
	}
	for _, part := range [][2]string{{"<style>", "</style>"}, {"\n<script>", "</script>"}} {
		_, rest, _ := strings.Cut(page, part[0])
		text, _, _ := strings.Cut(rest, part[1])
		if !strings.Contains(page, policyHash(text)) {
			t.Errorf("the hash of %s is not that of the policy", part[0])
		}
	}
	_, rest, _ := strings.Cut(page, `id="data">`)
	data, _, _ := strings.Cut(rest, "</script>")
	var got struct{ Frames []pageFrame }
	if err := json.Unmarshal([]byte(data), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Frames) != 7 || got.Frames[5].JSON || got.Frames[3].Body != `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"message":"a;b#c</script>"}}}` {
		t.Errorf("the data is %+v", got.Frames)
	}
	if len(got.Frames[6].Findings) == 0 {
		t.Errorf("the unmatched response has no finding")
	}
}

// The fence of a block is longer than any in it, and a cell has no line break.
func TestMarkdown_Escapes(t *testing.T) {
	r := session1()
	r.frame(in, "```\n<!-- x -->"[:3]+" ```` `")
	r.event(record.Event{Kind: record.KindStep, Step: &record.Step{Name: "a|b", State: "failed", Detail: "line\nbreak | <b>"}})
	got := export(t, "markdown", r.source(t), Options{Redactor: NewRedactor()})
	for _, want := range []string{"| Protocol version | 2025-11-25 |", "| a\\|b | failed | 0 µs | line break \\| &lt;b> |", "`````text\n``` ```` `\n`````\n", "**4** → tools/call echo"} {
		if !strings.Contains(strings.ReplaceAll(got, `\>`, ">"), want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{"a\tb\n": "a\tb\n", "\x1b[2J": `\u001b[2J`, "\xff": `\xff`, "a\u202eb": `a\u202eb`, "�": "�", "\U000e0001": `\U000e0001`} {
		if got := visible(text); got != want {
			t.Errorf("visible(%q) = %q, want %q", text, got, want)
		}
	}
}

// BenchmarkWrite writes 10,000 frames in each format, beside a copy of the file.
func BenchmarkWrite(b *testing.B) {
	r := newRecording("stdio", "node server.js")
	r.handshake()
	for i := range 5000 {
		r.frame(out, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search","arguments":{"query":"tea %d","limit":5}}}`, i+2, i))
		r.frame(in, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}]}}`, i+2, strings.Repeat("a result of some length ", 8)))
	}
	path := filepath.Join(b.TempDir(), "session.mcptea.jsonl")
	if err := os.WriteFile(path, r.bytes, 0o600); err != nil {
		b.Fatal(err)
	}
	b.Run("copy", func(b *testing.B) { // the baseline
		b.SetBytes(int64(len(r.bytes)))
		b.ReportAllocs()
		for b.Loop() {
			text, err := os.ReadFile(path)
			if err != nil || os.WriteFile(path+".copy", text, 0o600) != nil {
				b.Fatal(err)
			}
		}
	})
	for _, f := range Formats() {
		if f.Name == "curl" { // only over HTTP
			continue
		}
		b.Run(f.Name, func(b *testing.B) {
			b.SetBytes(int64(len(r.bytes)))
			b.ReportAllocs()
			for b.Loop() {
				src, err := FromFile(b.Context(), path)
				if err != nil {
					b.Fatal(err)
				}
				if err := Write(b.Context(), io.Discard, f, src, Options{Dir: in, Redactor: NewRedactor()}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A clock that was set back during the session makes no negative duration, and does not hide how long the rest took.
func TestExport_ClockSetBack(t *testing.T) {
	r := session1()
	r.at = r.at.Add(-time.Hour)
	r.frame(out, `{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	r.at = r.at.Add(2 * time.Second)
	r.frame(in, `{"jsonrpc":"2.0","id":3,"result":{}}`)
	for format, want := range map[string]string{"markdown": "| Duration | 2.01 s |", "issue": "| Duration | 2.01 s |", "html": " for 2.01 s"} {
		if got := export(t, format, r.source(t), Options{}); !strings.Contains(got, want) {
			t.Errorf("%s has no %q", format, want)
		}
	}
}
