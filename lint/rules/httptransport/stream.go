package httptransport

import (
	"bytes"
	"hash/maphash"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/lint"
	"mcptea/record/flow"
)

// streamRules check event streams.
var streamRules = []lint.Rule{
	{ID: "H030", HTTP: streamEndedEarly},
	{ID: "H031", When: lint.Response | lint.Matched | lint.FromServer | lint.InHTTP, Message: func(c *lint.Context) {
		if c.M.IsResponse() && c.M.Request != nil && c.M.Frame.Dir == transport.In && c.IsStreamableHTTP() &&
			c.X.Method == http.MethodGet && !isResumed(c.X) {
			c.Report(lint.At("id"))
		}
	}},
	{ID: "H032", When: lint.Request | lint.FromServer | lint.InHTTP, Message: onTwoStreams},
	{ID: "H033", Line: func(c *lint.Context) {
		if isLostMessage(c) || c.F.EventName == "endpoint" && c.X != nil && c.St.Link != lint.SSE {
			c.Report(lint.Whole, "got", lint.Escaped(c.F.EventName))
		}
	}},
	{ID: "H034", Line: func(c *lint.Context) {
		if c.F.EventID != "" && c.IsStreamableHTTP() && !isResumed(c.X) && (*lint.Own[eventIDs](c.St))[eventSum(c.F.EventID)] != 0 {
			c.Report(lint.Whole, "got", lint.Escaped(c.F.EventID))
		}
	}, HTTP: dataLessEventID},
	{ID: "H038", Line: func(c *lint.Context) {
		if c.F.Truncated && c.X != nil && isStream(c.X) && c.F.Envelope.Kind != jsonrpc.Invalid {
			c.Report(lint.Whole)
		}
	}},
	{ID: "H037", Limit: lint.OncePerConnection, Methods: []string{"notifications/progress"}, When: lint.FromServer | lint.InHTTP, Message: progressOnGetStream},
	{Line: func(c *lint.Context) {
		if c.F.EventID != "" && c.F.Dir == transport.In {
			noteEventID(c, c.F.EventID)
		}
	}},
	{ID: "H035", HTTP: onGetOrDelete(reconnectedEarly)},
	{HTTP: watchRetryField},
	{ID: "H036", Limit: lint.OncePerConnection, Tick: streamsLeftOpen, HTTP: func(c *lint.Context) {
		x := c.X
		switch {
		case x.Done:
			streamLeftOpen(c, x)
			delete(*lint.Own[openStreams](c.St), x.ID)
		case c.IsStreamableHTTP() && x.Method == http.MethodPost && isStream(x) && len(x.Requests) > 0:
			lint.Keep(lint.Own[openStreams](c.St), maxOpenStreams, x.ID, x)
		}
	}},
}

// isLostMessage reports whether the event holds a message but has a type that clients ignore. An event without
// a message, such as a ping that keeps the connection open, is harmless.
func isLostMessage(c *lint.Context) bool {
	return c.F.NonMessageEvent() && c.F.EventName != "endpoint" && jsonrpc.Get(c.F.Bytes, "jsonrpc") != nil
}

// openStreams holds the event streams of unfinished requests.
type openStreams map[uint32]*lint.Exchange

const maxOpenStreams = 1000

// openAfterResponse bounds how long a stream may stay open after its last response.
const openAfterResponse = 3 * time.Second

func streamsLeftOpen(c *lint.Context) {
	own := *lint.Own[openStreams](c.St)
	for _, id := range slices.Sorted(maps.Keys(own)) {
		if streamLeftOpen(c, own[id]) {
			delete(own, id)
		}
	}
}

// streamLeftOpen reports a stream that is open although all its requests have their
// responses, and reports whether it is.
func streamLeftOpen(c *lint.Context, x *lint.Exchange) bool {
	if (*lint.Own[openStreams](c.St))[x.ID] == nil || x.Done && !x.ClosedLocally() {
		return false
	}
	for _, r := range x.Requests {
		if !r.HasResponse() || revision.Lasts(r.Method) || c.St.Now.Sub(r.Ended) < openAfterResponse {
			return false
		}
	}
	r := x.Requests[len(x.Requests)-1]
	c.ReportIn(x.Row, lint.Whole, "id", r.ID, "method", r.Method)
	return true
}

