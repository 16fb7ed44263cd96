package pages

import (
	"os"
	"regexp"
	"strconv"
	"testing"
)

// The numbers in the README are round, and a little below those of the pages that list what is
// counted: a new rule needs no other number.
func TestREADME_Numbers(t *testing.T) {
	read := func(file string) []byte {
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	readme := read("README.md")
	for page, heading := range map[string]string{"docs/rules.md": `(?m)^### [A-Z]\d+ `, "docs/probes.md": `(?m)^### P-\d+ `} {
		count := len(regexp.MustCompile(heading).FindAll(read(page), -1))
		claim := regexp.MustCompile(`More than (\d+) \[\w+\]\(` + page + `\)`).FindSubmatch(readme)
		if claim == nil {
			t.Errorf("the README has no \"More than … (%s)\"", page)
			continue
		}
		if least, _ := strconv.Atoi(string(claim[1])); count <= least || count > least+100 {
			t.Errorf("%s has %d entries, the README says %q", page, count, claim)
		}
	}
	if lines := regexp.MustCompile(`\n`).FindAll(readme, -1); len(lines) > 140 {
		t.Errorf("the README has %d lines", len(lines))
	}
}

// The pages require the Go version of go.mod, and comments hide only the text for a published program.
func TestPages_GoVersion(t *testing.T) {
	read := func(file string) string {
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	version := regexp.MustCompile(`(?m)^go (\S+)$`).FindStringSubmatch(read("go.mod"))[1]
	for _, page := range []string{"README.md", "CONTRIBUTING.md", "docs/install.md"} {
		named := regexp.MustCompile(`(?:\bGo\b|\)) (1\.\d+(?:\.\d+)?) or newer`).FindAllStringSubmatch(read(page), -1)
		if len(named) == 0 {
			t.Errorf("%s names no Go", page)
		}
		for _, m := range named {
			if m[1] != version {
				t.Errorf("%s requires Go %s, go.mod %s", page, m[1], version)
			}
		}
	}
}
