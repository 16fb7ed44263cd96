package changes_test

import (
	"reflect"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/offer/changes"
	"mcptea/offer/diff"
)

func entries(raws ...string) []changes.Entry {
	var all []changes.Entry
	for _, raw := range raws {
		all = append(all, changes.Entry{Key: nameOf(raw), Raw: []byte(raw)})
	}
	return all
}

func nameOf(raw string) string {
	b := jsonrpc.Get([]byte(raw), "name")
	return string(b[1 : len(b)-1])
}

const (
	echo   = `{"name":"echo","description":"Echo.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}`
	echo2  = `{"name":"echo","description":"Echo.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}`
	search = `{"name":"search","inputSchema":{"type":"object","properties":{"repo":{"type":"string"},"q":{"type":"string"},"limit":{"type":"integer","default":10}},"required":["q"]}}`
	find   = `{"name":"find","inputSchema":{"type":"object","properties":{"repo":{"type":"string"},"q":{"type":"string"},"limit":{"type":"integer","default":10}},"required":["q"]}}`
	query  = `{"name":"search","inputSchema":{"type":"object","properties":{"repo":{"type":"string"},"query":{"type":"string","minLength":1},"limit":{"type":"integer","default":20}},"required":["query"]}}`
)

func TestChanges_Tracker_FirstListIsSeen(t *testing.T) {
	var tr changes.Tracker
	if c := tr.SetList("tools", entries(echo, search), 0); c.Any() {
		t.Errorf("%+v", c)
	}
	if c := tr.Snapshot().Counts("tools"); c.Any() {
		t.Errorf("%+v", c)
	}
}

func TestChanges_Tracker_DifferencesStayUntilSeen(t *testing.T) {
	var tr changes.Tracker
	tr.SetList("tools", entries(echo, search), 0)
	if c := tr.SetList("tools", entries(echo2, search), 1); c != (changes.Counts{Changed: 1}) {
		t.Errorf("step 1: %+v", c)
	}
	// The second restart adds to what was not seen.
	if c := tr.SetList("tools", entries(echo2), 2); c != (changes.Counts{Removed: 1}) {
		t.Errorf("step 2: %+v", c)
	}
	s := tr.Snapshot()
	if c := s.Counts("tools"); c != (changes.Counts{Changed: 1, Removed: 1}) {
		t.Errorf("%+v", c)
	}
	items := s.In("tools")
	if items[0].Key != "echo" || !items[0].Breaking || items[0].Restart != 1 || items[1].Key != "search" || items[1].Restart != 2 {
		t.Errorf("%+v", items)
	}
	tr.See("tools", "echo")
	if c := tr.Snapshot().Counts("tools"); c != (changes.Counts{Removed: 1}) {
		t.Errorf("after seeing echo: %+v", c)
	}
	if c := s.Counts("tools"); c != (changes.Counts{Changed: 1, Removed: 1}) {
		t.Errorf("a snapshot that was handed out changed: %+v", c)
	}
	tr.SeeList("tools")
	if c := tr.Snapshot().Counts("tools"); c.Any() {
		t.Errorf("after seeing all: %+v", c)
	}
}

func TestChanges_Tracker_ChangeTakenBack(t *testing.T) {
	var tr changes.Tracker
	tr.SetList("tools", entries(echo), 0)
	tr.SetList("tools", entries(echo2), 1)
	tr.SetList("tools", entries(echo), 2)
	if c := tr.Snapshot().Counts("tools"); c.Any() {
		t.Errorf("%+v", c)
	}
}

func TestChanges_Tracker_WhiteSpaceIsNoChange(t *testing.T) {
	var tr changes.Tracker
	tr.SetList("tools", []changes.Entry{{Key: "a", Raw: []byte(`{"name":"a","x":1}`)}}, 0)
	if c := tr.SetList("tools", []changes.Entry{{Key: "a", Raw: []byte(`{ "x": 1, "name": "a" }`)}}, 1); c.Any() {
		t.Errorf("%+v", c)
	}
}

