package inspector

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mcptea/demo"
	"mcptea/internal/test/raced"
)

var _ = raced.Also(
	TestResult_WriteToAFile, TestResult_PipeThroughACommand, TestResult_PipeTakesAFilter, TestResult_Search, TestResult_LinkIsRead,
	TestResult_OpenWithTheSystem,
)

// result calls the echo tool on the screen and moves the focus to its result.
func (d *driver) result(message string) {
	d.press("2<enter>" + message + "<enter><ctrl+o>")
	d.sees("call id 10 ok")
}

func TestResult_WriteToAFile(t *testing.T) {
	drive(t, 110, 34, demo.Options{}, func(d *driver) {
		path := filepath.Join(t.TempDir(), "out.txt")
		d.result("one two")
		d.press("w")
		d.sees("Write", "text.txt", "whole result")
		d.press("<ctrl+u>" + path + "<enter>")
		d.sees("Wrote ", "(7 B)")
		text, err := os.ReadFile(path)
		if err != nil || string(text) != "one two" {
			t.Errorf("the file has %q, %v", text, err)
		}
		if info, err := os.Stat(path); err != nil || os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
		d.press("w<ctrl+u>" + path + "<down><enter>")
		d.sees("The file exists. enter again replaces it.")
		d.press("<enter>")
		text, _ = os.ReadFile(path)
		if !strings.HasPrefix(string(text), `{"content":[{`) {
			t.Errorf("the whole result is %q", text)
		}
	})
}

func TestResult_PipeThroughACommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the command is one for a POSIX shell")
	}
	drive(t, 110, 34, demo.Options{}, func(d *driver) {
		d.result("one two")
		d.press("|tr a-z A-Z; printf '\\033]0;title\\007'; echo warning >&2; exit 3<enter>")
		d.sees("| tr a-z A-Z;", "failed", "exit status 3", "ONE TWO", "stderr", "warning")
		d.press("<esc>")
		d.sees("one two")
		d.lacks("ONE TWO")
		d.press("|<enter>")
		d.sees("ONE TWO")
		d.press("<esc>|no-such-command 2>&-<enter>") // what is typed replaces the last command
		d.sees("| no-such-command", "failed")
		d.lacks("ONE TWO")
		d.press("|wc -c<enter>") // of the result, not of the output of the failed command
		d.sees("| wc -c", "7")
		d.press("<esc>")
		d.sees("one two")
	})
}

// A jq filter in the window of the pipe is applied as one, and never run by the shell; the output of a command is shown
// as written.
func TestResult_PipeTakesAFilter(t *testing.T) {
	for line, want := range map[string]bool{
		".": true, ".[0]": true, ". | length": true, ".[] | select(.a > 1)": true, "[.[] | .name]": true, ".name": true, `."a b"`: true,
		"./run.sh": false, "../bin/x": false, ". ./env; cat": false, "[ -t 0 ] && cat": false, "[[ -n x ]]": false, "jq .": false, "wc -c": false, "": false,
	} {
		if isFilter(line) != want {
			t.Errorf("%q is a filter: %v", line, !want)
		}
	}
	if runtime.GOOS == "windows" {
		t.Skip("the command is one for a POSIX shell")
	}
	drive(t, 110, 34, demo.Options{}, func(d *driver) {
		d.result("one two")
		d.press("|")
		d.sees("jq '.[0]'   or   wc -c")
		d.press(".content[0<down>")
		d.sees("This is a jq filter: enter applies it here")
		d.press("<enter>")
		d.sees("The jq filter cannot be read")
		d.press("].text<enter>")
		d.sees("jq .content[0].text  on whole result", `"one two"`)
		d.lacks("sh:")
		d.press("<esc>|<ctrl+u>.content[0].type<enter>") // the text is selected, in which the filter finds nothing
		d.sees("jq .content[0].type  on whole result")
		d.press("<esc>|<ctrl+u>.nothing<enter>")
		d.sees("jq .nothing  on text")
		d.press("<esc><esc><esc>|") // from the list, beside which the result is visible
		d.sees("╭─ Pipe ")
		d.press("<esc>")
		d.press("<esc>|<ctrl+u>echo '{\"a\":{\"b\":[1,2]}}'<enter>")
		d.sees("output  18 B", `{"a":{"b":[1,2]}}`, "v formatted")
		d.press("v")
		d.sees(`"a": {`, "v as written")
	})
}

func TestResult_Search(t *testing.T) {
	drive(t, 110, 34, demo.Options{}, func(d *driver) {
		d.result("one two")
		d.press("/TWO<enter>")
		d.sees("not found")
		d.press("/<ctrl+u>two<enter>nN")
		d.sees("/ two")
		d.lacks("not found")
		d.press("v")
		d.press("/<enter>n<esc>")
		d.lacks("/ two")
	})
}

func TestResult_LinkIsRead(t *testing.T) {
	drive(t, 110, 40, demo.Options{}, func(d *driver) {
		d.press("2/content<enter><enter><enter><ctrl+o>")
		d.sees("ok")
		d.press("<enter>")
		d.sees("demo://", "esc result", "package")
		d.press("<esc>")
		d.lacks("esc result")
	})
}

func TestResult_OpenWithTheSystem(t *testing.T) {
	drive(t, 110, 34, demo.Options{}, func(d *driver) {
		opened := make(chan string, 1)
		d.model.openFileWith = func(_ context.Context, path string) error {
			text, err := os.ReadFile(path)
			opened <- filepath.Base(path) + " " + string(text)
			return err
		}
		d.result("one two")
		d.press("o")
		d.sees("Open only what you trust")
		select {
		case name := <-opened:
			t.Errorf("%s was opened without the user", name)
		default:
		}
		d.press("<enter>")
		d.sees("Opened ", "removed when mcptea ends")
		if got := <-opened; !strings.HasPrefix(got, "text.txt ") || !strings.Contains(got, "one two") {
			t.Errorf("opened %q", got)
		}
		dir := d.model.temporary
		d.model.removeTemporary()
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("the directory is still there: %v", err)
		}
	})
}
