package relay

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/session/session"
)

// A response of the host that waits for a server without a deadline does not keep the requests behind it from theirs.
func TestRelay_DeadlineBehindResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := unstartedRig(t)
		var newest atomic.Uint64
		g.r.Generation = func(time.Duration) uint64 { return newest.Load() }
		g.r.Want = func(uint64) {}
		g.start(t)
		old := g.connected()
		old.says(`{"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{}}`)
		g.hostGets(`"id":"e"`)
		newest.Store(5)
		done := make(chan error, 1)
		go func() { done <- g.r.RestartAfter(t.Context(), session.Cause{Text: "a.js saved", Generation: 4}) }()
		<-g.servers // which does not answer initialize
		g.hostGets("notifications/cancelled", `"requestId":"e"`)
		began := time.Now()
		g.sends(`{"jsonrpc":"2.0","id":"e","result":{}}`)
		g.sends(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"a"}}`)
		g.hostGets(`"id":3`, "not ready after 25 s")
		if waited := time.Since(began); waited != session.SaveWait {
			t.Errorf("answered after %s", waited)
		}
	})
}
