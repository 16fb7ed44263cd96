package events

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/lint/occurrence"
	"mcptea/record"
)

// deliveryRules checks the POSTs that mcptea has received at the callback of a webhook. It ignores requests to
// another path or with another method, which anyone may send: the path of a callback cannot be guessed.
var deliveryRules = []lint.Rule{
	{ID: "V090", Limit: lint.OncePerSubject, Delivery: judged(missingHeaders)},
	{ID: "V091", Limit: lint.OncePerSubject, Delivery: judged(wrongSignature)},
	{ID: "V092", Limit: lint.OncePerSubject, Delivery: judged(wrongTime)},
	{ID: "V093", Limit: lint.OncePerSubject, Delivery: judged(wrongBody)},
	{ID: "V094", Limit: lint.OncePerSubject, Delivery: judged(unknownSubscription)},
	{ID: "V095", Limit: lint.OncePerSubject, Delivery: judged(beforeChallenge)},
	{ID: "V096", Limit: lint.OncePerSubject, Delivery: judged(afterEnd)},
	{ID: "V097", Limit: lint.OncePerSubject, Delivery: judged(wrongRetry)},
	{ID: "V098", Limit: lint.OncePerSubject, Delivery: judged(sharedID)},
	{ID: "V099", Limit: lint.OncePerSubject, Delivery: judged(otherMessage)},
	{ID: "V100", Limit: lint.OncePerSubject, Delivery: notRetried, Tick: notRetried},
	{ID: "V101", Methods: []string{revision.EventsUnsubscribe}, When: lint.ErrorResponse | lint.FromServer | lint.Matched, Message: goneEnds},
	{ID: "V102", Limit: lint.OncePerSubject, Delivery: redirected},
	{ID: "V103", Methods: subscribing, When: lint.Result | lint.FromServer | lint.Matched, Message: unverified},
	{ID: "V020", Delivery: judged(ofOccurrence(otherName))},
	{ID: "V021", Delivery: judged(ofOccurrence(otherData))},
	{ID: "V022", Delivery: judged(ofOccurrence(badTimestamp))},
	{ID: "V025", Delivery: judged(ofOccurrence(emptyID))},
}

// A callback is the state of a webhook's callback.
type callback struct {
	wants    wants
	ids      []string // ids of the subscription; more than one if the server has changed it
	verified bool     // a challenge was answered
	granted  bool
	// refreshed is the time at which the subscription was last granted again.
	refreshed time.Time
	ended     time.Time
	endedBy   string
	endedRow  int32
	attempts  map[string]*attempt // newest attempt of each message, by webhook-id
	contents  map[string]*attempt // newest attempt with each event, by content
	expires   time.Time           // refreshBefore, or zero
	gone      int32               // row of an event that was answered 410 since it was granted; -1 without
	unechoed  int32               // row of a challenge that was not echoed; -1 without
}

// callbacks holds the callbacks of a connection, by URL.
type callbacks map[string]*callback

// bounds of the state of a callback
const (
	maxIDs      = 8
	maxAttempts = 1000
)

// judged returns a rule function that checks the deliveries to a known callback.
func judged(find func(c *lint.Context, to *callback)) func(*lint.Context) {
	return func(c *lint.Context) {
		d := c.Delivery
		to := (*lint.Own[callbacks](c.St))[lint.ShortKey(d.Callback)]
		isElsewhere := d.Redirected || d.Status == 404 || d.Status == 405 || d.What == "" && len(d.Body) == 0 && d.Status != 401 && d.Status != 413
		if to != nil && !isElsewhere {
			find(c, to)
		}
	}
}

// about reports a finding about a callback, once.
func about(c *lint.Context, at lint.Place, values ...any) {
	c.About(c.Delivery.Callback).Report(at, values...)
}

// shown names a delivery.
func shown(d *lint.Delivery) string {
	if d.Message == "" {
		return "A delivery"
	}
	return "The delivery " + lint.Quoted(d.Message)
}

