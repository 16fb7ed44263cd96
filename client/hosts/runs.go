package hosts

import (
	_ "embed" // the table
	"strings"
	"unicode"

	"mcptea/internal/catalog"
)

//go:embed runs.jsonl
var runsTable []byte

// allRuns are the variables that make programs run other code than their command names.
var allRuns = catalog.Lazy[struct {
	Name  string `json:"name"`  // name in any case; * at an end matches any text
	Why   string `json:"why"`   // reason, as the end of a sentence about the name
	Whole bool   `json:"whole"` // the text that * matches cannot make the name a secret name
}](runsTable)

// RunsCode reports whether an environment variable with this name can make a program run code that
// its command does not name, or send data elsewhere. why is a sentence about it. always reports
// whether the value must be a file, a command or options. Such a value is not a secret and is
// always shown. Upper case and invisible characters in the name are ignored, because systems and
// programs treat them differently.
func RunsCode(name string) (why string, always, ok bool) {
	name = strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, name))
	for _, row := range allRuns() {
		at := strings.ToLower(row.Name)
		exact := name == at
		if prefix, pattern := strings.CutSuffix(at, "*"); exact || pattern && strings.HasPrefix(name, prefix) || at[0] == '*' && strings.HasSuffix(name, at[1:]) {
			why = row.Why
			if !exact { // others that match the pattern are harmless
				why = "with some of these " + why
			}
			return row.Name + ": " + why + ".", exact || row.Whole, true
		}
	}
	return "", false, false
}
