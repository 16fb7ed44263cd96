package experiment

import (
	"context"
	"time"

	"mcptea/session/session"
)

// Starts starts the command of a session again as [Run] does, with another limit of each start.
func Starts(ctx context.Context, s *session.Session, err error, each time.Duration) Report {
	return tryStarts(ctx, s, err, each)
}
