package authority

import (
	_ "embed" // the wrong answers
	"slices"
	"time"

	"mcptea/internal/catalog"
)

// An Answer is a response that the authority gets wrong on purpose.
type Answer struct {
	Name        string `json:"name"`         // value of --wrong
	Summary     string `json:"summary"`      // fault of the response
	Until       string `json:"until"`        // last endpoint that a correct client uses, or "" if that does not distinguish clients
	Right       string `json:"right"`        // behavior of a correct client
	Spec        string `json:"spec"`         // section that requires the behavior, or ""
	ExpiresSoon bool   `json:"expires_soon"` // access tokens are valid for two seconds
}

//go:embed answers.jsonl
var answerRows []byte

// Answers returns the wrong answers, in the order of a flow.
var Answers = catalog.Lazy[Answer](answerRows)

// AnswerNamed returns the answer with a name. ok is false if there is no such answer.
func AnswerNamed(name string) (answer Answer, ok bool) {
	i := slices.IndexFunc(Answers(), func(w Answer) bool { return w.Name == name })
	if i < 0 {
		return Answer{}, false
	}
	return Answers()[i], true
}

// slowResponse is the delay of the answer token-slow.
const slowResponse = 20 * time.Second