func missingHeaders(c *lint.Context, _ *callback) {
	var missing []string
	for _, header := range [][2]string{{"webhook-id", c.Delivery.Message}, {"webhook-timestamp", c.Delivery.Timestamp}, {"webhook-signature", c.Delivery.Signature}, {"X-MCP-Subscription-Id", c.Delivery.Subscription}} {
		if header[1] == "" {
			missing = append(missing, header[0])
		}
	}
	if len(missing) > 0 {
		about(c, lint.Whole, "delivery", shown(c.Delivery), "missing", strings.Join(missing, ", "))
	}
}

func wrongSignature(c *lint.Context, to *callback) {
	d := c.Delivery
	if d.Signed == record.SignedWrong {
		about(c, lint.Whole, "delivery", shown(d), "why", cmp.Or(d.Trouble, "the signature does not verify, and none of the usual mistakes explains it"))
	}
	if sent, ok := sentAt(c); ok && d.Signed == record.SignedPrevious && !to.refreshed.IsZero() && sent.Sub(to.refreshed) > endMargin {
		about(c, lint.Whole, "delivery", shown(d), "why", "it verifies only with the secret that events/subscribe has replaced "+phrase.Duration(sent.Sub(to.refreshed).Round(time.Second))+" before")
	}
}

// sentAt returns when a delivery was signed. ok is false if the sender's clock differs from ours.
func sentAt(c *lint.Context) (at time.Time, ok bool) {
	seconds, err := strconv.ParseInt(c.Delivery.Timestamp, 10, 64)
	at = time.Unix(seconds, 0)
	return at, err == nil && c.St.Now.Sub(at).Abs() < endMargin
}

func wrongTime(c *lint.Context, _ *callback) {
	d := c.Delivery
	if d.Timestamp == "" {
		return
	}
	seconds, err := strconv.ParseInt(d.Timestamp, 10, 64)
	what := ""
	switch off := c.St.Now.Sub(time.Unix(seconds, 0)); {
	case err != nil:
		what = "not a number of seconds"
	case record.IsMilliseconds(seconds):
		what = "in milliseconds"
	case off > clockSkew:
		what = phrase.Duration(off.Round(time.Second)) + " ago"
	case off < -clockSkew:
		what = phrase.Duration(-off.Round(time.Second)) + " from now"
	default:
		return
	}
	about(c, lint.Whole, "delivery", shown(d), "got", lint.Quoted(d.Timestamp), "what", what)
}

func wrongBody(c *lint.Context, _ *callback) {
	d := c.Delivery
	media := lint.MediaTypeOf(d.ContentType)
	say := func(at lint.Place, what string) { about(c, at, "delivery", shown(d), "what", what) }
	switch {
	case d.Status == 413 && len(d.Body) == 0:
		say(lint.Whole, "has a body of more than 256 KiB")
	case len(d.Body) == 0:
	case media != "application/json":
		say(lint.Whole, "has the Content-Type "+lint.Quoted(d.ContentType))
	case !jsonrpc.Valid(d.Body):
		say(lint.Whole, "has a body that is "+jsonrpc.InvalidReason(d.Body))
	case jsonrpc.TypeOf(d.Body) != "object":
		say(lint.Whole, "has a body of type "+jsonrpc.TypeOf(d.Body)+", which is not one event")
	case d.What == "verification" && jsonrpc.TypeOf(jsonrpc.Get(d.Body, "challenge")) != "string":
		say(lint.At("challenge"), "is a verification without a challenge")
	case d.What == "event":
		if faults := occurrence.Shape(d.Body); len(faults) > 0 {
			say(lint.AtPointer(faults[0].Path), "has an event whose "+faults[0].Member+" "+lint.Wrong(faults[0]))
		}
	}
}

func unknownSubscription(c *lint.Context, to *callback) {
	d := c.Delivery
	if d.Signed.IsVerified() && d.Subscription != "" && len(to.ids) > 0 && d.What != "verification" && !slices.Contains(to.ids, d.Subscription) {
		about(c, lint.Whole, "delivery", shown(d), "got", lint.Quoted(d.Subscription), "want", lint.Quoted(to.ids[len(to.ids)-1]))
	}
}

func beforeChallenge(c *lint.Context, to *callback) {
	if c.Delivery.Signed.IsVerified() && c.Delivery.What == "event" && !to.verified && to.unechoed < 0 && !c.St.Lost { // otherwise V103 reports it
		about(c, lint.Whole, "delivery", shown(c.Delivery))
	}
}

