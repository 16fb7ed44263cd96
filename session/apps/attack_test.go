package apps_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/apps"
	"mcptea/session/apps/chromium"
	"mcptea/session/session"
)

// inBrowser is an app in a headless browser.
type inBrowser struct {
	t   *testing.T
	ctx context.Context
	s   *session.Session
	app *apps.App
	b   *chromium.Browser
}

// startOf is the beginning of a document whose scripts can talk to the host.
const startOf = `<!doctype html><html><body><script>
const heard = [];
addEventListener("message", e => heard.push(JSON.stringify(e.data)));
const post = m => parent.postMessage(Object.assign({jsonrpc: "2.0"}, m), "*");
post({id: 1, method: "ui/initialize", params: {appInfo: {name: "Attack", version: "1"}, appCapabilities: {}, protocolVersion: "2026-01-26"}});
post({method: "ui/notifications/initialized", params: {}});
</script>`

// attack shows a document with the metadata ui in a browser.
func attack(t *testing.T, document, ui string) *inBrowser {
	t.Helper()
	if os.Getenv("MCPTEA_E2E") == "" {
		t.Skip("the tests with a browser run with MCPTEA_E2E=1")
	}
	path, err := chromium.Find()
	if err != nil {
		t.Skip(err)
	}
	s, sv := connect(t, session.Config{})
	sv.contents = `{"uri":"ui://test/app","mimeType":"text/html;profile=mcp-app","text":` + jsonrpc.Quote(startOf+document) + `,"_meta":{"ui":` + ui + `}}`
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(stop)
	x := &inBrowser{t: t, ctx: ctx, s: s}
	if x.app, err = apps.Open(ctx, s, "show", nil, apps.Options{Unattended: true}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.app.Close(context.Background()) })
	if x.b, err = chromium.Start(ctx, path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.b.Close)
	if err := x.b.Navigate(ctx, x.app.URL()); err != nil {
		t.Fatal(err)
	}
	x.until("initialized", func() bool { return x.app.State().Phase == apps.Ready })
	return x
}

func (x *inBrowser) until(what string, is func() bool) {
	x.t.Helper()
	changed, stop := x.s.Store().Subscribe()
	defer stop()
	events, end := x.b.Subscribe()
	defer end()
	for !is() {
		select {
		case <-changed:
		case <-events:
		case <-x.ctx.Done():
			x.t.Fatalf("%s: %s", what, strings.Join(rows(x.t, x.s.Store()), "\n"))
		}
	}
}

// eval evaluates an expression in the app.
func (x *inBrowser) eval(expression string) string {
	x.t.Helper()
	var text string
	if err := x.b.Evaluate(x.ctx, "/app", "(async () => String(await ("+expression+")))().catch(e => 'threw ' + e.name)", &text); err != nil {
		x.t.Fatal(expression, err)
	}
	return text
}

// outside is a server elsewhere, which counts what reaches it.
func outside(t *testing.T) (url string, reached func() []string) {
	var mu sync.Mutex
	var all []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, r.Method+" "+r.URL.Path)
		w.Header().Set("Access-Control-Allow-Origin", "*")
	}))
	t.Cleanup(s.Close)
	return s.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}

func TestAttack_Sandbox(t *testing.T) {
	url, reached := outside(t)
	x := attack(t, `<form id="f" action="`+url+`/form" method="post"></form><a id="t" target="_top" href="`+url+`/link">y</a><img src="`+url+`/img">`, `{}`)
	for _, tc := range [][2]string{
		{`typeof window.open("` + url + `/popup")`, "object"},
		{`fetch("` + url + `/fetch")`, "threw TypeError"},
		{`new Promise(r => { const s = new WebSocket("ws://127.0.0.1:9/"); s.onerror = () => r("error") })`, "error"},
		{`localStorage.length`, "threw SecurityError"},
		{`document.cookie`, "threw SecurityError"},
		{`parent.document.title`, "threw SecurityError"},
		{`top.document.title`, "threw SecurityError"},
		{`top.location.href = "` + url + `/top"`, "threw SecurityError"},
		{`eval("1")`, "threw EvalError"},
		{`origin`, "null"},
		{`document.featurePolicy.allowsFeature("camera") || document.featurePolicy.allowsFeature("geolocation")`, "false"},
		{`navigator.credentials.get({password: true})`, "threw NotAllowedError"},
		{`(() => { const a = document.createElement("a"); a.href = URL.createObjectURL(new Blob(["x"])); a.download = "x"; a.click() })()`, "undefined"},
		{`document.getElementById("t").click()`, "undefined"},
		{`prompt("password?")`, "null"},
	} {
		if got := x.eval(tc[0]); got != tc[1] {
			t.Errorf("%s: %s, want %s", tc[0], got, tc[1])
		}
	}
	if got := x.eval(`window.open("` + url + `/popup2") === null`); got != "true" {
		t.Error("a window was opened")
	}
	x.until("the browser reports what was blocked", func() bool { return x.app.State().Violations > 0 })
	// Last, since they may replace the document by an error.
	_ = x.b.Evaluate(x.ctx, "/app", `document.getElementById("f").submit()`, nil)
	_ = x.b.Evaluate(x.ctx, "/app", `location.href = "`+url+`/away"`, nil)
	x.until("the frame was not loaded", func() bool {
		return slices.ContainsFunc(x.b.Events(), func(e chromium.Event) bool {
			return (strings.Contains(string(e.Params), "/away") || strings.Contains(string(e.Params), "/form")) && (e.Method == "Log.entryAdded" || e.Method == "Network.loadingFailed")
		})
	})
	if got := reached(); len(got) > 0 {
		t.Errorf("the app has reached %q", got)
	}
	for _, e := range x.b.Events() {
		if strings.HasPrefix(e.Method, "Page.download") || e.Method == "Page.javascriptDialogOpening" || e.Method == "Target.targetCreated" && strings.Contains(string(e.Params), url) {
			t.Errorf("%s %s", e.Method, e.Params)
		}
	}
	if violation := slices.ContainsFunc(rows(t, x.s.Store()), func(r string) bool { return strings.HasSuffix(r, "csp-violation") }); !violation {
		t.Error("the record has no violation")
	}
}

