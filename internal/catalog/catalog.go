// Package catalog reads tables of data: lint rules, probes, failures with their remedies, glossary terms,
// hosts.
//
// A table is a file of JSON Lines next to the code that uses it, embedded with //go:embed. Each line is an
// entry and begins with its id. Members have lower-case names (last_seen); a member that the type of the
// entry lacks is an error. A text for the user may contain placeholders, names in braces such as {method},
// which the code fills in.
//
// Tables are parsed at their first use, since most runs of the program need few of them. An error in a table
// then panics: the table is part of the program, and the first test that uses it finds the error.
package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// Lazy returns a function for the entries of a table, which is parsed at the first call.
// The function is safe for concurrent use. Its slice must not be changed.
func Lazy[Entry any](table []byte) func() []Entry {
	return sync.OnceValue(func() []Entry { return Read[Entry](table) })
}

// Read parses a table. It panics if a line is not an Entry.
func Read[Entry any](table []byte) []Entry {
	entries := make([]Entry, 0, bytes.Count(table, []byte("\n"))+1)
	for line := range Lines(table) {
		var e Entry
		Decode(line, &e)
		entries = append(entries, e)
	}
	return entries
}

// Lines returns the lines of a table that are not blank. Tables whose lines differ in type are
// read with Lines and [Decode].
func Lines(table []byte) func(yield func(line []byte) bool) {
	return func(yield func([]byte) bool) {
		for line := range bytes.Lines(table) {
			if line = bytes.TrimSpace(line); len(line) > 0 && !yield(line) {
				return
			}
		}
	}
}

// Decode parses a line into an entry; members that the line lacks stay unchanged. It panics if
// the line is not such an entry.
func Decode(line []byte, entry any) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(entry); err != nil {
		panic(fmt.Sprintf("catalog: %v in %s", err, line))
	}
}

// Fill replaces each placeholder of a text with the result of value for its name. Braces within a value are
// kept.
func Fill(text string, value func(name string) string) string {
	if strings.IndexByte(text, '{') < 0 {
		return text // texts without holes share it
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || !isName(name) {
			b.WriteByte('{')
			text = rest
			continue
		}
		b.WriteString(value(name))
		text = after
	}
}

// Named returns a text for documentation: each hole is its name in capitals.
func Named(text string) string { return Fill(text, strings.ToUpper) }

func isName(s string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '_' {
			return false
		}
	}
	return s != ""
}
