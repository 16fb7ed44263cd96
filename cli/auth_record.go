package cli

import (
	"mcptea/cli/app"
	"mcptea/cli/journal"
	"mcptea/record"
	"mcptea/record/store"
)

// recordAuthority starts a recording, or returns nil if path is "". tool is the command, and target
// is the server or the authority. done ends the recording, and warns if it is incomplete.
func (p *authCommand) recordAuthority(path, tool, target string) (j *journal.Journal, done func(), err error) {
	if path == "" {
		return nil, func() {}, nil
	}
	s, err := store.Create(store.Options{Path: path}, record.Header{Tool: "mcptea " + p.Version.Version + " " + tool, Transport: "http", Target: target})
	if err != nil {
		return nil, nil, app.Usage("Use another file.", "--record: %v", err)
	}
	return journal.New(s), func() { p.IncompleteRecording(s.Close()) }, nil
}
