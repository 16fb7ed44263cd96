package diff

import (
	"slices"
	"strings"
)

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
	at := make([]int, len(changes)) // the entry of each change: a rename has one for two
	for i := range changes {
		c := &changes[i]
		other := -1
		if c.Renamed != "" {
			other = slices.IndexFunc(changes[:i], func(o Change) bool {
				return o.Section == c.Section && o.Item == c.Renamed && o.Renamed == c.Item
			})
		}
		if other < 0 {
			at[i], entries = len(entries), append(entries, EntryOf(c))
			continue
		}
		was, is := c, &changes[other]
		if is.Kind == Removed {
			was, is = is, was
		}
		at[i] = at[other]
		entries[at[i]] = renamedEntry(was, is)
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
				place[i], longest = at[k], len(c.Path)
			}
		}
		for k := 0; k < len(changes) && longest < 0 && !e.Ignored; k++ {
			c := &changes[k]
			if c.Item != "" && strings.Contains(e.Name, c.Section+"["+c.Item+"]") && isPart(c.Path, e.Path) {
				place[i], longest = at[k], 0
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

// isPart reports whether the place of a change in an entry is within that of a value, which may be in a longer document.
func isPart(path, of string) bool {
	for i := strings.LastIndexByte(path, '/'); i > 0; i = strings.LastIndexByte(path[:i], '/') {
		if strings.HasSuffix(of, path[:i]) {
			return true
		}
	}
	return false
}

// renamedEntry is an entry that was removed, and the one that probably replaces it.
func renamedEntry(was, is *Change) Entry {
	e := EntryOf(was)
	e.Kind, e.Old, e.New = Changed, was.Old, is.New
	e.Name, e.Renamed = was.Section+" "+was.Item, is.Item
	return e
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
