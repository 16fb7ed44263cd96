package cli

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	anchorPattern  = regexp.MustCompile(`\]\(([^)\s]*)#([^)\s]+)\)`)
	headingPattern = regexp.MustCompile(`(?m)^#{1,6} +(.+)$`)
	fence          = regexp.MustCompile("(?ms)^```.*?^```$")
)

// anchorOf is the anchor that GitHub gives a heading.
func anchorOf(heading string) string {
	heading = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`).ReplaceAllString(heading, "$1")
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			b.WriteRune(r)
		case r == ' ':
			b.WriteRune('-')
		}
	}
	return b.String()
}

// A link to a section of a page leads to a heading of it.
func TestDocs_AnchorsLeadToHeadings(t *testing.T) {
	texts := pages(t)
	headings := map[string]map[string]bool{}
	for page, text := range texts {
		headings[page] = map[string]bool{}
		for _, m := range headingPattern.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
			headings[page][anchorOf(m[1])] = true
		}
	}
	seen := 0
	for page, text := range texts {
		for _, m := range anchorPattern.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			to := page
			if m[1] != "" {
				to = filepath.ToSlash(filepath.Join(filepath.Dir(page), m[1]))
			}
			seen++
			if in, ok := headings[to]; ok && !in[m[2]] {
				t.Errorf("%s: %s has no section #%s", page, to, m[2])
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d links to sections were found", seen)
	}
}

// A page of the documentation is linked from the list of pages once.
func TestDocs_ListOfPages(t *testing.T) {
	list := pages(t)["../docs/README.md"]
	for page := range pages(t) {
		name := filepath.Base(page)
		if !strings.HasPrefix(page, "../docs/") || name == "README.md" {
			continue
		}
		if n := strings.Count(list, "["+name+"]("+name+")"); n != 1 {
			t.Errorf("docs/README.md links %s %d times", name, n)
		}
	}
}

// A page begins with a sentence: what it is for, before any command, table or picture.
func TestDocs_BeginWithASentence(t *testing.T) {
	for page, text := range pages(t) {
		_, rest, ok := strings.Cut(text, "\n\n")
		rest = strings.TrimPrefix(rest, "<!-- unpublished -->\n")
		if !strings.HasPrefix(page, "../docs/") || !strings.HasPrefix(text, "# ") {
			continue
		}
		if r := []rune(rest + " ")[0]; !ok || !unicode.IsLetter(r) && r != '`' || strings.HasPrefix(rest, "```") {
			t.Errorf("%s begins with %.40q", page, rest)
		}
	}
}
