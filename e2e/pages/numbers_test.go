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
	if lines := regexp.MustCompile(`\n`).FindAll(readme, -1); len(lines) > 130 {
		t.Errorf("the README has %d lines", len(lines))
	}
}
