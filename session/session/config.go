package session

import (
	"mcptea/client"
	"mcptea/client/oauth"
	"mcptea/session/intercept"
	"mcptea/session/requests"
	"mcptea/session/state"
)

// Config configures a session: its target and what it keeps.
type Config struct {
	Target client.Target
	Client client.Config

	// Record is the file of the recording, "off" for none, or "" for a new one under [userdir.State].
	Record string
	// RecordDir is the directory of recordings that were given no name; empty for
	// one under [userdir.State].
	RecordDir string
	// RecordLimit is the number of bytes at which a recording stops; 0 means no limit. It also bounds the
	// temporary files of a session without a recording.
	RecordLimit int64
	// Tool is the program and its version, for the recording's header.
	Tool string
	// Branch names the recording that the session continues; see [record.Header].
	Branch string

	// Authorization configures how to obtain access tokens for a server over HTTP;
	// nil means no tokens. Each connection has its own authorizer; its steps are
	// in the state and in the record.
	Authorization *oauth.Config

	// Policies decide who responds to server requests. A kind without a policy is
	// not advertised to the server.
	Policies requests.Policies

	// Lists selects the lists to fetch after connecting, or for a branch once it is live.
	Lists []client.ListKind
	// OnlyBegin leaves out the Lists that the client in Client.As does not fetch.
	OnlyBegin bool
	// Lint runs the rules of package lint over everything that is recorded.
	Lint bool
	// Mute lists the ids of rules whose findings do not count.
	Mute []string
	// NoHeuristics leaves out the rules that go by wording, timing or likeness.
	NoHeuristics bool
	// Reconnect starts a new connection when the server reports that the session
	// has expired, and when the event stream of HTTP+SSE ends.
	Reconnect bool
	// Renew starts a new connection when the server reports that the session has expired, even soon after the start of
	// the first connection, and sends the request again that the server has not processed. It is called with a sentence
	// for the user, from any goroutine; nil starts none. It is for commands.
	Renew func(text string)
	// Subscribe opens a subscription for changes of the lists in the stateless era.
	Subscribe bool

	// Tasks keeps the ids of the tasks that calls become, until they are over; nil keeps none.
	Tasks *state.Tasks

	// Faults are applied to the frames of the connection, with probabilities from
	// FaultSeed; 0 means a random one.
	Faults    []intercept.Fault
	FaultSeed uint64

	// Follow is called with the session after each change of its record, and when it was
	// closed: from a goroutine of its own, one call at a time. It may be nil.
	Follow func(*Session)

	// Dial makes the client, for tests; nil means client.New.
	Dial func(client.Tap, client.Config) *client.Client
}
