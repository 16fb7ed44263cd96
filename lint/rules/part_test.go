package rules

import (
	"slices"
	"strings"
	"testing"

	"mcptea/lint"
	"mcptea/record"
)

// A part of a session has only findings of rules that the whole session violates. The test removes each message of each
// trace, alone and with all messages before it. It skips traces with lines of bytes.
func TestPart_AccusesOfNothingElse(t *testing.T) {
	isMessage := func(line string) bool {
		return slices.ContainsFunc([]string{"C> ", "S> ", "W> ", "E< "}, func(kind string) bool { return strings.HasPrefix(line, kind) })
	}
	isRaw := func(line string) bool { return strings.HasPrefix(line, "S# ") || strings.HasPrefix(line, "C# ") }
	isPart := func(e *lint.Engine) { e.Open(record.Header{Part: true}) }
	wrong := map[string]string{}
	for _, tr := range append(traces(t, "silent"), traces(t, "fires")...) {
		if slices.ContainsFunc(tr.lines, isRaw) {
			continue // lines of bytes that belong together
		}
		whole := map[string]bool{}
		for _, f := range play(t, tr) {
			whole[f.Rule.ID] = true
		}
		for i, line := range tr.lines {
			if !isMessage(line) {
				continue
			}
			for from := range 2 {
				part := tr
				part.lines = slices.Delete(slices.Clone(tr.lines), i*from, i+1)
				for _, f := range replay(t, part, isPart).found {
					if !whole[f.Rule.ID] {
						wrong[f.Rule.ID] = tr.rule + " without " + line + "\n\t" + f.Message
					}
				}
			}
		}
	}
	for id, what := range wrong {
		t.Errorf("%s concludes from what is missing: add \"whole\": true to its entry, or have it look at less: %.300s", id, what)
	}
}
