package probe

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcptea/client/revision"
	"mcptea/internal/catalog"
	"mcptea/session/checks/lint"
)

// specificationDir has the pages of the specification, a folder for each version, as in
// docs/specification of its repository.
var specificationDir = os.Getenv("MCPTEA_SPECIFICATION")

var (
	codeBlock = regexp.MustCompile("(?s)```.*?```")
	linked    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	bullet    = regexp.MustCompile(`(?m)^\s*>?\s*([-*]|\d+\.)\s+`)
	comment   = regexp.MustCompile(`(?s)\{/\*.*?\*/\}|<[^>]+>`)
	spaces    = regexp.MustCompile(`\s+`)
)

// plainText is a page without markup.
func plainText(page string) string {
	page = codeBlock.ReplaceAllString(page, "")
	page = bullet.ReplaceAllString(page, "")
	page = linked.ReplaceAllString(page, "$1")
	page = comment.ReplaceAllString(strings.NewReplacer("**", "", "`", "", `\`, "").Replace(page), "")
	return spaces.ReplaceAllString(strings.ReplaceAll(page, "\n> ", "\n"), " ")
}

// Each sentence is on its page in each of its versions.
func TestGrounds_AreInTheSpecification(t *testing.T) {
	if specificationDir == "" {
		t.Skip("MCPTEA_SPECIFICATION names no folder with the pages of the specification")
	}
	pages := map[string]string{}
	for _, g := range catalog.Read[Ground](groundTable) {
		if g.Schema != "" {
			continue // TestGrounds_Schema
		}
		for _, v := range g.Rev {
			page, _, _ := strings.Cut(g.Section, "#")
			path := filepath.Join(specificationDir, string(v), filepath.FromSlash(page))
			if pages[path] == "" {
				text, err := os.ReadFile(path + ".mdx")
				if err != nil {
					text, err = os.ReadFile(filepath.Join(path, "index.mdx"))
				}
				if err != nil {
					t.Fatal(err)
				}
				pages[path] = plainText(string(text))
			}
			if !strings.Contains(pages[path], g.Says) {
				t.Errorf("%s: %s of %s does not say %q", g.ID, g.Section, v, g.Says)
			}
		}
	}
}

// Each row belongs to a probe, and either names a sentence with MUST or SHOULD, or an effect
// of an attack.
func TestGrounds_Known(t *testing.T) {
	known := map[string]*Entry{}
	for _, e := range Catalogue() {
		known[e.ID] = e
	}
	for _, g := range catalog.Read[Ground](groundTable) {
		e := known[g.ID]
		switch {
		case e == nil:
			t.Errorf("%s: no such probe", g.ID)
		case g.Effect != "" && (g.Says != "" || g.Word == "" && e.Level != Security && e.Level != Must):
			t.Errorf("%s: an effect is that of an attack: %+v", g.ID, g)
		case g.Schema != "":
		case g.Effect == "" && (len(g.Rev) == 0 || g.Section == "" || g.Allows() == lint.Info):
			t.Errorf("%s: neither MUST nor SHOULD: %+v", g.ID, g)
		}
	}
}

// Of the sentences of a probe in a version at most one is for all its findings: with two, a
// finding would cite the one that is about something else.
func TestGrounds_OneForAll(t *testing.T) {
	for _, e := range Catalogue() {
		for _, v := range revision.All() {
			var all []string
			for _, g := range e.Grounds() {
				if len(g.For) == 0 && g.Effect == "" && g.isIn(v) {
					all = append(all, g.Says)
				}
			}
			if len(all) > 1 {
				t.Errorf("%s in %s: say by \"for\" which findings rest on which sentence: %q", e.ID, v, all)
			}
		}
	}
}

// What a row says of the schema is so in each of its versions.
func TestGrounds_Schema(t *testing.T) {
	for _, g := range catalog.Read[Ground](groundTable) {
		if g.Schema == "" {
			continue
		}
		for _, v := range g.Rev {
			requires := func(s revision.Shape, name string) bool {
				return slices.ContainsFunc(s.Members(v), func(m revision.Member) bool { return m.Required && (name == "" || m.Name == name) })
			}
			dot := strings.LastIndexByte(g.Schema, '.')
			if !requires(revision.Shape(g.Schema), "") && (dot < 0 || !requires(revision.Shape(g.Schema[:dot]), g.Schema[dot+1:])) {
				t.Errorf("%s: %s is not required in %s", g.ID, g.Schema, v)
			}
		}
	}
}

// A severity is at most that of a sentence of the protocol version.
func TestGroundFor(t *testing.T) {
	entry := func(id string) *Entry {
		for _, e := range Catalogue() {
			if e.ID == id {
				return e
			}
		}
		t.Fatal(id)
		return nil
	}
	for _, test := range []struct {
		id       string
		revision revision.Revision
		severity lint.Severity
		want     lint.Severity
		message  string
	}{
		{"P-026", revision.R20251125, lint.Error, lint.Error, ""},
		{"P-026", revision.R20251125, lint.Info, lint.Info, ""},
		{"P-047", revision.R20251125, lint.Error, lint.Warn, ""}, // SHOULD
		{"P-095", revision.R20250326, lint.Error, lint.Warn, ""}, // SHOULD before 2025-06-18
		{"P-095", revision.R20250618, lint.Error, lint.Error, ""},
		{"P-190", revision.R20251125, lint.Warn, lint.Info, ""}, // only 2026-07-28 has a sentence
		{"P-046", revision.R20260728, lint.Error, lint.Error, "tools/list returns other entries on a second connection: without a."},
		{"P-048", revision.R20251125, lint.Warn, lint.Info, ""}, // a heuristic
		// A finding rests on a sentence about what it says: the time of a response on none, the
		// version of a second initialize not on the one about ping.
		{"P-001", revision.R20251125, lint.Warn, lint.Info, "The response to initialize took 7s."},
		{"P-001", revision.R20251125, lint.Error, lint.Error, "The server responded to notifications/initialized."},
		{"P-005", revision.R20250326, lint.Error, lint.Warn, "The response to a second initialize selects version 2024-11-05, in a session of 2025-03-26."},
		{"P-005", revision.R20250326, lint.Error, lint.Error, "The session is unusable after a second initialize: ping returns no response."},
		// About the schema, about what cannot be used, and about nothing.
		{"P-076", revision.R20251125, lint.Error, lint.Error, "A message of the prompt a has no object as content."},
		{"P-045", revision.R20251125, lint.Error, lint.Error, "The list cannot be read: tools/list returned error -32603: no."},
		{"P-045", revision.R20251125, lint.Warn, lint.Info, "Page 2 of tools/list is empty, and more pages follow."},
		{"P-058", revision.R20251125, lint.Warn, lint.Warn, "The tool a fails with the internal error -32603: no"},
		{"P-058", revision.R20241105, lint.Warn, lint.Info, "The tool a fails with the internal error -32603: no"},
		{"P-180", revision.R20241105, lint.Error, lint.Error, ""},
	} {
		g, got := entry(test.id).GroundFor(test.revision, test.severity, test.message)
		if got != test.want || (g == nil) != (got == lint.Info) {
			t.Errorf("%s %s: %s becomes %s by %+v, want %s", test.id, test.revision, test.severity, got, g, test.want)
		}
	}
}

// A warning cites a SHOULD, not a MUST about something else.
func TestGroundFor_Nearest(t *testing.T) {
	for _, e := range Catalogue() {
		if e.ID != "P-081" {
			continue
		}
		g, severity := e.GroundFor(revision.R20251125, lint.Warn, "The server accepts logging/setLevel with \"verbose\".")
		if severity != lint.Warn || !strings.Contains(g.Says, "Invalid log level") {
			t.Errorf("%s: %+v", severity, g)
		}
	}
}

// A finding cites the sentence that is about what it says.
func TestGroundFor_Cites(t *testing.T) {
	for _, test := range []struct {
		id, message, says string
		severity          lint.Severity
	}{
		{"P-010", "The server declares the capability resources, and resources/list returns error -32601 (method not found).", "resources capability", lint.Error},
		{"P-010", "The server declares the capability tools, and tools/list returns error -32601 (method not found).", "tools capability", lint.Error},
		{"P-058", "The tool a fails with the internal error -32603: no", "errors that originate from the tool", lint.Warn},
		{"P-058", "The result of the tool a has no content.", "content in the result of tools/call", lint.Error},
		{"P-079", "The server returns values for a completion with an unknown prompt.", "Invalid prompt name", lint.Warn},
		{"P-052", "The server does not respond to tools/call without params, although the id is readable.", "JSON-RPC", lint.Warn},
		{"P-002", "The server selected 2025-03-26 when 2024-11-05 was requested, although it supports 2025-06-18.", "SHOULD be the latest version", lint.Warn},
		{"P-114", "The server rejects a request with its own origin, http://x.", "Origin", lint.Warn},
	} {
		for _, e := range Catalogue() {
			if e.ID != test.id {
				continue
			}
			if g, severity := e.GroundFor(revision.R20251125, test.severity, test.message); g == nil || severity != test.severity || !strings.Contains(g.Says, test.says) {
				t.Errorf("%s %q: %s by %+v", test.id, test.message, severity, g)
			}
		}
	}
}

// Each sentence that is limited to some findings has words of one that the probe reports.
func TestGround_For(t *testing.T) {
	source := sources(t)
	for _, e := range Catalogue() {
		for _, g := range e.Grounds() {
			for _, words := range g.For {
				last := strings.LastIndexByte(words, ' ') + 1 // a name may be in a hole
				if !strings.Contains(source, words) && (last == 0 || !strings.Contains(source, words[:last]+"{what}")) {
					t.Errorf("%s: no message has %q", g.ID, words)
				}
			}
		}
	}
}

// sources are the texts that messages of probes come from.
func sources(t *testing.T) string {
	t.Helper()
	files, _ := filepath.Glob("probes/*.go")
	var all strings.Builder
	for _, name := range append(files, "probes/steps.jsonl") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
