package apps

import (
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
	"mcptea/offer/declared"
)

// showing records a client's actions to show apps: calls of tools with an app, and reads of apps.
type showing struct {
	called map[string]call // first call of a tool with the app, by URI
	read   map[string]bool // apps that were read, by URI
	// forgotten reports that there were more reads than are kept.
	forgotten bool
}

type call struct {
	row  int32
	tool string
}

// watchCalled keeps the first call of each tool with an app.
func watchCalled(c *lint.Context) {
	m := lint.Own[memory](c.St)
	if len(m.uris) == 0 || c.M.IsToolError() || !c.St.ClientOffers("extensions", revision.AppsExtension) {
		return
	}
	t, _ := declared.OfTool(c.St.Tools().Named(c.M.Request.Name))
	if _, known := m.shown.called[t.URI]; t.URI == "" || known || len(t.URI) > lint.MaxKeptBytes {
		return
	}
	lint.Keep(&m.shown.called, maxApps, t.URI, call{c.M.Request.Row(), lint.Escaped(c.M.Request.Name)})
}

func watchRead(c *lint.Context) {
	if uri := jsonrpc.Text(c.M.Params, "uri"); uri != "" && len(uri) <= lint.MaxKeptBytes {
		s := &lint.Own[memory](c.St).shown
		s.forgotten = s.forgotten || len(s.read) == maxApps
		lint.Keep(&s.read, maxApps, uri, true)
	}
}

// neverRead reports the apps of tools that a client with apps has called and has never read.
func neverRead(c *lint.Context) {
	s := &lint.Own[memory](c.St).shown
	if c.St.Lost || s.forgotten {
		return
	}
	for uri, called := range s.called {
		if !s.read[uri] {
			c.ReportForIn(lint.Client, called.row, lint.At("params", "name"), "uri", lint.QuotedURI(uri), "tool", called.tool)
		}
	}
	clear(s.called) // report once, even if the end is seen several times
}
