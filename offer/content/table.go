package content

import (
	"bytes"
	"encoding/json"

	"mcptea/client/jsonrpc"
)

// Tables is a JSON value with arrays of objects, which can be read as tables.
type Tables struct {
	// Rest holds the members of the object that are not tables, as JSON, or nil.
	Rest   []byte
	Tables []Table
}

// A Table is an array of objects: one row per object, one column per member. A cell is JSON as sent, or nil if
// the object lacks the member.
type Table struct {
	Name    string // name of the member, or "" for the whole value; untrusted
	Columns []string
	Rows    [][][]byte
}

// bounds of the data that is read as a table
const (
	maxTabled  = 8 << 20 // bytes
	maxColumns = 60
)

// TablesOf finds arrays of objects: the value itself, or the members of an object.
func TablesOf(raw []byte) (Tables, bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || len(raw) > maxTabled || !json.Valid(raw) {
		return Tables{}, false
	}
	var found Tables
	switch raw[0] {
	case '[':
		if t, ok := tableOf("", raw); ok {
			found.Tables = []Table{t}
		}
	case '{':
		rest := []byte("{")
		for name, value := range jsonrpc.Members(raw) {
			if t, ok := tableOf(string(name), value); ok {
				found.Tables = append(found.Tables, t)
				continue
			}
			rest = jsonrpc.AppendMember(rest, string(name), value)
		}
		if len(rest) > 1 {
			found.Rest = append(rest, '}')
		}
	}
	return found, len(found.Tables) > 0
}

// tableOf reads an array as a table. All its elements must be objects that have most of the columns.
func tableOf(name string, raw []byte) (Table, bool) {
	t := Table{Name: name}
	if len(raw) == 0 || raw[0] != '[' {
		return t, false
	}
	places, cells := map[string]int{}, 0
	for e := range jsonrpc.Elements(raw) {
		if len(e) == 0 || e[0] != '{' {
			return t, false
		}
		row := make([][]byte, len(t.Columns))
		for key, value := range jsonrpc.Members(e) {
			at, known := places[string(key)]
			if !known {
				at = len(t.Columns)
				if at >= maxColumns {
					return t, false
				}
				places[string(key)] = at
				t.Columns = append(t.Columns, string(key))
				row = append(row, nil)
			}
			if row[at] != nil {
				return t, false // a name twice: JSON shows both
			}
			row[at] = value
			cells++
		}
		t.Rows = append(t.Rows, row)
	}
	for i, row := range t.Rows {
		t.Rows[i] = append(row, make([][]byte, len(t.Columns)-len(row))...)
	}
	return t, len(t.Rows) > 0 && len(t.Columns) > 0 && 2*cells >= len(t.Rows)*len(t.Columns)
}
