package events

import (
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/lazyregexp"
	"mcptea/lint"
)

// streamRules check the notifications of an events stream, and its end.
var streamRules = []lint.Rule{
	{ID: "V040", Limit: lint.OncePerSubject, Methods: onStream, When: lint.FromServer | lint.Notification, Message: noSubscription},
	{ID: "V041", Limit: lint.OncePerSubject, Methods: slices.Concat(onStream, []string{revision.EventsStream}), When: lint.FromServer, Message: otherSubscription},
	{ID: "V042", Methods: onStream, When: lint.FromServer | lint.Notification, Message: beforeActive},
	{ID: "V043", Methods: onStream, When: lint.FromServer | lint.Notification, Message: openedInvalid},
	{ID: "V044", Tick: quietTooLong, Closed: quietTooLong},
	{ID: "V045", Methods: onStream, When: lint.FromServer | lint.Notification, Message: afterTheEnd},
	{ID: "V046", Methods: onStream, When: lint.FromServer | lint.Notification, Message: afterCancel},
	{ID: "V047", Kinds: lint.Notifications, When: lint.FromServer | lint.Stateless, Message: otherOnStream},
	{ID: "V048", Methods: []string{revision.EventsError, revision.EventsTerminated}, When: lint.FromServer | lint.Notification, Message: gapAsFailure},
	{ID: "V049", Methods: []string{revision.EventsStream}, When: lint.Result | lint.FromServer, Message: endedByError},
	{ID: "V050", Limit: lint.PerMessage(lint.SomeMembers), Methods: []string{revision.EventsStream}, When: lint.Result | lint.FromServer, Message: finalContent},
	{ID: "V051", Methods: []string{revision.EventsError, revision.EventsTerminated}, When: lint.FromServer | lint.Notification, Message: errorShape},
}

// stream is an events/stream request.
type stream struct {
	id       jsonrpc.ID
	row      int32
	exchange uint32 // 0 over stdio
	wants
	cursor string // cursor with which the stream was opened
	at     time.Time

	frames             int // notifications with its id, or in its exchange
	active, terminated bool
	newest             string // method of the newest notification
	newestAt           time.Time
	newestRow          int32
	asked              int       // messages of the client before it
	truncated          time.Time // when a gap within the stream was reported, or zero
	beats, beatsAtGap  int       // heartbeats, and heartbeats before the newest gap
	seen               map[string]int32

	ended       time.Time // time of the cancellation or the response, or zero while the stream is open
	byClient    bool
	cancelRow   int32
	sent        int  // notifications since it was cancelled
	read        bool // the server has responded to a later request
	told        bool // V046 has spoken
	loud, quiet bool // V042 or V043, and V044, have spoken
}

func (s *stream) open() bool { return s.ended.IsZero() }

// seenBefore returns the row of an earlier event with an id.
func (s *stream) seenBefore(key string) (int32, bool) {
	if s == nil {
		return 0, false
	}
	row, ok := s.seen[key]
	return row, ok
}

// streams holds the streams of a connection, oldest first.
type streams struct{ all []*stream }

const (
	// maxStreams is the number of streams remembered.
	maxStreams = 200
	// maxSeen is the number of events of a stream remembered.
	maxSeen = 1000
	// maxCrossed bounds the notifications that may cross the cancellation.
	maxCrossed = 3
)

// named finds the newest one with an id.
func (s *streams) named(id jsonrpc.Token) *stream {
	for _, one := range slices.Backward(s.all) {
		if id.Is(one.id) {
			return one
		}
	}
	return nil
}

// on finds the newest one of an exchange.
func (s *streams) on(exchange uint32) *stream {
	if exchange == 0 {
		return nil
	}
	for _, one := range slices.Backward(s.all) {
		if one.exchange == exchange {
			return one
		}
	}
	return nil
}

func subscriptionID(c *lint.Context) []byte {
	return jsonrpc.Get(c.M.Params, "_meta", revision.MetaSubscriptionID)
}

// streamOf returns the stream that a notification names, or whose response carries it, or nil.
func streamOf(c *lint.Context) *stream {
	own := lint.Own[streams](c.St)
	if id := subscriptionID(c); id != nil {
		if s := own.named(jsonrpc.TokenOf(id)); s != nil {
			return s
		}
	}
	if s := own.on(c.F.Exchange); s != nil {
		return s
	}
	return own.meant(c)
}

// meant returns the only open stream over stdio, for a notification without its id or with an id of another
// type.
func (s *streams) meant(c *lint.Context) *stream {
	var only *stream
	for _, one := range s.all {
		if c.St.Link == lint.Stdio && one.open() {
			if only != nil {
				return nil
			}
			only = one
		}
	}
	return only
}

var idPlace = lint.At("params", "_meta", revision.MetaSubscriptionID)

