package authority

import (
	_ "embed" // the wrong tokens
	"slices"

	"mcptea/internal/catalog"
)

// A Token is one of the tokens that the server under test receives. It can also stand for a request
// that a correct server never sends.
type Token struct {
	Name         string `json:"name"`         // value of --only
	Summary      string `json:"summary"`      // what the token is
	Expect       string `json:"expect"`       // reaction of a right server: "refuse", "accept", "either", or "never" for what a right server never does
	Status       int    `json:"status"`       // status of a correct server that rejects the token, or 0
	AnyStatus    bool   `json:"any_status"`   // any rejection is right, such as 404 or 405; Status is the usual status
	Level        string `json:"level"`        // severity of the finding about another reaction: "error", "warning" or "info"
	Spec         string `json:"spec"`         // section that requires the reaction
	Fix          string `json:"fix"`          // fix for the author of the server, or ""
	After        string `json:"after"`        // token that makes this one unnecessary if the server accepts it, or ""
	Introspected bool   `json:"introspected"` // introspection knows it, since an authority may issue it
	Disturbs     bool   `json:"disturbs"`     // the authority changes: sent after all others
}

//go:embed tokens.jsonl
var tokenRows []byte

// Tokens returns the tokens, in the order in which they are sent.
var Tokens = catalog.Lazy[Token](tokenRows)

// TokenNamed returns the token with a name. ok is false if there is no such token.
func TokenNamed(name string) (token Token, ok bool) {
	i := slices.IndexFunc(Tokens(), func(t Token) bool { return t.Name == name })
	if i < 0 {
		return Token{}, false
	}
	return Tokens()[i], true
}
