package apps

import "testing"

// An app gets the variables that MCP Apps names, in both themes.
func TestVariables_Complete(t *testing.T) {
	names := []string{"font-sans", "font-mono", "border-width-regular", "shadow-hairline"}
	each := func(before string, ends ...string) {
		for _, end := range ends {
			names = append(names, before+end)
		}
	}
	for _, of := range []string{"background", "text", "border"} {
		each("color-"+of+"-", "primary", "secondary", "tertiary", "inverse", "ghost", "info", "danger", "success", "warning", "disabled")
	}
	each("color-ring-", "primary", "secondary", "inverse", "info", "danger", "success", "warning")
	each("font-weight-", "normal", "medium", "semibold", "bold")
	for _, size := range []string{"xs", "sm", "md", "lg"} {
		each("font-text-"+size+"-", "size", "line-height")
		each("border-radius-", size)
	}
	for _, size := range []string{"xs", "sm", "md", "lg", "xl", "2xl", "3xl"} {
		each("font-heading-"+size+"-", "size", "line-height")
	}
	each("border-radius-", "xl", "full")
	each("shadow-", "sm", "md", "lg")
	for _, theme := range []string{"light", "dark"} {
		all := variables(theme)
		for _, name := range names {
			if all["--"+name] == "" {
				t.Errorf("%s: --%s is missing", theme, name)
			}
		}
		if len(all) != len(names) {
			t.Errorf("%s: %d variables, want %d", theme, len(all), len(names))
		}
	}
}
