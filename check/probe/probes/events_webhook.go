package probes

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"

	"mcptea/check/probe"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
)

// subscriber makes subscriptions of a type, and ends them.
type subscriber struct {
	r    *probe.Run
	c    *probe.Conn
	e    probe.EventType
	open map[string]string // params of events/unsubscribe, by themselves
}

// delivery returns the member delivery of a subscription.
func delivery(url, secret string) string {
	return `"delivery":{"mode":"webhook","url":` + probe.JSON(url) + `,"secret":` + probe.JSON(secret) + `}`
}

// subscribe sends events/subscribe with additional members.
func (s *subscriber) subscribe(name, arguments, url, secret string, more ...string) probe.Outcome {
	params := s.e.With(arguments, strings.Join(append([]string{delivery(url, secret)}, more...), ","))
	o := s.r.Ask(s.c, "events/subscribe "+name, s.c.Request(revision.EventsSubscribe, params))
	if o.Kind == probe.Result {
		end := s.e.With(arguments, `"delivery":{"mode":"webhook","url":`+probe.JSON(url)+`}`)
		s.open[end] = end
	}
	return o
}

func (s *subscriber) to(name string, to *probe.Callback, more ...string) probe.Outcome {
	return s.toWith(name, s.e.Arguments, to, more...)
}

// toWith is like to, but with different arguments.
func (s *subscriber) toWith(name, arguments string, to *probe.Callback, more ...string) probe.Outcome {
	o := s.subscribe(name, arguments, to.URL, to.Secret, more...)
	if id, ok := jsonrpc.Unquote(o.Member("id")); ok {
		to.Subscribed(id)
	}
	return o
}

func (s *subscriber) unsubscribe(name, params string) probe.Outcome {
	delete(s.open, params)
	return s.r.Ask(s.c, "events/unsubscribe "+name, s.c.Request(revision.EventsUnsubscribe, params))
}

// end ends the remaining subscriptions.
func (s *subscriber) end() {
	for _, params := range slices.Sorted(mapKeys(s.open)) {
		s.unsubscribe("", params)
	}
}

func mapKeys(of map[string]string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for key := range of {
			if !yield(key) {
				return
			}
		}
	}
}

// subscribes begins with a subscription to a callback on this machine. Servers refuse such addresses unless
// they are set to accept them.
// Only the probe about subscriptions reports that this fails.
func eventSubscriber(r *probe.Run, reports bool) (s *subscriber, to *probe.Callback, first probe.Outcome, ok bool) {
	types := r.EventTypes(revision.DeliveryWebhook)
	if r.SkipIf(len(types) == 0, "no event type with webhooks") {
		return nil, nil, first, false
	}
	to, ok = r.Callback()
	if !ok {
		return nil, nil, first, false
	}
	s = &subscriber{r: r, c: r.Linted(true), e: types[0], open: map[string]string{}}
	for _, e := range types { // with two arguments, their order can be changed
		if len(e.Form.Fields) > len(s.e.Form.Fields) {
			s.e = e
		}
	}
	first = s.to("to a callback on this machine", to)
	_, hasID := jsonrpc.Unquote(first.Member("id"))
	if first.Kind == probe.Result && (hasID || reports) {
		return s, to, first, true
	}
	if !reports {
		what := probe.Describe(first)
		if first.Kind == probe.Result {
			what += " without an id"
		}
		r.Unjudged("events/subscribe of %s returns %s: P-234 is about it", s.e.Name, what)
		return s, to, first, false
	}
	if t := ownTrouble(r, to); t != "" {
		r.Case("the challenge", first).About(lint.Error, "event:"+s.e.Name, "The challenge is not right: %s.", t)
		return s, to, first, false
	}
	if o := first; o.IsError(jsonrpc.CodeInvalidParams) || isEventError(o, revision.EventForbidden) || isEventError(o, revision.EventCallback) {
		r.Unjudged("the server grants no subscription to a callback on this machine, which is right unless it is set to: %s", probe.Describe(o))
	} else if o.Kind == probe.Error {
		r.Of(o).About(lint.Error, "event:"+s.e.Name, "events/subscribe of %s, which lists webhook, returns %s.", s.e.Name, probe.Describe(o))
	}
	return s, to, first, false
}

// secretOf returns a secret of size bytes.
func secretOf(size int) string {
	return "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("m", size)))
}