func noSubscription(c *lint.Context) {
	if subscriptionID(c) != nil {
		return
	}
	old := ""
	if lint.Has(c.M.Params, "requestId") {
		old = " It has params.requestId, the form of prototypes before May 2026."
	}
	about := ""
	if s := streamOf(c); s != nil {
		about = string(s.id.Bytes())
	}
	c.About(about).Report(idPlace, "old", old)
}

// otherSubscription reports an id that does not belong to a stream, or not to the stream that carries the
// message.
func otherSubscription(c *lint.Context) {
	own := lint.Own[streams](c.St)
	if c.M.IsResult() {
		id := jsonrpc.Get(c.M.Result, "_meta", revision.MetaSubscriptionID)
		if id != nil && !jsonrpc.TokenOf(id).Same(c.M.ID) {
			c.About("result").Report(lint.At("result", "_meta", revision.MetaSubscriptionID), "got", lint.ShownValue(id), "why", "the request has the id "+lint.ShownValue(c.M.ID.Shown()))
		}
		return
	}
	id := subscriptionID(c)
	if !c.M.IsNotification() || id == nil {
		return
	}
	token := jsonrpc.TokenOf(id)
	named, carrier := own.named(token), own.on(c.F.Exchange)
	why := ""
	switch other := own.named(token.OfOtherType()); {
	case carrier != nil && named == carrier, carrier == nil && named != nil:
		return
	case other != nil:
		why = "its request has the id " + lint.ShownValue(other.id.Bytes()) + ", of another type"
	case carrier != nil:
		why = "its request has the id " + lint.ShownValue(carrier.id.Bytes())
	default:
		why = "no events/stream request has this id"
	}
	c.About(why).Report(idPlace, "got", lint.ShownValue(id), "why", why)
}

func beforeActive(c *lint.Context) {
	if s := streamOf(c); s != nil && s.open() && !s.active && !s.loud && c.M.Method != revision.EventsActive && c.M.Method != revision.EventsTerminated {
		s.loud = true
		c.With(s.row).Report(lint.At("method"))
	}
}

func openedInvalid(c *lint.Context) {
	if s := streamOf(c); s != nil && s.open() && !s.active && !s.loud && s.frames == 0 && c.M.Method == revision.EventsTerminated {
		s.loud = true
		c.With(s.row).Report(lint.At("method"), "text", lint.Quoted(jsonrpc.Text(c.M.Params, "error", "message")))
	}
}

const (
	// beat is the longest interval between two heartbeats that the extension recommends. maxQuiet
	// is the silence after which a client assumes that the stream has ended.
	beat     = 30 * time.Second
	maxQuiet = 2 * beat
)

// quietTooLong reports a stream without events and heartbeats.
func quietTooLong(c *lint.Context) {
	for _, s := range lint.Own[streams](c.St).all {
		since := s.at
		if s.newestAt.After(since) {
			since = s.newestAt
		}
		if s.open() && !s.quiet && s.frames > 0 && c.St.Now.Sub(since) > maxQuiet {
			s.quiet = true
			c.With(s.row).ReportIn(s.newestRow, lint.Whole, "name", lint.Quoted(s.name), "id", s.id)
		}
	}
}

func afterTheEnd(c *lint.Context) {
	s := streamOf(c)
	if s == nil || subscriptionID(c) == nil {
		return
	}
	switch {
	case s.terminated:
		c.With(s.newestRow).Report(lint.At("method"), "after", "notifications/events/terminated")
	case !s.open() && !s.byClient:
		c.With(s.newestRow).Report(lint.At("method"), "after", "the response to its request")
	}
}

// afterCancel reports a notification that the server has sent although it had received the cancellation.
func afterCancel(c *lint.Context) {
	if s := streamOf(c); s != nil && s.byClient && s.exchange == 0 && !s.told && (s.read || s.sent >= maxCrossed) {
		s.told = true
		c.With(s.cancelRow).Report(lint.At("method"), "id", s.id)
	}
}

// otherOnStream reports a notification of another kind on a stream of events.
func otherOnStream(c *lint.Context) {
	if slices.Contains(onStream, c.M.Method) || c.M.Method == "notifications/cancelled" {
		return
	}
	own := lint.Own[streams](c.St)
	s := own.on(c.F.Exchange)
	if id := subscriptionID(c); s == nil && id != nil {
		s = own.named(jsonrpc.TokenOf(id))
	}
	if s != nil && s.open() {
		c.With(s.row).Report(lint.At("method"), "name", lint.Quoted(s.name))
	}
}

// aboutGap matches messages of servers about lost events.
var aboutGap = lazyregexp.New(`(?i)\b(events? (were|was|have been|has been|are|is) (lost|missed|dropped|skipped)|(lost|missed|dropped) events?|gap|truncated|cursor.*(expired|too old))\b`)

