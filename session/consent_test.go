package session_test

import (
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/session/question"
	"mcptea/session/question/consent"
)

// What is exactly as long as can be read can be agreed to.
func TestConsent_Text_AtTheBound(t *testing.T) {
	for size, large := range map[int]bool{question.MaxText: false, question.MaxText + 1: true} {
		facts, lines := size/2, size-size/2
		q := consent.Text{Name: "text", Facts: []consent.Fact{{Label: "to", Text: strings.Repeat("x", facts)}}, Lines: []string{strings.Repeat("x", lines)}}
		if q.IsLarge() != large {
			t.Errorf("%d bytes are too large: %v", size, q.IsLarge())
		}
	}
}

// A call is shown whole, in the lines of its JSON; what is no JSON as it is.
func TestConsent_Call_Lines(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":"1\n2","b":[2]}`: "{|  \"a\": \"1\\n2\",|  \"b\": [|    2|  ]|}", "not JSON": "not JSON", "two\nlines": "two|lines",
	} {
		c := consent.Call("agent", "notes", client.Proposal{Calls: "add", Part: "arguments", Text: text})
		if got := strings.Join(c.Lines, "|"); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
