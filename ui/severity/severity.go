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
