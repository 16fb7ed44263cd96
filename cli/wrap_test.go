//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mcptea/cli/app"
	"mcptea/session/question"
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
		term.waitFor("[y/N]")
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

// A server is recorded, and no longer, from the start screen, which stays.
func TestStartScreen_RecordsWithTap(t *testing.T) {
	home, file := homeWith(t, "mcptea")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := func() string {
		now, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(now)
	}
	const f7 = "\x1b[18~"
	term := onTerminalWith(t, []string{"HOME=" + home, "XDG_STATE_HOME=" + filepath.Join(home, "state")})
	term.waitFor("mcptea demo --serve")
	term.typed("files")
	term.awaitScreen("f7 record with tap")
	ask := func(title string) {
		t.Helper()
		term.typed(f7)
		term.awaitScreen(title)
		term.awaitScreen("Restart Cursor")
		term.agrees(title)
	}
	ask("Record with tap: write this change?")
	term.awaitScreen("recorded by mcptea tap") // what it says of the file, a key typed ahead clears
	term.awaitScreen("f7 stop recording")
	if !strings.Contains(text(), `"tap", "--as", "cursor/files"`) {
		t.Errorf("the file has %s", text())
	}
	ask("Stop recording: write this change?")
	term.awaitScreen("f7 record with tap")
	if text() != string(before) {
		t.Errorf("the file has %s, not what it had", text())
	}
	term.typed("\x03")
	if code := term.exit(); code != app.ExitOK {
		t.Errorf("exit code %d", code)
	}
}

// agrees types y, once, to a question that is on the screen, and waits until that is gone. The question takes
// no key that was meant for something else; a second y would go where the first one led.
func (term *ptyProgram) agrees(asked string) {
	term.t.Helper()
	term.awaitScreen(regexp.QuoteMeta(asked))
	time.Sleep(questionPause)
	term.typed("y")
	for late := time.After(deadline); strings.Contains(term.shown(), asked); {
		select {
		case <-term.grown:
		case <-term.ended:
			return
		case <-late:
			term.t.Fatalf("%q stays:\n%s", asked, term.shown())
		}
	}
}

// questionPause is longer than the time in which a new question accepts no answer.
const questionPause = 2 * question.Grace
