package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcptea/cli/app"
)

// An editor may begin a file with a byte order mark, which is not part of the text.
func TestReadText_ByteOrderMark(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, []byte("\ufeffcall t\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := app.ReadText(t.Context(), file, 100); err != nil || string(text) != "call t\r\n" {
		t.Errorf("%q, %v", text, err)
	}
	stdin, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stdin.Close() }()
	a := &app.App{Ctx: t.Context(), In: stdin}
	for name, want := range map[string]string{file: "call t\r\n", "-": "call t\r\n"} {
		if text, err := a.ReadNamed("script", name); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// Each command reads its files as text. Only the frames of send are sent byte for byte.
func TestReadText_EachDoor(t *testing.T) {
	var exact []string
	for _, pattern := range []string{"../*.go", "../*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err == nil && !strings.HasSuffix(file, "_test.go") && strings.Contains(string(text), "app.ReadFile(") {
				exact = append(exact, filepath.ToSlash(file))
			}
		}
	}
	if !slices.Equal(exact, []string{"../use/send.go"}) {
		t.Errorf("files with app.ReadFile instead of app.ReadText: %q", exact)
	}
}
