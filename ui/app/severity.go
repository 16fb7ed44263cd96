package app

import (
	"mcptea/lint"
	"mcptea/ui/paint"
)

// SeverityStyle returns the color of a severity.
func SeverityStyle(pal *paint.Palette, s lint.Severity) paint.Style {
	return bySeverity(s, pal.Error, pal.Warn, pal.Accent)
}

// SeverityBold is like [SeverityStyle], but bold.
func SeverityBold(pal *paint.Palette, s lint.Severity) paint.Style {
	return bySeverity(s, pal.ErrorBold, pal.WarnBold, pal.AccentBold)
}

func bySeverity[T any](s lint.Severity, err, warn, info T) T {
	switch s {
	case lint.Error:
		return err
	case lint.Warn:
		return warn
	}
	return info
}

// SeveritySign returns the sign of a severity, one cell wide.
func SeveritySign(pal *paint.Palette, s lint.Severity) string {
	return bySeverity(s, pal.FailMark, pal.WarnMark, "i")
}
