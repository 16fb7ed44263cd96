package diff

import (
	"maps"
	"strings"
	"testing"
)

func TestRenamedProperties(t *testing.T) {
	const text, number = `{"type":"string"}`, `{"type":"number"}`
	of := func(properties string) []byte { return []byte(`{"type":"object","properties":{` + properties + `}}`) }
	for _, tc := range []struct {
		name     string
		old, now string
		want     map[string]string
	}{
		{"one", `"a":` + text + `,"q":` + text, `"a":` + text + `,"query":` + text, map[string]string{"q": "query"}},
		{"another type", `"a":` + text, `"b":` + number, nil},
		{"another place", `"q":` + text + `,"a":` + number, `"a":` + number + `,"query":` + text, nil},
		{"two that fit", `"q":` + text, `"x":` + text + `,"y":` + text, nil},
		{"two of different types", `"q":` + text + `,"n":` + number, `"m":` + number + `,"p":` + text, map[string]string{"q": "p", "n": "m"}},
		{"only added", `"a":` + text, `"a":` + text + `,"b":` + text, nil},
	} {
		if got := RenamedProperties(of(tc.old), of(tc.now)); !maps.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

// A tool that went and one that came are told as a rename where they have something in common that no others have, as a
// guess with its reason; the report has one entry for both.
func TestServers_Renamed(t *testing.T) {
	const text = `"inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}`
	for _, tc := range []struct{ name, old, now, why string }{
		{"equal", `{"name":"a","description":"x",` + text + `}`, `{"name":"b","description":"x",` + text + `}`, "equal except for the name"},
		{"arguments", `{"name":"a","description":"x",` + text + `}`, `{"name":"b","description":"y",` + text + `}`, "the same arguments"},
		{"description", `{"name":"a","description":"x"}`, `{"name":"b","description":"x",` + text + `}`, "the same description"},
		{"nothing", `{"name":"a","description":"x"}`, `{"name":"b","description":"y",` + text + `}`, ""},
		{"two that fit", `{"name":"a",` + text + `}`, `{"name":"b",` + text + `},{"name":"c",` + text + `}`, ""},
		{"a name twice", `{"name":"a",` + text + `},{"name":"k"},{"name":"k"}`, `{"name":"b",` + text + `},{"name":"k"}`, "equal except for the name"},
		{"one of two", `{"name":"a",` + text + `},{"name":"a",` + text + `}`, `{"name":"a",` + text + `},{"name":"b",` + text + `}`, ""},
	} {
		old, now := []byte(`{"tools":[`+tc.old+`]}`), []byte(`{"tools":[`+tc.now+`]}`)
		a, _ := Offer(old)
		b, _ := Offer(now)
		var was, is Change
		for _, c := range Servers(a, b) {
			switch c.Renamed {
			case "a":
				is = c
			case "b":
				was = c
			}
		}
		if tc.why == "" {
			if was.Item != "" || is.Item != "" {
				t.Errorf("%s: %+v %+v", tc.name, was, is)
			}
			continue
		}
		if was.Item != "a" || was.Kind != Removed || !was.Breaking || !strings.Contains(was.Reason, `probably renamed to "b" (`+tc.why+`)`) || is.Item != "b" || is.Kind != Added {
			t.Errorf("%s: %+v %+v", tc.name, was, is)
		}
		r, err := NewReport(old, now, Options{}, true)
		n := 0
		for _, e := range r.Entries {
			if e.Renamed != "" || strings.Contains(e.Name, "[b]") || strings.Contains(e.Name, "[a]") {
				n++
			}
			if e.Renamed != "" && (e.Name != "tools a" || e.Renamed != "b" || e.Effect != Breaking || e.Kind != Changed) {
				t.Errorf("%s: the entry is %+v", tc.name, e)
			}
		}
		if err != nil || n != 1 {
			t.Errorf("%s: %d entries, %v: %+v", tc.name, n, err, r.Entries)
		}
	}
}

// A value whose part a change is about has no entry of its own beside it.
func TestNewReport_PartHasOneEntry(t *testing.T) {
	old, now := `{"tools":[{"name":"w"}]}`, `{"tools":[{"name":"w","annotations":{"readOnlyHint":true}}]}`
	for _, in := range []string{"%s", `{"jsonrpc":"2.0","id":1,"result":%s}`} {
		r, err := NewReport([]byte(strings.Replace(in, "%s", old, 1)), []byte(strings.Replace(in, "%s", now, 1)), Options{}, true)
		if err != nil || len(r.Entries) != 1 || r.Entries[0].Effect == 0 {
			t.Errorf("%s: %v %+v", in, err, r.Entries)
		}
	}
}
