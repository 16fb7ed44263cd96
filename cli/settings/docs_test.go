package settings_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptea/cli/settings"
)

func TestKeys_AreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range settings.Keys() {
		if row := "\n| `" + key.Name + "` | " + key.Type + " | "; !strings.Contains(string(page), row) {
			t.Errorf("docs/config.md has no row for %s with the type %s", key.Name, key.Type)
		}
	}
}

func TestRead_ExampleOfTheDocumentation(t *testing.T) {
	page, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```yaml\n")
	example, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("docs/config.md has no example")
	}
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte(example), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := settings.Read(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	if c.Theme != "nord" || c.Mouse || len(c.Keys) != 3 {
		t.Errorf("got %+v", c)
	}
}
