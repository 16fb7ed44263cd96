package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
)

func text(differences []Difference) string {
	var b strings.Builder
	for _, d := range differences {
		fmt.Fprintf(&b, "%s %s %s>%s\n", d.Kind, d.Path, d.Old, d.New)
	}
	return b.String()
}

func TestCompare(t *testing.T) {
	for name, tc := range map[string]struct{ old, now, want string }{
		"equal but for space, order and escapes": {`{"a":1,"b":"x"}`, ` { "b":"\u0078", "a" : 1 } `, ""},
		"numbers in other forms":                 {`[1,-0,1e2,0.5]`, `[0.1e1,0.0,100,5E-1]`, ""},
		"types":                                  {`{"a":{}}`, `{"a":[]}`, "changed /a {}>[]\n"},
		"members":                                {`{"a":1,"b":2,"c":3}`, `{"a":1,"d":4,"c":5}`, "added /d >4\nremoved /b 2>\nchanged /c 3>5\n"},
		"pointer escapes":                        {`{"a/b~":1}`, `{"a/b~":2}`, "changed /a~1b~0 1>2\n"},
		"by name": {
			`{"tools":[{"name":"a","v":1},{"name":"b","v":1},{"name":"c","v":1}]}`, `{"tools":[{"name":"a","v":1},{"name":"c","v":2},{"name":"d"}]}`,
			"removed /tools/1 {\"name\":\"b\",\"v\":1}>\nchanged /tools/1/v 1>2\nadded /tools/2 >{\"name\":\"d\"}\n",
		},
		"reordered":                  {`[{"id":"a"},{"id":"b"}]`, `[{"id":"b"},{"id":"a"}]`, "reordered  [{\"id\":\"a\"},{\"id\":\"b\"}]>[{\"id\":\"b\"},{\"id\":\"a\"}]\n"},
		"inserted in front":          {`[1,2,3,4]`, `[0,1,2,3,4]`, "added /0 >0\n"},
		"changed in the middle":      {`[1,2,3,4]`, `[1,9,3,4]`, "changed /1 2>9\n"},
		"elements with the same key": {`[{"type":"text","text":"a"},{"type":"text","text":"b"}]`, `[{"type":"text","text":"a"},{"type":"text","text":"c"}]`, "changed /1/text \"b\">\"c\"\n"},
		"duplicate members":          {`{"a":1,"a":2}`, `{"a":1,"a":3}`, "changed /a 2>3\n"},
		"huge numbers":               {`123456789012345678901234567890`, `123456789012345678901234567891`, "changed  123456789012345678901234567890>123456789012345678901234567891\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, more, err := Compare([]byte(tc.old), []byte(tc.now), Options{})
			if err != nil || more != 0 || text(got) != tc.want {
				t.Errorf("%s\nwant\n%s%d more, %v", text(got), tc.want, more, err)
			}
			if jsonrpc.Equal([]byte(tc.old), []byte(tc.now)) != (tc.want == "") {
				t.Error("Equal says something else")
			}
		})
	}
}

// Arrays with millions of elements are compared by position, in little memory.
func TestCompare_VeryLongArrays(t *testing.T) {
	old := []byte("[" + strings.Repeat("1,", maxElements+5) + "1]")
	now := bytes.Clone(old)
	now[3] = '2'
	now[len(now)-2] = '3'
	now = append(now[:len(now)-1], ",4]"...)
	last := maxElements + 5
	want := fmt.Sprintf("changed /1 1>2\nchanged /%d 1>3\nadded /%d >4\n", last, last+1)
	if got, more, err := Compare(old, now, Options{}); err != nil || more != 0 || text(got) != want {
		t.Errorf("%s\nwant\n%s%v", text(got), want, err)
	}
	rows, err := Rows(old, now, Options{})
	if err != nil || len(rows) != 7 || rows[3].Skipped != last-2 {
		t.Errorf("%d rows: %+v, %v", len(rows), rows, err)
	}
}

// The time for two arrays is that for each element of one with each of the other, up to a
// bound; beyond it is linear.
func TestFitsTable(t *testing.T) {
	for _, tc := range []struct {
		old, now int
		want     bool
	}{
		{0, 0, true},
		{1 << 22, 0, true},
		{0, 1 << 22, true},
		{2048, 2048, true},
		{1 << 22, 1, true},
		{1, 1 << 22, true},
		{2048, 2049, false},
		{2049, 2048, false},
		{1<<22 + 1, 1, false},
		{1, 1<<22 + 1, false},
		{1 << 40, 1 << 40, false},
	} {
		if got := fitsTable(tc.old, tc.now); got != tc.want {
			t.Errorf("%d and %d elements: %t", tc.old, tc.now, got)
		}
	}
}

