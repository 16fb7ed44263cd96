package hosts

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated part of docs/hosts.md")

const marker = "<!-- generated: go test ./client/hosts -run TestDocs -update -->\n"

// catalogTable is the list of hosts and files as docs/hosts.md has it.
func catalogTable() string {
	var b strings.Builder
	b.WriteString("\n| host | HOST | files |\n|---|---|---|\n")
	for _, h := range allHosts() {
		var files []string
		for _, l := range h.files {
			name := "`" + strings.ReplaceAll(l.Path, "|", "") + "`"
			if l.Path == "|" {
				name = "`$" + l.Variable + "`"
			} else if l.Variable != "" {
				name += " (`" + l.Variable + "`)"
			}
			if system, ok := map[string]string{"linux": "Linux", "darwin": "macOS", "windows": "Windows"}[l.OS]; ok {
				name += " on " + system
			}
			if !slices.Contains(files, name) {
				files = append(files, name)
			}
		}
		fmt.Fprintf(&b, "| %s | `%s` | %s |\n", h.Name, h.ID, strings.Join(files, ", "))
	}
	return b.String()
}

func TestDocs_HostsAndProblems(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "hosts.md")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text, generated, ok := strings.Cut(string(data), marker)
	if !ok {
		t.Fatalf("%s has no line %s", file, marker)
	}
	if *update {
		if err := os.WriteFile(file, []byte(text+marker+catalogTable()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if generated != catalogTable() {
		t.Error("the list of files in docs/hosts.md is not current: run go test ./client/hosts -run TestDocs -update")
	}
	last := kinds[len(kinds)-1].ID
	if !strings.Contains(text, last+" |") {
		t.Errorf("the table of problems in docs/hosts.md does not end with %s", last)
	}
}
