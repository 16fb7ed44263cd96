package session_test

import (
	"strings"
	"testing"

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
