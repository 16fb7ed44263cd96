package compare

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// Table compares the successful runs, one fact in each row.
type Table struct {
	Revisions []revision.Revision // the columns, oldest first
	Rows      []Row
	// Notable are the rows with a difference or an undefined fact. Entries of a list that
	// differ in the same way share one.
	Notable []Row
}

// Row is one fact under each revision.
type Row struct {
	Section string   // "server", "capabilities", or the name of a list
	Items   []string // the capability or the entry; several if the row is the same for all of them
	Path    string   // where in the entry, as a JSON path; empty for the entry itself
	Cells   []Cell
	Differs bool
}

// Cell is a fact under one revision.
type Cell struct {
	State     State
	Value     []byte // raw JSON; nil if only the state is known
	Undefined bool   // the tables of the revision do not have it
}

// State is whether a fact is present.
type State uint8

// The states.
const (
	Nothing State = iota // not applicable: the object that would have it is absent
	Missing
	Present
)

// isNotable reports a difference, or a fact that the negotiated revision does not
// define.
func (r Row) isNotable() bool {
	return r.Differs || slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.State == Present && c.Undefined })
}

// tabulate compares the runs.
func tabulate(runs []Run) Table {
	t := Table{}
	for _, run := range runs {
		t.Revisions = append(t.Revisions, run.Revision)
	}
	if len(runs) == 0 {
		return t
	}
	t.server(runs)
	t.capabilities(runs)
	for _, kind := range client.ListKinds {
		t.list(kind, runs)
	}
	t.Notable = t.condense()
	return t
}

// row adds the row of a fact, with a cell for each revision.
func (t *Table) row(section, item, path string, cell func(i int) Cell) {
	r := Row{Section: section, Path: path}
	if section != "server" {
		r.Items = []string{item}
	}
	for i := range t.Revisions {
		r.Cells = append(r.Cells, cell(i))
	}
	r.Differs = differs(r.Cells)
	t.Rows = append(t.Rows, r)
}

// server compares serverInfo and the instructions.
func (t *Table) server(runs []Run) {
	infos, instructions := make([][]byte, len(runs)), make([][]byte, len(runs))
	for i, run := range runs {
		infos[i], instructions[i] = run.Server, jsonrpc.Get(run.Result, "instructions")
	}
	t.members("server", "", revision.ShapeImplementation, infos)
	if slices.ContainsFunc(instructions, func(v []byte) bool { return v != nil }) {
		t.row("server", "", "instructions", func(i int) Cell { return cellOf(instructions[i]) })
	}
}

// members compares the members of objects that should be equal: serverInfo, or one
// entry of a list. The members of a nil object are not compared.
func (t *Table) members(section, item string, shape revision.Shape, objects [][]byte) {
	asked := asked(objects)
	for _, name := range namesIn(objects) {
		described := func(at place) bool { return shape.Describes(name, at.names[1:]...) }
		walk(place{step("", name), []string{name}}, valuesOf(objects, name), asked, described, func(at place, values [][]byte) {
			t.row(section, item, at.path, func(i int) Cell {
				if !asked[i] {
					return Cell{}
				}
				c := cellOf(values[i])
				c.Undefined = !shape.Defines(t.Revisions[i], name, at.names[1:]...)
				return c
			})
		})
	}
}

// capabilities compares the declared capabilities, the known ones first.
func (t *Table) capabilities(runs []Run) {
	objects := make([][]byte, len(runs))
	for i, run := range runs {
		objects[i] = run.ServerCaps
	}
	declared := namesIn(objects)
	for _, c := range revision.Capabilities(revision.Server) {
		if i := slices.Index(declared, c.Name); i >= 0 {
			declared = slices.Delete(declared, i, i+1)
			t.capability(c.Name, &c, objects)
		}
	}
	for _, name := range declared {
		t.capability(name, nil, objects)
	}
}

// capability compares one capability; known is nil if no revision defines it.
func (t *Table) capability(name string, known *revision.Capability, objects [][]byte) {
	values := valuesOf(objects, name)
	isUndefined := func(i int) bool { return known == nil || !known.In(t.Revisions[i]) }
	t.row("capabilities", name, "", func(i int) Cell {
		c := cellOf(values[i])
		c.Undefined = isUndefined(i)
		if c.Value != nil && c.Value[0] == '{' {
			c.Value = nil // another value is invalid
		}
		return c
	})
	leaves("", values, func(path string, under [][]byte) {
		t.row("capabilities", name, path, func(i int) Cell {
			if values[i] == nil {
				return Cell{}
			}
			c := cellOf(under[i])
			c.Undefined = isUndefined(i) || !known.Open && !hasFlag(known.Flags(t.Revisions[i]), path)
			return c
		})
	})
}

// hasFlag reports whether a path is one of the flags of a capability, a part of one,
// or below one.
func hasFlag(flags []string, path string) bool {
	return slices.ContainsFunc(flags, func(f string) bool {
		return f == path || strings.HasPrefix(f, path+".") || strings.HasPrefix(path, f+".")
	})
}

