package changes_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"mcptea/offer/changes"
)

// tool is an entry with properties, each a name and a type.
func tool(name string, properties ...string) string {
	for i, p := range properties {
		of, kind, _ := strings.Cut(p, " ")
		properties[i] = fmt.Sprintf(`%q:{"type":%q}`, of, kind)
	}
	return fmt.Sprintf(`{"name":%q,"description":"Adds.","inputSchema":{"type":"object","properties":{%s}}}`, name, strings.Join(properties, ","))
}

// A property that was renamed while its old name is still accepted is not compatible: who sends the old name succeeds and
// is ignored.
func TestProperties_RenamedOneIsIgnored(t *testing.T) {
	for name, tc := range map[string]struct {
		old, now            string
		renamed, compatible int
		breaking            bool
	}{
		"optional": {tool("sum", "rows integer"), tool("sum", "count integer"), 1, 0, false},
		"required": {
			strings.Replace(tool("sum", "rows integer"), `"type":"object"`, `"type":"object","required":["rows"]`, 1),
			strings.Replace(tool("sum", "count integer"), `"type":"object"`, `"type":"object","required":["count"]`, 1), 0, 3, true,
		},
		"two types": {tool("sum", "rows integer"), tool("sum", "count string"), 0, 2, false},
	} {
		var tr changes.Tracker
		tr.SetList("tools", entries(tc.old), 0)
		tr.SetList("tools", entries(tc.now), 1)
		g := tr.Snapshot().In("tools")[0].Groups[0]
		if g.Renamed != tc.renamed || g.Compatible != tc.compatible || g.Breaking > 0 != tc.breaking {
			t.Errorf("%s: %d renamed, %d compatible, %d breaking", name, g.Renamed, g.Compatible, g.Breaking)
		}
		for _, f := range g.Fields {
			if f.Ignored != (tc.renamed > 0 && f.Path == "properties.rows") {
				t.Errorf("%s: %s ignored %v", name, f.Path, f.Ignored)
			}
		}
	}
}

// The names of properties are followed over each step: renamed tools, changes that were marked as seen, times
// without the tool.
func TestProperties_FollowEachStep(t *testing.T) {
	for name, tc := range map[string]struct {
		steps []string // of the one tool; "" without it, "seen" marks the change
		want  map[string]string
	}{
		"none":            {[]string{tool("sum", "a number")}, nil},
		"one":             {[]string{tool("sum", "a number"), tool("sum", "b number")}, map[string]string{"a": "b"}},
		"two":             {[]string{tool("sum", "a number"), tool("sum", "b number"), tool("sum", "c number")}, map[string]string{"a": "c", "b": "c"}},
		"back":            {[]string{tool("sum", "a number"), tool("sum", "b number"), tool("sum", "a number")}, map[string]string{"b": "a"}},
		"gone":            {[]string{tool("sum", "a number"), tool("sum", "b number"), tool("sum")}, nil},
		"seen":            {[]string{tool("sum", "a number"), tool("sum", "b number"), "seen", tool("sum", "b number", "x string")}, map[string]string{"a": "b"}},
		"tool at once":    {[]string{tool("sum", "a number"), tool("add", "b number")}, map[string]string{"a": "b"}},
		"tool later":      {[]string{tool("sum", "a number"), tool("sum", "b number"), tool("add", "b number")}, map[string]string{"a": "b"}},
		"a time without":  {[]string{tool("sum", "a number"), "", tool("sum", "b number")}, map[string]string{"a": "b"}},
		"the name is new": {[]string{tool("sum", "a number"), tool("sum", "b number"), tool("sum", "b number", "a string")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var tr changes.Tracker
			key := ""
			for i, step := range tc.steps {
				switch step {
				case "seen":
					tr.See("tools", key)
					continue
				case "":
					tr.SetList("tools", entries(echo), i)
					continue
				}
				key = nameOf(step)
				tr.SetList("tools", entries(echo, step), i)
			}
			if got := tr.Snapshot().Properties("tools", key); !maps.Equal(got, tc.want) {
				t.Errorf("%v, want %v", got, tc.want)
			}
		})
	}
}
