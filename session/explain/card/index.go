package card

import (
	"sync"

	"mcptea/client/revision"
)

// An Entry is a line in the list of cards.
type Entry struct {
	Kind  Kind   `json:"kind"`  // kind of the explanation
	Key   string `json:"key"`   // the TOPIC
	Title string `json:"title"` // short title
}

// Index returns all topics, ordered by kind.
func Index() []Entry {
	var all []Entry
	seen := map[Entry]bool{}
	for _, e := range meaningTable() {
		one := Entry{Kind: e.Kind}
		switch e.Kind {
		case Code:
			c := OfCode(*e.Code, Where{})
			one.Key, one.Title = c.Key, c.Title
		case Status:
			c := OfStatus(int(*e.Code), Where{})
			one.Key, one.Title = c.Key, c.Title
		default:
			continue
		}
		if !seen[one] {
			seen[one] = true
			all = append(all, one)
		}
	}
	for _, m := range methods() {
		all = append(all, Entry{Method, m.Name, ofMethod(m, Where{}).What[0]})
	}
	all = append(all, members()...)
	for i := range terms() {
		c := terms()[i].card(Where{})
		switch c.Kind {
		case Method, Member: // the tables of client/revision have all
			continue
		case Topic:
		default:
			c.Title = c.What[0]
		}
		all = append(all, Entry{c.Kind, c.Key, c.Title})
	}
	for _, e := range findings() {
		all = append(all, Entry{Rule, e.ID, e.Slug})
	}
	return all
}

// members returns the members that have a card of their own: the name of another term, such as skills, leads to its card.
var members = sync.OnceValue(func() (all []Entry) {
	for _, name := range revision.AllMembers() {
		if c, ok := Find(name, Where{}); ok && c.Kind == Member && c.Key == name {
			all = append(all, Entry{Member, name, c.Title})
		}
	}
	return all
})

// Words returns all topic names, to search for the closest one.
func Words() []string {
	var all []string
	for _, e := range Index() {
		all = append(all, e.Key)
		if e.Kind == Rule {
			all = append(all, e.Title)
		}
	}
	for _, t := range terms() {
		all = append(all, t.Aliases...)
	}
	return all
}