// streamEndedEarly reports the pending requests of a stream that has ended. In
// the handshake era a stream with event ids can be resumed.
func streamEndedEarly(c *lint.Context) {
	x := c.X
	if !isPostResponse(c) || !isStream(x) || x.ClosedLocally() || c.St.Closing || x.LastEventID != "" && !c.Revision().IsStateless() {
		return
	}
	for _, r := range x.Requests {
		// What ends a subscription early is for X017; clients must not depend on the response to
		// events/stream.
		if lint.IsPending(r) && !revision.Lasts(r.Method) {
			c.ReportExchange("id", r.ID, "method", r.Method)
		}
	}
}

// onTwoStreams compares a request of the server with an earlier one on another
// stream. Notifications cannot be compared: they have no id.
func onTwoStreams(c *lint.Context) {
	const within = 5 * time.Second // later on it is an id that was used again
	if !c.M.IsRequest() || c.M.Frame.Dir != transport.In || !c.IsStreamableHTTP() || isResumed(c.X) {
		return
	}
	r := c.St.Flows.Find(transport.In, c.M.ID)
	if r == nil || r.Method != c.M.Method || string(r.Params) != string(c.M.Params) || c.St.Now.Sub(r.Start) > within {
		return
	}
	first := c.St.Exchanges[r.Exchange]
	if first != nil && r.Exchange != c.X.ID && !isResumed(first) {
		c.Report(lint.At("id"))
	}
}

// progressOnGetStream finds progress of a request that has its own stream.
func progressOnGetStream(c *lint.Context) {
	if !c.IsStreamableHTTP() || c.X.Method != http.MethodGet || isResumed(c.X) {
		return
	}
	token := jsonrpc.TokenOf(c.M.Members.Token)
	for r := range c.St.Flows.PendingAfter(flow.None) {
		own := jsonrpc.TokenOf(jsonrpc.Get(r.Params, "_meta", "progressToken"))
		if r.Dir == transport.Out && own.Present() && own.Same(token) {
			c.Report(lint.At("params", "progressToken"), "id", r.ID, "request", r.Method)
			return
		}
	}
}

// eventIDs maps event ids of a session to the exchange of the newest event with the id, 1-based.
// The ids are hashed, because there may be many.
type eventIDs map[uint64]uint64

const maxEventIDs = 100_000

var eventSeed = maphash.MakeSeed()

func eventSum(id string) uint64 { return maphash.String(eventSeed, id) }

// noteEventID remembers an id with its exchange. Above maxEventIDs, all earlier ones are forgotten.
func noteEventID(c *lint.Context, id string) {
	exchange := uint64(1)
	if c.X != nil {
		exchange += uint64(c.X.ID)
	}
	lint.Keep(lint.Own[eventIDs](c.St), maxEventIDs, eventSum(id), exchange)
}

// dataLessEventID compares the newest event id of a finished stream with the event ids of other streams.
// An event without data, which starts a stream, is not a frame.
func dataLessEventID(c *lint.Context) {
	x := c.X
	if !x.Done || x.LastEventID == "" || !c.IsStreamableHTTP() || isResumed(x) {
		return
	}
	of := (*lint.Own[eventIDs](c.St))[eventSum(x.LastEventID)]
	if noteEventID(c, x.LastEventID); of != 0 && of != uint64(x.ID)+1 {
		c.ReportExchange("got", lint.Escaped(x.LastEventID))
	}
}

// reconnectDelays holds the retry fields of ended streams, by their newest event ids.
type reconnectDelays map[string]reconnectDelay

type reconnectDelay struct {
	since time.Time
	delay time.Duration
}

const maxReconnectDelays = 1000

