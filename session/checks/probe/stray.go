package probe

import (
	"fmt"
	"slices"

	"mcptea/client/jsonrpc"
)

// strayOf returns the one response that came after the frame of a wait and belongs to no request of the link: one with
// another id, or an error with the id null. Where several requests wait, or several such responses came, it is not known
// which belong together.
func (l *link) strayOf(w *wait) (stray Frame, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(w.ids) != 1 || len(w.evidence) == 0 {
		return stray, false
	}
	for _, other := range l.waits {
		if other != w && !other.ended {
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

// elsewhere reports that the response to a request has come, after the HTTP response to it had ended: on another stream.
func (r *Run) elsewhere(o Outcome) bool {
	id := jsonrpc.Scan(o.Sent).ID.Of(o.Sent)
	if o.link == nil || !id.Present() {
		return false
	}
	r.Quiet()
	o.link.mu.Lock()
	defer o.link.mu.Unlock()
	for _, f := range o.link.extra {
		if e := jsonrpc.Scan(f.Bytes); e.Kind.IsResponse() && e.ID.Of(f.Bytes).Key() == id.Key() {
			return true
		}
	}
	return false
}

// strayID is the id of a stray response in words.
func strayID(f Frame) string {
	if id := jsonrpc.Scan(f.Bytes).ID.Of(f.Bytes); id.Present() {
		return "the id " + short(string(id.Shown()))
	}
	return "no id"
}

// answeredOtherwise says that a response came that does not have the id of the request. The rules about ids report it; the
// probe does where their probe is not selected.
func (r *Run) answeredOtherwise(o Outcome) {
	if r.runner.runs(ownsRules) {
		r.drop(becauseStray(r.name, *o.stray))
		return
	}
	j := r.Case(r.name, o)
	j.generic = true
	j.Advise("Copy the id of the request into the response, unchanged.").Error("The response to %s has %s, and not that of the request.", r.name, strayID(*o.stray))
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

func becauseStray(name string, f Frame) *Because {
	return &Because{
		Probe: ownsRules, Cause: "responses do not have the ids of their requests",
		Why: fmt.Sprintf("the response to %s came with %s, not with that of the request", name, strayID(f)),
	}
}

// ownsStreams is the probe about the streams of responses.
const ownsStreams = "P-126"

// ownsRules is the probe that reports what the rules of lint find.
const ownsRules = "P-033"
