package remedy

import (
	"os"
	"slices"

	"mcptea/client/secret"
	"mcptea/internal/shell"
)

// tokenVariable is the environment variable of the access token.
const tokenVariable = "MCPTEA_TOKEN"

// Credential describes the source of the Authorization header, or returns "".
func (r Run) Credential() string {
	sent := r.Link.Target.Header.Get("Authorization")
	is := func(f shell.Flag) bool { return keyOf(f) == keyOf(shell.Flag{Name: "token"}) }
	switch i := slices.IndexFunc(r.flags, is); {
	case sent == "":
		return ""
	case slices.ContainsFunc(r.changes, is):
		return "the token that was typed here"
	case i >= 0 && r.flags[i].Name == "token":
		return "the token of --token"
	case i >= 0:
		return "the header Authorization of the command line"
	}
	if token := os.Getenv(tokenVariable); token != "" && slices.Contains([]string{token, "Bearer " + token}, sent) && !secret.IsRedacted(sent) {
		return "the token of " + tokenVariable
	}
	return "the token of its configuration entry"
}

// Forget returns the run without an Authorization header, whatever its source, and without a replacement.
func (r Run) Forget() Run {
	r = r.without(shell.Flag{Name: "token"})
	unsetHeader(&r.Link, "Authorization")
	return r
}
