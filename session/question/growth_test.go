package question_test

import (
	"testing"

	"mcptea/client"
	"mcptea/internal/test/growth"
	"mcptea/internal/test/raced"
	"mcptea/session/question"
)

// A question about a call of an agent or an app takes memory and time that grow with the arguments, up to the length
// that is shown and beyond it.
func TestConsent_Growth(t *testing.T) {
	raced.Never(t, "measures memory")
	for _, s := range growth.Shapes {
		for _, size := range []int{question.MaxText * 2 / 5, growth.Size * 2} {
			growth.CheckFrom(t, s, size, func(p growth.Peer) map[string]growth.Cost {
				return map[string]growth.Cost{"call": growth.Of(func() {
					question.Call("agent", "notes", client.Proposal{Calls: "add", Part: "arguments", Text: p.Value})
				})}
			})
		}
	}
}
