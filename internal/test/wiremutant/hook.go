package wiremutant

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"strings"
	"sync"
)

// Post sends a delivery of a webhook to its callback, and returns the status and the body of the response.
type Post = func(ctx context.Context, url string, header map[string]string, body []byte) (status int, response []byte, err error)

// hooks are the secrets of callbacks, by URL, which the wire needs to sign what it has changed. Both secrets of one
// whose subscription is being refreshed are kept: the one that verifies the delivery signs it again.
type hooks struct {
	mu      sync.Mutex // never held while a goroutine waits
	secrets map[string][]string
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

// signature returns the signature of a delivery with a secret (Standard Webhooks).
func signature(secret string, header map[string]string, body string) string {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return ""
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(header["webhook-id"] + "." + header["webhook-timestamp"] + "." + body))
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// signer returns the secret that a delivery is signed with, or "".
func (h *hooks) signer(url string, header map[string]string, body string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, secret := range h.secrets[url] {
		if strings.Contains(header["webhook-signature"], signature(secret, header, body)) {
			return secret
		}
	}
	return ""
}

// Post returns a function that sends deliveries through the wire. Their kind is "hook:event", or "hook:" with the type of
// a control message; places begin with /headers or /body. What is changed is signed again, unless the signature is.
func (w *Wire) Post(post Post) Post {
	s := w.session()
	return func(ctx context.Context, url string, header map[string]string, body []byte) (int, []byte, error) {
		object, ok := decoded(body).(map[string]any)
		if !ok {
			return post(ctx, url, header, body)
		}
		kind, headers := "hook:event", map[string]any{}
		if control, ok := object["type"].(string); ok {
			kind = "hook:" + control
		}
		for name, v := range header {
			headers[strings.ToLower(name)] = v
		}
		secret := w.hooks.signer(url, lower(header), string(body))
		status, response, err := 200, []byte(nil), error(nil)
		for _, line := range s.hook(kind, map[string]any{"headers": headers, "body": object}) {
			out, changed := map[string]string{}, line
			for name, v := range changed["headers"].(map[string]any) {
				out[name], _ = v.(string)
			}
			text := encoded(changed["body"])
			if encoded(changed["body"]) == encoded(object) {
				text = string(body)
			}
			if secret != "" && out["webhook-signature"] == lower(header)["webhook-signature"] {
				out["webhook-signature"] = signature(secret, out, text)
			}
			status, response, err = post(ctx, url, out, []byte(text))
		}
		return status, response, err
	}
}

func lower(header map[string]string) map[string]string {
	out := maps.Clone(header)
	for name, v := range header {
		out[strings.ToLower(name)] = v
	}
	return out
}

// hook returns the deliveries that are sent in place of one.
func (s *session) hook(kind string, m map[string]any) (all []map[string]any) {
	s.wire.mu.Lock()
	defer s.wire.mu.Unlock()
	s.wire.survey(FromServer, kind, m)
	list := []any{m}
	for i, e := range s.wire.edits {
		if e.Side != FromServer || !e.appliesTo(kind) {
			continue
		}
		var next []any
		for _, one := range list {
			out, did := s.apply(s.state(i), one.(map[string]any), nil)
			if did {
				s.wire.touched++
			}
			next = append(next, out...)
		}
		list = next
	}
	for _, one := range list {
		if m, ok := one.(map[string]any); ok {
			all = append(all, m)
		}
	}
	return all
}