func TestCompare_Names(t *testing.T) {
	got, _, err := Compare([]byte(`{"tools":[{"name":"echo","inputSchema":{"a b":1}}]}`), []byte(`{"tools":[{"name":"echo","inputSchema":{"a b":2}}]}`), Options{})
	if err != nil || len(got) != 1 || got[0].Name != `tools[echo].inputSchema["a b"]` {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestCompare_Ignore(t *testing.T) {
	old := `{"id":1,"result":{"_meta":{"x":1},"at":"2026-01-02T03:04:05Z","nextCursor":"a","content":[{"type":"text","text":"1"},{"type":"text","text":"x"}],"time":5}}`
	now := `{"id":2,"result":{"_meta":{"x":2},"at":"2026-01-02T03:04:06Z","nextCursor":"b","content":[{"type":"text","text":"2"},{"type":"text","text":"x"}],"time":6}}`
	for rules, want := range map[string]string{
		"":                                   "/id /result/_meta/x /result/content/0/text",
		"/id":                                "/result/_meta/x /result/content/0/text",
		"/result":                            "/id",
		"id /result/_meta/** text":           "",
		"/id /**/x /result/content/*/text":   "",
		"/id /result/* ":                     "",
		"/result/content/1/text /nope _meta": "/id /result/content/0/text",
	} {
		o := Options{IgnoreVolatile: true}
		for _, rule := range strings.Fields(rules) {
			g, err := ParseIgnore(rule)
			if err != nil {
				t.Fatal(err)
			}
			o.Ignore = append(o.Ignore, g)
		}
		got, _, err := Compare([]byte(old), []byte(now), o)
		var paths []string
		for _, d := range got {
			paths = append(paths, d.Path)
		}
		if err != nil || strings.Join(paths, " ") != want {
			t.Errorf("%q leaves %s, want %s, %v", rules, paths, want, err)
		}
	}
	changed := `{"id":1,"result":{"at":"later"}}`
	got, _, _ := Compare([]byte(`{"id":1,"result":{"at":"2026-01-02T03:04:05Z"}}`), []byte(changed), Options{IgnoreVolatile: true})
	if len(got) != 1 {
		t.Error("a time that became a word does not count")
	}
	for _, wrong := range []string{"", "/", "a/b"} {
		if _, err := ParseIgnore(wrong); err == nil {
			t.Errorf("%q is a rule", wrong)
		}
	}
}

func TestCompare_Invalid(t *testing.T) {
	if _, _, err := Compare([]byte(`{"a":1`), []byte(`{}`), Options{}); err != ErrNotJSON {
		t.Error(err)
	}
}

func TestRows(t *testing.T) {
	old := `{"a":1,"b":{"x":[1,2,3],"y":true},"c":2,"d":3,"e":4,"e2":4,"f":5,"g":6,"h":"old"}`
	now := `{"a":1,"b":{"x":[1,2,3],"y":false},"c":2,"d":3,"e":4,"e2":4,"f":5,"g":6,"h":"new","i":{"k":1}}`
	rows, err := Rows([]byte(old), []byte(now), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, r := range Unified(LinesOf(rows)) {
		switch {
		case r.Skipped > 0:
			fmt.Fprintf(&b, "@ %d\n", r.Skipped)
		case r.Kind == Removed:
			b.WriteString("- " + r.Old + "\n")
		case r.Kind == Added:
			b.WriteString("+ " + r.New + "\n")
		default:
			b.WriteString("  " + r.New + "\n")
		}
	}
	const want = `  {
    "a": 1
    "b": {
      "x": [1,2,3]
-     "y": true
+     "y": false
    }
    "c": 2
    "d": 3
@ 2
    "f": 5
    "g": 6
-   "h": "old"
+   "h": "new"
+   "i": {
+     "k": 1
+   }
  }
`
	if b.String() != want {
		t.Errorf("the view is\n%swant\n%s", b.String(), want)
	}
	long := strings.Repeat("x", 100_000)
	rows, err = Rows([]byte(`"`+long+`a`+long+`"`), []byte(`"`+long+`b`+long+`"`), Options{})
	if err != nil || len(rows) != 1 || len(rows[0].Old) > 3000 || !strings.Contains(rows[0].New, "xbx") {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

func TestServers(t *testing.T) {
	tool := func(texts ...string) map[string][][]byte {
		list := [][]byte{}
		for _, s := range texts {
			list = append(list, []byte(s))
		}
		return map[string][][]byte{"tools": list}
	}
	old := Server{Revision: "2025-06-18", Capabilities: []byte(`{"tools":{"listChanged":true},"logging":{}}`), Lists: tool(`{"name":"a","inputSchema":{}}`, `{"name":"b","annotations":{"readOnlyHint":true}}`)}
	now := Server{Revision: "2025-11-25", Capabilities: []byte(`{"tools":{"listChanged":false},"prompts":{}}`), Lists: tool(`{"name":"b","title":"B","annotations":{"readOnlyHint":false}}`, `{"name":"c"}`)}
	var got []string
	for _, c := range Servers(old, now) {
		mark := ""
		if c.Breaking {
			mark = "!"
		}
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s%s %s %s %s", mark, c.Section, c.Item, c.Path, c.Kind)))
	}
	want := []string{
		"protocol   changed", "!capabilities  /tools/listChanged changed", "!capabilities  /logging removed", "capabilities  /prompts added",
		"!tools a  removed", "tools b /annotations/readOnlyHint changed", "tools b /title added", "tools c  added",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the changes are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// An event type breaks those who subscribe to it as a tool breaks those who call it.
func TestServers_EventTypes(t *testing.T) {
	const was = `{"name":"a","delivery":["poll","push"],"inputSchema":{"type":"object"},"payloadSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}`
	for now, want := range map[string]string{
		strings.Replace(was, `,"push"`, ``, 1):                                                 "!/delivery subscriptions by push are refused now",
		strings.Replace(was, `"push"`, `"push","webhook"`, 1):                                  "/delivery events are delivered by webhook, too",
		strings.Replace(was, `"poll","push"`, `"push","poll"`, 1):                              "/delivery it is written differently; no change of what it means was found",
		strings.Replace(was, `"integer"`, `"string"`, 1):                                       "!/payloadSchema/properties/n/type the type was integer and is string",
		strings.Replace(was, `,"required":["n"]`, ``, 1):                                       "!/payloadSchema/required \"n\" is no longer required",
		strings.Replace(was, `{"type":"object"},`, `{"type":"object","required":["tea"]},`, 1): "!/inputSchema/required \"tea\" is required now",
		`{"name":"a","delivery":["poll","push"],"inputSchema":{"type":"object"}}`:              "!/payloadSchema data no longer has a schema, but clients that read it depend on it",
	} {
		var got []string
		list := func(text string) Server { return Server{Lists: map[string][][]byte{"events": {[]byte(text)}}} }
		for _, c := range Servers(list(was), list(now)) {
			mark := ""
			if c.Breaking {
				mark = "!"
			}
			got = append(got, mark+c.Path+" "+c.Reason)
		}
		if text := strings.Join(got, "\n"); text != want {
			t.Errorf("%s\n got %s\nwant %s", now, text, want)
		}
	}
}

// Below many levels, containers are compared as a whole.
func TestCompare_ManyLevels(t *testing.T) {
	nested := func(levels int, value string) []byte {
		return []byte(strings.Repeat("[", levels) + value + strings.Repeat("]", levels))
	}
	large := strings.Repeat("1,", smallValue)
	for _, tt := range []struct {
		levels   int
		old, now string
		depth    int // of the place that differs, or -1 for none
	}{
		{maxLevels, "1", "2", maxLevels},
		{maxLevels + 1, "1", "2", maxLevels},
		{900, "1", "2", maxLevels},
		{900, large + "1", large + "2", maxLevels},
		{900, large + "1", large + "1.0", -1},
	} {
		differences, _, err := Compare(nested(tt.levels, tt.old), nested(tt.levels, tt.now), Options{})
		if err != nil {
			t.Fatal(err)
		}
		depth := -1
		if len(differences) == 1 {
			depth = strings.Count(differences[0].Path, "/")
		}
		if depth != tt.depth || len(differences) > 1 {
			t.Errorf("%d levels: %d differences, at depth %d, want %d", tt.levels, len(differences), depth, tt.depth)
		}
	}
}

// What is compared comes from peers: any valid JSON must end without a panic, and what
// is equal must have no differences.
func FuzzCompare(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"name":"x"}]}`), []byte(`{"a":[{"name":"x"},2,"\\\""]}`))
	f.Add([]byte(`["\\","\"",{}]`), []byte(`[[],{"":[]}]`))
	f.Fuzz(func(t *testing.T, old, now []byte) {
		differences, _, err := Compare(old, now, Options{})
		if err == nil && !(json.Valid(old) && json.Valid(now)) {
			t.Fatalf("%v", err)
		}
		if err == nil && (len(differences) == 0) != jsonrpc.Equal(old, now) {
			t.Fatalf("%d differences", len(differences))
		}
		_, _ = Rows(old, now, Options{})
		schemaChanges(old, now, inputSchema)
	})
}

// manyItems is a result of about so many bytes; every 1000th item differs by variant.
func manyItems(size int, variant string) []byte {
	var b bytes.Buffer
	b.WriteString(`{"structuredContent":{"items":[`)
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		v := "same"
		if i%1000 == 0 {
			v = variant
		}
		fmt.Fprintf(&b, `{"name":"item-%d","value":%d,"tags":["a","b","c"],"nested":{"x":1.5,"text":"some text \u00e9 here","v":"%s"}}`, i, i, v)
	}
	b.WriteString(`]}}`)
	return b.Bytes()
}

func BenchmarkCompare50MB(b *testing.B) {
	old, now := manyItems(50<<20, "a"), manyItems(50<<20, "b")
	b.Run("decode with encoding/json", func(b *testing.B) { // the baseline: what a comparison of decoded values begins with
		b.ReportAllocs()
		b.SetBytes(int64(len(old) + len(now)))
		for b.Loop() {
			var x, y any
			if json.Unmarshal(old, &x) != nil || json.Unmarshal(now, &y) != nil {
				b.Fatal("invalid")
			}
		}
	})
	b.Run("compare", func(b *testing.B) {
		b.ReportAllocs()
		b.SetBytes(int64(len(old) + len(now)))
		for b.Loop() {
			if d, _, err := Compare(old, now, Options{}); err != nil || len(d) == 0 {
				b.Fatal(err)
			}
		}
	})
	b.Run("rows", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if d, err := Rows(old, now, Options{}); err != nil || len(d) == 0 {
				b.Fatal(err)
			}
		}
	})
}

// Ids of frames, times and cursors do not count unless the comparison is strict.
func TestOptionsOf(t *testing.T) {
	old, now := []byte(`{"id":1,"at":5,"result":{"nextCursor":"a"}}`), []byte(`{"id":2,"at":6,"result":{"nextCursor":"b"}}`)
	for _, test := range []struct {
		rules            []string
		isFrames, strict bool
		want             string
	}{
		{nil, true, false, "[/at]"},
		{nil, false, false, "[/id /at]"},
		{nil, true, true, "[/id /at /result/nextCursor]"},
		{[]string{"a/b", "at"}, true, false, "[]"},
	} {
		o, err := OptionsOf(test.rules, test.isFrames, test.strict)
		if (err != nil) != (len(test.rules) > 0) {
			t.Errorf("%v: %v", test.rules, err)
		}
		found, _, err := Compare(old, now, o)
		var paths []string
		for _, d := range found {
			paths = append(paths, d.Path)
		}
		if got := fmt.Sprint(paths); got != test.want || err != nil {
			t.Errorf("%+v: %s, %v", test, got, err)
		}
	}
}

// Each change of what a server offers has the lines that belong to it.
func TestNewReport_Offers(t *testing.T) {
	tool := func(name, schema string) string {
		return `{"name":"` + name + `","description":"d","inputSchema":{"type":"object"` + schema + `}}`
	}
	old := `{"result":{"tools":[` + tool("keep", "") + `,` + tool("get", `,"required":["a"]`) + `]}}`
	now := `{"result":{"tools":[` + tool("keep", "") + `,` + tool("get", `,"required":["a","b"]`) + `,` + tool("new", "") + `]}}`
	r, err := NewReport([]byte(old), []byte(now), Options{}, false)
	if err != nil || r.Effects(Breaking) == 0 || r.Effects(Compatible) == 0 {
		t.Fatalf("%v, items %+v", err, r.Entries)
	}
	for i, it := range r.Entries {
		found := false
		for _, l := range r.Lines {
			found = found || l.Entry == i && l.Kind != Same
		}
		if !found {
			t.Errorf("no line of %s", it.Name)
		}
	}
	same, _ := NewReport([]byte(old), []byte(old), Options{}, false)
	if len(same.Entries) > 0 {
		t.Errorf("items %+v", same.Entries)
	}
}
