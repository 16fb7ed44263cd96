package compare

import (
	"fmt"
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// Table is what the runs say, fact by fact.
type Table struct {
	Revisions []revision.Revision // the columns, oldest first
	Rows      []Row
	// Notable are the rows with something to see. Entries of a list that differ
	// in the same way share one.
	Notable []Row
}

// Row is one fact under each revision.
type Row struct {
	Section string   // "server", "capabilities", or the name of a list
	Items   []string // whose fact it is: a capability, or an entry; several where all say the same
	Path    string   // where in the entry, as a JSON path; empty for the entry itself
	Cells   []Cell
	Differs bool
}

// Cell is a fact under one revision.
type Cell struct {
	State     State
	Value     []byte // raw JSON; nil where there is nothing to tell but the state
	Undefined bool   // the tables of the revision do not have it
}

// State says whether something is there.
type State uint8

// The states.
const (
	Nothing State = iota // it makes no sense to ask
	Missing
	Present
)

// isNotable reports whether there is something to see: a difference, or what the
// revision in force does not define.
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

// server compares what the server says of itself.
func (t *Table) server(runs []Run) {
	values := make([][]byte, len(runs))
	for i, run := range runs {
		values[i] = run.Server
	}
	t.members("server", "", revision.ShapeImplementation, values)
	row := Row{Section: "server", Path: "instructions"}
	for _, run := range runs {
		row.Cells = append(row.Cells, cellOf(valueOf(run.Result, "instructions")))
	}
	if slices.ContainsFunc(row.Cells, func(c Cell) bool { return c.State == Present }) {
		t.add(row)
	}
}

// members compares the members of objects that should be the same: those of the
// server's name, or those of an entry. An object that is nil makes no sense.
func (t *Table) members(section, item string, shape revision.Shape, objects [][]byte) {
	for _, name := range namesIn(objects) {
		values := make([][]byte, len(objects))
		for i, o := range objects {
			values[i] = valueOf(o, name)
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

// capabilities compares what the server offers, the known ones first.
func (t *Table) capabilities(runs []Run) {
	objects := make([][]byte, len(runs))
	for i, run := range runs {
		objects[i] = run.ServerCaps
	}
	known := revision.Capabilities(revision.Server)
	names := make([]string, 0, len(known))
	for _, c := range known {
		names = append(names, c.Name)
	}
	offered := namesIn(objects)
	names = slices.DeleteFunc(names, func(n string) bool { return !slices.Contains(offered, n) })
	for _, n := range offered {
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	for _, name := range names {
		i := slices.IndexFunc(known, func(c revision.Capability) bool { return c.Name == name })
		var c *revision.Capability
		if i >= 0 {
			c = &known[i]
		}
		t.capability(name, c, objects)
	}
}

// capability compares one; known is nil for one that no revision has.
func (t *Table) capability(name string, known *revision.Capability, objects [][]byte) {
	values := make([][]byte, len(objects))
	whole := Row{Section: "capabilities", Items: []string{name}}
	for i, o := range objects {
		values[i] = valueOf(o, name)
		c := Cell{State: Missing, Undefined: known == nil || !known.In(t.Revisions[i])}
		if values[i] != nil {
			c.State = Present
			if values[i][0] != '{' {
				c.Value = values[i] // which it must not be
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

// hasFlag reports whether a path is, or leads to, or lies below one of those
// that a capability has.
func hasFlag(flags []string, path string) bool {
	return slices.ContainsFunc(flags, func(f string) bool {
		return f == path || strings.HasPrefix(f, path+".") || strings.HasPrefix(path, f+".")
	})
}

// shapes and names of the entries of a list.
var entries = map[string]struct {
	shape revision.Shape
	key   string
}{
	"tools":     {revision.ShapeTool, "name"},
	"resources": {revision.ShapeResource, "uri"},
	"templates": {revision.ShapeTemplate, "uriTemplate"},
	"prompts":   {revision.ShapePrompt, "name"},
}

// list compares the entries of a list. Where it was not offered or could not be
// had, nothing is said of them.
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
			key, _ := jsonrpc.Unquote(valueOf(item.Raw, entries[kind.Name].key))
			name := key
			for n := 2; byName[i][name] != nil; n++ {
				name = fmt.Sprintf("%s (%d)", key, n) // the server has it several times
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
		t.members(kind.Name, name, entries[kind.Name].shape, objects)
	}
}

// differs reports whether the cells that mean something are not all alike.
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
// counted from 0 in the order of the columns. What is not there has -1. Two
// values are equal when they mean the same as JSON.
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
