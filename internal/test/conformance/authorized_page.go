package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	"mcptea/client/oauth"
)

// redirectURI has no listener: the response is read from the redirect itself.
const redirectURI = "http://127.0.0.1:3000/callback"

// page plays the user and the browser: it opens the page once, consents to
// everything, and is its own redirect listener.
type page struct {
	answer chan url.Values
	state  string // set by Expect, before the page is opened
}

var _ oauth.RedirectListener = (*page)(nil)

func newPage() *page { return &page{answer: make(chan url.Values, 1)} }

func (p *page) listen(context.Context, string) (oauth.RedirectListener, error) { return p, nil }

func (p *page) browse(ctx context.Context, at oauth.Consent) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.URL, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultTransport.RoundTrip(req) // which follows no redirect
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, resp.Body) // only where it leads to matters
	_ = resp.Body.Close()
	back, err := resp.Location()
	if err != nil {
		return fmt.Errorf("the page answered %d and redirects nowhere", resp.StatusCode)
	}
	p.answer <- back.Query()
	return nil
}

// RedirectURI implements [oauth.RedirectListener].
func (p *page) RedirectURI() string { return redirectURI }

// Expect implements [oauth.RedirectListener].
func (p *page) Expect(state string) { p.state = state }

// Wait implements [oauth.RedirectListener]. There is one response: no other will come
// after one with the wrong state.
func (p *page) Wait(ctx context.Context) (url.Values, error) {
	select {
	case q := <-p.answer:
		if q.Get("state") != p.state {
			return nil, errors.New("the authorization response has another state than the request")
		}
		return q, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Close implements [oauth.RedirectListener].
func (p *page) Close() error { return nil }

func narrate(s oauth.Step) {
	fmt.Fprintf(os.Stderr, "# authorization %d, %s %s: %s %q (%s)\n",
		s.Flow, s.State, s.Name, s.Detail, s.Remarks, s.Took.Round(time.Millisecond))
}

func narrateEnd(err error) { fmt.Fprintln(os.Stderr, "# ended as it should:", err) }
