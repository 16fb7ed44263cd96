package experiment

import (
	"context"
	"net/http"
	"strings"
	"time"

	"mcptea/session/explain/facts"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

// The budget of the trials for one failure.
const (
	maxRequests = 8
	maxTook     = 5 * time.Second
	maxEach     = 2 * time.Second
)

// A Tried is a trial that was carried out.
type Tried struct {
	ID      string
	Changed string // difference from the failed request
	Outcome string // may contain text of the server
	Same    bool   // the outcome is the same as without the change
	Works   bool
	Took    time.Duration
}

// A Report holds the trials of a failure and their conclusion.
type Report struct {
	Tried      []Tried
	Conclusion *failure.Candidate // conclusion, or nil if none follows
	Decides    bool               // the conclusion overrides the message of the server
}

// WhyNot returns the reason why trials cannot explain a failure of a session, or "" if they may.
func WhyNot(s *session.Session, err error, e failure.Explanation) string {
	_, why := applies(s, err, e)
	return why
}

// applies returns the failed request, and the reason of [WhyNot].
func applies(s *session.Session, err error, e failure.Explanation) (failed failure.Failed, why string) {
	t := s.Target()
	switch {
	case err == nil:
		return failed, "nothing failed"
	case t.Shared != nil:
		return failed, "the connection is of another program"
	case t.IsStdio():
		return failed, whyNoStart(s, err, e)
	case !e.IsOpen():
		return failed, "the cause is known"
	}
	failed = failure.Failing(s, err)
	x := failed.Exchange
	switch {
	case x.ID == 0 || x.Status == 0:
		if _, ok := otherLoopback(t.URL, err); ok || isSilent(s, failed, err) {
			return failed, ""
		}
		return failed, "no response came that could be compared"
	case facts.Bot(facts.Refusal{Status: x.Status, Header: x.ResponseHeader, Body: x.ResponseBody}) != "":
		return failed, "a bot protection responded"
	case x.RequestHeader.Get("Authorization") != "" && t.Header.Get("Authorization") == "" && !failed.HasUser:
		return failed, "the request had an access token, which is not for trials"
	case !failed.Before && (x.Status == http.StatusUnauthorized && x.RequestHeader.Get("Authorization") == "" || x.Status/100 == 3):
		return failed, "the response says what is required"
	case x.Status == http.StatusTooManyRequests && x.ResponseHeader.Get("Retry-After") != "":
		return failed, "the server requires a pause"
	}
	return failed, ""
}

// Run carries out the trials that apply to a failure of a session. It does nothing if [WhyNot] returns a
// reason.
func Run(ctx context.Context, s *session.Session, err error, e failure.Explanation) Report {
	failed, why := applies(s, err, e)
	if why != "" || ctx.Err() != nil {
		return Report{}
	}
	if s.Target().IsStdio() {
		return tryStarts(ctx, s, err, maxEach)
	}
	ctx, stop := context.WithTimeout(ctx, maxTook)
	defer stop()
	switch silent := isSilent(s, failed, err); {
	case silent:
		return trySilent(ctx, s)
	case failed.Exchange.ID == 0 || failed.Exchange.Status == 0:
		return tryLoopback(ctx, s.Target().URL, err)
	}
	r := newRunner(s, failed)
	defer r.client.CloseIdle()
	return r.run(ctx)
}

// Lines returns the trials for a person: all trials without a difference on one line, then one line for each of
// the others.
func (r Report) Lines() (lines []failure.Line) {
	var same []string
	for _, t := range r.Tried {
		if t.Same {
			same = append(same, t.Changed)
			continue
		}
		text := t.Changed + " → " + t.Outcome
		if t.Works {
			text += "  ✓ works"
		}
		lines = append(lines, failure.Line{Kind: "trial", Text: text, Foreign: true})
	}
	if len(same) > 0 {
		lines = append(lines, failure.Line{Kind: "trial", Text: "no difference: " + strings.Join(same, "; "), Foreign: true})
	}
	return lines
}

// Explain adds the trials to an explanation.
func (r Report) Explain(e failure.Explanation) failure.Explanation {
	if len(r.Tried) == 0 {
		return e
	}
	return e.Tried(r.Lines(), r.Conclusion, r.Decides)
}
