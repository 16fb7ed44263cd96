package probe

import (
	"fmt"
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// A missing response is a judgment, because something else may have arrived instead.
// [Conn.absenceOf] checks everything that has arrived on the connection since the request. The
// functions below describe a missing response from its result.

// substitute is what has arrived instead of a response.
type substitute uint8

const (
	nothing     substitute = iota
	otherID                // a response that has the id of no request
	onStream               // the response, on another stream than the HTTP response to its request
	damagedLine            // text with an object that is not a message
	emptyBody              // the end of the HTTP response, without a message
	withMethod             // a message with the id, a result or error, and a method
	otherEvent             // the response, in an event that clients ignore: it has another type, or no end
)

// absence describes a missing response. The zero value means that the response is not missing, or
// that nothing is known about it.
type absence struct {
	by    substitute
	frame Frame // response with the other id, if by is otherID
}

// isKnown reports whether a response has arrived in another form. Then it is not missing.
func (a absence) isKnown() bool { return a.by != nothing && a.by != emptyBody }

// absenceOf returns what has arrived instead of a response to the frame of a wait. damaged is the
// number of damaged lines before the frame. ended reports whether the HTTP response has ended.
func (c *Conn) absenceOf(l *link, w *wait, damaged int, ended bool) absence {
	if by := l.disguised(w); by != nothing {
		return absence{by: by}
	}
	if f, ok := l.strayOf(w); ok {
		return absence{by: otherID, frame: f}
	}
	if ended {
		for limit := time.Now().Add(c.r.quietTime()); ; time.Sleep(minQuiet) {
			if l.hasCome(w) {
				return absence{by: onStream}
			}
			if time.Now().After(limit) {
				break
			}
		}
	}
	switch {
	case l.countDamaged() > damaged:
		return absence{by: damagedLine}
	case ended:
		return absence{by: emptyBody}
	}
	return absence{}
}

// disguised returns the form of a response with the id of the wait that clients do not recognize as
// a response, or nothing.
func (l *link) disguised(w *wait) substitute {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(w.evidence) == 0 {
		return nothing
	}
	isOf := func(f Frame, e jsonrpc.Envelope) bool {
		return f.Seq >= w.evidence[0].Seq && (e.Result.Present() || e.Error.Present()) && slices.Contains(w.ids, e.ID.Of(f.Bytes).Key())
	}
	for _, f := range l.extra {
		if e := jsonrpc.Scan(f.Bytes); e.Kind == jsonrpc.Request && isOf(f, e) {
			return withMethod
		}
	}
	for _, f := range l.ignored {
		if e := jsonrpc.Scan(f.Bytes); e.Kind.IsResponse() && isOf(f, e) {
			return otherEvent
		}
	}
	return nothing
}

// strayOf returns the only response that arrived after the frame of a wait and belongs to no
// request of the link. Its id is different, or it is an error with the id null. ok is false if
// several requests wait or several such responses arrived, because then it is unknown which belong
// together.
func (l *link) strayOf(w *wait) (stray Frame, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(w.ids) != 1 || len(w.evidence) == 0 {
		return stray, false
	}
	for _, other := range l.waits {
		if other != w && !other.ended && !other.lasts() {
			return stray, false
		}
	}
	for _, f := range l.extra {
		e := jsonrpc.Scan(f.Bytes)
		if f.Seq < w.evidence[0].Seq || !e.Kind.IsResponse() || l.asked[e.ID.Of(f.Bytes).Key()] {
			continue
		}
		if ok {
			return Frame{}, false
		}
		stray, ok = f, true
	}
	return stray, ok
}

// lasts reports whether the wait is for the end of a subscription.
func (w *wait) lasts() bool {
	e := jsonrpc.Scan(w.frame)
	return revision.Lasts(e.MethodName(w.frame))
}

// hasCome reports whether a response with an id of the wait has arrived. The wait collects such
// responses until it ends.
func (l *link) hasCome(w *wait) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(w.responses) > 0 || slices.ContainsFunc(l.extra, func(f Frame) bool {
		e := jsonrpc.Scan(f.Bytes)
		return e.Kind.IsResponse() && slices.Contains(w.ids, e.ID.Of(f.Bytes).Key())
	})
}

// describe describes what has arrived instead of a response.
func (a absence) describe() string {
	switch a.by {
	case otherID:
		return "a response with " + strayID(a.frame)
	case onStream:
		return "a response on another stream"
	case damagedLine:
		return "text that is not a message"
	case withMethod:
		return "a response with a method"
	case otherEvent:
		return "a response in an event that clients ignore"
	}
	return ""
}

// becauseOf returns why a finding about a missing response is not reported, or nil if the response is missing.
func (r *Run) becauseOf(name string, a absence) *Because {
	switch a.by {
	case otherID:
		return &Because{
			Probe: ownsRules, Cause: "responses do not have the ids of their requests",
			Why: fmt.Sprintf("the response to %s came with %s, not with that of the request", name, strayID(a.frame)),
		}
	case onStream:
		return &Because{Probe: ownsStreams, Cause: "responses come on another stream", Why: "the response to " + name + " came on another stream"}
	case withMethod:
		return &Because{Probe: ownsRules, Cause: "responses have a method", Why: "the response to " + name + " came with a method"}
	case otherEvent:
		return &Because{Probe: ownsStreams, Cause: "responses come in events that clients ignore", Why: "the response to " + name + " came in an event that clients ignore"}
	case damagedLine:
		r.runner.happens(damaged)
		return &Because{Probe: "P-100", Cause: "a line came that is not a message", Why: "a line that is not a message came instead of the response to " + name}
	}
	return nil
}

// answeredOtherwise reports that a response has arrived in another form. Rules report wrong ids,
// lines and streams. The probe itself reports an id only if no rule does.
func (r *Run) answeredOtherwise(o Outcome) {
	if o.absence.by != otherID || r.runner.runs(ownsRules) {
		r.drop(r.becauseOf(r.name, o.absence))
		return
	}
	j := r.Case(r.name, o)
	j.generic = true
	j.Advise("Copy the id of the request into the response, unchanged.").Error("The response to %s has %s, and not that of the request.", r.name, strayID(o.absence.frame))
}

// strayID describes the id of a stray response.
func strayID(f Frame) string {
	if id := jsonrpc.Scan(f.Bytes).ID.Of(f.Bytes); id.Present() {
		return "the id " + short(string(id.Shown()))
	}
	return "no id"
}

// runs reports whether a probe is selected.
func (r *Runner) runs(id string) bool {
	return slices.ContainsFunc(Catalogue(), func(e *Entry) bool {
		if e.ID != id {
			return false
		}
		_, why := r.skips(e)
		return why == nil
	})
}

// ownsStreams is the id of the probe about the streams of responses.
const ownsStreams = "P-126"

// ownsRules is the id of the probe that reports the findings of lint rules.
const ownsRules = "P-033"
