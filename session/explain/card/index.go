package card

import (
	"slices"
	"strconv"

	"mcptea/session/lint"
)

// Entry is a line of the list of cards.
type Entry struct {
	Kind  Kind   `json:"kind"`
	Key   string `json:"key"`
	Title string `json:"title"`
}

// Index lists what can be asked for, kind by kind.
func Index() []Entry {
	t := tables()
	var all []Entry
	numbers := func(kind Kind, table []entry, card func(int64) Card) {
		var seen []int64
		for _, e := range table {
			if !slices.Contains(seen, *e.Code) {
				seen = append(seen, *e.Code)
				all = append(all, Entry{kind, strconv.FormatInt(*e.Code, 10), card(*e.Code).Title})
			}
		}
	}
	numbers(Code, t.codes, func(code int64) Card { return OfCode(code, Where{}) })
	numbers(Status, t.statuses, func(code int64) Card { return OfStatus(int(code), Where{}) })
	for _, m := range methods() {
		all = append(all, Entry{Method, m.Name, ofMethod(m, Where{}).What[0]})
	}
	for i := range t.topics {
		c := t.topics[i].card(Where{})
		title := c.Title
		if c.Kind != Topic {
			title = c.What[0]
		}
		all = append(all, Entry{c.Kind, c.Key, title})
	}
	for _, e := range lint.Catalogue() {
		all = append(all, Entry{Rule, e.ID, e.Slug})
	}
	return all
}

// Words are all that can be asked for by name, for who looks for the nearest.
func Words() []string {
	var all []string
	for _, e := range Index() {
		all = append(all, e.Key)
		if e.Kind == Rule {
			all = append(all, e.Title)
		}
	}
	for i := range tables().topics {
		all = append(all, tables().topics[i].Aliases...)
	}
	return all
}
