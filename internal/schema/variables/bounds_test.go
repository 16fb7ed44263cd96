package variables_test

import (
	"strings"
	"testing"

	"mcptea/internal/schema/variables"
)

func TestVariables_Follow_MaxResult(t *testing.T) {
	const maxResult = 4 << 20 // bytes
	for over, want := range []bool{true, false} {
		result := []byte(`{"a":1,"b":"` + strings.Repeat("x", maxResult-len(`{"a":1,"b":""}`)+over) + `"}`)
		sources := variables.Sources{Last: func() ([]byte, bool) { return result, true }}
		if _, err := sources.Lookup("last.result.a"); (err == nil) != want {
			t.Errorf("a result of %d bytes: %v", len(result), err)
		}
	}
}
