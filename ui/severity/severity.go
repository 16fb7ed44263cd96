package severity

import (
	"mcptea/session/checks/lint"
	"mcptea/ui/paint"
)

// Style is the color of a severity.
func Style(pal *paint.Palette, s lint.Severity) paint.Style {
	switch s {
	case lint.Error:
		return pal.Error
	case lint.Warn:
		return pal.Warn
	}
	return pal.Accent
}

// Bold is [Style] in bold.
func Bold(pal *paint.Palette, s lint.Severity) paint.Style {
	switch s {
	case lint.Error:
		return pal.ErrorBold
	case lint.Warn:
		return pal.WarnBold
	}
	return pal.AccentBold
}

// Sign is the sign of a severity, one cell.
func Sign(pal *paint.Palette, s lint.Severity) string {
	switch s {
	case lint.Error:
		return pal.FailMark
	case lint.Warn:
		return pal.WarnMark
	}
	return "i"
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