// What is declared is permitted, and nothing else.
func TestAttack_DeclaredOriginsOnly(t *testing.T) {
	url, reached := outside(t)
	other, reachedOther := outside(t)
	x := attack(t, "", `{"csp":{"connectDomains":["`+url+`"]}}`)
	if got := x.eval(`fetch("` + url + `/a").then(r => r.status)`); got != "200" {
		t.Error(got)
	}
	if got := x.eval(`fetch("` + other + `/b")`); got != "threw TypeError" {
		t.Error(got)
	}
	if a, b := reached(), reachedOther(); len(a) != 1 || len(b) != 0 {
		t.Error(a, b)
	}
}

// TestAttack_WebRTC has an app that asks a STUN server for its address: no policy limits that, so
// that the browser of a check is started without it.
func TestAttack_WebRTC(t *testing.T) {
	stun, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stun.Close() }()
	x := attack(t, "", `{}`)
	got := x.eval(`new Promise(async done => {
		const c = new RTCPeerConnection({iceServers: [{urls: "stun:` + stun.LocalAddr().String() + `"}]});
		c.onicegatheringstatechange = () => c.iceGatheringState === "complete" && done("tried");
		c.createDataChannel("x");
		await c.setLocalDescription(await c.createOffer());
		setTimeout(done, 3000, "tried"); // without UDP gathering may take long to end
	})`)
	if got != "tried" {
		t.Error(got)
	}
	if err := stun.SetReadDeadline(time.Now().Add(time.Second)); err != nil { // one in the past reads nothing
		t.Fatal(err)
	}
	if n, from, err := stun.ReadFrom(make([]byte, 1500)); err == nil {
		t.Errorf("%d bytes came from %s", n, from)
	}
}

// A window inside or beside the app does not speak for it.
func TestAttack_AnotherWindow(t *testing.T) {
	inner := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<script>for (const w of [parent, parent.parent, top]) w.postMessage({jsonrpc: "2.0", id: "inner", method: "ping"}, "*"); parent.postMessage("sent", "*")</script>`))
	}))
	defer inner.Close()
	x := attack(t, `<iframe src="`+inner.URL+`/inner"></iframe>`, `{"csp":{"frameDomains":["`+inner.URL+`"]}}`)
	x.until("the inner frame has posted", func() bool { return strings.Contains(x.eval(`heard.join()`), `"sent"`) })
	x.eval(`top.postMessage({jsonrpc: "2.0", id: "top", method: "ping"}, "*")`)
	x.eval(`parent.parent.postMessage({jsonrpc: "2.0", id: "top", method: "ping"}, "*")`)
	x.eval(`post({id: "own", method: "ping"})`)
	x.until("the response to the app itself", func() bool { return strings.Contains(x.eval(`heard.join()`), `"id":"own"`) })
	if got := rows(t, x.s.Store()); slices.Index(got, "← request ping") < 0 || strings.Count(strings.Join(got, "\n"), "← request ping") != 1 {
		t.Error(strings.Join(got, "\n"))
	}
}

func TestAttack_Flood(t *testing.T) {
	x := attack(t, "", `{}`)
	grown := sessiontest.HeldHeap(func() {
		x.eval(`(() => { const big = "x".repeat(1000); for (let i = 0; i < 20000; i++) post({method: "notifications/message", params: {level: "info", data: big}}) })()`)
		x.until("messages are dropped", func() bool { return x.app.State().Lost > 10_000 })
	})
	if grown > 20<<20 {
		t.Errorf("the flood holds %d bytes", grown)
	}
	if st := x.app.State(); st.In > 9000 {
		t.Errorf("%d messages were taken", st.In)
	}
	// The app and the host go on.
	x.eval(`post({id: "after", method: "ping"})`)
	x.until("the response", func() bool { return strings.Contains(x.eval(`heard.join()`), `"id":"after"`) })
}

func TestAttack_OddMessages(t *testing.T) {
	x := attack(t, "", `{}`)
	x.eval(`(() => { const loop = {}; loop.self = loop; for (const m of [undefined, null, 7, "text", [], loop, 10n, new Map(), new Blob(["x"]), new Error("e"), "\u001b[2J\ud800", {toJSON: 1}]) parent.postMessage(m, "*") })()`)
	x.eval(`post({id: "after", method: "ping"})`)
	x.until("the response", func() bool { return strings.Contains(x.eval(`heard.join()`), `"id":"after"`) })
	if st := x.app.State(); st.Phase != apps.Ready || st.In < 12 {
		t.Errorf("%d messages, %s", st.In, st.Phase)
	}
	if err := x.b.Evaluate(x.ctx, "/nowhere", "1", nil); !errors.Is(err, chromium.ErrNoFrame) {
		t.Error(err)
	}
}
