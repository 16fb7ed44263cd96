package rules

import (
	"strings"
	"testing"

	"mcptea/session/lint"
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
	get := `C> {"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"p","arguments":{"a":1,"b":2,"c":3,"d":4,"e":5}}}`
	lines := []string{get, strings.Replace(get, `"id":1`, `"id":2`, 1)}
	if n := countOf(play(t, trace{context: "25c", lines: lines}), "P002"); n != 2*lint.SomeEntries {
		t.Errorf("P002 fired %d times", n)
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
