package failure

import (
	"regexp/syntax"
	"testing"
)

func TestSpecificity_Print(t *testing.T) {
	for _, where := range []string{"status", "tool-error", "error-response", "message", "stderr"} {
		for i := range rows()[where] {
			r := &rows()[where][i]
			t.Log(where, r.specificityOf(), r.ID)
			if r.Match != "" {
				re, _ := syntax.Parse(r.Match, syntax.Perl)
				n := 0
				for _, text := range shortest(re) {
					if n < 4 && hasOnlyCommonWords(text) {
						n++
						t.Logf("        %q", text)
					}
				}
			}
		}
	}
}
