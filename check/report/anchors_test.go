package report

import (
	"slices"
	"strings"
	"testing"

	"mcptea/check/probe"
	"mcptea/client/revision"
	"mcptea/lint/rules"
)

// No printed link leads to a section that is not known to be there, in any version.
func TestSpecURL_KnownSections(t *testing.T) {
	specs := map[string]bool{}
	for _, e := range probe.Catalogue() {
		specs[e.Spec] = true
	}
	for _, e := range rules.Catalogue() {
		specs[e.Spec] = true
	}
	kept := 0
	for spec := range specs {
		for _, v := range revision.All() {
			address := SpecURL(spec, string(v))
			section, is := strings.CutPrefix(address, specification)
			name, anchor, has := strings.Cut(section, "#")
			if !is || !has {
				continue
			}
			if kept++; !slices.Contains(pages()[name].Anchors, anchor) {
				t.Errorf("%s in %s: %s", spec, v, address)
			}
		}
	}
	if kept < 100 {
		t.Errorf("only %d links have a section", kept)
	}
}

// Sections have other pages in some versions, or are not in them.
func TestSpecURL_Moved(t *testing.T) {
	for from, want := range map[string]string{
		"2026-07-28 basic/transports#stdio":                          "2026-07-28/basic/transports/stdio",
		"2026-07-28 basic/transports#security-warning":               "2026-07-28/basic/transports/streamable-http#security--endpoint",
		"2026-07-28 basic/transports#sending-messages-to-the-server": "2026-07-28/basic/transports/streamable-http",
		"2026-07-28 basic/transports#server-validation":              "2026-07-28/basic/transports/streamable-http#server-validation",
		"2025-06-18 server/tools#tool-names":                         "2025-06-18/server/tools",
		"2025-11-25 server/tools#tool-names":                         "2025-11-25/server/tools#tool-names",
		"2024-11-05 basic#requests":                                  "2024-11-05/basic/messages#requests",
		"2025-11-25 basic/transports#session-management":             "2025-11-25/basic/transports#session-management",
	} {
		if got := SpecURL(from, ""); got != specification+want {
			t.Errorf("%s: %s", from, got)
		}
	}
}
