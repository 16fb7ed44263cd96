package checks

import (
	"context"

	"mcptea/check/probe"
	"mcptea/check/report"
	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/servercard"
)

// judgeCards adds the rows about the catalog and the server cards to a summary.
func (p *printer) judgeCards(s *probe.Summary, t client.Target, f *checkFlags) error {
	if !f.discover || len(s.Servers) == 0 {
		return nil
	}
	d, err := servercard.Discover(p.Ctx, servercard.Where{URL: t.URL, TLS: t.TLS, Fetching: p.NoteCards})
	if p.Ctx.Err() != nil {
		return context.Cause(p.Ctx)
	}
	if err != nil {
		return app.Failed("cannot look for server cards: %v", err)
	}
	server := s.Servers[0]
	live := &servercard.Live{URL: d.URL, Transport: server.Transport, Protocol: string(server.Revision)}
	h := server.Handshake
	live.Name, live.Title, live.Version = h.Server.Name, h.Server.Title, h.Server.Version
	if h.Revision.IsStateless() {
		live.Supported = jsonrpc.Strings(jsonrpc.Get(h.Result, "supportedVersions"))
	}
	for _, r := range report.OfDiscovery(&d, live) {
		r.Revision, r.Transport = string(server.Revision), server.Transport
		s.Reports = append(s.Reports, r)
	}
	return nil
}
