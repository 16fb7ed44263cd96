package schemas

import (
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
)

// onComplete is the notification that the user has finished an elicitation in url mode.
var onComplete = []string{"notifications/elicitation/complete"}

// announcedElicitations holds the ids of the server's elicitations.
type announcedElicitations struct {
	ids map[string]bool
	// partial reports that some elicitations are unknown, because there were too many or they belong to an
	// earlier connection.
	partial bool
}

// maxAnnounced bounds them.
const maxAnnounced = 4096

// Reconnected marks the memory as partial: a new connection can complete elicitations that were announced on an
// earlier one.
func (a *announcedElicitations) Reconnected() { a.partial = true }

func (a *announcedElicitations) add(elicitation []byte) {
	if id := jsonrpc.Text(elicitation, "elicitationId"); id != "" {
		a.partial = a.partial || len(a.ids) == maxAnnounced
		lint.Keep(&a.ids, maxAnnounced, lint.ShortKey(id), true)
	}
}

// announced records an elicitation that the server requests. Other rules check it.
func announced(c *lint.Context) {
	if c.FromServer() {
		lint.Own[announcedElicitations](c.St).add(c.M.Params)
	}
}

// announcedByError records the elicitations that must be completed before a request is sent again.
func announcedByError(c *lint.Context) {
	if code, ok := lint.ErrorCode(c.M); ok && code == revision.CodeURLElicitationRequired && c.FromServer() {
		for e := range jsonrpc.Elements(jsonrpc.Get(c.M.Error, "data", "elicitations")) {
			lint.Own[announcedElicitations](c.St).add(e)
		}
	}
}

// unknownComplete reports nothing if the recording starts after the handshake or lacks frames.
func unknownComplete(c *lint.Context) {
	a, id := lint.Own[announcedElicitations](c.St), jsonrpc.Text(c.M.Params, "elicitationId")
	if id == "" || a.partial || a.ids[lint.ShortKey(id)] || !c.FromServer() || c.St.ClientCaps == nil || c.St.Lost {
		return
	}
	c.Report(lint.At("params", "elicitationId"), "got", lint.Quoted(id))
}
