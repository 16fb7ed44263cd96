package hostpage

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/session/apps/chromium"
)

// serve serves a page whose messages and events arrive at a channel.
func serve(t *testing.T) (p *Page, got chan string) {
	return serveDocument(t, "<!doctype html><title>app</title>")
}

func serveDocument(t *testing.T, document string) (p *Page, got chan string) {
	t.Helper()
	got = make(chan string, 1000)
	p, err := Serve(t.Context(), Config{
		HTML: []byte(document), Policy: "default-src 'none'; script-src 'unsafe-inline'", Allow: "camera",
		Message: func(raw []byte) { got <- "message " + string(raw) },
		Event: func(e Event) {
			switch {
			case e.Connected:
				got <- "connected"
			case e.Violation != nil:
				got <- "violation " + string(e.Violation)
			case e.Lost > 0:
				got <- fmt.Sprint("lost ", e.Lost)
			}
		},
		Gone: func(why error) { got <- "gone: " + why.Error() },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p, got
}

// request is a request whose headers follow in pairs; an empty value removes one.
func request(t *testing.T, method, url, body string, headers ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		} else {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}

func text(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestPage_TokenIsGoodOnce(t *testing.T) {
	p, _ := serve(t)
	url := p.URL()
	for name, tc := range map[string]struct {
		url     string
		headers []string
	}{
		"wrong token":         {url[:len(url)-1] + "x", nil},
		"no token":            {p.host.url() + "/a/", nil},
		"other host":          {url, []string{"Host", "mcptea.example"}},
		"host without port":   {url, []string{"Host", "127.0.0.1"}},
		"localhost":           {url, []string{"Host", "localhost:" + p.Ports()[0]}},
		"other origin":        {url, []string{"Origin", "https://a.example"}},
		"origin null":         {url, []string{"Origin", "null"}},
		"prefetch":            {url, []string{"Sec-Purpose", "prefetch"}},
		"frame of another":    {url, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Dest", "iframe"}},
		"image of another":    {url, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Dest", "image"}},
		"fetch of another":    {url, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Dest", "empty"}},
		"the sandbox":         {p.box.url() + "/a/" + p.token, nil},
		"another path":        {p.host.url() + "/", nil},
		"path of the sandbox": {p.host.url() + p.path, nil},
	} {
		if r := request(t, http.MethodGet, tc.url, "", tc.headers...); r.StatusCode < 400 {
			t.Errorf("%s: %d", name, r.StatusCode)
		} else if body := text(t, r); strings.Contains(body, p.key) || strings.Contains(body, p.path) {
			t.Errorf("%s: tells a secret", name)
		}
	}
	// As the browser loads it from the file that redirects to it.
	r := request(t, http.MethodGet, url, "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document")
	body := text(t, r)
	if r.StatusCode != http.StatusOK || !strings.Contains(body, p.key) {
		t.Fatalf("%d %s", r.StatusCode, body)
	}
	for name, want := range map[string]string{
		"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Content-Security-Policy": "frame-ancestors 'none'",
	} {
		if !strings.Contains(r.Header.Get(name), want) {
			t.Errorf("%s: %s", name, r.Header.Get(name))
		}
	}
	if r := request(t, http.MethodGet, url, ""); r.StatusCode != http.StatusForbidden {
		t.Errorf("the token is good twice: %d", r.StatusCode)
	}
	if len(p.token) < 26 || len(p.key) < 26 || len(strings.Trim(p.path, "/")) < 26 { // 26 letters of 5 bits
		t.Error("a secret is too short")
	}
}

// A page that is refused says why.
func TestPage_RefusalsSayWhy(t *testing.T) {
	p, _ := serve(t)
	for name, tc := range map[string]struct {
		url, want string
		headers   []string
	}{
		"a prefetch":  {p.URL(), "The page was not opened by the user.", []string{"Sec-Purpose", "prefetch"}},
		"a frame":     {p.URL(), "The page was not opened by the user.", []string{"Sec-Fetch-Dest", "iframe"}},
		"a bad token": {p.host.url() + "/a/x", "This address was used already, or is too old. Open the app again in mcptea.", nil},
	} {
		if r := request(t, http.MethodGet, tc.url, "", tc.headers...); r.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d", name, r.StatusCode)
		} else if body := text(t, r); !strings.Contains(body, tc.want) {
			t.Errorf("%s: %s", name, body)
		}
	}
}

func TestPage_TokenEnds(t *testing.T) {
	p, _ := serve(t)
	p.expires = time.Now().Add(-time.Second)
	if r := request(t, http.MethodGet, p.URL(), ""); r.StatusCode != http.StatusForbidden {
		t.Errorf("status %d", r.StatusCode)
	}
}

func TestPage_KeyAndOrigin(t *testing.T) {
	p, got := serve(t)
	own := []string{"Origin", p.host.url(), "X-Mcptea-Key", p.key}
	for name, headers := range map[string][]string{
		"nothing":        nil,
		"no key":         {"Origin", p.host.url()},
		"wrong key":      {"Origin", p.host.url(), "X-Mcptea-Key", p.key + "x"},
		"no origin":      {"X-Mcptea-Key", p.key},
		"the app":        {"Origin", "null", "X-Mcptea-Key", p.key},
		"the sandbox":    {"Origin", p.box.url(), "X-Mcptea-Key", p.key},
		"another host":   {"Origin", p.host.url(), "X-Mcptea-Key", p.key, "Host", "rebound.example"},
		"another scheme": {"Origin", strings.Replace(p.host.url(), "http:", "https:", 1), "X-Mcptea-Key", p.key},
	} {
		for _, path := range []string{"/messages", "/commands"} {
			if r := request(t, http.MethodPost, p.host.url()+path, `m{"a":1}`, headers...); r.StatusCode < 400 {
				t.Errorf("%s %s: %d", name, path, r.StatusCode)
			}
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodOptions, http.MethodPut} {
		if r := request(t, method, p.host.url()+"/messages", "", own...); r.StatusCode < 400 || r.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %d %v", method, r.StatusCode, r.Header)
		}
	}
	if len(got) > 0 {
		t.Fatal(<-got)
	}
	if r := request(t, http.MethodPost, p.host.url()+"/messages", "m{\"a\":1}\nm[]", own...); r.StatusCode != http.StatusNoContent {
		t.Errorf("status %d", r.StatusCode)
	}
	if a, b := <-got, <-got; a != `message {"a":1}` || b != "message []" {
		t.Error(a, b)
	}
	stream := request(t, http.MethodPost, p.host.url()+"/commands", "", own...)
	if r := request(t, http.MethodPost, p.host.url()+"/commands", "", own...); r.StatusCode != http.StatusConflict {
		t.Errorf("a second page: %d", r.StatusCode)
	}
	if m := <-got; m != "connected" {
		t.Error(m)
	}
	p.Send([]byte("{\"text\": \"a\nb\"}"))
	lines := bufio.NewScanner(stream.Body)
	for more := true; more && !strings.Contains(lines.Text(), `"do":"message"`); {
		more = lines.Scan()
	}
	if lines.Text() != `{"do":"message","text":"{\"text\": \"a\nb\"}"}` {
		t.Error(lines.Text())
	}
	_ = stream.Body.Close()
	if m := <-got; m != "gone: the page in the browser was closed" {
		t.Error(m)
	}
}

// The sandbox serves the declared document alone, with its policy.
func TestSandbox(t *testing.T) {
	p, got := serve(t)
	for _, path := range []string{"/", "/app", p.path + "other", p.path + "app/", p.path + "../app", "/commands", "/messages"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			if r := request(t, method, p.box.url()+path, ""); r.StatusCode < 400 {
				t.Errorf("%s %s: %d", method, path, r.StatusCode)
			}
		}
	}
	if r := request(t, http.MethodGet, p.box.url()+p.path+"app", "", "Host", "rebound.example"); r.StatusCode < 400 {
		t.Errorf("another host: %d", r.StatusCode)
	}
	r := request(t, http.MethodGet, p.box.url()+p.path, "")
	if body := text(t, r); strings.Contains(body, p.key) || strings.Contains(body, p.token) || !strings.Contains(body, `"allow":"camera"`) {
		t.Errorf("the proxy is %s", body)
	}
	if csp := r.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-src "+p.box.url()+p.path+"app;") || !strings.HasSuffix(csp, "frame-ancestors "+p.host.url()) {
		t.Error(csp)
	}
	r = request(t, http.MethodGet, p.box.url()+p.path+"app", "")
	if body := text(t, r); body != "<!doctype html><title>app</title>" {
		t.Error(body)
	}
	want := "default-src 'none'; script-src 'unsafe-inline'; form-action 'none'; frame-ancestors " + p.box.url() + " " + p.host.url() + "; sandbox allow-scripts allow-forms; report-uri " + p.path + "csp"
	if csp := r.Header.Get("Content-Security-Policy"); csp != want {
		t.Errorf("%s\nwant %s", csp, want)
	}
	for body, status := range map[string]int{`{"csp-report":{}}`: 204, "not JSON": 204, strings.Repeat("[", 1<<20): 204} {
		if r := request(t, http.MethodPost, p.box.url()+p.path+"csp", body); r.StatusCode != status {
			t.Errorf("%.20s: %d", body, r.StatusCode)
		}
	}
	if m := <-got; m != `violation {"csp-report":{}}` || len(got) > 0 {
		t.Error(m)
	}
}

// A page that does not read costs no more than a bound.
func TestPage_QueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &Page{cfg: Config{}, wake: make(chan struct{}, 1), reading: true}
		p.ctx, p.end = t.Context(), func() {}
		gone := make(chan error, 1)
		p.cfg.Gone = func(why error) { gone <- why }
		message := []byte(`"` + strings.Repeat("x", 1<<20) + `"`)
		for range 200 {
			p.Send(message)
		}
		if why := <-gone; why != errSlow {
			t.Error(why)
		}
		if p.queued > maxQueued+2<<20 {
			t.Errorf("%d bytes wait", p.queued)
		}
	})
}

