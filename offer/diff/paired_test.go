package diff

import (
	"strings"
	"testing"
)

// differing returns the lines of a report that differ, of both sides.
func differing(r *Report) (lines []string) {
	for _, l := range r.Lines {
		if l.Kind != Same && l.Skipped == 0 {
			lines = append(lines, strings.TrimSpace(l.Old)+" | "+strings.TrimSpace(l.New))
		}
	}
	return lines
}

// What is recognized as renamed is compared with what it was: a tool and a property are one changed line each, on both
// sides, and one entry each.
func TestNewReport_RenamedIsPaired(t *testing.T) {
	const other = `{"name":"echo","inputSchema":{"type":"object"}}`
	tool := func(name, property string) string {
		return `{"name":"` + name + `","description":"Makes a table.","inputSchema":{"type":"object","properties":{"title":{"type":"string"},"` + property + `":{"type":"integer","minimum":1,"description":"How many rows."}}}}`
	}
	for _, tc := range []struct {
		name, old, now string
		lines          []string
		entries        []string
	}{
		{"a tool", tool("nested", "rows"), tool("nested2", "rows"), []string{`"name": "nested", | "name": "nested2",`}, []string{"tools nested > nested2"}},
		{"a property", tool("table", "rows"), tool("table", "count"), []string{`"rows": {`, `"count": {`}, []string{"tools table /inputSchema/properties/rows > count"}},
		{"a tool and a property of another one", tool("a", "x") + "," + tool("table", "rows"), tool("b", "x") + "," + tool("table", "count"), nil, nil},
	} {
		for _, in := range []string{"%s", `{"jsonrpc":"2.0","id":1,"result":%s}`} {
			for _, whole := range []bool{false, true} {
				of := func(tools string) []byte {
					return []byte(strings.Replace(in, "%s", `{"tools":[`+other+","+tools+`]}`, 1))
				}
				r, err := NewReport(of(tc.old), of(tc.now), Options{}, whole)
				if err != nil {
					t.Fatal(err)
				}
				lines := differing(&r)
				if len(lines) != max(len(tc.entries), 1) && tc.entries != nil || tc.entries == nil && len(lines) != 2 {
					t.Errorf("%s, whole %v: %d lines differ: %q", tc.name, whole, len(lines), lines)
					continue
				}
				if all := strings.Join(lines, "\n"); strings.HasPrefix(all, " |") || strings.Contains(all, "| \n") {
					t.Errorf("%s: %q has one side", tc.name, all)
				}
				for i, want := range tc.entries {
					if len(r.Entries) != len(tc.entries) || r.Entries[i].Name+" > "+r.Entries[i].Renamed != want || r.Entries[i].Effect == 0 {
						t.Errorf("%s: entries %+v", tc.name, r.Entries)
					}
				}
				for _, l := range r.Lines {
					if l.Kind != Same && l.Skipped == 0 && (l.Entry < 0 || l.Entry >= len(r.Entries)) {
						t.Errorf("%s: %+v belongs to no entry", tc.name, l)
					}
				}
			}
		}
	}
}

// Values that are not the offer of a server are compared by their names only.
func TestNewReport_OnlyOffersHaveRenames(t *testing.T) {
	r, err := NewReport([]byte(`{"properties":{"rows":{"type":"integer"}}}`), []byte(`{"properties":{"count":{"type":"integer"}}}`), Options{}, false)
	if err != nil || len(r.Entries) != 2 {
		t.Errorf("%v %+v", err, r.Entries)
	}
}

// A value that is not JSON is not read as an offer.
func TestNewReport_DamagedIsNotRead(t *testing.T) {
	for _, text := range []string{`{"tools":[`, `{"tools"`, ``, `{"tools":[{"name":]}`} {
		if _, err := NewReport([]byte(text), []byte(`{"tools":[]}`), Options{}, false); err == nil {
			t.Errorf("%q is compared", text)
		}
	}
}

// A value under the old name of a property is ignored only if a call with it still succeeds.
func TestNewReport_OldNameIsIgnoredOrFails(t *testing.T) {
	offer := func(property, required string) []byte {
		return []byte(`{"tools":[{"name":"table","inputSchema":{"type":"object","properties":{"title":{"type":"string"},"` + property +
			`":{"type":"integer","minimum":1,"description":"How many rows."}},"required":[` + required + `]}}]}`)
	}
	for name, tc := range map[string]struct {
		old, now []byte
		ignored  bool
	}{
		"optional": {offer("rows", ""), offer("count", ""), true},
		"required": {offer("rows", `"rows"`), offer("count", `"count"`), false},
	} {
		r, err := NewReport(tc.old, tc.now, Options{}, false)
		if err != nil {
			t.Fatal(err)
		}
		renamed := false
		for _, e := range r.Entries {
			if e.Renamed == "" {
				continue
			}
			renamed = true
			if got := strings.Contains(e.Note, "a value under the old name is ignored"); got != tc.ignored {
				t.Errorf("%s: the note is %q", name, e.Note)
			}
		}
		if !renamed {
			t.Errorf("%s: no property is renamed in %+v", name, r.Entries)
		}
	}
}