// endMargin is the minimum time between the end and the signature of a delivery that counts as sent later. It
// also bounds the difference between the sender's clock and ours.
const endMargin = 2 * time.Second

func afterEnd(c *lint.Context, to *callback) {
	d := c.Delivery
	if to.ended.IsZero() || !d.Signed.IsVerified() || d.What != "event" {
		return
	}
	if sent, ok := sentAt(c); ok && sent.Sub(to.ended) > endMargin {
		if to.endedRow >= 0 {
			c.With(to.endedRow)
		}
		about(c, lint.Whole, "delivery", shown(d), "after", phrase.Duration(c.St.Now.Sub(to.ended).Round(time.Second)), "end", to.endedBy)
	}
}

func sharedID(c *lint.Context, to *callback) {
	d := c.Delivery
	was := to.attempts[lint.ShortKey(d.Message)]
	id, ok := textOf(d.Body, "eventId")
	if was == nil || !ok || !d.Signed.IsVerified() || was.eventID == "" || was.eventID == lint.ShortKey(id) {
		return
	}
	c.With(was.row)
	about(c, lint.Whole, "delivery", shown(d), "id", lint.Quoted(id))
}

// ofOccurrence applies a rule about events to the event of a delivery.
func ofOccurrence(find func(*lint.Context, carried)) func(*lint.Context, *callback) {
	return func(c *lint.Context, to *callback) {
		if d := c.Delivery; d.What == "event" && d.Signed.IsVerified() {
			find(c, carried{d.Body, lint.Whole, to.wants})
		}
	}
}

// watchCallbacks records the callbacks of subscriptions: what the client requests, and what the server grants
// and ends.
func watchCallbacks(c *lint.Context) {
	own := lint.Own[callbacks](c.St)
	isRequest := c.M.Sender() == lint.Client
	params := c.M.Params
	if !isRequest {
		params = paramsOf(c)
	}
	url, ok := jsonrpc.Unquote(jsonrpc.Get(params, "delivery", "url"))
	if !ok {
		return
	}
	to := (*own)[lint.ShortKey(url)]
	switch {
	case isRequest && c.M.Method == revision.EventsSubscribe && to == nil:
		w := wantsOf(params)
		w.name, w.args = strings.Clone(w.name), slices.Clone(w.args)
		lint.Keep(own, lint.MaxSubjects, lint.ShortKey(url), &callback{wants: w, attempts: map[string]*attempt{}, contents: map[string]*attempt{}, gone: -1, unechoed: -1})
	case isRequest || to == nil || !c.M.IsResult():
	case c.M.Method == revision.EventsUnsubscribe:
		to.ended, to.endedBy, to.endedRow = c.St.Now, "events/unsubscribe", c.F.Row
	default:
		if to.ended = (time.Time{}); to.granted {
			to.refreshed = c.St.Now
		}
		to.granted, to.gone, to.expires = true, -1, time.Time{}
		if until, err := time.Parse(time.RFC3339Nano, c.M.Text(c.M.Result, "refreshBefore")); err == nil {
			to.expires = until
		}
		if id := c.M.Text(c.M.Result, "id"); id != "" && !slices.Contains(to.ids, id) && len(to.ids) < maxIDs {
			to.ids = append(to.ids, strings.Clone(id))
		}
	}
}

// watchDeliveries keeps what later deliveries are compared with.
func watchDeliveries(c *lint.Context) {
	d := c.Delivery
	to := (*lint.Own[callbacks](c.St))[lint.ShortKey(d.Callback)]
	if to == nil || d.Redirected {
		return
	}
	switch {
	case d.What == "verification" && d.Signed.IsVerified() && (d.IsRefused() || d.WrongEcho):
		to.unechoed = d.Row
	case d.What == "verification" && !d.IsRefused():
		to.verified = true
	case d.What == "event" && d.Status == 410 && d.Signed.IsVerified():
		to.gone = d.Row
	case d.What == "terminated" && !d.IsRefused():
		to.ended, to.endedBy, to.endedRow = c.St.Now, "terminated", d.Row
	}
	watchAttempts(c, to)
}
