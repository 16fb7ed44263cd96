package experiment

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"mcptea/client/revision"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/words/phrase"
	"mcptea/session/explain/facts"
)

// pings is the number of pings that are sent in a new session.
const pings = 4

// trySession starts a session and sends several pings in it. A new session is necessary because the old one
// cannot be repeated.
func (r *runner) trySession(ctx context.Context) {
	at, open := time.Now(), clone(r.c.failed)
	mcphttp.DeleteHeader(open.Header, "Mcp-Session-Id")
	open.Method, open.Body = http.MethodPost, initialize(revision.NewestHandshake)
	open.Header["Content-Type"], open.Header["Accept"] = []string{mcphttp.JSONType}, []string{mcphttp.JSONType + ", " + mcphttp.StreamType}
	begun := r.do(ctx, open)
	id := begun.header.Get("Mcp-Session-Id")
	if !begun.works || id == "" {
		r.add(Tried{ID: "session", Changed: "a new session", Outcome: begun.String(), Took: time.Since(at)})
		return
	}
	var last outcome
	answered, other := 0, ""
	for range pings {
		ping := clone(open)
		ping.Header["Mcp-Session-Id"], ping.Body = []string{id}, []byte(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		if o := r.do(ctx, ping); o.speaks {
			answered++
		} else {
			other, last = o.String(), o
		}
	}
	r.endSession(ctx, id)
	outcome := fmt.Sprintf("%d of %d were answered", answered, pings)
	if other != "" {
		outcome += ", the others with " + other
	}
	r.add(Tried{ID: "session", Changed: fmt.Sprintf("a new session, and ping in it %d times", pings), Outcome: outcome, Works: answered == pings, Took: time.Since(at)})
	holes := map[string]string{"n": fmt.Sprint(answered), "asked": fmt.Sprint(pings)}
	by := facts.Intermediary(last.header)
	switch {
	case answered == 0 && by != "" && last.status/100 == 5 && last.text() == "":
		r.shows("session-between", map[string]string{"who": phrase.Capital(by), "whom": by, "was": last.statusText()}, true)
	case answered == 0:
		r.shows("session-never", holes, true)
	case answered < pings:
		r.shows("session-instances", holes, true)
	}
}
