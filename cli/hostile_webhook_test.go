package cli

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/demo"
	"mcptea/internal/test/hooktest"
	"mcptea/internal/test/raced"
	"mcptea/session/events"
	"mcptea/session/export"
	"mcptea/session/session"
)

// attacker knows the webhook of a subscription: its URL, and its secret, as a server does that leaks it.
type attacker struct{ hooktest.Sender }

// subscribed serves the demo server, and calls do with the webhook of the first subscription.
func subscribed(t *testing.T, do func(a *attacker)) *httptest.Server {
	inner, once := demo.New(demo.Options{}).HandlerContext(t.Context()), sync.Once{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		q.Body = io.NopCloser(bytes.NewReader(body))
		if jsonrpc.Text(body, "method") != "events/subscribe" {
			inner.ServeHTTP(w, q)
			return
		}
		kept := httptest.NewRecorder()
		inner.ServeHTTP(kept, q)
		maps.Copy(w.Header(), kept.Header())
		w.WriteHeader(kept.Code)
		_, _ = w.Write(kept.Body.Bytes())
		response := kept.Body.Bytes()
		if at := bytes.Index(response, []byte(`{"jsonrpc"`)); at > 0 {
			response = response[at:]
		}
		a := &attacker{hooktest.Sender{
			Client: &http.Client{}, ID: jsonrpc.Text(response, "result", "id"),
			URL: jsonrpc.Text(body, "params", "delivery", "url"), Secret: jsonrpc.Text(body, "params", "delivery", "secret"),
		}}
		once.Do(func() { go do(a) })
	}))
	t.Cleanup(server.Close)
	return server
}

// post sends a delivery that is correct except for change, and returns the status, or 0 if the connection
// was closed while the body was sent.
func (a *attacker) post(id string, body []byte, change func(h http.Header)) int {
	status, _, _ := a.Post(id, body, change)
	return status
}

func event(id, text string) []byte {
	return fmt.Appendf(nil, `{"eventId":%q,"name":"order.placed","timestamp":"2026-11-28T00:00:00Z","data":{"order":1,"cups":1,"tea":%q},"cursor":null}`, id, text)
}

// attack does what a stranger, and a server that leaks the secret, can do to a callback.
func (a *attacker) attack() {
	set := func(name, value string) func(h http.Header) { return func(h http.Header) { h.Set(name, value) } }
	var flood sync.WaitGroup
	for range 10 {
		flood.Go(func() {
			for range 100 {
				a.post("u", event("u", "x"), func(h http.Header) { h.Del("webhook-signature") })
			}
		})
	}
	flood.Wait()
	for a.post("evt_1", event("evt_1", "first"), nil) != http.StatusOK { // until the response to events/subscribe was read
		time.Sleep(time.Millisecond)
	}
	for range 20 {
		a.post("evt_1", event("evt_1", "first"), nil) // a replay
		a.post("l", event("l", strings.Repeat("x", 300<<10)), nil)
		a.post("i", event("i", "x"), set("X-MCP-Subscription-Id", "sub_other"))
		a.post("s", event("s", "x"), set("webhook-signature", "v1,"+a.Secret))
		a.post("o", event("o", "x"), set("webhook-timestamp", "1000"))
		now := strconv.FormatInt(time.Now().Unix(), 10)
		a.post("p", event("p", "x"), func(h http.Header) {
			h.Set("webhook-timestamp", now)
			h.Set("webhook-signature", hooktest.Sign([]byte(a.Secret), "p", now, event("p", "x")))
		})
	}
	a.post("leak", event("evt_leak "+a.Secret, "the secret is "+a.Secret), nil)
	a.post("last", event("evt_last", "last"), nil)
}

func TestListen_HostileWebhook(t *testing.T) {
	raced.ByNight(t, "a thousand requests")
	dir := t.TempDir()
	recording := filepath.Join(dir, "hook.mcptea.jsonl")
	env := append(os.Environ(), "MCPTEA_CONFIG=off", "XDG_STATE_HOME="+filepath.Join(dir, "state"), "XDG_CACHE_HOME="+filepath.Join(dir, "cache"), "HOME="+dir)
	var a *attacker
	server := subscribed(t, func(found *attacker) {
		a = found
		a.attack()
	})
	stdout, stderr, code := calledIn(t, env, "listen", "event:order.placed", "--webhook", "--until", "json:.params.eventId=evt_last", "--for", "2m", "--json", "--trace", "--token", "a-long-token",
		"--record", recording, server.URL+"/mcp")
	if code != 0 || !strings.Contains(stdout, `"tea":"first"`) || !strings.Contains(stdout, "evt_last") {
		t.Fatalf("exit code %d\n%.2000s\n%s", code, stdout, stderr)
	}
	written, err := os.ReadFile(recording)
	if err != nil {
		t.Fatal(err)
	}
	for _, trouble := range []string{
		"has no webhook-id", "larger than 256 KiB", "is for another subscription", "none of the usual mistakes", "the whole text of the secret",
	} {
		if n := bytes.Count(written, []byte(trouble)); n < 1 || n > 10 {
			t.Errorf("%q is %d times in the recording", trouble, n)
		}
		if n := strings.Count(stdout, trouble); n < 1 || n > 2 { // at first, and at the end with its count
			t.Errorf("%q is printed %d times", trouble, n)
		}
	}
	if n := bytes.Count(written, []byte(`"k":"delivery"`)); n > 100 {
		t.Errorf("%d deliveries are in the recording", n)
	}
	opened, err := session.OpenRecording(recording, session.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close(t.Context())
	is := func() bool {
		all := opened.Events().All()
		return len(all) == 1 && all[0].Mode == "webhook" && all[0].Phase == events.Ended && all[0].Events == all[0].Delivered.Accepted && all[0].Repeated == 20
	}
	if ctx, stop := context.WithTimeout(t.Context(), time.Minute); opened.Until(ctx, is) != nil {
		t.Errorf("of the recording: %+v", opened.Events().All())
		stop()
	} else {
		stop()
	}
	shown := map[string][]byte{"stdout": []byte(stdout), "stderr": []byte(stderr)}
	for _, f := range export.Formats() {
		out, errs, _ := calledIn(t, env, "export", recording, "--to", f.Name)
		shown["export --to "+f.Name] = []byte(out + errs)
	}
	if redacted := shown["export --to jsonl"]; !bytes.Contains(redacted, []byte(`"what":"event"`)) {
		t.Errorf("the export has no delivery: %.2000s", redacted)
	}
	out, errs, _ := calledIn(t, env, "lint", recording)
	shown["lint"] = []byte(out + errs)
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		shown[path], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	text, is64 := strings.CutPrefix(a.Secret, "whsec_")
	if !is64 || len(text) < 32 {
		t.Fatalf("the secret is %q", a.Secret)
	}
	key := a.Key()
	for _, name := range slices.Sorted(maps.Keys(shown)) {
		for _, marker := range []string{text, string(key), hex.EncodeToString(key)} {
			if bytes.Contains(shown[name], []byte(marker)) {
				t.Errorf("%s has the secret", name)
			}
		}
	}
}
