//go:build unix

package cli

import (
	"os"
	"strings"
	"testing"

	"mcptea/cli/app"
)

func TestWrap_AsksOnTheTerminal(t *testing.T) {
	home, file := homeWith(t, "mcptea")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		answer  string
		code    int
		written bool
	}{{"\r", app.ExitError, false}, {"no\r", app.ExitError, false}, {"\x03", app.ExitInterrupted, false}, {"y\r", app.ExitOK, true}} {
		term := onTerminalWith(t, []string{"HOME=" + home}, "servers", "wrap", "cursor/files")
		term.waitFor("Write it? [y/N]")
		term.typed(c.answer)
		if code := term.exit(); code != c.code {
			t.Errorf("%q: exit code %d, want %d: %s", c.answer, code, c.code, term.raw())
		}
		now, err := os.ReadFile(file)
		if err != nil || (string(now) != string(before)) != c.written {
			t.Errorf("%q: the file has %s, %v", c.answer, now, err)
		}
		if c.written && !strings.Contains(string(now), `"args": ["tap", "--as", "cursor/files", "--", "mcptea", `) {
			t.Errorf("the file has %s", now)
		}
	}
}
