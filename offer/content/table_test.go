package content_test

import (
	"strings"
	"testing"

	"mcptea/offer/content"
)

func TestContent_TablesOf(t *testing.T) {
	for raw, want := range map[string]string{
		`[{"a":1,"b":"x"},{"b":"y","c":null}]`:                         ": a b c | 1 \"x\" - | - \"y\" null",
		`{"total":2,"items":[{"id":1},{"id":2.50}],"more":[{"k":{}}]}`: "rest {\"total\":2}; items: id | 1 | 2.50; more: k | {}",
		`{"items":[{"id":1}]}`:                                         "items: id | 1",
		`[]`:                                                           "no tables",
		`[1,2]`:                                                        "no tables",
		`[{"a":1},2]`:                                                  "no tables",
		`[{}]`:                                                         "no tables",
		`{"a":[]}`:                                                     "no tables",
		`[{"a":1,"a":2}]`:                                              "no tables",
		`[{"a":1,"b":1,"c":1},{"d":1},{"e":1},{"f":1}]`: "no tables",
		`[{"a":1}`: "no tables",
	} {
		found, ok := content.TablesOf([]byte(raw))
		var parts []string
		if found.Rest != nil {
			parts = append(parts, "rest "+string(found.Rest))
		}
		for _, table := range found.Tables {
			text := table.Name + ": " + strings.Join(table.Columns, " ")
			for _, row := range table.Rows {
				text += " |"
				for _, cell := range row {
					if cell == nil {
						cell = []byte("-")
					}
					text += " " + string(cell)
				}
			}
			parts = append(parts, text)
		}
		got := strings.Join(parts, "; ")
		if !ok {
			got = "no tables"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
}
