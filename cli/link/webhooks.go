package link

import (
	"context"
	"fmt"
	"time"

	"mcptea/cli/app"
	"mcptea/internal/words/phrase"
	"mcptea/session/events"
	"mcptea/session/session"
)

const (
	// interruptedUnsubscribe bounds events/unsubscribe after a signal: the rest of [app.InterruptedTimeout] is
	// for the server to exit.
	interruptedUnsubscribe = time.Second
	// quietUnsubscribe is the duration after which the terminal mentions a pending events/unsubscribe.
	quietUnsubscribe = 200 * time.Millisecond
)

// EndWebhooks ends the webhook subscriptions of a session at the server, and prints how long that may take. It
// prints nothing before screen is closed; screen is nil without a screen. It returns warnings about
// subscriptions whose end the server has not confirmed.
func (p *Link) EndWebhooks(ctx context.Context, s *session.Session, screen <-chan struct{}) (warnings []string) {
	live := s.Events().Webhooks()
	if len(live) == 0 {
		return nil
	}
	limit := events.EndTimeout
	if p.Ctx.Err() != nil {
		limit = interruptedUnsubscribe
		p.Watchdog.Extend(limit + app.InterruptedLimit)
	}
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	ended, reported := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(reported)
		quiet := time.NewTimer(quietUnsubscribe)
		defer quiet.Stop()
		select {
		case <-quiet.C:
		case <-ended:
			return
		}
		if screen != nil {
			select {
			case <-screen:
			case <-ended:
				return
			}
		}
		fmt.Fprintf(p.Err, "ending %s at the server (events/unsubscribe), at most %s\n", phrase.Count(len(live), "webhook"), phrase.Duration(limit))
	}()
	left := s.Events().End(ctx)
	close(ended)
	<-reported
	for i := range left {
		warnings = append(warnings, leftText(&left[i]))
	}
	return warnings
}

// leftText explains how long events of a subscription may still arrive if its end was not confirmed.
func leftText(s *events.State) string {
	until := "until the server gives up"
	if !s.RefreshBefore.IsZero() {
		until = "until " + s.RefreshBefore.Local().Format(time.TimeOnly)
	}
	return fmt.Sprintf("the server has not confirmed events/unsubscribe of %s: it may deliver to %s %s, where nothing listens now", s.Name, s.URL, until)
}
