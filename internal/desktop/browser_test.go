package desktop_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"mcptea/internal/desktop"
)

// opener replaces the program that opens pages with one that writes its arguments to a file and copies the
// file to be opened. It returns what they say.
func opener(t *testing.T) (state string, opened func() (arguments, text string)) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the stand-in is a script")
	}
	bin, state := t.TempDir(), t.TempDir()
	script := "#!/bin/sh\nprintf '%s\\n' \"$*\" >" + bin + "/said\n/bin/cat \"$1\" >" + bin + "/text\n"
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	t.Setenv("BROWSER", "")
	t.Setenv("XDG_STATE_HOME", state)
	return state, func() (string, string) {
		said, _ := os.ReadFile(filepath.Join(bin, "said"))
		text, err := os.ReadFile(filepath.Join(bin, "text"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(said)), string(text)
	}
}

func TestBrowser_Open_OnlyPages(t *testing.T) {
	_, opened := opener(t)
	for _, bad := range []string{"file:///etc/passwd", "javascript:alert(1)", "--help", "vscode://x", "http:///x", "", "https://bank.example@evil.example/"} {
		if err := desktop.Open(t.Context(), bad); err == nil {
			t.Errorf("%q was opened", bad)
		}
	}
	const page = "https://h.example/a?b=$(c)&d='e'\"<>"
	remove, err := desktop.OpenOnce(t.Context(), page)
	if err != nil {
		t.Fatal(err)
	}
	remove()
	if _, text := opened(); !strings.Contains(text, `content="0; url=https://h.example/a?b=$(c)&amp;d=&#39;e&#39;&#34;&lt;&gt;"`) {
		t.Error(text)
	}
	t.Setenv("PATH", "")
	if err := desktop.Open(t.Context(), page); err == nil || !strings.Contains(err.Error(), "by hand") || strings.Contains(err.Error(), "h.example") {
		t.Errorf("without a browser: %v", err)
	}
}

// The browser that the user has named in BROWSER is started instead of the system's; if it cannot be
// started, the next one is.
func TestBrowser_Open_OfTheUser(t *testing.T) {
	_, opened := opener(t)
	bin := os.Getenv("PATH")
	if err := os.Rename(filepath.Join(bin, "xdg-open"), filepath.Join(bin, "mine")); err != nil {
		t.Fatal(err)
	}
	for named, want := range map[string]string{
		"mine": "/open-", "mine %s --new": " --new", "missing:mine": "/open-", "": "",
	} {
		t.Setenv("BROWSER", named)
		remove, err := desktop.OpenOnce(t.Context(), "https://h.example/a")
		if named == "" {
			if err == nil || !strings.Contains(err.Error(), "xdg-open") {
				t.Errorf("without one: %v", err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", named, err)
			continue
		}
		if said, text := opened(); !strings.Contains(said, want) || !strings.Contains(text, "url=https://h.example/a") {
			t.Errorf("%s got %q, with %s", named, said, text)
		}
		remove()
	}
	t.Setenv("BROWSER", "missing")
	if err := desktop.Open(t.Context(), "https://h.example/a"); err == nil || !strings.Contains(err.Error(), `$BROWSER: missing`) || !strings.Contains(err.Error(), "by hand") {
		t.Error(err)
	}
}

// TestBrowser_Open_AddressIsNoArgument opens a page with a secret in its address: the arguments have the
// path of a file that only the user can read, and that is removed.
func TestBrowser_Open_AddressIsNoArgument(t *testing.T) {
	state, opened := opener(t)
	files := func() []os.DirEntry {
		all, err := os.ReadDir(filepath.Join(state, "mcptea", "pages"))
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	remove, err := desktop.OpenOnce(t.Context(), "http://127.0.0.1:7/a/SECRET")
	if err != nil {
		t.Fatal(err)
	}
	arguments, text := opened()
	if strings.Contains(arguments, "SECRET") || strings.Contains(arguments, "127.0.0.1") || filepath.Dir(arguments) != filepath.Join(state, "mcptea", "pages") || !strings.Contains(text, "url=http://127.0.0.1:7/a/SECRET\"") {
		t.Errorf("%q got %s", arguments, text)
	}
	dir, err := os.Stat(filepath.Dir(arguments))
	info, err2 := os.Stat(arguments)
	if err != nil || err2 != nil || dir.Mode().Perm() != 0o700 || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v, %v %v", dir, err, info, err2)
	}
	remove()
	remove()
	if all := files(); len(all) != 0 {
		t.Errorf("after the page was loaded: %v", all)
	}
	if err := desktop.Open(t.Context(), "http://127.0.0.1:7/a/OTHER"); err != nil {
		t.Fatal(err)
	}
	desktop.CloseBrowser()
	if all := files(); len(all) != 0 {
		t.Errorf("after the end of the program: %v", all)
	}
	// What a process has left behind that was killed.
	left := filepath.Join(state, "mcptea", "pages", "open-1.html")
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(left, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if remove, err = desktop.OpenOnce(t.Context(), "http://127.0.0.1:7/a/THIRD"); err != nil {
		t.Fatal(err)
	}
	if all := files(); len(all) != 1 || all[0].Name() == "open-1.html" {
		t.Errorf("left behind: %v", all)
	}
	remove()
	t.Setenv("PATH", "")
	if err := desktop.Open(t.Context(), "http://127.0.0.1:7/a/FOURTH"); err == nil || len(files()) != 0 {
		t.Errorf("without a browser: %v, %v", err, files())
	}
}
