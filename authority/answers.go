package authority

import (
	_ "embed" // the wrong answers
	"slices"
	"time"

	"mcptea/internal/catalog"
)

// An Answer is a response that the authority gets wrong on purpose.
type Answer struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
	// Until is the last endpoint that a right client uses, or "" if that does not distinguish clients.
	Until string `json:"until"`
	// Right describes a right client, after "A right client".
	Right string `json:"right"`
	// Spec is the section that requires it, or "".
	Spec string `json:"spec"`
	// ExpiresSoon shortens the lifetime of access tokens.
	ExpiresSoon bool `json:"expires_soon"`
}

//go:embed answers.jsonl
var answerRows []byte

// Answers returns the wrong answers, in the order of a flow.
var Answers = catalog.Lazy[Answer](answerRows)

// AnswerNamed returns the answer with a name; ok is false without one.
func AnswerNamed(name string) (answer Answer, ok bool) {
	i := slices.IndexFunc(Answers(), func(w Answer) bool { return w.Name == name })
	if i < 0 {
		return Answer{}, false
	}
	return Answers()[i], true
}

// slowResponse is how long the answer token-slow takes.
const slowResponse = 20 * time.Second
