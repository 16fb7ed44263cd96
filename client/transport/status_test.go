package transport_test

import (
	"testing"

	"mcptea/client/transport"
)

// A status without a name has no blank behind its number.
func TestStatusText(t *testing.T) {
	for code, want := range map[int]string{404: "404 Not Found", 419: "419", 524: "524"} {
		if got := transport.StatusText(code); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
