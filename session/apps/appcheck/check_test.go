package appcheck

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/apps/chromium"
	"mcptea/session/session"
)

// app is the script that documents of this test begin with: an app that does everything right
// and calls the functions that a test defines before.
const app = `<script>
const post = m => parent.postMessage(Object.assign({jsonrpc: "2.0"}, m), "*");
let next = 10;
addEventListener("message", e => {
  if (e.source !== parent && !globalThis.anyWindow) return;
  const m = e.data;
  if (m.id === 1 && m.result) post({method: "ui/notifications/initialized", params: {}});
  if (m.id === 1 && m.result && globalThis.ready) ready(m.result);
  if (m.method === "ping") post({id: m.id, result: {}});
  if (m.method === "ui/notifications/tool-result") {
    document.body.append(String(m.params.content?.[0]?.text));
    if (globalThis.shown) shown(m.params);
    post({method: "ui/notifications/size-changed", params: {width: 700, height: 90}});
  }
  if (m.method === "ui/notifications/host-context-changed" && globalThis.changed) changed(m.params);
  if (m.method === "ui/resource-teardown" && !globalThis.deaf) { post({id: m.id, result: {}}); if (globalThis.late) late(); }
});
post({id: 1, method: "ui/initialize", params: {appInfo: {name: "Checked", version: "1"}, appCapabilities: {availableDisplayModes: ["inline", "fullscreen"]}, protocolVersion: "2026-01-26"}});
</script>`

// serve is a server whose tool has a document.
func serve(document string) sessiontest.Serve {
	return sessiontest.Scripted(func(method, id string) string {
		result := map[string]string{
			"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"test","version":"1"}}`,
			"tools/list": `{"tools":[{"name":"show","inputSchema":{"type":"object","properties":{"n":{"type":"number"}}},"annotations":{"readOnlyHint":true},"_meta":{"ui":{"resourceUri":"ui://test/app"}}},` +
				`{"name":"poke","inputSchema":{"type":"object"}},` +
				`{"name":"secret","inputSchema":{"type":"object"},"_meta":{"ui":{"visibility":["model"]}}}]}`,
			"resources/list": `{"resources":[]}`,
			"resources/read": `{"contents":[{"uri":"ui://test/app","mimeType":"text/html;profile=mcp-app","text":` + jsonrpc.Quote(document) + `}]}`,
			"tools/call":     `{"content":[{"type":"text","text":"shown"}],"structuredContent":{"a":1}}`,
		}[method]
		if result == "" {
			return ""
		}
		return string(jsonrpc.EncodeResult(jsonrpc.IDOf(id), []byte(result)))
	})
}

// check checks a document, and returns the findings of each check by its id.
func check(t *testing.T, document string) (*Report, map[string]string) {
	t.Helper()
	return checkWith(t, document, Options{})
}

