package wiremutant

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"mcptea/internal/test/hooktest"
)

// hooks holds the secrets of callbacks, by URL, so that the wire can sign changed deliveries. During a refresh
// a callback has two secrets.
type hooks struct {
	mu       sync.Mutex // never held while a goroutine waits
	secrets  map[string][]string
	sessions map[string]*session // sessions of the callbacks
}

// callback returns the session of a callback.
func (w *Wire) callback(url string) *session {
	w.hooks.mu.Lock()
	defer w.hooks.mu.Unlock()
	if w.hooks.sessions == nil {
		w.hooks.sessions = map[string]*session{}
	}
	if w.hooks.sessions[url] == nil {
		s := w.process()
		for i, e := range w.states {
			if members[e.Op] != nil {
				s.states[i] = e // values continue from one callback to the next; messages wait for others of the same callback
			}
		}
		w.hooks.sessions[url] = s
	}
	return w.hooks.sessions[url]
}

// note keeps the secret of a subscription.
func (h *hooks) note(m map[string]any) {
	params, _ := m["params"].(map[string]any)
	delivery, _ := params["delivery"].(map[string]any)
	url, _ := delivery["url"].(string)
	secret, _ := delivery["secret"].(string)
	if url == "" || secret == "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.secrets == nil {
		h.secrets = map[string][]string{}
	}
	h.secrets[url] = append(h.secrets[url], secret)
}

// signature returns the signature of a delivery with a secret.
func signature(secret string, header http.Header, body []byte) string {
	return hooktest.Sign(hooktest.Sender{Secret: secret}.Key(), header.Get("webhook-id"), header.Get("webhook-timestamp"), body)
}

// signer returns the secret that a delivery is signed with, or "".
func (h *hooks) signer(url string, header http.Header, body []byte) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, secret := range h.secrets[url] {
		if strings.Contains(header.Get("webhook-signature"), signature(secret, header, body)) {
			return secret
		}
	}
	return ""
}

// Deliveries returns a transport that sends webhook deliveries through the wire. Their kind is "hook:event", or
// "hook:" and the type of a control message. Places start with /headers or /body; the names of headers are in
// lower case. A delivery is signed again unless an edit changed its signature. A dropped delivery gets status
// 200.
func (w *Wire) Deliveries(next http.RoundTripper) http.RoundTripper {
	return deliveries{wire: w, next: next}
}

type deliveries struct {
	wire *Wire
	next http.RoundTripper
}

// RoundTrip sends a delivery as changed by the wire, and returns the last response.
func (d deliveries) RoundTrip(q *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return nil, err
	}
	object, ok := decoded(body).(map[string]any)
	if !ok {
		q.Body = io.NopCloser(bytes.NewReader(body))
		return d.next.RoundTrip(q)
	}
	kind := "hook:event"
	if control, ok := object["type"].(string); ok {
		kind = "hook:" + control
	}
	headers := map[string]any{}
	for name := range q.Header {
		headers[strings.ToLower(name)] = q.Header.Get(name)
	}
	secret := d.wire.hooks.signer(q.URL.String(), q.Header, body)
	response := &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("")), Request: q}
	var late []func() any
	wait := time.Duration(0)
	all := d.wire.callback(q.URL.String()).sends(FromServer, moment{kind: kind}, map[string]any{"headers": headers, "body": object}, func(d time.Duration, m func() any) {
		late, wait = append(late, m), d
	})
	if late != nil {
		time.Sleep(wait)
	}
	for _, m := range late {
		if m := m(); m != nil {
			all = append(all, m)
		}
	}
	for _, m := range all {
		sent := q.Clone(q.Context())
		text := body
		if changed := m.(map[string]any); encoded(changed["body"]) != encoded(object) {
			text = []byte(encoded(changed["body"]))
		}
		sent.Header = http.Header{}
		for name, v := range m.(map[string]any)["headers"].(map[string]any) {
			value, _ := v.(string)
			sent.Header.Set(name, value)
		}
		if secret != "" && sent.Header.Get("webhook-signature") == q.Header.Get("webhook-signature") {
			sent.Header.Set("webhook-signature", signature(secret, sent.Header, text))
		}
		sent.Body, sent.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		_ = response.Body.Close()
		if response, err = d.next.RoundTrip(sent); err != nil {
			return nil, err
		}
	}
	return response, nil
}