func gapAsFailure(c *lint.Context) {
	text := jsonrpc.Text(c.M.Params, "error", "message")
	if code, ok := jsonrpc.Integer(jsonrpc.Get(c.M.Params, "error", "code")); ok {
		if _, _, known := revision.EventErrorOf(code); known {
			return // the method already identifies the error
		}
	}
	if aboutGap().MatchString(text) {
		c.Report(lint.At("params", "error"), "text", lint.Quoted(text))
	}
}

// soonAfter is the longest time after an error in which the end of a stream counts as its effect.
const soonAfter = time.Second

// endedByError reports the end of a stream right after an error. Frames that the client sent in between may
// have ended it.
func endedByError(c *lint.Context) {
	s := lint.Own[streams](c.St).named(c.M.ID)
	if s != nil && s.open() && s.newest == revision.EventsError && !s.terminated && s.asked == c.St.Messages[transport.Out] && c.St.Now.Sub(s.newestAt) < soonAfter {
		c.With(s.newestRow).Report(lint.Whole)
	}
}

func finalContent(c *lint.Context) {
	if !strings.HasPrefix(string(c.M.Result), "{") {
		return
	}
	for name := range jsonrpc.Members(c.M.Result) {
		if n := string(name); n != "resultType" && n != "_meta" {
			c.Report(lint.At("result", n), "member", lint.Escaped(n))
		}
	}
}

func errorShape(c *lint.Context) {
	failure := c.M.Get(c.M.Params, "error")
	if jsonrpc.TypeOf(failure) != "object" {
		return // the definition reports it
	}
	if code := jsonrpc.Get(failure, "code"); !lint.IsInteger(code) {
		c.Report(lint.At("params", "error", "code"), "what", "code", "got", lint.KindOf(code), "want", "an integer")
	}
	if text := jsonrpc.Get(failure, "message"); jsonrpc.TypeOf(text) != "string" {
		c.Report(lint.At("params", "error", "message"), "what", "message", "got", lint.KindOf(text), "want", "a string")
	}
}

// watchStreamRequests updates the streams with a request or its response.
func watchStreamRequests(c *lint.Context) {
	own := lint.Own[streams](c.St)
	switch {
	case c.M.IsRequest() && c.M.Sender() == lint.Client:
		if len(own.all) >= maxStreams {
			own.all = slices.Delete(own.all, 0, maxStreams/2)
		}
		cursor, _ := textOf(c.M.Params, "cursor")
		w := wantsOf(c.M.Params)
		w.args = slices.Clone(w.args)
		own.all = append(own.all, &stream{id: c.M.ID.ID(), row: c.F.Row, exchange: c.F.Exchange, wants: w, cursor: cursor, at: c.St.Now})
	case c.M.IsResponse() && c.M.Sender() == lint.Server:
		if s := own.named(c.M.ID); s != nil && s.open() {
			s.ended = c.St.Now
		}
	}
}

func watchFrames(c *lint.Context) {
	s := streamOf(c)
	if s == nil {
		return
	}
	if s.byClient {
		s.sent++
	}
	s.newest, s.newestAt, s.newestRow, s.asked = c.M.Method, c.St.Now, c.F.Row, c.St.Messages[transport.Out]
	switch c.M.Method {
	case revision.EventsActive:
		if s.active && string(c.M.Get(c.M.Params, "truncated")) == "true" {
			s.truncated, s.beatsAtGap = c.St.Now, s.beats
		}
		s.active = true
	case revision.EventsEvent:
		if id, ok := textOf(c.M.Params, "eventId"); ok {
			lint.Keep(&s.seen, maxSeen, lint.ShortKey(id), c.F.Row)
		}
	case revision.EventsHeartbeat:
		s.beats++
	case revision.EventsTerminated:
		s.terminated = true
	}
	s.frames++
}

func watchCancelled(c *lint.Context) {
	if s := lint.Own[streams](c.St).named(jsonrpc.TokenOf(c.M.Get(c.M.Params, "requestId"))); s != nil && s.open() {
		s.ended, s.byClient, s.cancelRow = c.St.Now, true, c.F.Row
	}
}

// watchRead marks the streams whose cancellation the server has read: it reads messages in their order.
func watchRead(c *lint.Context) {
	for _, s := range lint.Own[streams](c.St).all {
		if s.byClient && c.M.Request.Row() > s.cancelRow {
			s.read = true
		}
	}
}

// watchExchanges ends the streams whose HTTP response is over.
func watchExchanges(c *lint.Context) {
	if s := lint.Own[streams](c.St).on(c.X.ID); s != nil && c.X.Done && s.open() {
		s.ended, s.byClient = c.St.Now, c.X.ClosedLocally()
	}
}