func TestPage_ScriptsMatchTheirHashes(t *testing.T) {
	for _, page := range []string{hostPage, proxyPage} {
		if n := len(regexp.MustCompile(`<script`).FindAllString(page, -1)); n != 1 {
			t.Errorf("%d scripts, and one has a hash", n)
		}
		if strings.Contains(page, " style=") || regexp.MustCompile(`\son\w+=`).MatchString(page) {
			t.Error("the page has what its policy blocks")
		}
	}
}

// A message that is too long is reported, also if it is the only one, and the page goes on. One
// with characters of three bytes arrives.
func TestPage_LongMessages(t *testing.T) {
	if os.Getenv("MCPTEA_E2E") == "" {
		t.Skip("the tests with a browser run with MCPTEA_E2E=1")
	}
	path, err := chromium.Find()
	if err != nil {
		t.Skip(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	b, err := chromium.Start(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	p, got := serveDocument(t, `<!doctype html><script>
parent.postMessage("x".repeat(11 << 20), "*");
setTimeout(() => parent.postMessage("€".repeat(9 << 20), "*"), 500);
</script>`)
	if err := b.Navigate(ctx, p.URL()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"connected", "lost 1", `message "` + strings.Repeat("€", 9<<20) + `"`} {
		select {
		case m := <-got:
			if m != want {
				t.Fatalf("%.80s, want %.80s", m, want)
			}
		case <-ctx.Done():
			t.Fatalf("no %.80s", want)
		}
	}
}

// The page is told why the app is closed, before the stream ends.
func TestPage_EndSaysWhy(t *testing.T) {
	p, got := serve(t)
	stream := request(t, http.MethodPost, p.host.url()+"/commands", "", "Origin", p.host.url(), "X-Mcptea-Key", p.key)
	if m := <-got; m != "connected" {
		t.Error(m)
	}
	p.End("the server has ended")
	text, err := io.ReadAll(stream.Body)
	if !strings.HasSuffix(strings.TrimSpace(string(text)), `{"do":"end","why":"the server has ended"}`) {
		t.Errorf("%s, %v", text, err)
	}
	_ = stream.Body.Close()
}
