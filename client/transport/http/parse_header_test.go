package http

import (
	"strings"
	"testing"
)

// Headers that net/http would drop are refused, in each spelling. The error does not show the value.
func TestParseHeader_OfBody(t *testing.T) {
	for text, want := range map[string]string{
		"Content-Length: 5": "the header Content-Length cannot be set", "transfer-encoding: gzip": "the header transfer-encoding cannot be set",
		"TRAILER: X": "the header TRAILER cannot be set", "Content-Language: de": "", "X-Trailer: 1": "", "TE: trailers": "",
	} {
		_, _, err := ParseHeader(text)
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
