package compare

import (
	"fmt"
	"slices"
	"strings"

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
	classes := Classes(cells)
	first := -1
	for i, c := range cells {
		switch {
		case c.State == Nothing:
		case first < 0:
			first = i
		case c.State != cells[first].State || classes[i] != classes[first]:
			return true
		}
	}
	return false
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
