// Package link connects a command to its server, sends one request, and prints its outcome, progress and
// frames.
package link

import (
	"sync"

	"mcptea/cli/settings"
)

// Link connects to the server of a command.
type Link struct {
	*settings.Settings
	warnings       *warningList
	traces         *sync.Map // maps [*session.Session] to [*FrameLog], with --trace
	onlyBegin      bool      // see [session.Config.OnlyBegin]
	unlessFound    string    // see [Link.WarnUnlessFound]
	warnViolations bool      // CloseSession prints warnings about what strict clients do not accept
}

// New makes what connects in a run.
func New(s *settings.Settings) *Link {
	return &Link{Settings: s, warnings: &warningList{}, traces: &sync.Map{}}
}

// With returns a copy with different settings. Warnings of the copy are added to the warnings of
// the original.
func (p *Link) With(s *settings.Settings) *Link {
	other := *p
	other.Settings = s
	return &other
}
