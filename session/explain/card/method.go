package card

import (
	"slices"
	"strings"

	"mcptea/client/revision"
)

// noteText is a remark on a span of revisions.
type noteText struct {
	span
	Text string `json:"text"`
}

// notes returns the remarks on a revision.
func notes(texts []noteText, r revision.Revision) []Note {
	var found []Note
	for _, n := range texts {
		if n.has(r) {
			found = append(found, Note{revision.Words(n.in()), n.Text})
		}
	}
	return found
}

// ofMethod returns the card of a method.
func ofMethod(m revision.Method, w Where) Card {
	t := termOf(Method, m.Name)
	c := t.card(w)
	c.Title = "request"
	if m.IsNotification() {
		c.Title = "notification"
	}
	c.fact("sent by", methodSender(m, w.Revision))
	c.fact("versions", methodRevisions(m, t))
	c.fact("needs", methodNeeds(m, w.Revision))
	c.fact("params", methodMembers(m, w.Revision, revision.Method.ParamMembers))
	if !m.IsNotification() {
		c.fact("result", methodMembers(m, w.Revision, revision.Method.ResultMembers))
		c.fact("response", responseKinds(m))
	}
	c.fact("not", strings.Join(revision.Misspellings(m.Name), ", "))
	return c
}

func (c *Card) fact(label, text string) {
	if text != "" {
		c.Facts = append(c.Facts, Fact{label, text})
	}
}

var senders = map[revision.Sender]string{
	revision.Client: "the client", revision.Server: "the server", revision.Both: "either side",
}

// having returns the revisions that have a method, or only r if it is one of them.
func having(m revision.Method, r revision.Revision) []revision.Revision {
	in := slices.DeleteFunc(revision.All(), func(r revision.Revision) bool { return !m.In(r) && !m.Embedded(r) })
	if slices.Contains(in, r) {
		return []revision.Revision{r}
	}
	return in
}

// byRevision joins the values of several revisions. Different values are followed by
// their revisions.
func byRevision(in []revision.Revision, of func(revision.Revision) string) string {
	var values []string
	groups := make(map[string][]revision.Revision)
	for _, r := range in {
		v := of(r)
		if v == "" {
			continue
		}
		if groups[v] == nil {
			values = append(values, v)
		}
		groups[v] = append(groups[v], r)
	}
	if len(values) == 1 && len(groups[values[0]]) == len(in) {
		return values[0]
	}
	for i, v := range values {
		values[i] = v + " (" + revision.Words(groups[v]) + ")"
	}
	return strings.Join(values, "; ")
}

func methodSender(m revision.Method, r revision.Revision) string {
	return byRevision(having(m, r), func(r revision.Revision) string {
		if m.Embedded(r) {
			return "the server, in inputRequests"
		}
		return senders[m.Sender(r)]
	})
}

// methodRevisions describes the revisions with a method, its removal and deprecation.
func methodRevisions(m revision.Method, t *term) string {
	in := having(m, "")
	all := revision.All()
	last := in[len(in)-1]
	text := revision.Words(in)
	switch newest := all[len(all)-1]; {
	case m.Embedded(newest):
		direct := slices.DeleteFunc(slices.Clone(in), m.Embedded)
		text = revision.Words(direct) + "; since " + string(newest) + " in a result"
	case last != newest:
		text += "; removed in " + string(all[slices.Index(all, last)+1])
		if t.Replaced != "" {
			text += ", replaced by " + t.Replaced
		}
	}
	if t.Deprecated != "" {
		text += "; deprecated since " + string(t.Deprecated)
	}
	return text
}

// methodNeeds names the capability that a method requires.
func methodNeeds(m revision.Method, r revision.Revision) string {
	return byRevision(having(m, r), func(r revision.Revision) string {
		sender := m.Sender(r)
		if m.Embedded(r) {
			sender = revision.Server
		}
		path := m.Needs(r, sender)
		switch {
		case len(path) == 0:
			return "no capability"
		case path[0] == "extensions" && path[1] == revision.EventsExtension: // a client may declare it
			return strings.Join(append([]string{"the extension " + path[1]}, path[2:]...), ", ") + " of the server"
		case path[0] == "extensions":
			return "the extension " + strings.Join(path[1:], ".") + " on both sides"
		}
		owner := sender
		if !m.IsNotification() && sender != revision.Both {
			owner = revision.Both &^ sender
		}
		whose := "of " + senders[owner]
		if owner == revision.Both {
			whose = "of the receiver"
		}
		return strings.Join(path, ".") + " " + whose
	})
}

// methodMembers lists members, with the protocol versions of members that not all versions have. Optional
// members get a question mark.
func methodMembers(m revision.Method, r revision.Revision, of func(revision.Method, revision.Revision) []revision.Member) string {
	in := having(m, r)
	var order []string
	where, required := make(map[string][]revision.Revision), make(map[string]bool)
	for _, r := range in {
		for _, member := range of(m, r) {
			if where[member.Name] == nil {
				order = append(order, member.Name)
			}
			where[member.Name] = append(where[member.Name], r)
			required[member.Name] = member.Required
		}
	}
	if len(order) == 0 {
		return "none"
	}
	for i, name := range order {
		if !required[name] {
			order[i] += "?"
		}
		if len(where[name]) < len(in) {
			order[i] += " (" + revision.Words(where[name]) + ")"
		}
	}
	return strings.Join(order, ", ")
}

// responseKinds lists the kinds of response that a request may have.
func responseKinds(m revision.Method) string {
	var can []string
	if m.Paged() {
		can = append(can, "paged")
	}
	if m.Progresses() {
		can = append(can, "may report progress")
	}
	if !m.Cancellable() {
		can = append(can, "cannot be cancelled")
	}
	if m.MayRequestInput() {
		can = append(can, "may request input first (since 2026-07-28)")
	}
	return strings.Join(can, ", ")
}
