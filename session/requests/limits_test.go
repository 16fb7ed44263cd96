package requests

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
)

// Large params are released with the response: their frame is in the recording.
func TestRequest_MaxKeptParams(t *testing.T) {
	for size, dropped := range map[int]bool{16 << 10: false, 16<<10 + 1: true} {
		r := &Request{Params: bytes.Repeat([]byte("x"), size)}
		r.end(Answered, "user", time.Now())
		if r.Dropped != dropped || (r.Params == nil) != dropped {
			t.Errorf("%d bytes of params are released: %t", size, r.Dropped)
		}
		var b Inbox
		b.AddRecorded(Request{Params: bytes.Repeat([]byte("x"), size)})
		if b.requests[0].Dropped != dropped {
			t.Errorf("%d bytes of recorded params are released: %t", size, b.requests[0].Dropped)
		}
	}
}

// Of a long result the begin is kept; all of it is sent.
func TestInbox_MaxResult(t *testing.T) {
	for size, want := range map[int]int{2 << 10: 2 << 10, 2<<10 + 1: 2 << 10} {
		b, f := newInbox(PolicyUser)
		b.Add(elicitation(1, `{}`))
		result := []byte(`{"action":"` + strings.Repeat("x", size-len(`{"action":""}`)) + `"}`)
		if err := b.Respond(jsonrpc.IDOf("1"), result); err != nil {
			t.Fatal(err)
		}
		if got := b.Requests()[0].Result; len(got) != want || len(f.sent) != 1 || !strings.HasSuffix(f.sent[0], string(result)) {
			t.Errorf("of a result of %d bytes %d are kept, sent %d", size, len(got), len(f.sent))
		}
	}
}

// One error puts so many pages into the inbox.
func TestInbox_MaxPages(t *testing.T) {
	for pages, want := range map[int]int{20: 20, 21: 20} {
		b, _ := newInbox(PolicyUser)
		b.AddRequired(Request{Of: jsonrpc.IDOf("7")}, []byte("["+strings.Repeat(`{},`, pages-1)+"{}]"), nil)
		if got := len(b.Requests()); got != want {
			t.Errorf("of %d pages %d are in the inbox", pages, got)
		}
	}
}

// A completion with an id that is too long is not remembered.
func TestInbox_MaxElicitationID(t *testing.T) {
	for size, want := range map[int]int{1 << 10: 1, 1<<10 + 1: 0} {
		b, _ := newInbox(PolicyUser)
		b.Complete([]byte(`{"elicitationId":"`+strings.Repeat("x", size)+`"}`), time.Time{})
		if len(b.completed) != want {
			t.Errorf("with an id of %d bytes %d completions are remembered", size, len(b.completed))
		}
	}
}
