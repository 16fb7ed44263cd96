package hostpage

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

var (
	//go:embed host.html
	hostPage string
	//go:embed proxy.html
	proxyPage string
)

// keyHeader carries the key of the page. No page of another origin can send it: its browser
// would first ask for permission.
const keyHeader = "X-Mcptea-Key"

// exactHost refuses requests for a host name other than the server's own. Such requests come from pages whose
// name was made to resolve to this machine (DNS rebinding).
func exactHost(address string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		if r.Host != address {
			refuse(w, http.StatusMisdirectedRequest, "This server is http://"+address+" alone.")
			return
		}
		next.ServeHTTP(w, r)
	})
}

func refuse(w http.ResponseWriter, status int, text string) { http.Error(w, text, status) }

// serveHost serves the origin of the host page.
func (p *Page) serveHost(w http.ResponseWriter, r *http.Request) {
	origins := r.Header["Origin"]
	own := len(origins) == 1 && origins[0] == p.host.url()
	token, isPage := strings.CutPrefix(r.URL.Path, "/a/")
	switch {
	case len(origins) > 0 && !own:
		refuse(w, http.StatusForbidden, "This is only for the page of mcptea.")
	case isPage && r.Method == http.MethodGet:
		p.servePage(w, r, token)
	case r.Method != http.MethodPost || r.URL.Path != "/commands" && r.URL.Path != "/messages":
		refuse(w, http.StatusNotFound, "There is nothing here.")
	case !own || subtle.ConstantTimeCompare([]byte(r.Header.Get(keyHeader)), []byte(p.key)) != 1:
		refuse(w, http.StatusForbidden, "This is only for the page of mcptea.")
	case r.URL.Path == "/commands":
		p.stream(w, r)
	default:
		p.receive(w, r)
	}
}

// servePage exchanges the token for the host page.
func (p *Page) servePage(w http.ResponseWriter, r *http.Request, token string) {
	// The file that redirects here belongs to another site, so the site is not checked. Frames, fetches and
	// prefetches were not opened by the user.
	fetched := r.Header.Get("Sec-Fetch-Dest")
	if r.Header.Get("Sec-Purpose") != "" || fetched != "" && fetched != "document" {
		refuse(w, http.StatusForbidden, "The page was not opened by the user.")
		return
	}
	p.mu.Lock()
	ok := !p.used && time.Now().Before(p.expires) && subtle.ConstantTimeCompare([]byte(token), []byte(p.token)) == 1
	p.used = p.used || ok
	p.mu.Unlock()
	if !ok {
		refuse(w, http.StatusForbidden, "This address was used already, or is too old. Open the app again in mcptea.")
		return
	}
	text, hashes := filled(hostPage, map[string]string{"key": p.key, "sandbox": p.box.url()})
	w.Header().Set("Content-Security-Policy", "default-src 'none'; "+hashes+"; connect-src 'self'; frame-src "+p.box.url()+p.path+
		"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	writeHTML(w, text)
}

// filled inserts the setup into a page, and returns the directives that allow only its script and its style.
func filled(page string, setup map[string]string) (text, hashes string) {
	object, _ := json.Marshal(setup) // only strings; "<" is escaped
	text = strings.Replace(page, "{{setup}}", string(object), 1)
	return text, "script-src " + hashOf(text, "script") + "; style-src " + hashOf(text, "style")
}

// hashOf returns the source expression (a hash) for the first element with a name.
func hashOf(page, element string) string {
	_, rest, _ := strings.Cut(page, "<"+element+">")
	text, _, _ := strings.Cut(rest, "</"+element+">")
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func writeHTML(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, text) // the browser may have gone
}

// serveSandbox serves the origin of the sandbox: the proxy, the document of the app, and the endpoint for the
// browser's reports about it.
func (p *Page) serveSandbox(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	switch {
	case r.Method == http.MethodGet && r.URL.Path == p.path:
		text, hashes := filled(proxyPage, map[string]string{"host": p.host.url(), "view": p.path + "app", "allow": p.cfg.Allow})
		h.Set("Content-Security-Policy", "default-src 'none'; "+hashes+"; frame-src "+p.box.url()+p.path+"app; base-uri 'none'; form-action 'none'; frame-ancestors "+p.host.url())
		writeHTML(w, text)
	case r.Method == http.MethodGet && r.URL.Path == p.path+"app":
		// The document has an opaque origin, so that it cannot access storage or other apps.
		h.Set("Content-Security-Policy", p.cfg.Policy+"; form-action 'none'; frame-ancestors "+p.box.url()+" "+p.host.url()+
			"; sandbox allow-scripts allow-forms; report-uri "+p.path+"csp")
		writeHTML(w, string(p.cfg.HTML))
	case r.Method == http.MethodPost && r.URL.Path == p.path+"csp":
		p.violation(w, r)
	default:
		refuse(w, http.StatusNotFound, "There is nothing here.")
	}
}

// bounds on requests of the browser
const (
	maxBody   = 32 << 20
	maxReport = 16 << 10
)

func (p *Page) violation(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxReport))
	if err == nil && json.Valid(body) {
		p.report(Event{Violation: body})
	}
	w.WriteHeader(http.StatusNoContent)
}

