package facts

import (
	"net/http"
	"slices"

	"mcptea/client/transport"
)

// Earlier holds the facts of earlier requests to the same peer.
type Earlier struct {
	Accepted int // messages that were accepted at the URL with a status 2xx
	Answered int // messages that brought a response with a status 200
	// Mixed is the status of the first response to a request that the server accepted when it was sent again unchanged.
	Mixed int
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
	e.Mixed = mixedOf(a.Exchanges)
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
