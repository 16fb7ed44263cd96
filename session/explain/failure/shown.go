package failure

import (
	"slices"
	"strings"

	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/session/session"
)

// A Failed is a request over HTTP that failed.
type Failed struct {
	Exchange transport.Exchange // the zero value if it is not known
	Frame    []byte             // frame of the request
	Before   bool               // another request of the attempt got a message of the server
	HasUser  bool               // the credentials are in the URL
}

// Failing returns the request that an error of a session is about.
func Failing(s *session.Session, err error) (failed Failed) {
	f := FactsOf(s).about(err)
	x := f.exchange
	if x.ID == 0 && len(f.wire.exchanges) > 0 {
		x = f.wire.exchanges[0]
	}
	failed.Exchange = x
	if u, bad := mcphttp.Endpoint(f.target.URL); bad == nil {
		failed.HasUser = u.User != nil
	}
	for i, r := range newest(s.Store(), pendingReach) {
		if r.Dir == transport.Out && r.IsFrame() && x.ID != 0 && (r.Exchange == x.ID || r.Exchange == x.Repeats) {
			failed.Frame, _ = s.Store().Body(i) // an unreadable record allows no trials with a body
			break
		}
	}
	failed.Before = slices.ContainsFunc(f.wire.answered, func(id uint32) bool {
		return id != x.ID && f.wire.exchangeOf(id).Status != x.Status
	})
	return failed
}

// Shown returns the conclusion of an experiment by the name of its row; holes are its facts.
func Shown(name string, holes map[string]string) *Candidate {
	s := situation{"shown": name}
	for hole, text := range holes {
		s[hole] = escape(text)
	}
	why, _ := find("experiment", s)
	return &why.Candidate
}

// IsOpen reports whether an experiment may add something: only general advice is known, the cause is a hint, or
// its row is open.
func (e Explanation) IsOpen() bool {
	return e.isGeneric() || e.Causes[0].Open || e.Causes[0].Strength == Hints
}

// isGeneric reports whether only general advice is known.
func (e Explanation) isGeneric() bool {
	return len(e.Causes) == 0 || e.Causes[0].Generic || e.Causes[0].Cause == "" && e.Causes[0].Remedy.Text == ""
}

// Tried adds the trials of an experiment and what they have shown. That counts more than a hint and general
// advice; decides says that it counts more than anything. Otherwise it is only where the failure arises, which is no cause
// if the peer has said what is wrong.
func (e Explanation) Tried(lines []Line, shown *Candidate, decides bool) Explanation {
	e.Evidence = slices.DeleteFunc(slices.Clone(e.Evidence), func(l Line) bool { return l.Kind == kindLooked })
	e.Evidence = append(e.Evidence, lines...)
	if shown == nil || !decides && (e.said || !e.isGeneric() && e.Causes[0].Strength != Hints) {
		return e
	}
	c := *shown
	if c.Remedy.Text == "" && len(e.Causes) > 0 {
		c.Remedy = e.Causes[0].Remedy
	}
	if c.Cause = strings.TrimSpace(c.Cause); c.Cause == "" {
		return e
	}
	e.Causes = []Candidate{c}
	return e
}