func (p *Page) report(e Event) {
	p.receiving.Lock()
	defer p.receiving.Unlock()
	if p.ctx.Err() == nil {
		p.cfg.Event(e)
	}
}

// receive forwards the messages of the app and the events of the page, one per line.
func (p *Page) receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, "The body cannot be read: "+err.Error())
		return
	}
	p.receiving.Lock()
	defer p.receiving.Unlock()
	for line := range bytes.SplitSeq(body, []byte("\n")) {
		if p.ctx.Err() != nil || len(line) == 0 {
			break
		}
		switch text := line[1:]; line[0] {
		case 'm':
			p.cfg.Message(bytes.Clone(text))
		case 'p':
			var e struct{ Width, Height, Lost int }
			if json.Unmarshal(text, &e) == nil {
				p.cfg.Event(Event{Width: e.Width, Height: e.Height, Lost: e.Lost})
			}
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

const (
	// heartbeat is the interval of empty lines, which detect an end that the connection does not show.
	heartbeat = 10 * time.Second
	// writeTimeout bounds the time for the page to read.
	writeTimeout = 20 * time.Second
)

var errPageClosed = errors.New("the page in the browser was closed")

// stream sends commands to the page while it is connected.
func (p *Page) stream(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	second := p.reading
	p.reading = true
	p.mu.Unlock()
	if second {
		refuse(w, http.StatusConflict, "The app is open already.")
		return
	}
	defer p.leave(errPageClosed)
	p.report(Event{Connected: true})
	control := http.NewResponseController(w)
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := bufio.NewWriter(w)
	load, _ := json.Marshal(map[string]any{"do": "load", "src": p.box.url() + p.path, "allow": p.cfg.Allow, "bare": p.cfg.Bare})
	_, _ = out.Write(append(load, '\n'))
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		_ = control.SetWriteDeadline(time.Now().Add(writeTimeout)) // if this fails, writing fails too
		over := p.ctx.Err() != nil                                 // checked before the last command is taken
		lines := p.takeCommands()
		for _, line := range lines {
			_, _ = out.Write(line)
		}
		if out.Flush() != nil || control.Flush() != nil || lines == nil && over {
			return
		}
		select {
		case <-p.wake:
		case <-beat.C:
			_ = out.WriteByte('\n')
		case <-p.ctx.Done():
		case <-r.Context().Done():
			return
		}
	}
}

// takeCommands returns the commands that wait.
func (p *Page) takeCommands() [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	lines := p.queue
	p.queue, p.queued = nil, 0
	return lines
}
