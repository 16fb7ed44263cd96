package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"mcptea/client/oauth"
)

// browse plays the user and the browser: it opens the page once, consents to everything,
// and follows the redirect.
func browse(ctx context.Context, at oauth.Consent) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.URL, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, resp.Body) // only where it leads to matters
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		// No other response will come after one with the wrong state.
		return fmt.Errorf("the browser ended at %s with %d", resp.Request.URL, resp.StatusCode)
	}
	return nil
}

func narrate(s oauth.Step) {
	fmt.Fprintf(os.Stderr, "# authorization %d, %s %s: %s %q (%s)\n",
		s.Flow, s.State, s.Name, s.Detail, s.Remarks, s.Took.Round(time.Millisecond))
}

func narrateEnd(err error) { fmt.Fprintln(os.Stderr, "# ended as it should:", err) }
