package probe

import (
	"context"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// eraTimeout bounds the wait for the response to initialize of a stateless server.
const eraTimeout = 5 * time.Second

// otherEra is the newest version with a handshake that a stateless server speaks;
// empty without one, and when a version was requested. The list of server/discover
// need not have them: some servers name only their stateless versions in it, so
// initialize is tried.
func (r *Runner) otherEra(ctx context.Context) revision.Revision {
	if !r.server.Revision.IsStateless() || r.cfg.Client.Revision != "" {
		return ""
	}
	var offered []string
	versions, _ := jsonrpc.Member(r.server.Handshake.Result, "supportedVersions")
	for v := range jsonrpc.Elements(versions) {
		if text, ok := jsonrpc.Unquote(v); ok {
			offered = append(offered, text)
		}
	}
	if newest, ok := revision.NewestCommonHandshake(offered); ok {
		return newest
	}
	c := &Conn{r: r, raw: true}
	if c.connect(ctx) != nil {
		return ""
	}
	defer c.close(ctx)
	params := `{"protocolVersion":"` + string(revision.NewestHandshake) + `","capabilities":{},"clientInfo":{"name":"mcptea","version":"1"}}`
	o := c.exchange(ctx, jsonrpc.AppendRequest(nil, c.ID(), "initialize", []byte(params)), patient, min(eraTimeout, r.cfg.Timeout))
	if v := revision.Revision(jsonrpc.Text(o.Result(), "protocolVersion")); v.HasHandshake() {
		return v
	}
	return ""
}
