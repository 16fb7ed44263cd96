package authority

import "mcptea/internal/jose"

// A Failure is a fault of the authority while a server verifies tokens.
type Failure string

// The failures.
const (
	NoFailure         Failure = ""
	KeysDown          Failure = "keys-down"          // the JWKS has the status 500
	IntrospectionDown Failure = "introspection-down" // introspection has the status 500
	ActiveText        Failure = "active-text"        // introspection returns active as the text "false"
)

// Fail makes the authority fail in one way, until the next call.
func (a *Authority) Fail(how Failure) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failure = how
}

// fails reports whether the authority fails in a way.
func (a *Authority) fails(how Failure) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.failure == how
}

// Rotate replaces the published key by a new one, which signs all later tokens. An elliptic key is published with it.
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