// eventSubscribe makes subscriptions that are right, and such as must be refused; the results are for rules.
func eventSubscribe(r *probe.Run) {
	s, to, first, ok := eventSubscriber(r, true)
	if !ok {
		return
	}
	defer s.end()
	if len(to.Hits()) == 0 {
		r.Of(first).Itself().About(lint.Error, "event:"+s.e.Name, "The server grants a subscription without a challenge to the callback.")
	} else if t := trouble(to.Troubles(), "an event came before"); t != "" {
		r.Of(first).Itself().About(lint.Error, "event:"+s.e.Name, "%s.", t)
	} else if t := ownTrouble(r, to); t != "" {
		r.Of(first).Itself().About(lint.Error, "event:"+s.e.Name, "The challenge is not right: %s.", t)
	}
	if o := s.to("again", to); o.Kind == probe.Error {
		r.Of(o).Itself().About(lint.Error, "event:"+s.e.Name, "events/subscribe of %s returns %s when it is repeated, which refreshes the subscription.", s.e.Name, probe.Describe(o))
	}
	subscribeFrom(r, s, first)
	if a, b, ok := twoOrders(s.e); ok {
		s.subscribe("with arguments", a, to.URL, to.Secret)
		s.subscribe("with the same arguments in another order", b, to.URL, to.Secret)
	}
	s.to("with a ttlMs", to, `"ttlMs":60000`)
	s.to("with ttlMs null", to, `"ttlMs":null`)
	for _, secret := range []struct{ what, text string }{
		{"with a secret of 23 bytes", secretOf(23)}, {"with a secret of 65 bytes", secretOf(65)}, {"with a secret without whsec_", strings.TrimPrefix(to.Secret, "whsec_")},
	} {
		s.subscribe(secret.what, s.e.Arguments, to.URL, secret.text)
	}
	s.subscribe("with an http URL", s.e.Arguments, "http://mcptea.invalid/callback", to.Secret)
	badEcho(r, s)
	anonymousSubscribe(r, s, to)
	for params := range s.open {
		if strings.Contains(params, probe.JSON(to.URL)) {
			if o := s.unsubscribe("", params); o.Kind == probe.Error {
				r.Case("events/unsubscribe", o).About(lint.Error, "event:"+s.e.Name, "events/unsubscribe of a subscription that was granted returns %s.", probe.Describe(o))
			}
			s.unsubscribe("a second time", params)
			break
		}
	}
}

// deliveryRules are the lint rules about single deliveries.
var deliveryRules = []string{"V090", "V091", "V092", "V093", "V094", "V095"}

// ownTrouble returns the first trouble of a callback as a sentence, or "" if there is none or a rule reports it.
func ownTrouble(r *probe.Run, to *probe.Callback) string {
	if r.IsJudged(deliveryRules) {
		return ""
	}
	return trouble(to.Troubles(), "")
}

// trouble returns the first trouble that contains words, as a sentence without a period.
func trouble(all []string, words string) string {
	for _, t := range all {
		if strings.Contains(t, words) {
			return strings.ToUpper(t[:1]) + t[1:]
		}
	}
	return ""
}

// twoOrders returns arguments with two members, in both orders.
func twoOrders(e probe.EventType) (a, b string, ok bool) {
	type pair struct{ name, value string }
	var pairs []pair
	for i := range e.Form.Fields {
		f := &e.Form.Fields[i]
		if v := f.Example(); len(pairs) < 2 && v != nil && string(v) != "null" {
			pairs = append(pairs, pair{f.Name, string(v)})
		}
	}
	if len(pairs) < 2 {
		return "", "", false
	}
	x, y := probe.JSON(pairs[0].name)+":"+pairs[0].value, probe.JSON(pairs[1].name)+":"+pairs[1].value
	return "{" + x + "," + y + "}", "{" + y + "," + x + "}", true
}

// badEcho subscribes a callback that returns another challenge.
func badEcho(r *probe.Run, s *subscriber) {
	to, ok := r.Callback()
	if !ok {
		return
	}
	to.Answer(probe.Reply{BadEcho: true})
	o := s.to("to a callback that returns another challenge", to)
	switch {
	case o.Kind == probe.Result && len(to.Hits()) > 0:
		r.Of(o).Itself().About(lint.Error, "event:"+s.e.Name, "The server grants a subscription to a callback that returns another challenge.")
	case o.Kind == probe.Error && len(to.Hits()) > 0 && !isEventError(o, revision.EventCallback):
		r.Of(o).About(lint.Error, "event:"+s.e.Name, "A callback that returns another challenge leads to error %s; CallbackEndpointError, %d, is required.", o.ShownCode(), revision.EventCallback.Code)
	}
}

