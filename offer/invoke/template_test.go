package invoke_test

import (
	"slices"
	"testing"

	"mcptea/offer/invoke"
)

func TestTemplate_Expand(t *testing.T) {
	for _, tc := range []struct {
		template string
		values   map[string]string
		want     string
	}{
		{"demo://numbers/{from}/{to}", map[string]string{"from": "1", "to": "a b"}, "demo://numbers/1/a%20b"},
		{"demo://{x}", map[string]string{"x": "é/日"}, "demo://%C3%A9%2F%E6%97%A5"},
		{"demo://{+x}{?q}", map[string]string{"x": "a/b"}, "demo://a/b"},
		{"file:///docs/café/{x}", map[string]string{"x": "a b"}, "file:///docs/caf%C3%A9/a%20b"},
		{"demo://plain", map[string]string{"x": "1"}, "demo://plain"},
	} {
		if got, err := invoke.ExpandTemplate(tc.template, tc.values); err != nil || got != tc.want {
			t.Errorf("%s with %v: %s, %v, want %s", tc.template, tc.values, got, err, tc.want)
		}
	}
	if got, err := invoke.ExpandTemplate("demo://{x", nil); err == nil || got != "demo://{x" {
		t.Errorf("a broken template gives %s, %v", got, err)
	}
	if got, err := invoke.TemplateVariables("a://{x}/{?y,z}"); err != nil || !slices.Equal(got, []string{"x", "y", "z"}) {
		t.Errorf("variables %v, %v", got, err)
	}
}
