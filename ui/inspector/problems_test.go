package inspector

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mcptea/demo"
)

// echoAndProblems calls a tool by its form and goes to the problems.
const echoAndProblems = "<enter>hi<enter><esc><esc>8"

func TestProblemsOfAFault(t *testing.T) {
	for fault, tc := range map[string]struct {
		response string
		sees     []string
	}{
		"wrong-id":         {`{"jsonrpc":"2.0","id":1000003,"result":{"content":[]}}`, []string{"J030 response-unknown-id", "matches no pending request", "fix in   server", "/id", `"id": 1000003`}},
		"no-version":       {`{"id":3,"result":{"content":[]}}`, []string{"J004 jsonrpc-missing", "response to", "basic#messages"}},
		"result-and-error": {`{"jsonrpc":"2.0","id":3,"result":{"content":[]},"error":{"code":-32603,"message":"both"}}`, []string{"J014 result-and-error", "Leave the unused member"}},
		"bad-json":         {`{"jsonrpc":"2.0","id":3,"result":{'content':[]}}`, []string{"J001 not-json", "byte 34", "single quotes"}},
	} {
		t.Run(fault+" 80x24", func(t *testing.T) {
			driveServer(t, 80, 24, weather(map[string]string{"tools/call": "frame " + tc.response}), func(d *driver) {
				d.tool("forecast")
				d.press("Oslo")
				d.command("call.send")
				d.press("<esc><esc>")
				d.command(tabProblems)
				if d.session.Store().Snapshot().Pending > 0 {
					d.press("<ctrl+p>cancel newest<enter>") // no clock is to run in the golden screen
				}
				d.sees(tc.sees...)
				d.requireGolden()
			})
		})
	}
}

func TestNothingIsWrongYet(t *testing.T) {
	drive(t, 80, 24, demo.Options{}, func(d *driver) {
		d.lacks("⚠")
		d.press("8")
		d.sees("No problems found.", "8 Prob")
		d.lacks("mute")
	})
}

func TestProblems_ShownOutsideTheirTab(t *testing.T) {
	drive(t, 160, 50, demo.Options{Fault: "wrong-id"}, func(d *driver) {
		d.press("<enter>hi<enter>")
		d.sees("✗ 1", "8 Problems 1", "J030 unknown id")
		d.press("<esc><esc><tab>K")
		d.sees("✗ J030 response-unknown-id", "Copy the request id unchanged", "fix in server, at /id")
		d.lacks("no request has this id and this type of id")
		d.press("K")
		d.sees("✗ J030 Response id")
	})
}

func TestProblems_GoToFrame(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			drive(t, size[0], size[1], demo.Options{Fault: "wrong-id"}, func(d *driver) {
				d.press(echoAndProblems + "<enter>")
				d.sees(`▌    "id": 1000010`, "✗ J030", "$.id", "tree  bytes")
				d.press("<esc><esc>")
				d.sees("response-unknown-id")
			})
		})
	}
	drive(t, 120, 36, demo.Options{Fault: "bad-json"}, func(d *driver) {
		d.press(echoAndProblems + "\\<enter>")
		d.sees("0000  7b 22", "J001")
		if from, to := d.model.views.detail.Marked(); from != 76 || to != 77 {
			t.Errorf("the bytes from %d to %d are marked", from, to)
		}
	})
}

func TestProblems_UnfoldAndMute(t *testing.T) {
	drive(t, 80, 24, demo.Options{Fault: "no-version"}, func(d *driver) {
		d.press("8<space>jj")
		d.sees("✗ J004", "#2 ← response to initialize", "#5 ← response to tools/list", "frame #5 ←")
		d.press("<ctrl+p>mute session<enter>")
		d.sees("muted  ×9", "J004 is muted in this session: ctrl+p mute unmutes it.")
		d.lacks("✗ 9")
		d.press("<ctrl+p>mute session<enter>")
		d.sees("J004 is no longer muted.", "✗ 9")
		d.press("h")
		d.lacks("#5 ← response to tools/list  ")
	})
}

func TestARuleIsMutedForGood(t *testing.T) {
	drive(t, 120, 36, demo.Options{Fault: "no-version"}, func(d *driver) {
		var calls []string
		var broken error
		d.model.problems.MuteAlways = func(rule string, on bool) (string, error) {
			calls = append(calls, fmt.Sprint(rule, " ", on))
			return "/home/me/.config/mcptea/config.yaml", broken
		}
		d.press("8")
		d.press("<ctrl+p>mute config<enter>")
		d.sees("muted  ×9", "J004 is muted in every session (/home/me/.config/mcptea/config.yaml): ctrl+p mute")
		d.press("<ctrl+p>mute config<enter>")
		d.sees("J004 is no longer muted, and is removed from /home/me/.config/mcptea/config.yaml.")
		broken = errors.New("config.yaml:3: there is no setting \"muted\"; there is mute")
		d.press("<ctrl+p>mute config<enter>")
		d.sees("muted  ×9", "Only in this session: config.yaml:3: there is no setting")
		if got, want := strings.Join(calls, ", "), "J004 true, J004 false, J004 true"; got != want {
			t.Errorf("what was written: %s, want %s", got, want)
		}
	})
}

func TestNextError_StopsWhereARuleIsBroken(t *testing.T) {
	drive(t, 120, 36, demo.Options{Fault: "no-version"}, func(d *driver) {
		d.press("9gn")
		at := d.model.views.traffic.Selected()
		d.press("n")
		if next := d.model.views.traffic.Selected(); at != 3 || next != 5 {
			t.Errorf("n stops at %d, and then at %d", at, next)
		}
		d.press("N")
		if again := d.model.views.traffic.Selected(); again != at {
			t.Errorf("N goes to %d", again)
		}
	})
}

func TestProblems_FilterAndCopy(t *testing.T) {
	drive(t, 120, 36, demo.Options{Fault: "no-version"}, func(d *driver) {
		d.press("8/teapot")
		d.sees("/ teapot", "No finding matches the filter")
		d.press("<esc>/missing -client<enter>")
		d.sees("/ missing -client", "J004")
		d.press("<esc>F")
		d.sees("/ severity:warning")
		d.press("F")
		d.sees("/ severity:error", "J004")
		d.press("y")
		d.sees("Copied finding (")
		d.press("Y")
		d.sees("Copied finding as JSON")
		d.press("K")
		d.sees("J004", "jsonrpc-missing", "esc close")
	})
}

func TestTabs_EightyColumns(t *testing.T) {
	drive(t, 80, 24, demo.Options{Fault: "no-version"}, func(d *driver) {
		d.call("log", `{"message":"tea"}`)
		d.call("brew-task", `{"seconds":60},"task":{}`)
		row := strings.Split(d.term.screen(), "\n")[1]
		for _, text := range []string{"1 Srv", "6 Logs 1", "7 Tasks 1", "8 Prob 1"} {
			if !strings.Contains(row, text) {
				t.Errorf("no %q in %q", text, row)
			}
		}
	})
}

// The section of the specification that a finding goes by is a link for the terminal, to that page alone.
func TestProblems_SpecIsALink(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("8 jj\\\\")
		d.settle()
		d.sees("modelcontextprotocol.io/specification/")
		all := d.written("8")
		if len(all) == 0 {
			t.Fatal("no link")
		}
		for _, link := range all {
			if link != ";" && !strings.HasPrefix(link, ";https://modelcontextprotocol.io/specification/") {
				t.Errorf("a link to %q", link)
			}
		}
	})
}
