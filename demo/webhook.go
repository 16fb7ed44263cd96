package demo

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"time"
)

// maxReply bounds the part of a receiver's response that is read.
const maxReply = 64 << 10

// postDeliveries returns the Post of the events of a server, over HTTP. It follows no redirects, which could lead to another receiver.
// A nil transport is [http.DefaultTransport].
func postDeliveries(transport http.RoundTripper) func(context.Context, string, map[string]string, []byte) (int, []byte, error) {
	client := &http.Client{
		Transport:     transport,
		Timeout:       10 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return func(ctx context.Context, url string, header map[string]string, body []byte) (status int, response []byte, err error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
		if err != nil {
			return 0, nil, err
		}
		for name, value := range header {
			r.Header.Set(name, value)
		}
		got, err := client.Do(r)
		if err != nil {
			return 0, nil, err
		}
		defer func() { _ = got.Body.Close() }()
		response, err = io.ReadAll(io.LimitReader(got.Body, maxReply))
		return got.StatusCode, response, err
	}
}
