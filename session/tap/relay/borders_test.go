package relay

import (
	"net/http"
	"testing"
	"testing/synctest"

	"mcptea/client/transport"
)

// A cancellation of a request that mcptea has not answered goes to the server, whether it knows the id or not; so
// does progress with a token of the current server.
func TestRelay_CancellationGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRelayRig(t)
		s := g.connected()
		g.sends(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}`)
		next(t, s, "notifications/cancelled", `"requestId":77`)
		g.sends(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}`)
		next(t, s, `"id":2`)
		g.sends(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		next(t, s, "notifications/cancelled", `"requestId":2`)
		g.sends(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5,"progress":1}}`)
		next(t, s, "notifications/progress")
	})
}

// initialize is tried over HTTP+SSE after the statuses that the specification names, and after no other.
func TestFallsBack_Statuses(t *testing.T) {
	for status, want := range map[int]bool{
		http.StatusBadRequest: true, http.StatusNotFound: true, http.StatusMethodNotAllowed: true,
		http.StatusOK: false, http.StatusMovedPermanently: false, http.StatusUnauthorized: false, http.StatusForbidden: false, http.StatusNotAcceptable: false, http.StatusGone: false, http.StatusTooManyRequests: false, http.StatusInternalServerError: false,
	} {
		if new(server).mayFallBack(&transport.StatusError{Status: status}) != want {
			t.Errorf("%d: %t", status, !want)
		}
	}
}
