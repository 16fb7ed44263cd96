package facts

import (
	"cmp"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// Offered holds the facts about the offers of the server before it refused a request.
type Offered struct {
	Refused string // version that server/discover lists although the server refused it
	// Capability is the capability of the failed request, if the server declares it.
	Capability string
}

func offeredOf(a Attempt, r Refusal) (o Offered) {
	newest := string(revision.NewestStateless)
	if r.Status/100 != 3 && slices.Contains(a.Offered, newest) && strings.Contains(string(r.Body), newest) {
		o.Refused = newest
	}
	name, _, _ := strings.Cut(a.Request.Method, "/")
	if _, declared := jsonrpc.Member(a.Capabilities, cmp.Or(capabilities[name], name)); declared && name != "" {
		o.Capability = cmp.Or(capabilities[name], name)
	}
	return o
}

// capabilities maps the first word of methods to their capability, if the two differ.
var capabilities = map[string]string{"completion": "completions"}
