package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Cobra evaluates a template of its own help, usage or version only if one is set: the linker then
// keeps every exported method, 4 MB of the program.
func TestCommands_SetNoTemplate(t *testing.T) {
	files, err := filepath.Glob("*.go")
	more, _ := filepath.Glob("*/*.go")
	if err != nil || len(files) < 20 {
		t.Fatal(len(files), err)
	}
	template := regexp.MustCompile(`\.Set(Help|Usage|Version)Template\(`)
	for _, file := range append(files, more...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if m := template.Find(text); m != nil {
			t.Errorf("%s has %s", file, m)
		}
	}
}
