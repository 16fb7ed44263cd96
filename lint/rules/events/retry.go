package events

import (
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

// attempt is a delivery of a message.
type attempt struct {
	at                   time.Time
	row                  int32
	status, count        int // count is the number of attempts of the message, including this one
	timestamp, signature string
	since                time.Time // time of the first attempt with this timestamp and signature
	message, eventID     string    // eventID is the id of the signed event
	told                 bool      // V100 has spoken
}

// isDue reports whether the server must try again after the attempt.
func (a *attempt) isDue() bool { return a.status/100 != 2 && a.status != 410 && a.status != 413 }

// wrongRetry compares a delivery with the previous attempt of the same message, if that was not accepted.
func wrongRetry(c *lint.Context, to *callback) {
	d := c.Delivery
	was := to.attempts[lint.ShortKey(d.Message)]
	if was == nil || d.Message == "" || was.status/100 == 2 {
		return
	}
	what := ""
	switch {
	case was.timestamp == d.Timestamp && c.St.Now.Sub(was.at) < minRetry: // a copy, which may have left before the answer
		return
	case was.status == 410 || was.status == 413:
		what = "was sent again after it was answered " + strconv.Itoa(was.status)
	case c.St.Now.Sub(was.since) > endMargin && was.timestamp == d.Timestamp && was.signature == d.Signature:
		what = "was sent again with the timestamp and the signature of the previous attempt"
	default:
		return
	}
	c.With(was.row)
	about(c, lint.Whole, "delivery", shown(d), "what", what)
}

// contentOf returns a key that is equal for deliveries of a subscription with the same event under any id, or
// "" if it is not an event.
func contentOf(d *lint.Delivery) string {
	name, named := textOf(d.Body, "name")
	at, dated := textOf(d.Body, "timestamp")
	data := jsonrpc.Get(d.Body, "data")
	if d.What != "event" || !d.Signed.IsVerified() || !named || !dated || data == nil {
		return ""
	}
	return lint.ShortKey(name) + " " + lint.ShortKey(at) + " " + strconv.FormatUint(jsonrpc.Sum(data), 36) + " " + lint.ShortKey(d.Subscription)
}

// minRetry is the minimum time between retries. A delivery of an equal event before that is another event.
const minRetry = 500 * time.Millisecond

// otherMessage reports an event that was refused and is delivered again under a different id, but not under its
// own.
func otherMessage(c *lint.Context, to *callback) {
	d := c.Delivery
	was := to.contents[contentOf(d)]
	id, ok := textOf(d.Body, "eventId")
	if was == nil || !ok || d.Message == "" || !was.isDue() || was.message == lint.ShortKey(d.Message) || c.St.Now.Sub(was.at) < minRetry {
		return
	}
	if newest := to.attempts[was.message]; newest != was {
		return // it was also delivered again under its own id
	}
	what := "another webhook-id"
	if was.eventID != lint.ShortKey(id) {
		what = "another webhook-id and eventId"
	}
	was.told = true
	c.With(was.row)
	about(c, lint.Whole, "delivery", shown(d), "what", what, "status", statusWords(was.status))
}

// statusWords describes the response to an attempt.
func statusWords(status int) string {
	if status == 0 {
		return "not answered in time"
	}
	return "answered " + strconv.Itoa(status)
}

// retryWindow is within which a server tries again, by the numbers that SEP-3415 proposes.
const retryWindow = 15 * time.Minute

// notRetried reports the first refused delivery of each callback that was not repeated while the subscription
// lasts.
func notRetried(c *lint.Context) {
	if c.St.Lost {
		return
	}
	for url, to := range *lint.Own[callbacks](c.St) {
		if !to.ended.IsZero() || !to.expires.IsZero() && c.St.Now.After(to.expires) {
			continue
		}
		var first *attempt
		for _, a := range to.attempts {
			if a.isAwaited(c) && (first == nil || a.row < first.row) {
				first = a
			}
		}
		if first != nil {
			first.told = true
			c.About(url).ReportIn(first.row, lint.Whole, "delivery", lint.Quoted(first.message), "status", statusWords(first.status),
				"after", phrase.Duration(c.St.Now.Sub(first.at).Round(time.Second)))
		}
	}
}

// isAwaited reports whether an event was refused once, and should have been delivered again.
func (a *attempt) isAwaited(c *lint.Context) bool {
	if c.Delivery != nil && lint.ShortKey(c.Delivery.Message) == a.message {
		return false // it is being delivered
	}
	return !a.told && a.count == 1 && a.eventID != "" && a.isDue() && c.St.Now.Sub(a.at) >= retryWindow
}

// goneEnds reports a subscription that the server has forgotten after an event was answered with 410.
func goneEnds(c *lint.Context) {
	url, _ := jsonrpc.Unquote(jsonrpc.Get(paramsOf(c), "delivery", "url"))
	to := (*lint.Own[callbacks](c.St))[lint.ShortKey(url)]
	if to == nil || to.gone < 0 || !to.granted || !to.ended.IsZero() || c.St.Lost || !to.expires.IsZero() && c.St.Now.After(to.expires) {
		return
	}
	if code, ok := jsonrpc.Integer(c.M.Get(c.M.Error, "code")); ok && revision.EventNotFound.Is(code) {
		c.With(to.gone).Report(lint.At("error", "code"))
	}
}

func redirected(c *lint.Context) {
	if c.Delivery.Redirected {
		about(c, lint.Whole)
	}
}

// unverified reports a subscription that is granted although its callback has not echoed a challenge.
func unverified(c *lint.Context) {
	url, _ := jsonrpc.Unquote(jsonrpc.Get(paramsOf(c), "delivery", "url"))
	to := (*lint.Own[callbacks](c.St))[lint.ShortKey(url)]
	if to != nil && to.unechoed >= 0 && !to.verified && !c.St.Lost {
		c.With(to.unechoed).Report(lint.At("result"))
	}
}

// watchAttempts records an attempt, for comparison with the next attempt of the message.
func watchAttempts(c *lint.Context, to *callback) {
	d := c.Delivery
	if d.Message == "" {
		return
	}
	message := lint.ShortKey(d.Message)
	a := &attempt{at: c.St.Now, row: d.Row, status: d.Status, count: 1, timestamp: d.Timestamp, signature: d.Signature, since: c.St.Now, message: strings.Clone(message)}
	if was := to.attempts[message]; was != nil {
		a.count = was.count + 1
		if was.timestamp == d.Timestamp && was.signature == d.Signature {
			a.since = was.since
		}
	}
	if id, ok := textOf(d.Body, "eventId"); ok && d.Signed.IsVerified() {
		a.eventID = lint.ShortKey(id)
	}
	lint.Keep(&to.attempts, maxAttempts, a.message, a)
	if key := contentOf(d); key != "" {
		lint.Keep(&to.contents, maxAttempts, key, a)
	}
}
