package browser

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestOnlyPagesAreOpened(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the stand-in is a script")
	}
	dir := t.TempDir()
	said := filepath.Join(dir, "said")
	script := "#!/bin/sh\nprintf '%s\\n' \"$*\" >>" + said + "\n"
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	for _, bad := range []string{"file:///etc/passwd", "javascript:alert(1)", "--help", "vscode://x", "http:///x", ""} {
		if err := Open(t.Context(), bad); err == nil {
			t.Errorf("%q was opened", bad)
		}
	}
	const page = "https://h.example/a?b=$(c)&d='e'"
	if err := Open(t.Context(), page); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(said); err != nil || strings.TrimSpace(string(text)) != page {
		t.Errorf("opened %q, %v", text, err)
	}
	t.Setenv("PATH", "")
	if err := Open(t.Context(), page); err == nil || !strings.Contains(err.Error(), "by hand") {
		t.Errorf("without a browser: %v", err)
	}
}