// list compares the entries of a list. Revisions in which the list was not offered,
// or could not be fetched, are left out.
func (t *Table) list(kind client.ListKind, runs []Run) {
	var names []string
	named := make(map[string]bool)
	byName := make([]map[string][]byte, len(runs))
	for i, run := range runs {
		l := run.Lists[kind.Name]
		if l.Err != nil || !l.Offered {
			continue
		}
		byName[i] = make(map[string][]byte)
		for _, item := range l.Items {
			key := jsonrpc.Text(item.Raw, kind.Key)
			name := key
			for n := 2; byName[i][name] != nil; n++ {
				name = fmt.Sprintf("%s (%d)", key, n) // a duplicate
			}
			byName[i][name] = item.Raw
			if !named[name] {
				named[name], names = true, append(names, name)
			}
		}
	}
	for _, name := range names {
		objects := make([][]byte, len(runs))
		for i := range runs {
			objects[i] = byName[i][name]
		}
		t.row(kind.Name, name, "", func(i int) Cell {
			if byName[i] == nil {
				return Cell{}
			}
			return Cell{State: cellOf(objects[i]).State}
		})
		t.members(kind.Name, name, kind.Shape, objects)
	}
}

// differs reports whether the cells that apply are not all equal.
func differs(cells []Cell) bool {
	var applying []int
	for i, class := range Classes(cells) {
		if cells[i].State != Nothing {
			applying = append(applying, class)
		}
	}
	return len(slices.Compact(applying)) > 1
}

// Classes numbers the cells by their values: equal values have the same number,
// counted from 0 in the order of the columns. A cell that is not present has -1.
// Equality is that of JSON values.
func Classes(cells []Cell) []int {
	var seen [][]byte
	out := make([]int, len(cells))
	for i, c := range cells {
		if out[i] = -1; c.State != Present {
			continue
		}
		at := slices.IndexFunc(seen, func(v []byte) bool { return equal(v, c.Value) })
		if at < 0 {
			at = len(seen)
			seen = append(seen, c.Value)
		}
		out[i] = at
	}
	return out
}

// several is the minimum number of entries with the same difference that share a
// row.
const several = 3

// condense returns the notable rows. Entries of a list that differ
// in the same way share a row, and these rows come first in their section.
func (t Table) condense() []Row {
	groups := make(map[string][]int)
	for i, r := range t.Rows {
		if mayShare(r) {
			groups[likeness(r)] = append(groups[likeness(r)], i)
		}
	}
	var out, single []Row
	for i, r := range t.Rows {
		if i > 0 && r.Section != t.Rows[i-1].Section {
			out, single = append(out, single...), nil
		}
		switch group := groupOf(r, groups); {
		case !r.isNotable():
		case len(group) < several:
			single = append(single, r)
		case group[0] == i:
			out = append(out, t.merged(group))
		}
	}
	return append(out, single...)
}

// mayShare reports whether a row is about a member of an entry, and notable.
func mayShare(r Row) bool {
	return r.Section != "capabilities" && len(r.Items) == 1 && r.Path != "" && r.isNotable()
}

func groupOf(r Row, groups map[string][]int) []int {
	if !mayShare(r) {
		return nil
	}
	return groups[likeness(r)]
}

// merged is one row for several. Values that are not the same for all are left
// out.
func (t Table) merged(group []int) Row {
	r := t.Rows[group[0]]
	r.Items, r.Cells = nil, append([]Cell(nil), r.Cells...)
	for _, i := range group {
		other := t.Rows[i]
		r.Items = append(r.Items, other.Items...)
		for n := range r.Cells {
			if !equal(r.Cells[n].Value, other.Cells[n].Value) {
				r.Cells[n].Value = nil
			}
		}
	}
	return r
}

// likeness is the key of rows that may be merged: the place, and how the cells
// differ. If the values differ between revisions, they are part of the key.
func likeness(r Row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q", r.Section, r.Path)
	most := 0
	classes := Classes(r.Cells)
	for i, c := range r.Cells {
		fmt.Fprintf(&b, " %d%d%v", c.State, classes[i], c.Undefined)
		most = max(most, classes[i])
	}
	if most > 0 {
		for _, c := range r.Cells {
			fmt.Fprintf(&b, " %q", canonical(c.Value))
		}
	}
	return b.String()
}

// Shorten cuts values to about most bytes for display. Strings have no quotes, unless
// they look like another JSON value. A long common beginning of long values is cut
// away, so that the difference is visible. The mark replaces what was cut.
func Shorten(values [][]byte, most int, mark string) []string {
	texts := make([]string, len(values))
	long := false
	for i, v := range values {
		texts[i] = legible(v)
		long = long || len(texts[i]) > most
	}
	if !long {
		return texts
	}
	const lead = 12 // bytes of the common beginning that remain
	common := commonStart(texts)
	cut := 0
	if len(texts) > 1 && common > lead+2 {
		cut = common - lead
	}
	for i, t := range texts {
		for n := cut; n > 0; n-- {
			if utf8.RuneStart(t[n]) {
				t = mark + t[n:]
				break
			}
		}
		texts[i] = head(t, most, mark)
	}
	return texts
}

func head(text string, most int, mark string) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + mark
}

// legible is a value for display. A string that looks like another JSON value keeps
// its quotes.
func legible(value []byte) string {
	if s, ok := jsonrpc.Unquote(value); ok && s != "" && !json.Valid([]byte(s)) {
		return s
	}
	return canonical(value)
}

// commonStart is how many bytes all the texts begin with, never all of one.
func commonStart(texts []string) int {
	n := 0
	for {
		for _, t := range texts {
			if n+1 >= len(t) || t[n] != texts[0][n] {
				return n
			}
		}
		n++
	}
}
