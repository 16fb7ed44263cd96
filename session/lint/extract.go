//go:build ignore

// Extract reads the catalogue of rules, a Markdown file, and writes what the
// package needs of it: the texts, and the traces that each rule must fire on.
//
//	go run extract.go CATALOGUE.md
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"regexp"
	"strings"
)

type entry struct {
	ID        string   `json:"id"`
	Slug      string   `json:"slug"`
	Severity  string   `json:"severity"`
	Revisions []string `json:"revisions,omitempty"` // none means all
	Who       string   `json:"who"`
	When      string   `json:"when"`
	Says      string   `json:"says"`
	Do        string   `json:"do"`
	Spec      string   `json:"spec"`
}

var dates = map[string]string{
	"24": "2024-11-05", "25a": "2025-03-26", "25b": "2025-06-18", "25c": "2025-11-25", "26": "2026-07-28",
}

// plain takes out remarks that only the authors of the catalogue understand.
func plain(s string) string {
	for _, r := range [][2]string{
		{`\s*\(seed mistake \d\)`, ""},
		{`; seed validator rule \d(, seed mistake \d)?`, ""},
		{`Two of the seed articles have this wrong`, "Widely copied articles have this wrong"},
		{`The (first|second) seed( article)? has this wrong`, "A widely copied article has this wrong"},
		{`The fourth seed shows the wrong form`, "A widely copied article shows the wrong form"},
		{`the seed catalogue`, "a widely copied catalogue"},
		{`protocol\.md §4(\.2)?`, "the methods in the schema of the revision"},
		{`protocol\.md §11, §19`, "the changelog of the revision"},
		{`protocol\.md §16`, "JSON-RPC 2.0 §5.1; basic/index#responses"},
		{`protocol\.md §15\.1`, "2025-11-25 basic/utilities/tasks; 26 extensions/tasks"},
	} {
		s = regexp.MustCompile(r[0]).ReplaceAllString(s, r[1])
	}
	return s
}

func main() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var entries []*entry
	fires := map[string]*strings.Builder{}
	var e *entry
	inTrace := false
	for in := bufio.NewScanner(file); in.Scan(); {
		line := in.Text()
		text := func(label string) (string, bool) {
			rest, ok := strings.CutPrefix(line, "- "+label+": ")
			return plain(rest), ok
		}
		switch {
		case strings.HasPrefix(line, "### "):
			parts := strings.Split(strings.TrimPrefix(line, "### "), " · ")
			id, slug, _ := strings.Cut(parts[0], " ")
			e = &entry{ID: id, Slug: slug, Severity: parts[1], Who: parts[3]}
			if parts[2] != "all" {
				for _, short := range strings.Fields(parts[2]) {
					e.Revisions = append(e.Revisions, dates[short])
				}
			}
			entries = append(entries, e)
		case e == nil:
		case strings.HasPrefix(line, "```trace "):
			inTrace = true
			b := fires[e.ID[:1]]
			if b == nil {
				b = &strings.Builder{}
				fires[e.ID[:1]] = b
			}
			fmt.Fprintf(b, "== %s %s\n", e.ID, strings.TrimPrefix(line, "```trace "))
		case line == "```" && inTrace:
			inTrace = false
			fires[e.ID[:1]].WriteString("\n")
		case inTrace:
			fmt.Fprintln(fires[e.ID[:1]], line)
		default:
			if t, ok := text("When"); ok {
				e.When = t
			} else if t, ok := text("Says"); ok {
				e.Says = t
			} else if t, ok := text("Do"); ok {
				e.Do = t
			} else if t, ok := text("Spec"); ok {
				e.Spec = t
			}
		}
	}
	for _, e := range entries {
		switch e.ID {
		case "L007": // remarks.go says why
			e.Severity = "warn"
		case "T018": // it has two cases and one sentence
			e.Says = "The hints {reason}."
		}
	}
	out, err := os.Create("catalogue.jsonl")
	if err != nil {
		log.Fatal(err)
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for _, e := range entries {
		if err := enc.Encode(e); err != nil {
			log.Fatal(err)
		}
	}
	for family, b := range fires {
		if err := os.WriteFile("testdata/fires/"+family+".txt", []byte(b.String()), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
