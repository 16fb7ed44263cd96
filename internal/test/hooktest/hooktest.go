// Package hooktest sends deliveries to a webhook, as a server of events does.
package hooktest

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Sender knows a webhook: its URL, its secret, and the id of the subscription.
type Sender struct {
	Client          *http.Client // client, or nil for the default one
	URL, Secret, ID string
}

// Key returns the key of the signatures that are made with the secret.
func (s Sender) Key() []byte {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(s.Secret, "whsec_"))
	return key
}

// Sign returns the signature of a message that is sent at a Unix time.
func Sign(key []byte, id, at string, body []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + at + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Post sends a correct message, changed by change unless that is nil. It returns the status and the body of the
// response.
func (s Sender) Post(id string, body []byte, change func(h http.Header)) (status int, response string, err error) {
	q, err := http.NewRequest(http.MethodPost, s.URL, bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	at := strconv.FormatInt(time.Now().Unix(), 10)
	for name, value := range map[string]string{
		"Content-Type": "application/json", "webhook-id": id, "webhook-timestamp": at, "webhook-signature": Sign(s.Key(), id, at, body), "X-MCP-Subscription-Id": s.ID,
	} {
		q.Header.Set(name, value)
	}
	if change != nil {
		change(q.Header)
	}
	client := s.Client
	if client == nil {
		client = http.DefaultClient
	}
	r, err := client.Do(q)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = r.Body.Close() }()
	text, err := io.ReadAll(r.Body)
	return r.StatusCode, string(text), err
}
