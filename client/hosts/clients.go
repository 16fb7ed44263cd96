package hosts

import (
	_ "embed" // the table
	"slices"

	"mcptea/client/profile"
	"mcptea/internal/catalog"
)

//go:embed clients.jsonl
var clientTable []byte

// clients are the rows of clients.jsonl.
var clients = catalog.Lazy[profile.Profile](clientTable)

// ClientIDs lists the ids of [Clients]. It is separate so that a help text can contain them without reading the
// table.
var ClientIDs = []string{"claude-code", "codex", "opencode", "vscode", "gemini-cli", "cursor"}

// Clients returns the hosts and libraries that a client can be to a server. They must not be changed.
func Clients() []profile.Profile { return clients() }

// Client returns a host or a library as a client on the wire, or nil of that id.
func Client(id string) *profile.Profile {
	all := clients()
	i := slices.IndexFunc(all, func(p profile.Profile) bool { return p.ID == id })
	if i < 0 {
		return nil
	}
	return &all[i]
}
