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

func (t *Table) add(r Row) {
	r.Differs = differs(r.Cells)
	t.Rows = append(t.Rows, r)
}

// server compares serverInfo and the instructions.
func (t *Table) server(runs []Run) {
	values := make([][]byte, len(runs))
	for i, run := range runs {
		values[i] = run.Server
	}
	t.members("server", "", revision.ShapeImplementation, values)
	row := Row{Section: "server", Path: "instructions"}
	for _, run := range runs {
		row.Cells = append(row.Cells, cellOf(jsonrpc.Get(run.Result, "instructions")))
	}
	if slices.ContainsFunc(row.Cells, func(c Cell) bool { return c.State == Present }) {
		t.add(row)
	}
}

// members compares the members of objects that should be equal: serverInfo, or one
// entry of a list. The members of a nil object are not compared.
func (t *Table) members(section, item string, shape revision.Shape, objects [][]byte) {
	for _, name := range namesIn(objects) {
		values := make([][]byte, len(objects))
		for i, o := range objects {
			values[i] = jsonrpc.Get(o, name)
		}
		asked := asked(objects)
		described := func(at place) bool { return shape.Describes(name, at.names[1:]...) }
		walk(place{step("", name), []string{name}}, values, asked, described, func(at place, values [][]byte) {
			row := Row{Section: section, Path: at.path}
			if item != "" {
				row.Items = []string{item}
			}
			for i, v := range values {
				c := cellOf(v)
				c.Undefined = !shape.Defines(t.Revisions[i], name, at.names[1:]...)
				if !asked[i] {
					c = Cell{}
				}
				row.Cells = append(row.Cells, c)
			}
			t.add(row)
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
	values := make([][]byte, len(objects))
	whole := Row{Section: "capabilities", Items: []string{name}}
	for i, o := range objects {
		values[i] = jsonrpc.Get(o, name)
		c := Cell{State: Missing, Undefined: known == nil || !known.In(t.Revisions[i])}
		if values[i] != nil {
			c.State = Present
			if values[i][0] != '{' {
				c.Value = values[i] // invalid: it must be an object
			}
		}
		whole.Cells = append(whole.Cells, c)
	}
	t.add(whole)
	leaves("", values, func(path string, under [][]byte) {
		row := Row{Section: "capabilities", Items: []string{name}, Path: path}
		for i, v := range under {
			c := cellOf(v)
			c.Undefined = known == nil || !known.In(t.Revisions[i]) || !known.Open && !hasFlag(known.Flags(t.Revisions[i]), path)
			if values[i] == nil {
				c = Cell{}
			}
			row.Cells = append(row.Cells, c)
		}
		t.add(row)
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
			key, _ := jsonrpc.Unquote(jsonrpc.Get(item.Raw, kind.Key))
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
		row := Row{Section: kind.Name, Items: []string{name}}
		for i := range runs {
			c := Cell{}
			if byName[i] != nil {
				c.State = Missing
				if objects[i] = byName[i][name]; objects[i] != nil {
					c.State = Present
				}
			}
			row.Cells = append(row.Cells, c)
		}
		t.add(row)
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
