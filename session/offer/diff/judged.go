package diff

import "strings"

// Effect is what a change of what a server offers means for clients that work with it.
type Effect uint8

// The effects.
const (
	Compatible Effect = iota + 1
	LessRisk          // it breaks nothing, and a host may run the tool without asking now
	Breaking
)

// String is the name of the effect.
func (e Effect) String() string { return [...]string{"", "compatible", "less risk", "breaking"}[e] }

// NewReport compares two values. With whole it has all lines of what is equal, and else a little
// of that beside what differs; values that are equal have no lines without whole. The error is
// [ErrNotJSON]. Where both values say what a server offers, the changes of that have the place of
// the entries that are part of them.
func NewReport(old, now []byte, o Options, whole bool) (Report, error) {
	r, err := compared(old, now, o, whole)
	if err != nil {
		return r, err
	}
	a, ok := Offer(old)
	b, both := Offer(now)
	if ok && both && len(r.Entries) > r.Ignored() {
		r.judge(Servers(a, b))
	}
	return r, nil
}

// judge puts changes in the place of the entries that are part of them.
func (r *Report) judge(changes []Change) {
	entries := make([]Entry, 0, len(changes)+len(r.Entries))
	for i := range changes {
		entries = append(entries, EntryOf(&changes[i]))
	}
	place := make([]int, len(r.Entries)) // of each entry before
	for i, e := range r.Entries {
		longest := -1
		for k, c := range changes {
			where := c.Section
			if c.Item != "" {
				where += "[" + c.Item + "]"
			}
			if !e.Ignored && strings.Contains(e.Name, where) && strings.Contains(e.Path, c.Path) && len(c.Path) > longest {
				place[i], longest = k, len(c.Path)
			}
		}
		if longest < 0 {
			place[i], entries = len(entries), append(entries, e)
		}
	}
	r.Entries = entries
	for i := range r.Lines {
		if l := &r.Lines[i]; l.Entry >= 0 {
			l.Entry = place[l.Entry]
		}
	}
}

// Effect is what the change means for clients that work with the old server.
func (c *Change) Effect() Effect {
	switch {
	case c.Breaking:
		return Breaking
	case c.LessRisk:
		return LessRisk
	}
	return Compatible
}

// EntryOf is a change as the entry of a report.
func EntryOf(c *Change) Entry {
	e := Entry{Effect: c.Effect(), Note: c.Reason}
	e.Kind, e.Old, e.New = c.At()
	e.Name = strings.TrimSpace(c.Section + " " + c.Item + " " + c.Path)
	return e
}
