// Package target resolves the arguments that name the server of a command: a command line, a URL, an entry of
// a configuration file, a file, pasted text, or a shared connection.
package target

import (
	"mcptea/cli/settings"
	"mcptea/client/hosts"
	"mcptea/session/question"
)

// Target finds the server that a command line names.
type Target struct {
	*settings.Settings
	Launch string        // command or URL that the target starts, if the command line does not contain it
	Shown  *hosts.Server // configured server that the user has chosen by its command, or nil
	// Agreed is the consent that the user gave on the screen that showed the entry.
	Agreed question.Agreement
	// Given are the values that the user has given its inputs there, by their ids.
	Given map[string]string
}

// New makes what finds the server of a run.
func New(s *settings.Settings) *Target { return &Target{Settings: s} }
