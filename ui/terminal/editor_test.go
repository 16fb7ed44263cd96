package terminal

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestEditor_CommandIsReadByTheShell(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the editor is started without a shell")
	}
	dir := filepath.Join(t.TempDir(), "my editors")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "args")
	script := "#!/bin/sh\nprintf '%s|' \"$@\" >'" + out + "'\n"
	if err := os.WriteFile(filepath.Join(dir, "ed"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VISUAL", `"`+dir+`/ed" --wait 'two words'`)
	cmd, err := EditorCommand("/tmp/it's.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(out); string(got) != "--wait|two words|/tmp/it's.json|" {
		t.Errorf("the editor got %q", got)
	}
}

func TestEditor_BlankVariableIsNotACommand(t *testing.T) {
	t.Setenv("VISUAL", " ")
	t.Setenv("EDITOR", "code --wait")
	if got := editorText(); got != "code --wait" {
		t.Errorf("got %q", got)
	}
	if got := strings.Join(AtLine("a.go", 7), " "); got != "--goto a.go:7" {
		t.Errorf("got %q", got)
	}
}
