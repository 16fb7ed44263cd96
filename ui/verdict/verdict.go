package verdict

import (
	"mcptea/session/lint"
	"mcptea/ui/paint"
)

// Style is the colour of a severity.
func Style(pal *paint.Palette, s lint.Severity) paint.Style {
	switch s {
	case lint.Error:
		return pal.Error
	case lint.Warn:
		return pal.Warn
	}
	return pal.Accent
}

// Bold is [Style] for what has to stand out.
func Bold(pal *paint.Palette, s lint.Severity) paint.Style { return Style(pal, s).Bold() }

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

// Responsible names the side that has to change something.
func Responsible(f *lint.Finding) string {
	switch f.Fault {
	case lint.Client:
		return "client"
	case lint.Server:
		return "server"
	}
	return "sender"
}

// Who says whose turn it is to change something.
func Who(f *lint.Finding) string {
	who := "the sender"
	switch f.Fault {
	case lint.Client:
		who = "the client"
	case lint.Server:
		who = "the server"
	}
	if f.Rule.Severity == lint.Info {
		return who + ", though nothing is broken"
	}
	return who + " has to change something"
}

// Worst is the gravest of some findings, the first of its kind; nil when there
// are none.
func Worst(all []lint.Finding) *lint.Finding {
	var worst *lint.Finding
	for i := range all {
		if worst == nil || all[i].Rule.Severity < worst.Rule.Severity {
			worst = &all[i]
		}
	}
	return worst
}
