package syntax_test

import (
	"errors"
	"strings"
	"testing"

	"mcptea/client/hosts/syntax"
)

func TestParse_MaxDepth(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, tc := range map[string]struct {
		format        syntax.Format
		before, after string
	}{
		"JSON": {syntax.JSON, "", ""},
		"TOML": {syntax.TOML, "a = ", "\n"},
		"YAML": {syntax.YAML, "", "\n"},
	} {
		if _, err := syntax.Parse(tc.format, []byte(tc.before+nested(200)+tc.after)); err != nil && strings.Contains(err.Error(), "nested") {
			t.Errorf("%s of 200 levels: %v", name, err)
		}
		if _, err := syntax.Parse(tc.format, []byte(tc.before+nested(201)+tc.after)); err == nil || !strings.Contains(err.Error(), "nested deeper than 200 levels") {
			t.Errorf("%s of 201 levels: %v", name, err)
		}
	}
}

// A file of many small values, which would take hundreds of megabytes, is not read.
func TestParse_MaxValues(t *testing.T) {
	for name, tc := range map[string]struct {
		format              syntax.Format
		before, each, after string
	}{
		"JSON": {syntax.JSON, `{"a":[1`, ",1", "]}"},
		"TOML": {syntax.TOML, "a = [1", ",1", "]\n"},
		"YAML": {syntax.YAML, "a: [1", ",1", "]\n"},
	} {
		_, err := syntax.Parse(tc.format, []byte(tc.before+strings.Repeat(tc.each, 400_000)+tc.after))
		var e *syntax.Error
		if !errors.As(err, &e) || !e.Large || !strings.HasPrefix(e.Message, "there are more than 400,000 values") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := syntax.Parse(syntax.JSON, []byte("[1"+strings.Repeat(",1", 399_000)+"]")); err != nil {
		t.Errorf("399,000 values: %v", err)
	}
}