// anonymousSubscribe subscribes without authorization, over HTTP.
func anonymousSubscribe(r *probe.Run, s *subscriber, to *probe.Callback) {
	if !r.IsHTTP() || !r.Authorized() {
		return
	}
	header := http.Header{"Authorization": nil, "Mcp-Name": {s.e.Name}}
	o := r.HTTP("events/subscribe without authorization", probe.HTTPRequest{
		Body: r.Maker().Request(revision.EventsSubscribe, s.e.Params(delivery(to.URL, to.Secret))), Header: header,
	})
	if o.Kind == probe.Result {
		r.Of(o).Itself().About(lint.Error, "event:"+s.e.Name, "The server grants a subscription to a request without authorization.")
	}
}

// delivered is a callback with its subscription and the deliveries so far.
type delivered struct {
	to *probe.Callback
	o  probe.Outcome
}

// eventDelivery causes events and examines what arrives at callbacks that accept deliveries and at callbacks
// that do not.
func eventDelivery(r *probe.Run) {
	if r.SkipIf(len(r.Triggers()) == 0, probe.NeedsTrigger) {
		return
	}
	s, to, first, ok := eventSubscriber(r, false)
	if !ok {
		return
	}
	defer s.end()
	good := delivered{to, first}
	all := map[string]delivered{}
	for name, reply := range map[string]probe.Reply{
		"500": {Status: http.StatusInternalServerError, Once: true}, "410": {Status: http.StatusGone, Once: true},
		"413": {Status: http.StatusRequestEntityTooLarge, Once: true}, "redirect": {Redirects: true},
	} {
		other, ok := r.Callback()
		if !ok {
			return
		}
		o := s.to("to a callback that answers "+name, other)
		if o.Kind == probe.Result {
			other.Answer(reply)
			all[name] = delivered{other, o}
		}
	}
	if arguments, ok := excluding(s.e); ok { // the linter reports excluded events that are delivered
		if other, ok := r.Callback(); ok {
			s.toWith("with arguments that exclude all events", arguments, other)
		}
	}
	poll := beside(r, s.c, s.e)
	if !pull(r, s.c) {
		return
	}
	r.Until(func() bool { return len(good.to.Events()) > 0 })
	poll()
	if len(good.to.Events()) == 0 && len(good.to.Troubles()) == 0 {
		undelivered(r, s, good)
		return
	}
	if len(good.to.Troubles()) > 0 {
		if t := ownTrouble(r, good.to); t != "" {
			r.Of(good.o).Itself().About(lint.Error, "event:"+s.e.Name, "A delivery is not right: %s.", t)
		}
		return // the following checks need correct deliveries
	}
	r.Until(func() bool { // the same event reaches each callback, but not at the same moment
		for _, d := range all {
			if len(d.hits()) == 0 {
				return false
			}
		}
		return true
	})
	pollutes(r, s, good, all)
	if len(good.to.Events()) > 0 {
		continueDelivered(r, s, good)
	}
	if !r.Age() { // later events are newer than the first attempts, so a constant time is noticed
		return
	}
	rotated(r, s, good)
	leased(r, s, good)
	afterEnd(r, s, good)
}

// undelivered handles a callback that received nothing. A poll or a stream of the same type shows whether there
// was an event.
func undelivered(r *probe.Run, s *subscriber, good delivered) {
	for _, h := range good.to.Hits() {
		if h.EventID != "" && h.Control != "" {
			r.Of(good.o).Itself().About(lint.Error, "event:"+s.e.Name, "A delivery has an eventId and the type %s: only control messages have a type, so a receiver does not recognize the event.", probe.JSON(h.Control))
			return
		}
	}
	if event, on := elsewhere(r, s.e); event != "" {
		if r.UntilHeartbeat(func() bool { return len(good.to.Hits()) > 1 }); len(good.to.Events()) == 0 {
			lost(r.Of(good.o).Itself(), s.e, event, on, "none was delivered to the callback")
			return
		}
	}
	r.Unjudged("no trigger has caused an event of %s that is delivered", s.e.Name)
}

