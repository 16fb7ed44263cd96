package inspector

import (
	"regexp"
	"slices"
	"strings"

	"mcptea/check/probe"
	"mcptea/internal/test/sessiontest"
	"mcptea/internal/test/termsvg"
	"mcptea/session/export"
)

// fixedFormats are the formats of an export on the screens of tests.
var fixedFormats = strings.Fields("raw jsonl html har markdown mermaid curl command script mock typescript")

// fixCatalogues makes the lists of the program those of the tests: a new probe or format
// changes no screen. What the demo server offers is fixed by [sessiontest.Fixed].
func fixCatalogues(m *model) {
	m.problems.Probes = slices.DeleteFunc(slices.Clone(m.problems.Probes), func(e *probe.Entry) bool { return !sessiontest.IsFixed(e.ID) })
	m.formats = slices.DeleteFunc(export.Formats(), func(f export.Format) bool { return !slices.Contains(fixedFormats, f.Name) })
}

// commandCount is the number of commands in the window of those that matter.
var commandCount = regexp.MustCompile(`all \d{3} `)

// fixCommandCount makes the number of commands that of all pictures.
func fixCommandCount(s termsvg.Screen, screen string) {
	if found := commandCount.FindString(screen); found != "" {
		s.Replace(found, "all 250 ")
	}
}
