package rules

import (
	"strings"
	"testing"

	"mcptea/lint"
)

func countOf(found []lint.Finding, rule string) int {
	n := 0
	for _, f := range found {
		if f.Rule.ID == rule {
			n++
		}
	}
	return n
}

func TestLimit_PerMessage(t *testing.T) {
	read := `C> {"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///a"}}`
	item := `{"uri":"file:///a","text":"","blob":""}`
	result := `S> {"jsonrpc":"2.0","id":1,"result":{"contents":[` + strings.Repeat(item+",", lint.SomeEntries+1) + item + `]}}`
	again := strings.NewReplacer(`"id":1`, `"id":2`)
	lines := []string{read, result, again.Replace(read), again.Replace(result)}
	if n := countOf(play(t, trace{context: "25c", lines: lines}), "R005"); n != 2*lint.SomeEntries {
		t.Errorf("R005 fired %d times", n)
	}
}

func TestLimit_PerFrame(t *testing.T) {
	members := strings.Repeat(`"x":1,`, 2*lint.MaxPerFrame)
	if n := countOf(play(t, trace{context: "25c", lines: []string{`S> {` + members + `"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`}}), "J017"); n != lint.MaxPerFrame {
		t.Errorf("J017 fired %d times", n)
	}
}

func TestLimit_PerSubject(t *testing.T) {
	read := `S> {"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"t","status":"working"}}`
	title := `S> {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"x","requestedSchema":{"type":"object","properties":{}}}}`
	lines := []string{read, title, read, strings.Replace(title, `"id":1`, `"id":2`, 1)}
	if n := countOf(play(t, trace{context: "25a", lines: lines}), "L016"); n != 2 {
		t.Errorf("L016 fired %d times for two methods", n)
	}
}
