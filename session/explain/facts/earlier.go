package facts

import (
	"net/http"
	"slices"
	"time"

	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
)

// Earlier holds the facts of earlier requests to the same peer.
type Earlier struct {
	Accepted int // messages that were accepted at the URL with a status 2xx
	Answered int // messages that brought a response with a status 200
	// Mixed is the status of the first response to a request that the server accepted when it was sent again unchanged.
	Mixed       int
	Initialized bool
	SessionAge  string // of the session of the failed request, if it is young
}

func earlierOf(a Attempt) (e Earlier) {
	for _, x := range a.Exchanges {
		if x.Purpose != transport.PurposeMessage {
			continue
		}
		if x.Method == http.MethodPost && x.Status/100 == 2 && (a.Failed.ID == 0 || x.ID < a.Failed.ID) {
			e.Accepted++
		}
		if x.Status == http.StatusOK && x.Received > 0 && slices.Contains(a.Answered, x.ID) {
			e.Answered++
		}
	}
	e.Mixed, e.Initialized, e.SessionAge = mixedOf(a.Exchanges), a.Initialized, sessionAge(a)
	return e
}

// mixedOf finds a request that failed in the server and was accepted when it was repeated. Two requests are the
// same if their method of MCP and the size of their bodies are.
func mixedOf(newestFirst []transport.Exchange) int {
	type form struct {
		method string
		size   int64
	}
	accepted := map[form]bool{}
	for _, x := range newestFirst {
		if x.Purpose != transport.PurposeMessage || x.Method != http.MethodPost || x.RequestHeader.Get("Mcp-Method") == "" {
			continue
		}
		f := form{x.RequestHeader.Get("Mcp-Method"), x.Sent}
		if x.Status/100 == 5 && accepted[f] {
			return x.Status
		}
		accepted[f] = accepted[f] || x.Status/100 == 2
	}
	return 0
}

// youngSession is how old a session may be that no server lets expire.
const youngSession = 30 * time.Second

// sessionAge returns how long before the failed request the server had created its session, or "" if that was long ago or
// is not known.
func sessionAge(a Attempt) string {
	if a.Failed.ID == 0 || a.Failed.RequestHeader.Get("Mcp-Session-Id") == "" {
		return ""
	}
	for _, x := range a.Exchanges {
		if x.ResponseHeader.Get("Mcp-Session-Id") == "" || x.RequestHeader.Get("Mcp-Session-Id") != "" {
			continue
		}
		if age := a.Failed.Start.Sub(x.Start.Add(x.FirstByte)); age >= 0 && age < youngSession {
			return phrase.Duration(age)
		}
	}
	return ""
}
