package http

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"mcptea/internal/backoff"
	"mcptea/internal/lazyregexp"
)

// IsLimit reports whether a response requests a pause because the server limits the rate of requests.
func IsLimit(status int, h http.Header) bool {
	return status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable && h.Get("Retry-After") != ""
}

// resets are the forms of the header RateLimit: of a draft of its specification, and of an older one.
var resets = lazyregexp.New(`(?:^|[;,\s])(?:t|reset)\s*=\s*(\d{1,9})`)

// PauseOf returns the pause that a server requests: by Retry-After, or otherwise by the headers about its
// limit. known is false if there are no such headers.
func PauseOf(h http.Header, now time.Time) (pause time.Duration, known bool) {
	if pause, known = RetryAfter(h, now); known {
		return min(pause, seconds(maxSeconds)), true
	}
	if m := resets().FindStringSubmatch(strings.ToLower(h.Get("RateLimit"))); m != nil {
		n, _ := strconv.Atoi(m[1]) // digits
		return seconds(n), true
	}
	for _, name := range []string{"RateLimit-Reset", "X-RateLimit-Reset"} {
		n, err := strconv.Atoi(strings.TrimSpace(h.Get(name)))
		switch {
		case err != nil || n < 0:
		case n > 1_000_000_000: // a time, in seconds since 1970
			return min(max(time.Unix(int64(n), 0).Sub(now), 0), maxSeconds*time.Second), true
		default:
			return seconds(n), true
		}
	}
	return 0, false
}

// maxSeconds bounds the pause that a server requests: no run lasts that long.
const maxSeconds = 1_000_000

func seconds(n int) time.Duration { return time.Duration(min(n, maxSeconds)) * time.Second }

// Pauses holds the pauses of a client for a server that limits the rate of requests: one at a time, for all its
// requests. The zero value has no pause. The caller synchronizes.
type Pauses struct {
	Until time.Time // end of the newest pause
	n     int       // consecutive pauses without an accepted request
}

// PauseOutcome is the effect of a rejection by a server that limits the rate.
type PauseOutcome uint8

// The outcomes. After the last two the request is not sent again.
const (
	PauseBegins  PauseOutcome = iota // the pause starts or continues: the request is sent again at Until
	PauseTooLong                     // the pause would end after the deadline
	PauseInVain                      // MaxPauses have not helped
)

const (
	// MaxPauses is the number of pauses in a row without an accepted request after which waiting
	// counts as useless.
	MaxPauses = 4
	// pauseGrace is added to the pause that the server requests, which may be rounded.
	pauseGrace = 50 * time.Millisecond
)

// unsaid determines the pauses for a server that does not tell how long to wait.
var unsaid = backoff.Backoff{First: time.Second, Most: 16 * time.Second}

// Length returns the length of the next pause: the time that the server requires, if known.
func (p *Pauses) Length(asked time.Duration, known bool) time.Duration {
	if known {
		return asked
	}
	return unsaid.After(p.n + 1)
}

// Begin starts a pause of a length, or prolongs the current one; more is the additional time. A zero deadline
// does not bound it.
func (p *Pauses) Begin(now time.Time, length time.Duration, deadline time.Time) (more time.Duration, outcome PauseOutcome) {
	end := now.Add(length + pauseGrace)
	switch {
	case !deadline.IsZero() && end.After(deadline):
		return 0, PauseTooLong
	case !now.Before(p.Until):
		if p.n++; p.n > MaxPauses {
			return 0, PauseInVain
		}
	}
	from := p.Until
	if from.Before(now) {
		from = now
	}
	if more = end.Sub(from); more <= 0 {
		return 0, PauseBegins
	}
	p.Until = end
	return more, PauseBegins
}

// Taken notes that the server has taken a request: after the pauses, it takes requests again.
func (p *Pauses) Taken(now time.Time) {
	if !now.Before(p.Until) {
		p.n = 0
	}
}
