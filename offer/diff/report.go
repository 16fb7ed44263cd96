package diff

import (
	"cmp"
	"strings"

	"mcptea/client/jsonrpc"
)

// Line is a line of a view of two values, with its position in each of them.
type Line struct {
	Row
	// OldNumber and NewNumber are the 1-based line numbers in the indented values, or 0 on a side that lacks
	// the line.
	OldNumber, NewNumber int
	// Entry is the index of the entry of the report that the line belongs to; -1 for
	// others.
	Entry   int
	Heading string // replaces values, added by the caller; it must be sanitized
	Change  *Row   // change that a line of [Unified] shows a side of, or nil
}

// LinesOf returns rows as lines.
func LinesOf(rows []Row) []Line {
	lines := make([]Line, len(rows))
	for i := range rows {
		lines[i].Row = rows[i]
	}
	return lines
}

// Entry is a place of a report where two values differ.
type Entry struct {
	Difference
	Ignored bool   // the change does not count
	Effect  Effect // effect of a change in a server's offer, or 0
	Note    string // effect of the change; untrusted
	Renamed string // name that probably replaces the name of the entry, or ""; untrusted
	before  string // path of a renamed member in the old value, or ""
}

// Report is a comparison of two values for a reader.
type Report struct {
	Lines   []Line
	Entries []Entry // entries in the order of the lines, at most [Options.Max]
	More    int     // entries that were left out
	Equal   int     // members and elements that are equal
	AsText  string  // why texts were compared instead of values, or ""
}

// Count returns the number of entries of a kind that count, except those with an effect.
func (r *Report) Count(k Kind) int {
	return r.count(func(e *Entry) bool { return !e.Ignored && e.Effect == 0 && e.Kind == k })
}

// Effects returns the number of entries with an effect.
func (r *Report) Effects(effect Effect) int {
	return r.count(func(e *Entry) bool { return e.Effect == effect })
}

// Ignored returns the number of entries that do not count.
func (r *Report) Ignored() int { return r.count(func(e *Entry) bool { return e.Ignored }) }

func (r *Report) count(match func(e *Entry) bool) (n int) {
	for i := range r.Entries {
		if match(&r.Entries[i]) {
			n++
		}
	}
	return n
}

// compared compares two values. If whole is set, it contains all equal lines, otherwise only a few next to
// differences; then equal values have no lines. The error is [ErrNotJSON].
func compared(old, now []byte, o Options, whole bool) (Report, error) {
	v := &reporter{whole: whole, limit: cmp.Or(o.Max, maxDifferences)}
	c := comparison{Options: o, v: v, reads: true}
	if err := c.run(old, now); err != nil {
		return Report{}, err
	}
	if len(v.report.Lines) == 0 && whole {
		v.value(-1, Same, "", now, now)
	}
	return v.report, nil
}

// reporter makes a report, or the rows of a view.
type reporter struct {
	report   Report
	whole    bool            // include all equal lines
	isBrief  bool            // for a view: ignored differences count as equal, and no entries are kept
	limit    int             // maximum number of entries
	old, new int             // last line of each side
	open     []openContainer // containers around the place
	lost     bool            // the line numbers are no longer known
}

// openContainer is a container around the place of a reporter.
type openContainer struct {
	before int     // lines before it
	found  bool    // the value contains a difference
	single [2]bool // the sides on which it is empty, and has one line
}

func (v *reporter) add(l Line) {
	n := len(v.report.Lines)
	switch {
	case l.Skipped > 0 && n > 0 && v.report.Lines[n-1].Skipped > 0:
		v.report.Lines[n-1].Skipped += l.Skipped
	case n < maxRows:
		v.report.Lines = append(v.report.Lines, l)
	case n == maxRows:
		more := "… more lines"
		if v.isBrief {
			more = "… more differences"
		}
		v.report.Lines = append(v.report.Lines, Line{Row: Row{Old: more, New: more}, Entry: -1})
	}
}

// line adds a line that both sides have, or only one if the other text is nil.
func (v *reporter) line(entry int, kind Kind, old, now *string) {
	l := Line{Entry: entry, Row: Row{Kind: kind}}
	if old != nil {
		v.old++
		l.Old, l.OldNumber = *old, v.old
	}
	if now != nil {
		v.new++
		l.New, l.NewNumber = *now, v.new
	}
	if v.lost {
		l.OldNumber, l.NewNumber = 0, 0
	}
	v.add(l)
}

// value adds the lines of one or two values, after the text before them in their line.
func (v *reporter) value(entry int, kind Kind, before string, old, now []byte) {
	var a, b []string
	if old != nil {
		a = lines(before, old)
	}
	if now != nil {
		b = lines(before, now)
	}
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(b):
			v.line(entry, oneSided(kind, Removed), &a[i], nil)
		case i >= len(a):
			v.line(entry, oneSided(kind, Added), nil, &b[i])
		case kind == Changed && a[i] == b[i] && !v.isBrief:
			v.line(entry, Same, &a[i], &b[i])
		default:
			v.line(entry, kind, &a[i], &b[i])
		}
	}
}

// oneSided returns the kind of a line that only one side has.
func oneSided(kind, side Kind) Kind {
	if kind == Same {
		return Same
	}
	return side
}

func (v *reporter) enter(at *place, old, now []byte) {
	v.open = append(v.open, openContainer{before: len(v.report.Lines), single: [2]bool{isEmpty(old), isEmpty(now)}})
	text := lead(at) + string(now[:1])
	v.line(-1, Same, &text, &text)
}

