package failure

import (
	"net/http"
	"slices"
	"strings"

	"mcptea/session/explain/facts"
)

// unfilledStatuses are statuses of a request whose header or URL has a wrong value.
var unfilledStatuses = []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound}

// unfilled explains a failure by a variable or placeholder that nothing has replaced, if it can be about that value: the
// server rejects what the request had, names the value, is about credentials, or gives no reason.
func (e Explanation) unfilled(f Facts) Explanation {
	text := e.words.text + "\n" + strings.Join(f.words(), "\n")
	isRejected := !f.target.IsStdio() && slices.Contains(unfilledStatuses, f.exchange.Status)
	isAbout := f.target.IsStdio() && (e.isGeneric() || loginWords().MatchString(text))
	if c, ok := f.unfilledIn(text, isRejected || isAbout); ok {
		e.Causes = []Candidate{c}
	}
	return e
}

// unfilledIn returns the cause for a message that may be about a value that nothing has replaced, or names it.
func (f Facts) unfilledIn(text string, mayBe bool) (c Candidate, ok bool) {
	a := f.recorded()
	u := facts.Of(a, facts.Refusal{}).Unfilled
	if u.Part == "" || !mayBe && (u.IsPlaceholder || !strings.Contains(text, u.Part)) {
		return c, false
	}
	why, ok := find("unfilled", f.seen(situation{}))
	why.isOwn = true
	return why.Candidate, ok
}
