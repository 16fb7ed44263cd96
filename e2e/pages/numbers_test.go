package pages

import (
	"os"
	"regexp"
	"strconv"
	"testing"
)

// The numbers in the README are those of the pages that list what is counted.
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
		claim := regexp.MustCompile(`(\d+) \[\w+\]\(` + page + `\)`).FindSubmatch(readme)
		if claim == nil || string(claim[1]) != strconv.Itoa(count) {
			t.Errorf("%s has %d entries, the README says %q", page, count, claim)
		}
	}
	if lines := regexp.MustCompile(`\n`).FindAll(readme, -1); len(lines) > 130 {
		t.Errorf("the README has %d lines", len(lines))
	}
}
