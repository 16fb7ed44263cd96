package themes

import (
	"os"
	"strings"
	"testing"
)

func TestThemesAndRoles_AreDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/themes.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append([]string{Auto}, append(order, roleNames...)...) {
		if !strings.Contains(string(page), "`"+name+"`") {
			t.Errorf("docs/themes.md does not mention %s", name)
		}
	}
}