// pollutes judges the callbacks that did not accept an event.
func pollutes(r *probe.Run, s *subscriber, good delivered, all map[string]delivered) {
	about := func(d delivered, format string, args ...any) {
		r.Of(d.o).Itself().About(lint.Error, "event:"+s.e.Name, format, args...)
	}
	first := map[string]probe.Hit{}
	for name, d := range all {
		if events := d.to.Events(); len(events) > 0 {
			first[name] = events[0]
		}
	}
	d, has := all["500"]
	again := func() []probe.Hit { return attempts(d, first["500"]) }
	if has && first["500"].EventID != "" {
		r.Until(func() bool { return len(again()) > 1 || secondEvent(d, first["500"]) })
		switch list := again(); {
		case len(list) > 1 && list[1].IsLater(list[0]) && list[0].Timestamp == list[1].Timestamp && list[0].Signature == list[1].Signature:
			about(d, "The second attempt of a delivery has the timestamp and the signature of the first one.")
		case len(list) > 1 && list[1].IsLater(list[0]) && list[0].Message != list[1].Message:
			about(d, "The second attempt of a delivery has another webhook-id than the first one: the receiver takes it for another message.")
			r.Covers("V099")
		case len(list) < 2 && secondEvent(d, first["500"]):
			about(d, "The second attempt of a delivery has another eventId than the first one: the receiver takes it for another event.")
			r.Covers("V099")
		}
	}
	for _, name := range []string{"410", "413"} {
		if d, has := all[name]; has && first[name].EventID != "" && isRetried(d, first[name]) {
			about(d, "A delivery is tried again after status %s.", name)
		}
	}
	if d, has := all["redirect"]; has && slices.ContainsFunc(d.to.Hits(), func(h probe.Hit) bool { return h.Elsewhere }) {
		about(d, "The server follows a redirect of the callback.")
	}
	if d, has := all["410"]; has && first["410"].EventID != "" {
		afterGone(r, s, good, d)
	}
}

// afterGone checks whether a subscription continues after its callback has answered a delivery with 410. The
// control is another callback that has accepted everything. If nothing reaches that either, the subscription is
// created again and events must arrive twice. Otherwise the triggers themselves end subscriptions.
func afterGone(r *probe.Run, s *subscriber, good, gone delivered) {
	comes := func() bool {
		before := len(good.to.Events())
		if !pull(r, s.c) {
			return false
		}
		r.Until(func() bool { return len(good.to.Events()) > before })
		return len(good.to.Events()) > before
	}
	about, was := r.Of(gone.o).Itself(), len(gone.hits())
	switch came := comes(); {
	case came:
		if r.Linger(); len(gone.hits()) == was {
			about.About(lint.Error, "event:"+s.e.Name, "Status 410 for one delivery has ended the subscription: a later event was not delivered, but reached another callback.")
		}
	case s.to("again", good.to).Kind == probe.Result && comes():
		if comes() {
			about.About(lint.Error, "event:"+s.e.Name, "After status 410 for one delivery, no later event was delivered until the subscription was renewed.")
		} else {
			r.Unjudged("the triggers end subscriptions to %s", s.e.Name)
		}
	default:
		lostLater(r, s, good, len(good.to.Hits()))
	}
}

func (d delivered) hits() []probe.Hit {
	if d.to == nil {
		return nil
	}
	return d.to.Events()
}

// attempts returns the deliveries of the same event as a hit.
func attempts(d delivered, of probe.Hit) (list []probe.Hit) {
	for _, h := range d.hits() {
		if h.EventID == of.EventID && !h.Elsewhere {
			list = append(list, h)
		}
	}
	return list
}

// isRetried reports whether there was another attempt for the event of a hit, with its own signature. A copy
// with the same timestamp may have been sent before the response to the first attempt, and a different event
// with the same id is not an attempt.
func isRetried(d delivered, of probe.Hit) bool {
	return slices.ContainsFunc(attempts(d, of), func(h probe.Hit) bool {
		return h.Timestamp != of.Timestamp && h.Data != nil && of.Data != nil && jsonrpc.Equal(h.Data, of.Data)
	})
}

// secondEvent reports a delivery with the data of a hit, and another eventId.
func secondEvent(d delivered, of probe.Hit) bool {
	return slices.ContainsFunc(d.hits(), func(h probe.Hit) bool {
		return h.EventID != of.EventID && of.Data != nil && h.Data != nil && jsonrpc.Equal(h.Data, of.Data)
	})
}
