package client

import (
	"fmt"
	"slices"

	"mcptea/client/revision"
)

// EraDetection says of which era a server is and how that was found out.
type EraDetection struct {
	Era revision.Era
	// DetectedBy is who decided: "pinned", "probed", "remembered" from an earlier
	// connection, or "corrected" when the server turned out to be otherwise.
	DetectedBy string
	// Evidence is what led to it, a sentence each, in the order of events.
	Evidence []string
}

// The ways to a verdict.
const (
	EraPinned     = "pinned"
	EraProbed     = "probed"
	EraRemembered = "remembered"
	EraCorrected  = "corrected"
)

// EraDetection returns what is known of the server's era. The caller owns it.
func (c *Client) EraDetection() EraDetection {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := c.verdict
	v.Evidence = slices.Clone(v.Evidence)
	return v
}

// rule notes of which era the server is, and adds to the evidence.
func (c *Client) rule(era revision.Era, how, because string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.verdict.Era, c.verdict.DetectedBy = era, how
	c.verdict.Evidence = append(c.verdict.Evidence, fmt.Sprintf(because, args...))
}
