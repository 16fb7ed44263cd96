package state

import "time"

// The bounds of the recent targets: the newest entries, each of at most maxTarget bytes.
const (
	maxTargets = 20
	maxTarget  = 8 << 10
	maxRecent  = maxTargets * (maxTarget + 1)
)

// Target is a target that the inspector was opened on, with the outcome of its newest
// session.
type Target struct {
	Time time.Time `json:"time"`
	// Command are the flags and the target, as arguments of mcptea quoted for Bash. The
	// caller has replaced secrets by environment variables.
	Command string `json:"command"`
	// Dir is the working directory of mcptea.
	Dir string `json:"dir"`
	// Server is the name that the server gave itself; empty if it never connected.
	Server string `json:"server,omitempty"`
	// Outcome is a phrase such as "connected, 14 tools", and Failed says that it is about
	// a connection that failed or ended by itself.
	Outcome string `json:"outcome,omitempty"`
	Failed  bool   `json:"failed,omitempty"`
	// Left are the names of flags that the command does not repeat although they changed what the session did.
	Left []string `json:"left,omitempty"`
	// Last says what the newest session was like. Its texts may be untrusted, and have no secrets.
	Last []Said `json:"last,omitempty"`
}

// Said is a labeled text.
type Said struct {
	Label string `json:"label"`
	Text  string `json:"text"`
}

// Recent is the file with the targets that the inspector was opened on most recently. A target is a
// command line with environment variables instead of secrets. So no secret is in the file.
type Recent struct{ file }

// NewRecent returns the list with a path.
func NewRecent(path string) *Recent {
	return &Recent{file{path, maxRecent, "cannot read the recent targets", "cannot keep the recent targets"}}
}

// Load reads the entries, newest first. Lines that cannot be read are left out; a file
// that does not exist is empty.
func (r *Recent) Load() ([]Target, error) {
	text, err := r.read()
	return entries(text, isTarget), err
}

func isTarget(t *Target) bool { return t.Command != "" }

// Add inserts an entry before the others, and removes an older one with the same command and directory. An
// entry that is too large is not kept.
func (r *Recent) Add(t Target) error {
	return r.update(func(text []byte) ([]byte, error) {
		isSame := func(o Target) bool { return o.Command == t.Command && o.Dir == t.Dir }
		return withNewest(t, entries(text, isTarget), isSame, maxTargets, maxTarget), nil
	})
}
