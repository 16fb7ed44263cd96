package ui

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"mcptea/ui/command"
)

func TestPage_DocsAreCurrent(t *testing.T) {
	const path = "../docs/keys.md"
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(keysPage()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if written, err := os.ReadFile(path); err != nil || string(written) != keysPage() {
		t.Errorf("docs/keys.md is not that of the table (%v): run go test ./ui -run TestPage -update", err)
	}
}

// keysPage is docs/keys.md: all commands with their keys, by context.
func keysPage() string {
	var b strings.Builder
	b.WriteString(`# Keys

Generated from the table of commands; a test keeps it current.

` + "`?`" + ` and ` + "`ctrl+p`" + ` list all commands in the program, find them by words and run them.
While a text field has the focus, characters and the chords that edit text (` + "`ctrl+a` `ctrl+e` `ctrl+w` `ctrl+u` `ctrl+k` `alt+b`" + ` …)
keep their meaning; commands are on ` + "`alt+`" + ` chords, function keys, ` + "`tab`, `enter`, `esc` and `ctrl+s`" + ` there.

Other keys are set in ` + "`config.yaml`" + `, by the id of a command. They replace its keys; an empty list removes them.

` + "```yaml\nkeys:\n  follow: [f, f5]\n  quit: []\n```\n")
	for _, c := range command.Contexts {
		var rows []command.Command
		for _, cmd := range command.All() {
			if cmd.Context == c {
				rows = append(rows, cmd)
			}
		}
		if len(rows) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %s%s\n\n| key | command | id |\n|---|---|---|\n", strings.ToUpper(string(c[:1])), c[1:])
		for _, cmd := range rows {
			var keys []string
			for _, k := range cmd.Binding.Keys() {
				if k == "ctrl+@" {
					continue // how some terminals send ctrl+space
				}
				keys = append(keys, "`"+strings.ReplaceAll(command.KeyName(k), "|", `\|`)+"`")
			}
			fmt.Fprintf(&b, "| %s | %s | `%s` |\n", strings.Join(keys, " "), cmd.Help, cmd.ID)
		}
	}
	return b.String()
}
