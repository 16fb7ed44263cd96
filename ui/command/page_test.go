package command

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write docs/keys.md")

func TestPage_DocsAreCurrent(t *testing.T) {
	const path = "../../docs/keys.md"
	if *update {
		if err := os.WriteFile(path, []byte(Page()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if written, err := os.ReadFile(path); err != nil || string(written) != Page() {
		t.Errorf("docs/keys.md is not that of the table (%v): run go test ./ui/command -update", err)
	}
}