func watchRetryField(c *lint.Context) {
	x := c.X
	if x.Retry <= 0 || x.LastEventID == "" || !x.Reached(transport.ExchangeDone) {
		return
	}
	lint.Keep(lint.Own[reconnectDelays](c.St), maxReconnectDelays, x.LastEventID, reconnectDelay{since: x.Start.Add(x.Took), delay: x.Retry})
}

func reconnectedEarly(c *lint.Context) {
	const clock = 10 * time.Millisecond // tolerance: timers are not more exact
	id, ok := c.X.RequestField("Last-Event-Id")
	w, known := (*lint.Own[reconnectDelays](c.St))[id]
	if !ok || !known {
		return
	}
	delete(*lint.Own[reconnectDelays](c.St), id) // a second request follows another end of the stream
	if got := c.X.Start.Sub(w.since); got+clock < w.delay {
		c.ReportExchange("want", w.delay.Milliseconds(), "got", max(got, 0).Milliseconds())
	}
}

// endpointRules check HTTP+SSE, the transport of 2024-11-05.
var endpointRules = []lint.Rule{
	{ID: "H040", Line: func(c *lint.Context) {
		if onStream(c) && c.X.FramesReceived == 1 && c.F.EventName != endpoint {
			got := c.F.EventName
			if got == "" {
				got = "message"
			}
			c.Report(lint.Whole, "got", lint.Escaped(got))
		}
	}},
	{ID: "H041", Line: func(c *lint.Context) {
		initialized := c.St.Initialize != nil && c.St.Initialize.HasResponse()
		if isEndpoint(c) && (bool(*lint.Own[endpointKnown](c.St)) || initialized) {
			c.Report(lint.Byte(0), "got", shownReference(c.F.Bytes))
		}
	}},
	{ID: "H042", Line: func(c *lint.Context) {
		if !isEndpoint(c) || lint.IsJSONObject(c.F.Bytes) {
			return
		}
		base, err := url.Parse(c.X.URL)
		if err != nil {
			return
		}
		to, err := base.Parse(reference(c.F.Bytes))
		switch {
		case err != nil || reference(c.F.Bytes) == "":
			c.Report(lint.Byte(0), "got", "an invalid URI")
		case mcphttp.Origin(to) != mcphttp.Origin(base):
			to.Path, to.RawPath = "", ""
			c.Report(lint.Byte(0), "got", lint.ShownURL(to))
		}
	}},
	{ID: "H043", Line: func(c *lint.Context) {
		if b := bytes.TrimSpace(c.F.Bytes); isEndpoint(c) && (lint.IsJSONObject(b) || len(b) > 0 && b[0] == '"') {
			c.Report(lint.Byte(0))
		}
	}},
	{ID: "H044", Limit: lint.OncePerConnection, When: lint.InHTTP, Line: func(c *lint.Context) {
		if onStream(c) {
			c.Report(lint.Whole)
		}
	}},
	{Line: func(c *lint.Context) {
		if isEndpoint(c) {
			*lint.Own[endpointKnown](c.St) = true
		}
	}},
}

const endpoint = "endpoint"

// endpointKnown reports that the stream has had its endpoint event.
type endpointKnown bool

// onStream reports an event on the stream of HTTP+SSE.
func onStream(c *lint.Context) bool {
	return c.St.Link == lint.SSE && c.F.Dir == transport.In && c.X != nil && c.X.Purpose == transport.PurposeStream
}

func isEndpoint(c *lint.Context) bool { return c.F.EventName == endpoint && onStream(c) }

// reference returns the URI in an endpoint event, even if it is a JSON value.
func reference(b []byte) string {
	b = bytes.TrimSpace(b)
	if s, ok := jsonrpc.Unquote(b); ok {
		return s
	}
	return string(b)
}

// shownReference returns the reference without its query, which contains the session id.
func shownReference(b []byte) string {
	short, _, _ := strings.Cut(reference(b), "?")
	if u, err := url.Parse(short); err == nil {
		return lint.ShownURL(u)
	}
	return "an invalid URI"
}
