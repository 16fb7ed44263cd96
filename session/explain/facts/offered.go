package facts

import (
	"cmp"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// Offered holds the offers of the server before it refused a request.
type Offered struct {
	Refused string // the version that server/discover lists and that was refused
	// Capability is the capability that the server declares, of a request that failed.
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

// capabilities maps the first word of methods to the capability that they belong to, where the two differ.
var capabilities = map[string]string{"completion": "completions"}
