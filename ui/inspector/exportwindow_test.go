package inspector

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mcptea/demo"
	"mcptea/internal/test/raced"
)

// X shows what would be written, and writes it.
func TestExport_PreviewAndFile(t *testing.T) {
	raced.Never(t, "repeats one drawing over sizes")
	for _, size := range sizesOf(screenSizes) {
		drive(t, size[0], size[1], demo.Options{}, func(d *driver) {
			dir := d.t.TempDir()
			d.call("echo", `{"message":"my token","api_key":"sk-proj-abcdefghijklmnopqrstuvwxyz012345"}`)
			d.press("9<end>X")
			d.sees("Export", "● whole session  exchange #", "frame #", "redacted", "markdown", "raw", "enter write")
			d.press("<down><down><down>")
			d.sees("# Session with mcptea-demo", ".md")
			path := filepath.Join(dir, "report.md")
			d.press("<ctrl+u>" + path)
			d.press("<enter>")
			d.sees("Wrote", "report.md")
			d.lacks("enter write")
			rows := strings.Split(strings.TrimRight(d.term.screen(), "\n"), "\n")
			if said := strings.Join(rows[len(rows)-4:], ""); !strings.Contains(said, "whole session.") && !strings.Contains(said, "frame") {
				t.Errorf("the message is cut:\n%s", d.term.screen())
			}
			text, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(text), "my token") || strings.Contains(string(text), "sk-proj-abcdef") {
				t.Errorf("%v\n%s", err, text)
			}
			if info, _ := os.Stat(path); os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
				t.Errorf("mode %v", info.Mode())
			}
			d.press("X") // the format of the last time
			d.press("<ctrl+x><ctrl+u>" + path + "<enter>")
			d.sees("The file exists. enter again replaces it.")
			d.press("<enter>")
			d.sees("Wrote")
			if text, _ := os.ReadFile(path); !strings.Contains(string(text), "sk-proj-abcdef") {
				t.Errorf("redacted:\n%s", text)
			}
		})
	}
}

// What is typed replaces the name that is suggested: the name of a format chooses it, and so does an ending.
func TestExport_TypedFormat(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		t.Chdir(d.t.TempDir())
		for _, format := range []string{"html", "jsonl", "har"} {
			d.press("9X" + format + "<enter>")
			d.sees("enter write")
			d.press("<enter>")
			d.sees("Wrote", "("+format+",")
		}
		d.press("9Xreport.md")
		d.sees("# Session with mcptea-demo")
		d.press("<enter>")
		d.sees("Wrote", "report.md (markdown,")
	})
}

func TestExport_SelectionFilterAndErrors(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.call("echo", `{"message":"first"}`)
		d.call("echo", `{"message":"second"}`)
		d.press("9/first<enter>X<up>")
		d.sees("● filter first  whole session  exchange #20  frame #20")
		d.sees(`"first"`)
		d.lacks(`"text":"second"`)
		d.press("<alt+v>")
		d.sees("what the client sent", `"name":"echo"`)
		d.press("<ctrl+u><enter>")
		d.sees("Type the path of a file.")
		dir := t.TempDir()
		d.press(filepath.Join(dir, "none", "x") + "<enter>")
		d.sees("Cannot export")
		d.press("<ctrl+u>" + dir + "<enter>")
		d.sees(filepath.Join(filepath.Base(dir), "mcptea-demo.txt")) // a directory gets the name
		d.press("<esc>")
		d.lacks("enter write")
		// What is copied is the whole export.
		d.press("X<down><down><down><down><down><down>")
		d.sees("mcptea call ", "--tool=echo")
		d.press("<alt+y>")
		d.sees("Copied command")
	})
}

// Two exchanges are compared alike: m marks all of one that is folded, d on the request of one that is
// unfolded compares the responses.
func TestDiff_FoldedWithUnfolded(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.call("echo", `{"message":"the first text"}`)
		d.call("echo", `{"message":"the second text"}`)
		d.press("9<end><up> ")
		d.sees("▾")
		d.press("<end>m")
		d.sees("Exchange #", " is marked. d on another one compares them")
		d.press("<up><up>d")
		d.sees("A  #", "response of call id 10", "response of call id 11", "result.content[0].text")
		d.lacks("request tools/call")
	})
}

// m marks frames, d compares them.
func TestDiff_MarkedFrames(t *testing.T) {
	for _, size := range sizesOf(screenSizes) {
		drive(t, size[0], size[1], demo.Options{}, func(d *driver) {
			d.call("echo", `{"message":"the first text"}`)
			d.call("echo", `{"message":"the second text"}`)
			d.press("9<end>d")
			d.sees("Mark a frame with m")
			d.press("m")
			d.sees("Exchange #", " is marked. d on another one compares them", "◆")
			d.press("<up>d")
			d.sees("1 changed", "1 ignored", "A  #", "B  #", `"the first text"`, `"the second text"`, "call id 1", "other arguments", "result.content[0].text", "n next")
			beside := regexp.MustCompile(`: "the first text.*: "the second tex`)
			if beside.MatchString(d.term.screen()) != (size[0] >= 120) {
				t.Errorf("sides at %v:\n%s", size, d.term.screen())
			}
			d.press("v")
			if beside.MatchString(d.term.screen()) == (size[0] >= 120) {
				t.Errorf("v does not change the sides at %v:\n%s", size, d.term.screen())
			}
			d.press("i")
			d.sees("2 ignored")
			d.within(func() { d.model.Run("diff.strict") })
			d.settle()
			d.sees("1 changed", "1 ignored") // the id counts
			d.press(" ")
			d.sees("\"type\": \"text\"", "9 Traffic")
			d.press("y<esc>")
			d.lacks("1 ignored")
			d.press(":unmark all<enter>")
			d.lacks("◆")
		})
	}
}

// In a result, d compares it with that of the previous call.
func TestDiff_PreviousCall(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("2<enter>before<enter>")
		d.sees("before")
		d.press("<ctrl+o>d")
		d.sees("There is no previous call to compare with.")
		d.press("e<ctrl+u>after<enter>")
		d.press("<ctrl+o>d")
		d.sees("1 changed", `"before"`, `"after"`)
	})
}

// A list that has changed says what breaks clients.
func TestDiff_OfferedTools(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	frame := func(seq, id int, required string) string {
		out := `{"jsonrpc":"2.0","id":` + string(rune('0'+id)) + `,"method":"tools/list"}`
		in := `{"jsonrpc":"2.0","id":` + string(rune('0'+id)) + `,"result":{"tools":[{"name":"get","inputSchema":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":[` + required + `]}}]}}`
		return recordedLine(seq, "out", out) + recordedLine(seq+1, "in", in)
	}
	text := `{"mcptea":2,"t":1780000000000000000,"tool":"test","transport":"stdio","target":"server"}` + "\n" + frame(1, 1, `"a"`) + frame(3, 2, `"a","b"`)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	driveRecording(t, 120, 36, path, func(d *driver) {
		d.press("9<home>m<down>d")
		d.sees("1 breaking", "tools get /inputSchema/required", "breaking", `"b" is required`)
	})
}

// recordedLine is a frame in a recording.
func recordedLine(seq int, kind, frame string) string {
	return fmt.Sprintf(`{"s":%d,"t":%d,"k":"%s","n":%d,"msg":%s}`+"\n", seq, 1780000000000000000+seq, kind, len(frame), frame)
}
