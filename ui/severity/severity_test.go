package severity

import (
	"testing"

	"mcptea/internal/words/display"
	"mcptea/session/checks/lint"
	"mcptea/themes"
	"mcptea/ui/paint"
)

// Without colors the signs and words tell severities apart.
func TestSeverity_SignAndWord(t *testing.T) {
	pal := paint.NewPalette(themes.ForBackground(true), false)
	signs, styles := map[string]bool{}, map[paint.Style]bool{}
	for s, word := range map[lint.Severity]string{lint.Error: "error", lint.Warn: "warning", lint.Info: "info"} {
		if got := Word(s); got != word {
			t.Errorf("the word is %q, want %q", got, word)
		}
		if w := display.Width(Sign(pal, s)); w != 1 {
			t.Errorf("the sign of %s has %d cells", word, w)
		}
		signs[Sign(pal, s)], styles[Style(pal, s)], styles[Bold(pal, s)] = true, true, true
	}
	if len(signs) != 3 || len(styles) != 6 {
		t.Errorf("%d signs and %d styles, want 3 and 6", len(signs), len(styles))
	}
}

func TestSeverity_FixIn(t *testing.T) {
	for _, tt := range []struct {
		fault lint.Side
		is    lint.Severity
		want  string
	}{
		{lint.Server, lint.Error, "server"},
		{lint.Client, lint.Warn, "client"},
		{lint.Either, lint.Error, "sender"},
		{lint.Server, lint.Info, "server (optional)"},
	} {
		if got := FixIn(&lint.Finding{Fault: tt.fault, Severity: tt.is}); got != tt.want {
			t.Errorf("%v, %v: the fix is in %q, want %q", tt.fault, tt.is, got, tt.want)
		}
	}
}

// The first of the most severe findings is shown for all.
func TestSeverity_Worst(t *testing.T) {
	if got := Worst(nil); got != nil {
		t.Errorf("worst of nothing: %v", got)
	}
	all := []lint.Finding{{Rule: &lint.Entry{ID: "i"}, Severity: lint.Info}, {Rule: &lint.Entry{ID: "w1"}, Severity: lint.Warn}, {Rule: &lint.Entry{ID: "w2"}, Severity: lint.Warn}}
	if got := Worst(all); got.Rule.ID != "w1" {
		t.Errorf("the worst is %s, want w1", got.Rule.ID)
	}
}
