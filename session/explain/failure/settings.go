package failure

import (
	"errors"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"

	"mcptea/client/hosts"
	"mcptea/client/oauth"
	"mcptea/session/explain/facts"
)

// addSettings adds what the user has set: the URL, the environment and the entry, and the parameters of a request to an
// authorization server.
func (f Facts) addSettings(a *facts.Attempt) {
	if u, err := url.Parse(f.target.URL); err == nil {
		a.Host = u.Host
	}
	if refused, ok := errors.AsType[*oauth.ServerError](f.err); ok {
		a.Asked = askedOf(refused)
	}
	if !f.target.IsStdio() {
		return
	}
	a.Dir, a.Container = f.target.ShownDir(), hosts.Container(f.target.Argv)
	if f.target.Entry != nil {
		home, _ := os.UserHomeDir() // without home, the path is shown in full
		a.Entry = EntryPlace(*f.target.Entry, home)
	}
	if f.isRecorded {
		a.Set, a.EnvUnknown = f.target.Env, true
		return
	}
	own := os.Environ()
	values := variables(own)
	if len(f.target.Env) == 0 {
		a.Inherited = own
	}
	for _, pair := range f.target.Env {
		name, value, _ := strings.Cut(pair, "=")
		if old, ok := values[name]; ok && old == value {
			a.Inherited = append(a.Inherited, pair)
		} else {
			a.Set = append(a.Set, pair)
		}
	}
}

// parameters are those that a request to an endpoint may have and that messages name.
var parameters = strings.Fields("client_id redirect_uri scope resource grant_type response_type code_challenge_method token_endpoint_auth_method")

// askedOf returns the parameters of the request that an authorization server has refused.
func askedOf(refused *oauth.ServerError) (all []facts.Known) {
	for _, name := range slices.Sorted(maps.Keys(refused.Sent)) {
		all = append(all, facts.Known{Kind: facts.ThingParameter, Name: name, Value: strings.Join(refused.Sent[name], " "), Place: "the request to " + refused.Where})
	}
	for _, name := range parameters {
		if !refused.Sent.Has(name) && !refused.Sent.Has(name+"s") {
			all = append(all, facts.Known{Kind: facts.ThingParameter, Name: name, Absent: true, Place: "the request to " + refused.Where})
		}
	}
	return all
}
