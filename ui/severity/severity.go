package severity

import (
	"mcptea/session/checks/lint"
	"mcptea/ui/paint"
)

// Style is the color of a severity.
func Style(pal *paint.Palette, s lint.Severity) paint.Style {
	return of(s, pal.Error, pal.Warn, pal.Accent)
}

// Bold is [Style] in bold.
func Bold(pal *paint.Palette, s lint.Severity) paint.Style {
	return of(s, pal.ErrorBold, pal.WarnBold, pal.AccentBold)
}

func of[T any](s lint.Severity, err, warn, info T) T {
	switch s {
	case lint.Error:
		return err
	case lint.Warn:
		return warn
	}
	return info
}

// Sign is the sign of a severity, one cell.
func Sign(pal *paint.Palette, s lint.Severity) string {
	return of(s, pal.FailMark, pal.WarnMark, "i")
}

// Word is the word for a severity.
func Word(s lint.Severity) string {
	if s == lint.Warn {
		return "warning"
	}
	return s.String()
}

// Responsible names the responsible side: "server", "client" or "sender".
func Responsible(f *lint.Finding) string {
	if f.Fault == lint.Either {
		return "sender"
	}
	return f.Fault.String()
}

// FixIn names the side in which the fix of a finding is. An info may have none.
func FixIn(f *lint.Finding) string {
	side := Responsible(f)
	if f.Severity == lint.Info {
		return side + " (optional)"
	}
	return side
}

// Worst returns the first of the most severe findings; nil without any.
func Worst(all []lint.Finding) *lint.Finding {
	var worst *lint.Finding
	for i := range all {
		if worst == nil || all[i].Severity < worst.Severity {
			worst = &all[i]
		}
	}
	return worst
}
