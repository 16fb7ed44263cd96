package oauth

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// A server chooses the size of its challenges: what is read of them is bounded, whatever their shape, and the first ones
// count.
func TestChallenges_Bounds(t *testing.T) {
	const size = 1 << 20
	const first = `Bearer scope="first", resource_metadata="https://a.example/"`
	var scopes, schemes strings.Builder
	for i := 0; scopes.Len() < size; i++ {
		fmt.Fprintf(&scopes, "s%d ", i)
		fmt.Fprintf(&schemes, ", S%d x=1", i)
	}
	for name, rest := range map[string]string{
		"scopes": `, Bearer scope="` + scopes.String() + `"`, "schemes": schemes.String(), "words": strings.Repeat(", a b", size/5),
		"quotes": `, Bearer "a` + strings.Repeat(`"a`, size/2), "equals": ", Bearer " + strings.Repeat("=", size), "open quote": `, Bearer x="` + strings.Repeat(`\"`, size/2),
	} {
		for _, fields := range [][]string{{first + rest}, {first, strings.TrimPrefix(rest, ", ")}} {
			all := Challenges(http.Header{"Www-Authenticate": fields})
			read := 0
			for _, c := range all {
				read += len(c.scheme) + len(c.token68)
				for name, value := range c.Params {
					read += len(name) + len(value)
				}
			}
			if len(all) > maxChallenges || read > maxChallengeBytes {
				t.Errorf("%s: %d challenges with %d bytes", name, len(all), read)
			}
			if d := mergeChallenges(all); d.metadata != "https://a.example/" || d.scopes[0] != "first" {
				t.Errorf("%s: %+v", name, d.metadata)
			}
		}
	}
	many := make(http.Header)
	for range 20_000 {
		many.Add("Www-Authenticate", "Basic")
	}
	if n := len(Challenges(many)); n != maxChallenges {
		t.Errorf("%d challenges", n)
	}
}
