package ui

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"mcptea/internal/phrase"
	"mcptea/ui/keys"
)

func TestPage_DocsAreCurrent(t *testing.T) {
	const path = "../docs/keys.md"
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(keysPage()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if written, err := os.ReadFile(path); err != nil || string(written) != keysPage() {
		t.Errorf("docs/keys.md is not that of the commands (%v): run go test ./ui -run TestPage -update", err)
	}
}

// keysPage is docs/keys.md: all commands with their keys, by section.
func keysPage() string {
	var b strings.Builder
	b.WriteString(`# Keys

Generated from the commands; a test keeps it current. A letter means the same in every pane.

` + "`?`" + ` shows the keys that matter; ` + "`ctrl+p`" + `, and ` + "`?`" + ` again, list all commands in the program, find them by words and run them.
While a text field has the focus, characters and the chords that edit text (` + "`ctrl+a` `ctrl+e` `ctrl+w` `ctrl+u` `ctrl+k` `alt+b`" + ` …)
keep their meaning; commands are on ` + "`alt+`" + ` chords, function keys, ` + "`tab`, `enter`, `esc` and `ctrl+s`" + ` there.

Other keys are set in ` + "`config.yaml`" + `, by the id of a command. They replace its keys; an empty list removes them.

` + "```yaml\nkeys:\n  follow: [f, f5]\n  quit: []\n```\n")
	for _, section := range Sections() {
		fmt.Fprintf(&b, "\n## %s\n\n| key | command | id |\n|---|---|---|\n", phrase.Capital(section.Name))
		for _, c := range section.Commands {
			var names []string
			for _, k := range c.All() {
				if k == "ctrl+@" {
					continue // how some terminals send ctrl+space
				}
				names = append(names, "`"+strings.ReplaceAll(keys.KeyName(k), "|", `\|`)+"`")
			}
			fmt.Fprintf(&b, "| %s | %s | `%s` |\n", strings.Join(names, " "), c.Help, c.ID)
		}
	}
	return b.String()
}
