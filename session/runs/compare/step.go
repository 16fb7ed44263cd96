package compare

import (
	"fmt"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/offer/diff"
)

// Step is what differs between two revisions that the server speaks, of which none is between them.
type Step struct {
	From, To revision.Revision
	Changes  []Change
}

// Change is a change that several entries of a list may share.
type Change struct {
	diff.Change          // of the first entry; without values if they are not the same for all
	Items       []string // their names or URIs, from the peer; empty for what is no entry
}

// mostNames is how many entries that share a change are named.
const mostNames = 8

// Text says where something was added, removed or changed, and what that means.
func (c Change) Text() string {
	text := c.Section
	switch {
	case len(c.Items) == 1:
		text += " " + c.Items[0]
	case len(c.Items) > 1:
		text = fmt.Sprintf("%d %s", len(c.Items), c.Section)
	}
	if c.Path != "" {
		text += "  " + c.Path
	}
	if c.Reason != diff.ForInformation {
		text += ": " + c.Reason
	}
	names, rest := c.Items[:min(len(c.Items), mostNames)], ""
	if n := len(c.Items) - len(names); n > 0 {
		rest = fmt.Sprintf(" and %d more", n)
	}
	if len(names) > 1 {
		text += " (" + strings.Join(names, ", ") + rest + ")"
	}
	return text
}

// stepsOf compares each run with the one before it.
func stepsOf(runs []Run) (steps []Step) {
	for i := 1; i < len(runs); i++ {
		found := diff.Servers(runs[i-1].offer(), runs[i].offer())
		steps = append(steps, Step{From: runs[i-1].Revision, To: runs[i].Revision, Changes: share(found)})
	}
	return steps
}

// offer is what the server offers in a run. A list that was not fetched is left out.
func (r Run) offer() diff.Server {
	s := diff.Server{
		Info: r.Server, Capabilities: r.ServerCaps, Instructions: jsonrpc.Get(r.Result, "instructions"), Lists: map[string][][]byte{},
	}
	for _, kind := range client.ListKinds {
		l := r.Lists[kind.Name]
		if !l.Offered || l.Err != nil {
			continue
		}
		raw := make([][]byte, len(l.Items))
		for i, item := range l.Items {
			raw[i] = item.Raw
		}
		s.Lists[kind.Name] = raw
	}
	return s
}

// share makes one change of those at the same place in several entries of a list. It stands
// where the first one was, and has values only if they are the same for all.
func share(found []diff.Change) (changes []Change) {
	at := map[string]int{}
	for _, c := range found {
		key := fmt.Sprintf("%s %q %s %q", c.Section, c.Path, c.Kind, c.Reason)
		i, ok := at[key]
		switch {
		case !ok || c.Item == "":
			i = len(changes)
			at[key] = i
			changes = append(changes, Change{Change: c})
		case !sameValue(changes[i].Old, c.Old) || !sameValue(changes[i].New, c.New):
			changes[i].Old, changes[i].New = nil, nil
		}
		if c.Item != "" {
			changes[i].Items = append(changes[i].Items, c.Item)
		}
	}
	return changes
}

// sameValue compares two values, each of which may be missing.
func sameValue(a, b []byte) bool {
	return (a == nil) == (b == nil) && (a == nil || jsonrpc.Equal(a, b))
}
