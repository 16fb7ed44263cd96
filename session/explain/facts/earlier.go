package facts

import (
	"net/http"
	"slices"

	"mcptea/client/transport"
)

// Earlier is what the same peer did before the request that failed.
type Earlier struct {
	Accepted int // messages that were accepted at the URL with a status 2xx
	Answered int // messages that brought a response with a status 200
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
	return e
}
