package servers

import (
	"testing"

	"mcptea/offer"
)

// Every word must be in what the tool says about itself and its parameters, in any case and order. Annotations and
// types are no words about it.
func TestFinder_Words(t *testing.T) {
	tool := offer.NewItem("tools", []byte(`{
		"name": "write_note", "title": "Notes", "description": "Saves a text.",
		"inputSchema": {"type": "object", "properties": {"f\u006flder": {"type": "string", "description": "Where it is kept"}}},
		"annotations": {"readOnlyHint": false}
	}`))
	for words, want := range map[string]bool{
		"": true, "write": true, "NOTES": true, "saves": true, "folder": true, "kept": true, "kept write": true,
		"read": false, "object": false, "write nothing": false,
	} {
		if got := newFinder(words).finds(&tool); got != want {
			t.Errorf("--find %q finds the tool: %t, want %t", words, got, want)
		}
	}
}