func (v *reporter) leave(at *place, open byte) {
	n := len(v.open) - 1
	closed := v.open[n]
	v.open = v.open[:n]
	text := strings.Repeat(indent, len(at.parts)) + string(open+2) // the closing one
	if !closed.found && !v.whole {
		v.old, v.new = v.old+1, v.new+1
		v.report.Lines = v.report.Lines[:min(closed.before, len(v.report.Lines))]
		if n > 0 {
			v.add(Line{Row: Row{Skipped: 1}, Entry: -1})
		}
		return
	}
	if n > 0 {
		v.open[n-1].found = v.open[n-1].found || closed.found
	}
	v.line(-1, Same, &text, &text)
	last := &v.report.Lines[len(v.report.Lines)-1]
	if closed.single[0] {
		v.old, last.OldNumber = v.old-1, 0
	}
	if closed.single[1] {
		v.new, last.NewNumber = v.new-1, 0
	}
}

func (v *reporter) same(at *place, value []byte) {
	v.report.Equal++
	if v.whole {
		v.value(-1, Same, lead(at), value, value)
		return
	}
	text := lead(at) + brief(value)
	v.line(-1, Same, &text, &text)
	v.skipLines(value)
}

// skipLines counts the lines of a value that has one in the report.
func (v *reporter) skipLines(value []byte) {
	if v.lost {
		return
	}
	n := lineCount(value) - 1
	v.old, v.new = v.old+n, v.new+n
}

func (v *reporter) skipped(n int, children []paired) {
	v.report.Equal += n
	v.lost = v.lost || v.isBrief || children == nil
	if v.lost {
		children = nil
	}
	for _, p := range children {
		count := lineCount(p.new.value)
		v.old, v.new = v.old+count, v.new+count
	}
	v.add(Line{Row: Row{Skipped: n}, Entry: -1})
}

func (v *reporter) wantsSame() int {
	if v.whole {
		return maxRows
	}
	return nearRows
}

// remember adds an entry and returns its index; -1 beyond the limit.
func (v *reporter) remember(e Entry) int {
	if n := len(v.open); n > 0 {
		v.open[n-1].found = true
	}
	if len(v.report.Entries) == v.limit {
		v.report.More++
		return -1
	}
	v.report.Entries = append(v.report.Entries, e)
	return len(v.report.Entries) - 1
}

func (v *reporter) ignored(at *place, old, now []byte) {
	if v.isBrief {
		if now == nil {
			now = old
		}
		v.same(at, now)
		return
	}
	kind := kindOf(old, now)
	i := v.remember(Entry{Difference: Difference{Kind: kind, Path: at.pointer(), Name: at.String(), Old: old, New: now}, Ignored: true})
	v.value(i, Same, lead(at), old, now)
}

func (v *reporter) differ(kind Kind, at *place, old, now []byte) {
	if at.was != "" {
		v.renamed(at, old, now)
		return
	}
	i := v.remember(Entry{Difference: Difference{Kind: kind, Path: at.pointer(), Name: at.String(), Old: old, New: now}})
	before := lead(at)
	switch {
	case kind == Reordered:
		text := before + "(another order of the elements)"
		v.add(Line{Row: Row{Kind: Changed, Old: text, New: text}, Entry: i})
	case kind == Changed && isScalar(old) && isScalar(now):
		a, b := around(old, now)
		a, b = before+a, before+b
		v.line(i, Changed, &a, &b)
	default:
		v.value(i, kind, before, old, now)
	}
}

// renamed adds a member that probably has another name now: the line of the name differs, and of the value what does.
func (v *reporter) renamed(at *place, old, now []byte) {
	i := v.remember(Entry{
		Difference: Difference{Kind: Changed, Path: at.pointer(), Name: at.String(), Old: old, New: now},
		Renamed:    at.parts[len(at.parts)-1], before: at.before(),
	})
	was, is := leadNamed(at, at.was), lead(at)
	if !v.whole && jsonrpc.EqualValid(old, now) {
		a, b := was+brief(old), is+brief(now)
		v.line(i, Changed, &a, &b)
		v.skipLines(now)
		return
	}
	a, b := lines(was, old), lines(is, now)
	for k := range max(len(a), len(b)) {
		switch {
		case k >= len(b):
			v.line(i, Removed, &a[k], nil)
		case k >= len(a):
			v.line(i, Added, nil, &b[k])
		case a[k] == b[k]:
			v.line(i, Same, &a[k], &b[k])
		default:
			v.line(i, Changed, &a[k], &b[k])
		}
	}
}

// isEmpty reports a container without children.
func isEmpty(container []byte) bool {
	tokens := jsonrpc.NewTokens(container)
	tokens.Next()
	end := tokens.Next()[0]
	return end == '}' || end == ']'
}

// lineCount returns the number of lines of a valid value when indented.
func lineCount(value []byte) int {
	n := 1
	opened := false // the previous token opened an object or an array
	tokens := jsonrpc.NewTokens(value)
	for token := tokens.Next(); token != nil; token = tokens.Next() {
		switch token[0] {
		case ',':
			n++
		case '{', '[':
			n += 2
		case '}', ']':
			if opened {
				n -= 2
			}
		}
		opened = token[0] == '{' || token[0] == '['
	}
	return n
}
