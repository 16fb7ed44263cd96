package authority

import (
	_ "embed" // the wrong tokens
	"slices"

	"mcptea/internal/catalog"
)

// A Token is one of the tokens that the server under test receives.
type Token struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
	// Expect is the reaction of a right server: "refuse", "accept" or "either".
	Expect string `json:"expect"`
	// Status is the status of a right server that refuses, or 0.
	Status int `json:"status"`
	// Level is the level of the finding about the other reaction: error, warning or info.
	Level string `json:"level"`
	// Spec is the section that requires the reaction.
	Spec string `json:"spec"`
	// Fix is what the author of the server does, or "".
	Fix string `json:"fix"`
	// After is the name of a token, or "". If the server accepts that token, this one is not sent: its reaction has
	// the same cause.
	After string `json:"after"`
	// Introspected reports whether introspection knows the token, with its claims: an authority may issue it.
	Introspected bool `json:"introspected"`
}

//go:embed tokens.jsonl
var tokenRows []byte

// Tokens returns the tokens, in the order in which they are sent.
var Tokens = catalog.Lazy[Token](tokenRows)

// TokenNamed returns the token with a name; ok is false without one.
func TokenNamed(name string) (token Token, ok bool) {
	i := slices.IndexFunc(Tokens(), func(t Token) bool { return t.Name == name })
	if i < 0 {
		return Token{}, false
	}
	return Tokens()[i], true
}
