package diff

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

var reported = [][2]string{
	{
		`{"total":"2","items":[{"number":1,"state":"open","labels":["bug"],"updated_at":"2026-11-19T16:02:11Z"},{"number":2,"a":{},"b":[]}],"end":true}`,
		`{"total":3,"items":[{"number":1,"state":"closed","labels":["bug","parser"],"updated_at":"2026-11-20T14:20:07Z"},{"number":3,"title":"x"},{"number":2,"a":{},"b":[]}],"end":true}`,
	},
	{`{"a":{"b":{"c":[1,2,3,4,5,6,7,8,9,{"x":1}]}},"z":1}`, `{"a":{"b":{"c":[1,2,3,4,5,6,7,8,9,{"x":2}]}},"z":1}`},
	{`{"a":{"t":"2026-11-19T16:02:11Z"},"b":{"c":1,"d":[1]},"e":2,"f":3,"g":4,"h":5,"i":[1,2]}`, `{"a":{"t":"2026-11-19T16:02:12Z"},"b":{"c":1,"d":[1]},"e":2,"f":3,"g":4,"h":5,"i":[1]}`},
	{`[1]`, `{"a":1}`},
	{`{"a":[]}`, `{"a":[[],{},"{\"x\":[1,2]}"]}`},
}

func indentedLines(t *testing.T, text string) []string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(text), "", "  "); err != nil {
		t.Fatal(err)
	}
	return strings.Split(b.String(), "\n")
}

// TestReport_LineNumbers compares the lines with those of the indented values: commas at
// their end and shortened values aside.
func TestReport_LineNumbers(t *testing.T) {
	for _, pair := range reported {
		for _, whole := range []bool{false, true} {
			r, err := NewReport([]byte(pair[0]), []byte(pair[1]), Options{IgnoreVolatile: true}, whole)
			if err != nil {
				t.Fatal(err)
			}
			seen := [2]int{}
			for _, l := range r.Lines {
				for side, at := range []struct {
					n    int
					text string
				}{{l.OldNumber, l.Old}, {l.NewNumber, l.New}} {
					all := indentedLines(t, pair[side])
					if at.n == 0 {
						continue
					}
					if at.n > len(all) || at.n <= seen[side] {
						t.Fatalf("line %d after %d of %d: %s", at.n, seen[side], len(all), at.text)
					}
					seen[side] = at.n
					want := strings.TrimSuffix(all[at.n-1], ",")
					at.text = strings.TrimSuffix(at.text, ",")
					short := strings.HasPrefix(strings.TrimLeft(at.text, " "), strings.TrimRight(strings.TrimLeft(want, " "), "{["))
					if !strings.HasPrefix(want, at.text) && (whole || !short) {
						t.Errorf("whole %t, side %d, line %d is %q, not %q", whole, side, at.n, at.text, want)
					}
				}
			}
			if whole && (seen[0] != len(indentedLines(t, pair[0])) || seen[1] != len(indentedLines(t, pair[1]))) {
				t.Errorf("the lines end at %v", seen)
			}
		}
	}
}

func TestReport_Entries(t *testing.T) {
	r, err := NewReport([]byte(reported[0][0]), []byte(reported[0][1]), Options{IgnoreVolatile: true}, false)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range r.Entries {
		sign := map[Kind]string{Added: "+", Removed: "-", Changed: "~"}[e.Kind]
		if e.Ignored {
			sign = "="
		}
		names = append(names, sign+e.Name)
	}
	got := strings.Join(names, " ")
	for _, want := range []string{"~total", "state", "=items", "updated_at", "+items"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
	if r.Count(Changed) != 2 || r.Ignored() != 1 || r.Equal == 0 {
		t.Errorf("%d changed, %d ignored, %d equal in %s", r.Count(Changed), r.Ignored(), r.Equal, got)
	}
	found, _, _ := Compare([]byte(reported[0][0]), []byte(reported[0][1]), Options{IgnoreVolatile: true})
	if len(found) != len(r.Entries)-r.Ignored() {
		t.Errorf("%d entries count, Compare finds %d", len(r.Entries)-r.Ignored(), len(found))
	}
	same, err := NewReport([]byte(`{"a":1}`), []byte(`{ "a": 1 }`), Options{}, true)
	if err != nil || len(same.Lines) != 3 || len(same.Entries) != 0 {
		t.Errorf("equal values: %v %+v", err, same)
	}
}
