package failure

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptea/client/transport/stdio"
	"mcptea/internal/words/phrase"
	"mcptea/record/stderr"
)

// unanswered explains a call that timed out by the events since it was sent.
func (f Facts) unanswered(s situation) Explanation {
	since := f.stderrSince(f.since)
	if line := stderr.Decisive(since); stderr.IsReport(line) {
		s["reported_since"] = f.quoted(line)
	}
	if n := slices.IndexFunc(f.wire.asked, func(r serverRequest) bool { return !r.answered.Before(f.since) }); n >= 0 {
		s["answered"] = escape(cut(f.wire.asked[n].method))
	}
	if n := f.wire.notedSince(f.since); n > 0 {
		s["noted"], s["noted_after"] = phrase.Count(n, "notification"), phrase.Duration(f.wire.notes[0].at.Sub(f.since))
	}
	s["late"] = f.late
	e := explain("timeout", s)
	if f.late != "" {
		e.Evidence = append(e.Evidence, Line{"late", cut(f.late), true})
	}
	if len(f.changed)+len(f.unmatched)+len(f.mixed)+len(f.Stray) > 0 {
		return e
	}
	found := candidates(s, since, "stderr")
	return e.found(slices.DeleteFunc(found, func(c finding) bool { return c.Strength < Reports }))
}

// startSlack is the maximum error of the start time of a process, since the system counts in hundredths of a
// second.
const startSlack = 50 * time.Millisecond

// addStdin adds the state of the server's stdin at the timeout.
func (f Facts) addStdin(s situation, seen *stdio.Stdin) {
	if seen == nil {
		return
	}
	s["read"] = seen.Unread == 0
	s["connecting"] = escape(strings.Join(seen.Connecting, ", "))
	if seen.Unread > 0 {
		s["unread"] = seen.Unread
		if n := len(seen.Other); n > 0 {
			s["other_stdin"] = readerText(seen.Other[n-1])
		}
	}
	for _, r := range seen.Shared {
		if r.New && f.Connected && !f.since.IsZero() && !r.Started.Before(f.since.Add(-startSlack)) {
			s["shared"] = fmt.Sprintf("%s (pid %d)", phrase.Quote(r.Name, knownName), r.PID)
			break
		}
	}
}

// readerText describes a process and its stdin, for a sentence.
func readerText(r stdio.Reader) string {
	what := "another pipe"
	switch {
	case strings.HasPrefix(r.Stdin, "/"):
		what = escape(cut(r.Stdin))
	case strings.HasPrefix(r.Stdin, "socket:"):
		what = "a socket"
	}
	return fmt.Sprintf("%s (pid %d) has %s as its stdin", phrase.Quote(r.Name, knownName), r.PID, what)
}
