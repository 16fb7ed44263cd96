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
	"mcptea/lint"
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
				if len(g.Verdicts) == 0 && g.Effect == "" && g.isIn(v) {
					all = append(all, g.Says)
				}
			}
			if len(all) > 1 {
				t.Errorf("%s in %s: name the verdicts that rest on each sentence: %q", e.ID, v, all)
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
		verdict  string
	}{
		{"P-026", revision.R20251125, lint.Error, lint.Error, ""},
		{"P-026", revision.R20251125, lint.Info, lint.Info, ""},
		{"P-047", revision.R20251125, lint.Error, lint.Warn, ""}, // SHOULD
		{"P-095", revision.R20250326, lint.Error, lint.Warn, ""}, // SHOULD before 2025-06-18
		{"P-095", revision.R20250618, lint.Error, lint.Error, ""},
		{"P-190", revision.R20251125, lint.Warn, lint.Info, ""}, // only 2026-07-28 has a sentence
		{"P-046", revision.R20260728, lint.Error, lint.Error, "other-entries"},
		{"P-048", revision.R20251125, lint.Warn, lint.Info, ""}, // a heuristic
		// A finding rests on a sentence about what it says: the time of a response on none, the
		// version of a second initialize not on the one about ping.
		{"P-001", revision.R20251125, lint.Warn, lint.Info, ""},
		{"P-001", revision.R20251125, lint.Error, lint.Error, "answers-initialized"},
		{"P-005", revision.R20250326, lint.Error, lint.Warn, "changes-version"},
		{"P-005", revision.R20250326, lint.Error, lint.Error, "unusable"},
		// About the schema, about what cannot be used, and about nothing.
		{"P-076", revision.R20251125, lint.Error, lint.Error, "no-messages"},
		{"P-045", revision.R20251125, lint.Error, lint.Error, "unreadable"},
		{"P-045", revision.R20251125, lint.Warn, lint.Info, ""},
		{"P-058", revision.R20251125, lint.Warn, lint.Warn, "internal-error"},
		{"P-058", revision.R20241105, lint.Warn, lint.Info, "internal-error"},
		{"P-180", revision.R20241105, lint.Error, lint.Error, ""},
	} {
		g, got := entry(test.id).GroundFor(test.revision, test.severity, test.verdict)
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
		g, severity := e.GroundFor(revision.R20251125, lint.Warn, "accepts")
		if severity != lint.Warn || !strings.Contains(g.Says, "Invalid log level") {
			t.Errorf("%s: %+v", severity, g)
		}
	}
}

// A finding cites the sentence that is about what it says.
func TestGroundFor_Cites(t *testing.T) {
	for _, test := range []struct {
		id, verdict, says string
		severity          lint.Severity
	}{
		{"P-010", "capability-resources", "resources capability", lint.Error},
		{"P-010", "capability-tools", "tools capability", lint.Error},
		{"P-058", "internal-error", "errors that originate from the tool", lint.Warn},
		{"P-058", "no-content", "content in the result of tools/call", lint.Error},
		{"P-079", "", "Invalid prompt name", lint.Warn},
		{"P-052", "no-response", "JSON-RPC", lint.Warn},
		{"P-002", "other-version", "SHOULD be the latest version", lint.Warn},
		{"P-114", "", "Origin", lint.Warn},
	} {
		for _, e := range Catalogue() {
			if e.ID != test.id {
				continue
			}
			if g, severity := e.GroundFor(revision.R20251125, test.severity, test.verdict); g == nil || severity != test.severity || !strings.Contains(g.Says, test.says) {
				t.Errorf("%s %q: %s by %+v", test.id, test.verdict, severity, g)
			}
		}
	}
}

// verdictName is the name of a verdict in the code of a probe or in its steps.
var verdictName = regexp.MustCompile(`(?:\.Named\(|"verdict":)"([a-z][a-z-]*(?:\{what\})?)"`)

// Each verdict that a sentence names is one that a probe reports, and each name of a verdict has its sentence.
func TestGround_Verdicts(t *testing.T) {
	reported, named := map[string]bool{}, map[string]bool{}
	for _, m := range verdictName.FindAllStringSubmatch(sources(t), -1) {
		reported[m[1]] = true
	}
	for _, e := range Catalogue() {
		for _, g := range e.Grounds() {
			for _, verdict := range g.Verdicts {
				if capability, ok := strings.CutPrefix(verdict, "capability-"); ok && capability != "" {
					verdict = "capability-{what}"
				}
				if named[verdict] = true; !reported[verdict] {
					t.Errorf("%s: no verdict is called %q", e.ID, verdict)
				}
			}
		}
	}
	for verdict := range reported {
		if !named[verdict] && rootsOfVerdicts[verdict] == "" {
			t.Errorf("neither a sentence nor a root names the verdict %q", verdict)
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
