package diff

import (
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
)

// payload compares the schemas of the data of an event type.
func (s *servers) payload(c Change) {
	switch c.Kind {
	case Added:
		c.Reason = "data has a schema now"
		s.add(c)
	case Removed:
		c.Breaking, c.Reason = true, "data no longer has a schema, but clients that read it depend on it"
		s.add(c)
	default:
		s.schemas(c, outputSchema)
	}
}

// delivery compares the modes in which events are delivered.
func (s *servers) delivery(c Change) {
	modes := func(list []byte) (all []string) {
		for _, mode := range elementsOf(list) {
			if text, ok := jsonrpc.Unquote(mode); ok {
				all = append(all, text)
			}
		}
		return all
	}
	old, now := modes(c.Old), modes(c.New)
	without := func(list, other []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(mode string) bool { return slices.Contains(other, mode) })
	}
	if removed := without(old, now); len(removed) > 0 {
		c.Breaking, c.Reason = true, "subscriptions by "+strings.Join(removed, " and ")+" are refused now"
		s.add(c)
	} else if added := without(now, old); len(added) > 0 {
		c.Reason = "events are delivered by " + strings.Join(added, " and ") + ", too"
		s.add(c)
	}
}
