package syntax

import (
	"strings"
	"testing"
)

func TestParse_MaxDepth(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, tc := range map[string]struct {
		format        Format
		before, after string
	}{
		"JSON": {JSON, "", ""},
		"TOML": {TOML, "a = ", "\n"},
		"YAML": {YAML, "", "\n"},
	} {
		if _, err := Parse(tc.format, []byte(tc.before+nested(200)+tc.after)); err != nil && strings.Contains(err.Error(), "nested") {
			t.Errorf("%s of 200 levels: %v", name, err)
		}
		if _, err := Parse(tc.format, []byte(tc.before+nested(201)+tc.after)); err == nil || !strings.Contains(err.Error(), "nested deeper than 200 levels") {
			t.Errorf("%s of 201 levels: %v", name, err)
		}
	}
	if maxNodes != 500_000 {
		t.Errorf("a file may have %d values", maxNodes)
	}
}
