package jsonrpc_test

import (
	"testing"

	"mcptea/client/jsonrpc"
)

func TestRenameMembers(t *testing.T) {
	names := map[string]string{"q": "query", "old": "query", "n\"": "{x}"}
	for object, want := range map[string]string{
		`{}`:                        `{}`,
		`["q"]`:                     `["q"]`,
		` { "q" : {"q":1}, "r": 2}`: ` { "query" : {"q":1}, "r": 2}`,
		`{"\u0071":1e3,"n\"":[]}`:   `{"query":1e3,"{x}":[]}`,
		`{"q":1,"query":2}`:         `{"q":1,"query":2}`,
		`{"q":1,"old":2}`:           `{"query":1,"old":2}`,
		`{"q":1,"x":{{env.X}}}`:     `{"query":1,"x":{{env.X}}}`,
		`{"x":{{env.X}},"q":1}`:     `{"x":{{env.X}},"q":1}`,
		`{"q":1`:                    `{"query":1`,
		`{"q"`:                      `{"q"`,
		`{"q":1,`:                   `{"query":1,`,
	} {
		if got := string(jsonrpc.RenameMembers([]byte(object), names)); got != want {
			t.Errorf("%s: %s, want %s", object, got, want)
		}
	}
}

func FuzzRenameMembers(f *testing.F) {
	f.Add(`{"q":1,"r":{"q":2}}`, "q", "s")
	f.Add(`{"q":1,"q":2}`, "q", "r")
	f.Fuzz(func(t *testing.T, object, old, now string) {
		before, after := 0, 0
		for range jsonrpc.Members([]byte(object)) {
			before++
		}
		for range jsonrpc.Members(jsonrpc.RenameMembers([]byte(object), map[string]string{old: now})) {
			after++
		}
		if before != after {
			t.Errorf("%d members, %d before", after, before)
		}
	})
}
