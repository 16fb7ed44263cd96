package facts

import (
	"slices"
	"strings"

	"mcptea/client/revision"
)

// Offered holds the offers of the server before it refused a request.
type Offered struct {
	Refused string // the version that server/discover lists and that was refused
}

func offeredOf(a Attempt, r Refusal) (o Offered) {
	newest := string(revision.NewestStateless)
	if r.Status/100 != 3 && slices.Contains(a.Offered, newest) && strings.Contains(string(r.Body), newest) {
		o.Refused = newest
	}
	return o
}