func checkWith(t *testing.T, document string, o Options) (*Report, map[string]string) {
	t.Helper()
	if os.Getenv("MCPTEA_E2E") == "" {
		t.Skip("the tests with a browser run with MCPTEA_E2E=1")
	}
	path, err := chromium.Find()
	if err != nil {
		t.Skip(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	s, err := session.Open(session.Config{
		Target: client.Target{Argv: []string{"server"}}, Client: client.Config{Name: "mcptea", Version: "1", Timeout: time.Minute},
		Lists: client.ListKinds, Record: "off", Dial: sessiontest.Dial(serve(document)),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(context.Background()) }()
	if err := s.Connect(ctx); err != nil {
		t.Fatal(err)
	}
	b, err := chromium.Start(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	r, err := Run(ctx, s, b, "show", []byte(`{"n":1}`), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Results) != len(Catalogue()) {
		t.Errorf("reported %v", r.Results)
	}
	found := map[string]string{}
	for _, one := range r.Results {
		text := string(one.Verdict) + " " + one.Skip
		for _, f := range one.Findings {
			text += "\n" + f.Severity + " " + f.Message
		}
		found[one.ID] = text
	}
	return r, found
}

func TestCheck_CorrectApp(t *testing.T) {
	t.Parallel()
	r, found := check(t, "<!doctype html><html><body>"+app+"</body></html>")
	for id, text := range found {
		if text != "pass " {
			t.Errorf("%s: %s", id, text)
		}
	}
	if r.Name != "Checked" || r.Resource != "ui://test/app" {
		t.Errorf("%+v", r)
	}
	if _, err := png.Decode(bytes.NewReader(r.Screenshot)); err != nil {
		t.Error(err)
	}
}

func TestCheck_Faults(t *testing.T) {
	t.Parallel()
	_, found := check(t, `<!doctype html><html><body><div style="width:900px">wide`+"</div><script>"+`
var anyWindow = true, deaf = true;
function ready() { parent.postMessage({jsonrpc: "2.0", id: 50, method: "tools/call", params: {name: "secret"}}, "*");
  parent.postMessage({jsonrpc: "2.0", id: 51, method: "tools/call", params: {name: "show", arguments: {n: "x"}}}, "*");
  parent.postMessage({jsonrpc: "2.0", id: 52, method: "tools/call", params: {name: "gone"}}, "*"); }
function shown(result) {
  fetch("https://api.elsewhere.example/x").catch(() => {});
  console.error("cannot draw");
  window.open("https://elsewhere.example/");
  if (!result.structuredContent) throw new Error("no structured content");
}
function changed(context) { if (context.theme) throw new Error("no such theme"); }
</script>`+app+"</body></html>")
	for id, want := range map[string][]string{
		"A-01": {"pass"},
		"A-02": {"fail", "The policy has blocked https://api.elsewhere.example", "connect-src", "Error in the console with the input and the result: cannot draw"},
		"A-03": {"pass"},
		"A-04": {"fail", "Uncaught exception after a change of the host: Uncaught Error: no such theme", "scrolls sideways"},
		"A-05": {"fail", "Uncaught exception with a result without structuredContent"},
		"A-06": {"warning", "The app sends tools/call, which the host has not declared."},
		"A-07": {"fail", `the tool "secret", whose visibility does not name app`, `The arguments for the tool "show" do not match`, `the tool "gone", which the server does not have`},
		"A-08": {"fail", "no response to ui/resource-teardown within 1s"},
		"A-09": {"fail", "Blocked opening"},
		"A-10": {"fail", "responds to a request that its parent has not sent"},
	} {
		for _, part := range want {
			if !strings.Contains(found[id], part) {
				t.Errorf("%s: no %q in %s", id, part, found[id])
			}
		}
	}
}

// The consequences of a refused call are not errors of the app, and the call is named.
func TestCheck_RefusedCall(t *testing.T) {
	t.Parallel()
	r, found := check(t, "<!doctype html><html><body><script>"+`
addEventListener("message", e => { if (e.data.id === 60 && e.data.error) console.error("cannot poke: " + e.data.error.message); });
function shown(result) { post({id: 60, method: "tools/call", params: {name: "poke"}}); }
</script>`+app+"</body></html>")
	wants(t, found, map[string]string{
		"A-02": "warning \nwarning Error in the console with the input and the result (after the check had refused a call of poke): cannot poke",
		"A-07": "pass",
	})
	if len(r.Refused) != 1 || r.Refused[0] != "poke" {
		t.Error(r.Refused)
	}
}

// WebAssembly cannot be declared: the policy of the specification blocks it, a loose one does not.
func TestCheck_Policy(t *testing.T) {
	t.Parallel()
	const document = `<!doctype html><html><body><script>
function shown() { new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])); new Worker(URL.createObjectURL(new Blob(["0"]))); }
</script>` + app + "</body></html>"
	_, found := check(t, document)
	wants(t, found, map[string]string{"A-02": "The policy has blocked wasm-eval (script-src) with the input and the result. No declaration permits it, but some hosts do, and so does --policy loose."})
	_, found = checkWith(t, document, Options{Loose: true})
	wants(t, found, map[string]string{"A-02": "pass"})
}

// wants checks what was found by some checks.
func wants(t *testing.T, found, want map[string]string) {
	t.Helper()
	for id, text := range want {
		if !strings.Contains(found[id], text) {
			t.Errorf("%s: no %q in %s", id, text, found[id])
		}
	}
}

// The other checks run although ui/initialize has a fault.
func TestCheck_InitializeFault(t *testing.T) {
	t.Parallel()
	_, found := check(t, "<!doctype html><html><body><script>"+`
function shown(result) { if (!result.structuredContent) throw new Error("no structured content"); }
</script>`+strings.Replace(app, `version: "1"`, `version: 1`, 1)+"</body></html>")
	wants(t, found, map[string]string{
		"A-01": "appInfo.version of ui/initialize is not a string",
		"A-05": "Uncaught exception with a result without structuredContent",
		"A-06": "pass",
	})
}

// A script that never ends does not stop the check.
func TestCheck_EndlessScript(t *testing.T) {
	t.Parallel()
	_, found := check(t, "<!doctype html><html><body><script>function ready() { setTimeout(() => { for (;;); }, 100); }</script>"+app+"</body></html>")
	if text := found["A-03"]; !strings.Contains(text, "The document of the app cannot be read") {
		t.Error(text)
	}
	if text := found["A-04"]; text != "skipped the page does not respond" {
		t.Error(text)
	}
}

// An app that floods its console does not hide the faults of the openings after it, and the
// check says that it has not seen all of this one.
func TestCheck_FloodOfEvents(t *testing.T) {
	t.Parallel()
	_, found := check(t, "<!doctype html><html><body><script>"+`
function shown(result) {
  if (!result.structuredContent) throw new Error("no structured content");
  if (result.content[0].text === "shown") for (let i = 0; i < 12000; i++) console.log(i);
}
</script>`+app+"</body></html>")
	wants(t, found, map[string]string{
		"A-02": "reported too much",
		"A-05": "Uncaught exception with a result without structuredContent",
	})
}

// An app that hangs on a result has not passed.
func TestCheck_EndlessOnResult(t *testing.T) {
	t.Parallel()
	_, found := check(t, "<!doctype html><html><body><script>function shown(result) { if (!result.structuredContent) for (;;); }</script>"+app+"</body></html>")
	if text := found["A-05"]; !strings.Contains(text, "The page does not respond with a result without structuredContent") {
		t.Error(text)
	}
}

// A frame in the document is not a navigation.
func TestCheck_Navigation(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		`<iframe src="https://elsewhere.example/"></iframe>` + app:                                  "pass ",
		`<script>function ready() { location.href = "https://elsewhere.example/"; }</script>` + app: "The app tries to navigate: Framing 'https://elsewhere.example/'",
	} {
		_, found := check(t, "<!doctype html><html><body>"+document+"</body></html>")
		if !strings.Contains(found["A-09"], want) {
			t.Errorf("%s: %s", document, found["A-09"])
		}
	}
}

// A script that hangs later does not stop the check either, and what was found before is reported.
func TestCheck_EndlessAfterChange(t *testing.T) {
	t.Parallel()
	_, found := check(t, "<!doctype html><html><body><script>function changed() { for (;;); }</script>"+app+"</body></html>")
	wants(t, found, map[string]string{
		"A-03": "pass",
		"A-04": "The page does not respond after a change of the host",
		"A-08": "no response to ui/resource-teardown",
		"A-10": "skipped the message could not be sent",
	})
}

func TestCheck_NotInitialized(t *testing.T) {
	t.Parallel()
	_, found := check(t, "<!doctype html><title>x</title><script>broken()</script>")
	if text := found["A-01"]; !strings.Contains(text, "has not sent ui/initialize within 5s") {
		t.Error(text)
	}
	if text := found["A-02"]; !strings.Contains(text, "Uncaught exception before ui/initialize: Uncaught ReferenceError: broken is not defined") {
		t.Error(text)
	}
	for i := 3; i <= 10; i++ {
		if text := found[fmt.Sprintf("A-%02d", i)]; text != "skipped the app is not initialized" {
			t.Errorf("A-%02d: %s", i, text)
		}
	}
}

func TestAdd_Bounds(t *testing.T) {
	var r Result
	for i := range maxFindings + 5 {
		r.add("warning", fmt.Sprint(i)+strings.Repeat("é", 1<<20), "x"+strings.Repeat("é", 1<<20), 0)
	}
	if len(r.Findings) != maxFindings {
		t.Errorf("%d findings", len(r.Findings))
	}
	for _, f := range r.Findings {
		if len(f.Message) > maxMessage+len("…") || len(f.Evidence) > maxEvidence+len("…") || !utf8.ValidString(f.Message) || !utf8.ValidString(f.Evidence) {
			t.Errorf("%q %q", f.Message, f.Evidence)
		}
	}
}

// Without a response, nothing is said to be sent after it.
func TestCheck_NoTeardownResponse(t *testing.T) {
	t.Parallel()
	_, found := check(t, `<!doctype html><html><body><script>
var deaf = true;
addEventListener("message", e => { if (e.data.method === "ui/resource-teardown") setTimeout(() => post({id: e.data.id, result: {}}), 1200); });
</script>`+app+"</body></html>")
	if text := found["A-08"]; !strings.Contains(text, "no response to ui/resource-teardown within 1s") || strings.Contains(text, "after the response") {
		t.Error(text)
	}
}

// The table of the documentation has all checks.
// A check without code, or code without a row of checks.jsonl, would report nothing.
func TestCatalogue_EachCheckIsJudged(t *testing.T) {
	var code []byte
	for _, file := range []string{"judge.go", "noise.go", "run.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		code = append(code, text...)
	}
	judged := map[string]bool{}
	for _, use := range regexp.MustCompile(`\bjudge\("([^"]+)"\)`).FindAllSubmatch(code, -1) {
		judged[string(use[1])] = true
	}
	for _, use := range regexp.MustCompile(`endWith\("[^"]*", ([^)]*)\)`).FindAllSubmatch(code, -1) {
		for slug := range strings.SplitSeq(string(use[1]), ", ") {
			if slug = strings.Trim(slug, `"`); !judged[slug] {
				t.Errorf("endWith names %q, which is not judged", slug)
			}
		}
	}
	for _, e := range Catalogue() {
		if !judged[e.Slug] {
			t.Errorf("%s %s is not judged", e.ID, e.Slug)
		}
		delete(judged, e.Slug)
	}
	for slug := range judged {
		t.Errorf("checks.jsonl has no %q", slug)
	}
}

// The page names the first and the last check; mcptea explain has the text of each.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../../../docs/apps.md")
	if err != nil {
		t.Fatal(err)
	}
	all := Catalogue()
	if checks := fmt.Sprintf("checks %s to %s:", all[0].ID, all[len(all)-1].ID); !strings.Contains(string(page), checks) {
		t.Errorf("docs/apps.md does not contain %q", checks)
	}
}