// A tool that went and one that came are one that was renamed, if only their names differ, or if they
// have the same arguments or the same description.
func TestChanges_Tracker_RenamedTool(t *testing.T) {
	tool := func(name, description, properties string) string {
		return `{"name":"` + name + `","description":"` + description + `","inputSchema":{"type":"object","properties":{` + properties + `}}}`
	}
	const q, n = `"q":{"type":"string"}`, `"n":{"type":"integer"}`
	for _, tt := range []struct {
		name     string
		old, now []string
		renamed  map[string]string // by the new name; what is not in it was removed, or added
		counts   changes.Counts
	}{
		{"the name alone", []string{echo, search}, []string{echo, find}, map[string]string{"find": "search"}, changes.Counts{Changed: 1}},
		{"the description too", []string{tool("a", "One.", q)}, []string{tool("b", "Two.", q)}, map[string]string{"b": "a"}, changes.Counts{Changed: 1}},
		{"the arguments too", []string{tool("a", "One.", q)}, []string{tool("b", "One.", n)}, map[string]string{"b": "a"}, changes.Counts{Changed: 1}},
		{"two at once", []string{tool("a", "One.", q), tool("c", "Two.", n)}, []string{tool("d", "Three.", n), tool("b", "One.", q)}, map[string]string{"b": "a", "d": "c"}, changes.Counts{Changed: 2}},
		{"what is equal goes first", []string{tool("a", "One.", q), tool("c", "Two.", q)}, []string{tool("b", "One.", q), tool("d", "Three.", q)}, map[string]string{"b": "a", "d": "c"}, changes.Counts{Changed: 2}},
		{"two that fit", []string{tool("a", "", q)}, []string{tool("b", "", q), tool("c", "", q)}, nil, changes.Counts{Added: 2, Removed: 1}},
		{"no arguments and no description", []string{tool("a", "", "")}, []string{tool("b", "Two.", "")}, nil, changes.Counts{Added: 1, Removed: 1}},
	} {
		var tr changes.Tracker
		tr.SetList("tools", entries(tt.old...), 0)
		if step := tr.SetList("tools", entries(tt.now...), 1); step != tt.counts {
			t.Errorf("%s: the restart has %+v", tt.name, step)
		}
		if c := tr.Snapshot().Counts("tools"); c != tt.counts {
			t.Errorf("%s: %+v", tt.name, c)
		}
		for _, it := range tr.Snapshot().In("tools") {
			if it.Renamed != tt.renamed[it.Key] || it.Renamed != "" && (it.Kind != diff.Changed || !it.Breaking || it.Old == nil || it.New == nil) {
				t.Errorf("%s: %+v", tt.name, it)
			}
			for _, g := range it.Groups {
				if g.Member == "name" {
					t.Errorf("%s: the name is among the changes of %s", tt.name, it.Key)
				}
			}
		}
		for now := range tt.renamed {
			tr.See("tools", now)
		}
		if len(tt.renamed) > 0 && tr.Snapshot().Counts("tools").Any() {
			t.Errorf("%s: not seen: %+v", tt.name, tr.Snapshot().In("tools"))
		}
	}
}

func TestChanges_Tracker_Server(t *testing.T) {
	var tr changes.Tracker
	tr.SetServer(diff.Server{Capabilities: []byte(`{"tools":{},"prompts":{}}`), Instructions: []byte(`"a"`)}, 0)
	tr.SetServer(diff.Server{Capabilities: []byte(`{"tools":{}}`), Instructions: []byte(`"b"`)}, 1)
	s := tr.Snapshot()
	groups := s.ServerGroups()
	if s.ServerRestart != 1 || len(groups) != 2 || groups[0].Member != "capabilities" || groups[0].Breaking != 1 || groups[1].Member != "instructions" {
		t.Errorf("%+v", groups)
	}
	tr.SeeServer()
	if len(tr.Snapshot().Server) != 0 {
		t.Error("changes after they were seen")
	}
}

func TestChanges_Item_Groups(t *testing.T) {
	var tr changes.Tracker
	tr.SetList("tools", entries(search), 0)
	tr.SetList("tools", entries(query), 1)
	groups := tr.Snapshot().In("tools")[0].Groups
	if len(groups) != 1 || groups[0].Member != "inputSchema" || groups[0].Breaking != 1 {
		t.Fatalf("%+v", groups)
	}
	type row struct{ kind, path, old, now, renamed string }
	var got []row
	for _, f := range groups[0].Fields {
		got = append(got, row{f.Kind.String(), f.Path, string(f.Old), string(f.New), f.Renamed})
	}
	want := []row{
		{"removed", "properties.q", `{"type":"string"}`, "", "query"},
		{"added", "properties.query", "", `{"type":"string","minLength":1}`, "q"},
		{"changed", "required", `["q"]`, `["query"]`, ""},
		{"changed", "properties.limit.default", "10", "20", ""},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// TestChanges_SetList_EachDifferenceIsAnItem has entries that differ in ways that no rule of the
// comparison knows: what a restart counts as changed is in the list.
func TestChanges_SetList_EachDifferenceIsAnItem(t *testing.T) {
	for _, pair := range [][2]string{
		{`{"type":"string","nullable":true}`, `{"type":"string"}`},
		{`{"type":"string","wombat":1}`, `{"type":"string","wombat":2}`},
		{`{"enum":["a","b"]}`, `{"enum":["b","a"]}`},
		{`{"$defs":{"x":{}}}`, `{"$defs":{"x":false}}`},
	} {
		entry := func(schema string) []changes.Entry {
			return []changes.Entry{{Key: "a", Raw: []byte(`{"name":"a","inputSchema":` + schema + `}`)}}
		}
		var x changes.Tracker
		x.SetList("tools", entry(pair[0]), 0)
		step := x.SetList("tools", entry(pair[1]), 1)
		items := x.Snapshot().In("tools")
		if step.Changed != 1 || len(items) != 1 || len(items[0].Groups) == 0 {
			t.Errorf("%s to %s: the restart counts %d changed, the list has %+v", pair[0], pair[1], step.Changed, items)
		}
	}
}

// A tool that was renamed, and has changed again since, is told by both restarts.
func TestChanges_Tracker_ChangedAfterARename(t *testing.T) {
	tool := func(name, property string) string {
		return `{"name":"` + name + `","description":"Looks up.","inputSchema":{"type":"object","properties":{"` + property + `":{"type":"string"}}}}`
	}
	var tr changes.Tracker
	tr.SetList("tools", entries(tool("lookup", "user_id")), 0)
	tr.SetList("tools", entries(tool("find", "user_id")), 2)
	tr.SetList("tools", entries(tool("find", "uid")), 3)
	all := tr.Snapshot().In("tools")
	if len(all) != 1 || all[0].Renamed != "lookup" || all[0].RenamedAt != 2 || all[0].Restart != 3 {
		t.Errorf("%+v", all)
	}
}
