package compose_test

import (
	"cmp"
	"errors"
	"fmt"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/offer/compose"
)

// Silence is an expected reaction to a malformed frame, whether its call timed out or no call
// was made of it. A call that ends in another way is not silence.
func TestCompose_AsExpected(t *testing.T) {
	timeout := fmt.Errorf("call: %w", &client.TimeoutError{Method: "ping", After: time.Second})
	for _, c := range []struct {
		name, outcome string
		err           error
		as, known     bool
		revision      revision.Revision // 2026-07-28 if it is empty
	}{
		{"no-version", "no response", timeout, true, true, ""},
		{"id-null", "no response", timeout, true, true, ""},
		{"method-number", compose.NoReaction, nil, true, true, ""},
		{"no-version", "-32600", nil, true, true, ""},
		{"no-version", "-32600", timeout, true, true, ""}, // an error without id
		{"no-version", "-32603", timeout, false, true, ""},
		{"no-version", "ok", nil, false, true, ""},
		{"no-version", "no response", errors.New("the server closed stdout"), false, true, ""},
		{"no-version", "no response", client.ErrCancelled, false, false, ""},
		{"truncated", "HTTP 400", &transport.StatusError{Status: 400}, true, true, ""},
		{"truncated", "HTTP 500", &transport.StatusError{Status: 500}, false, true, ""},
		{"truncated", "", nil, false, false, ""},
		{"content-length", "response", nil, false, false, ""}, // the request is a line of its own
		{"deep", "no response", timeout, false, false, ""},
		{"batch", "-32600", nil, true, true, ""},
		{"batch", "-32600", nil, true, true, revision.R20250618},
		{"batch", "-32600", nil, false, false, revision.R20250326},
		{"batch", "batch", nil, false, true, ""},
	} {
		for i, m := range jsonrpc.Mutations() {
			if m.Name != c.name {
				continue
			}
			if as, known := compose.AsExpected(i+1, cmp.Or(c.revision, revision.R20260728), c.outcome, c.err); as != c.as || known != c.known {
				t.Errorf("%s, %q, %v: as expected %v, known %v", c.name, c.outcome, c.err, as, known)
			}
		}
	}
}
