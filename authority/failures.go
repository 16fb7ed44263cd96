package authority

import "mcptea/internal/jose"

// A Failure is a way in which the authority fails while a server verifies tokens.
type Failure string

// The failures.
const (
	NoFailure         Failure = ""
	KeysDown          Failure = "keys-down"          // the JWKS has the status 500
	IntrospectionDown Failure = "introspection-down" // introspection has the status 500
	ActiveText        Failure = "active-text"        // introspection returns active as the string "false"
)

// Fail makes the authority fail in one way until the next call.
func (a *Authority) Fail(how Failure) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failure = how
}

// fails reports whether the authority currently fails in a way.
func (a *Authority) fails(how Failure) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failure == how
}

// Rotate publishes a new key instead of the current one. The new key signs all later tokens. Rotate
// also publishes an elliptic key.
func (a *Authority) Rotate() error {
	next, err := newPair("key-" + jose.Random()[:8])
	if err != nil {
		return err
	}
	curve, err := newCurveJWK()
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.keys, a.curve = []pair{next}, &curve
	return nil
}
