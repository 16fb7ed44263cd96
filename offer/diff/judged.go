package diff

import (
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
)

// An Effect is the consequence of a change for clients that work with the server.
type Effect uint8

// The effects.
const (
	Compatible Effect = iota + 1
	LessRisk          // breaks no client, but a host may now run the tool without asking
	Breaking
)

// String returns the name of the effect.
func (e Effect) String() string { return [...]string{"", "compatible", "less risk", "breaking"}[e] }

// NewReport compares two values. If whole is set, it contains all equal lines, otherwise only a few next to
// differences; then equal values have no lines. The error is [ErrNotJSON]. If both values describe the offer of
// a server, its changes replace the entries that are part of them.
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

// judge replaces entries with the changes that they are part of.
func (r *Report) judge(changes []Change) {
	entries := make([]Entry, 0, len(changes)+len(r.Entries))
	at := make([]int, len(changes)) // the entry of each change: a rename has one for two
	for i := range changes {
		c := &changes[i]
		other := slices.IndexFunc(changes[:i], func(o Change) bool { return c.isRenameWith(&o) || r.isRename(c, &o) })
		if other < 0 {
			at[i], entries = len(entries), append(entries, EntryOf(c))
			continue
		}
		was, is := c, &changes[other]
		if isGone(is) {
			was, is = is, was
		}
		at[i] = at[other]
		entries[at[i]] = renamedEntry(was, is, changes)
	}
	place := make([]int, len(r.Entries)) // next place of each earlier entry
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

// isPart reports whether the place of a change in an entry is within the place of a value, which may be in a
// larger document.
func isPart(path, of string) bool {
	for i := strings.LastIndexByte(path, '/'); i > 0; i = strings.LastIndexByte(path[:i], '/') {
		if strings.HasSuffix(of, path[:i]) {
			return true
		}
	}
	return false
}

// isRenameWith reports whether an entry of a list was removed and another one added that probably is the same.
func (c *Change) isRenameWith(o *Change) bool {
	return c.Renamed != "" && o.Section == c.Section && o.Item == c.Renamed && o.Renamed == c.Item
}

// isGone reports whether the value at the place of a change was removed.
func isGone(c *Change) bool {
	kind, _, _ := c.At()
	return kind == Removed
}

// isRename reports whether a property was removed and another one added that the report has paired.
func (r *Report) isRename(c, o *Change) bool {
	was, is := c, o
	if isGone(is) {
		was, is = is, was
	}
	if kind, _, _ := is.At(); kind != Added || !isGone(was) || was.Section != is.Section || was.Item != is.Item || was.Path == "" || is.Path == "" {
		return false
	}
	return slices.ContainsFunc(r.Entries, func(e Entry) bool {
		return e.before != "" && strings.HasSuffix(e.before, was.Path) && strings.HasSuffix(e.Path, is.Path) && strings.Contains(e.Name, is.Section+"["+is.Item+"]")
	})
}

// renamedEntry returns the entry for a removed item or property and its probable replacement. changes are all changes of
// the report.
func renamedEntry(was, is *Change, changes []Change) Entry {
	e := EntryOf(was)
	_, _, now := is.At()
	e.Kind, e.New = Changed, now
	if was.Path == "" {
		e.Name, e.Renamed = was.Section+" "+was.Item, is.Item
		return e
	}
	parts := jsonrpc.SplitPointer(is.Path)
	e.Renamed, e.Effect = parts[len(parts)-1], max(was.Effect(), is.Effect())
	if is.Reason != was.Reason {
		e.Note += "; " + is.Reason
	}
	schema := jsonrpc.JoinPointer(parts[:max(len(parts)-2, 0)]) // without properties/NAME
	refused := slices.ContainsFunc(changes, func(c Change) bool {
		return c.Section == is.Section && c.Item == is.Item && c.RequiresMore(schema)
	})
	if e.Effect == Compatible && !refused {
		e.Note += "; a value under the old name is ignored"
	}
	return e
}

// RequiresMore reports whether the change makes a property of the schema at a JSON Pointer required, so that a call with
// only the old name of a renamed property fails.
func (c *Change) RequiresMore(schema string) bool { return c.Breaking && c.Path == schema+"/required" }

// Effect returns the consequence of the change for clients that work with the old server.
func (c *Change) Effect() Effect {
	switch {
	case c.Breaking:
		return Breaking
	case c.LessRisk:
		return LessRisk
	}
	return Compatible
}

// EntryOf returns the change as an entry of a report.
func EntryOf(c *Change) Entry {
	e := Entry{Effect: c.Effect(), Note: c.Reason}
	e.Kind, e.Old, e.New = c.At()
	e.Name = strings.TrimSpace(c.Section + " " + c.Item + " " + c.Path)
	return e
}
