package parts_test

import (
	"testing"

	"mcptea/internal/words/display"
	"mcptea/lint"
	"mcptea/themes"
	"mcptea/ui/app"
	"mcptea/ui/paint"
)

// Without colors the signs and words tell severities apart.
func TestSeverity_SignAndWord(t *testing.T) {
	pal := paint.NewPalette(themes.ForBackground(true), false)
	signs, styles := map[string]bool{}, map[paint.Style]bool{}
	for s, word := range map[lint.Severity]string{lint.Error: "error", lint.Warn: "warning", lint.Info: "info"} {
		if got := s.String(); got != word {
			t.Errorf("the word is %q, want %q", got, word)
		}
		if w := display.Width(app.SeveritySign(pal, s)); w != 1 {
			t.Errorf("the sign of %s has %d cells", word, w)
		}
		signs[app.SeveritySign(pal, s)], styles[app.SeverityStyle(pal, s)], styles[app.SeverityBold(pal, s)] = true, true, true
	}
	if len(signs) != 3 || len(styles) != 6 {
		t.Errorf("%d signs and %d styles, want 3 and 6", len(signs), len(styles))
	}
}
