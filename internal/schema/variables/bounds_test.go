package variables

import (
	"strings"
	"testing"
)

func TestFollow_MaxResult(t *testing.T) {
	if maxResult != 4<<20 {
		t.Errorf("a result may have %d bytes", maxResult)
	}
	for over, want := range []bool{true, false} {
		result := []byte(`{"a":1,"b":"` + strings.Repeat("x", maxResult-len(`{"a":1,"b":""}`)+over) + `"}`)
		if _, err := follow("last.result.a", result, "a"); (err == nil) != want {
			t.Errorf("a result of %d bytes: %v", len(result), err)
		}
	}
}
