package inspector

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/ui/program"
)

// What is saved in config.yaml and in a theme is read again, once it is complete; a mistake has file and line.
// A flag precedes the file as before.
func TestSavedSettings_AreReadAgain(t *testing.T) {
	dir := t.TempDir()
	path, themeDir := filepath.Join(dir, "config.yaml"), filepath.Join(dir, "themes")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(path, "mouse: true\n")
	synctest.Test(t, func(t *testing.T) {
		p := settings.New(&app.App{})
		p.ConfigPath, p.Configured, p.Flags.Mouse = path, &settings.Config{}, true
		p.Origins = map[string]settings.Origin{}
		saved := savedSettings(p, themeDir)
		next := func(change func()) (program.Settings, error) {
			t.Helper()
			ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
			defer stop()
			change()
			return saved(ctx)
		}
		if _, err := next(func() {}); err != context.DeadlineExceeded { //nolint:errorlint // that of the test itself
			t.Errorf("without a change: %v", err)
		}
		got, err := next(func() { write(path, "theme: nord\nmouse: false\nnotify: false\nkeys: {follow: [F9]}\n") })
		if err != nil || got.Theme != "nord" || !got.NoMouse || !got.Quiet || len(got.Keys["follow"]) != 1 {
			t.Errorf("%+v, %v", got, err)
		}
		for text, want := range map[string]string{
			"theme: nord\nmouse: maybe\n":     path + ":2:8: mouse: expected true or false",
			"theme: no-such-theme\n":          "unknown theme",
			"\n\nkeys: {follow: [\n":          path + ":",
			"keys: {no.such.command: [F9]}\n": path + ":1: ",
		} {
			if _, err := next(func() { write(path, text) }); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %q", text, err, want)
			}
		}
		if got, err := next(func() { _ = os.Remove(path) }); err != nil || got.Theme != "" || got.NoMouse || got.Quiet {
			t.Errorf("without the file: %+v, %v", got, err)
		}
		if _, err := next(func() { write(filepath.Join(themeDir, "mine.yaml"), "x") }); err != nil {
			t.Errorf("a theme that is not in use: %v", err)
		}
		// While an editor writes, nothing is read.
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		write(path, "theme: n\n")
		time.AfterFunc(lookInterval+lookInterval/2, func() { write(path, "theme: nord\n") })
		if got, err := saved(ctx); err != nil || got.Theme != "nord" {
			t.Errorf("half written: %+v, %v", got, err)
		}
	})
}
