package facts

import (
	"net/http"
	"slices"
	"time"

	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
)

// Earlier holds the facts about earlier requests to the same peer.
type Earlier struct {
	Accepted int // number of messages to the URL that were accepted with a status 2xx
	Answered int // number of messages that got a response with status 200
	// Mixed is the status of the first response to a request that the server accepted when the same request was
	// sent again.
	Mixed       int
	Initialized bool
	// OtherSession reports that a response to a request with the session id had another session id.
	OtherSession bool
	// Unlike describes how a refusal differs from earlier responses that were accepted, or is "".
	Unlike     string
	SessionAge string // age of the session of the failed request, if it is young
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
	e.OtherSession, e.Unlike = otherSession(a.Exchanges), unlike(a)
	e.Mixed, e.Initialized, e.SessionAge = mixedOf(a.Exchanges), a.Initialized, sessionAge(a)
	return e
}

// mixedOf returns the status of a request that failed in the server and was accepted when it was repeated. Two
// requests count as the same if their MCP method and the size of their bodies are equal.
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

// youngSession is the age below which no server lets a session expire.
const youngSession = 30 * time.Second

// sessionAge returns the age of the session at the failed request, or "" if it is old or unknown.
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

// otherSession reports whether a response to a request with a session id had another one.
func otherSession(exchanges []transport.Exchange) bool {
	return slices.ContainsFunc(exchanges, func(x transport.Exchange) bool {
		sent, got := x.RequestHeader.Get("Mcp-Session-Id"), x.ResponseHeader.Get("Mcp-Session-Id")
		return sent != "" && got != "" && sent != got
	})
}

// unlike returns what a refusal lacks that each accepted response to an earlier request at the URL had, or "".
func unlike(a Attempt) string {
	failed := a.Failed
	if failed.ID == 0 || failed.Status/100 != 4 && failed.Status/100 != 5 || failed.Received > 0 || failed.ResponseHeader.Get("Content-Type") != "" {
		return ""
	}
	for _, x := range a.Exchanges {
		if x.ID < failed.ID && x.Method == failed.Method && x.Status == http.StatusOK && x.ResponseHeader.Get("Content-Type") != "" {
			return "no body and no Content-Type"
		}
	}
	return ""
}
