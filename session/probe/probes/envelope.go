package probes

import (
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/session/probe"
)

// sameID compares ids with their types; a string may be escaped in another way.
func sameID(a, b string) bool {
	x, isText := jsonrpc.Unquote([]byte(a))
	y, other := jsonrpc.Unquote([]byte(b))
	return a == b || isText && other && x == y
}

func batchAccepted(r *probe.Run) {
	c := r.Dirty()
	ping, cancel := `{"jsonrpc":"2.0","id":$id,"method":"ping"}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"mcptea-unknown"}}`
	list := strings.Replace(ping, "ping", listMethod(r), 1)
	for _, batch := range [][]string{{ping, ping}, {ping, cancel, list}} {
		var frames [][]byte
		for _, f := range batch {
			frames = append(frames, complete(r, c, f))
		}
		o := r.Provoke(c, fmt.Sprintf("a batch of %d messages", len(batch)), jsonrpc.AppendBatch(nil, frames...))
		if want := strings.Count(strings.Join(batch, ""), "$id"); o.Kind != probe.Dead && len(o.Responses) != want {
			r.Error("A batch with %d requests gets %d responses; 2025-03-26 requires that batches are received.", want, len(o.Responses))
		}
	}
	job{Run: r}.run("P-030 rest")
}
