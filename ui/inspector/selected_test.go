package inspector

import (
	"regexp"
	"strings"
	"testing"

	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/ui/paint"
)

// A text that the next letter replaces says how it is kept, and a move keeps it.
func TestSelected_SaysHowTheTextIsKept(t *testing.T) {
	const keep = "→ keep the selected text"
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		drive(t, size[0], size[1], demo.Options{}, func(d *driver) {
			d.press("2/echo<enter>")
			d.lacks(keep)
			d.press("/")
			d.sees("/ echo", "enter apply", "esc clear", keep)
			d.press("<right><backspace>")
			d.sees("/ ech")
			d.lacks(keep)
			d.press("<enter>/<backspace>")
			d.lacks("/ ech")
		})
	}
}

// A filter or a value that is proposed is selected: typing replaces it, which is said beside a message too.
func TestSelected_AProposedFilterIs(t *testing.T) {
	const keep = "→ keep the selected text"
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("b")
		d.sees("method:tools/call dir:out")
		d.sees(keep)
		d.press("<right><backspace>x")
		d.sees("method:tools/call dir:oux")
		d.press("<esc>b")
		d.press("dir:in<enter>I")
		d.sees("b1  dir:in")
		d.press("cping<enter><ctrl+p>several times<enter>")
		d.sees("Send several times", keep)
		d.within(func() { d.model.Say("Attached to the tap.") })
		d.settle()
		d.sees(keep + "   Attached to the tap.")
	})
}

// A narrow row of tabs gives up counts before names, names of empty tabs before others, and writes what
// has no name as a range: each tab is there, and has its number.
func TestTabRow_NamesBeforeCounts(t *testing.T) {
	for w, want := range map[int]string{
		100: "1 Srv 2 Tools 34  3 Res 21  4 Prompts 7  5 Req    6 Logs",
		80:  "1 Srv 2 Tools 3 Res 4 Prompts 5 Req    6 Logs 7 Tasks 8 Prob 9 Traffic 0 Skills",
		60:  "1 Srv 2 Tools 3 Res 4 Prompts 5–7 8 Prob 9 Traffic 0 Skills",
	} {
		driveIn(t, revision.R20260728, w, 24, demo.Options{}, func(d *driver) {
			row := strings.Split(d.term.screen(), "\n")[1]
			if w < 100 && !strings.Contains(row, want) {
				t.Errorf("at %d columns: %s", w, row)
			}
			if strings.Contains(row, "…") || !strings.Contains(row, "9 Traffic") || !strings.Contains(row, "0 Skills") {
				t.Errorf("at %d columns a tab is not in the row: %s", w, row)
			}
			x := strings.Index(row, "–")
			if w == 60 && d.model.tabAt(len([]rune(row[:x]))-1) != d.model.tab(tabInbox) {
				t.Errorf("a click on 5 leads to %d", d.model.tabAt(len([]rune(row[:x]))-1))
			}
		})
	}
}

// No count takes the place of a name, and a count has two blanks after it, so that it is not read as the
// number of the next tab.
func TestTabRow_EveryNameBesideCounts(t *testing.T) {
	for _, w := range []int{80, 84, 90, 100, 120} {
		driveIn(t, revision.R20260728, w, 24, demo.Options{Fault: "bad-schema"}, func(d *driver) {
			d.call("log", `{"message":"hello"}`)
			d.session.Start("tools/call", []byte(`{"name":"ask-user","arguments":{}}`))
			d.press("2")
			d.settle()
			row := strings.Split(d.term.screen(), "\n")[1]
			for _, name := range []string{"Tools", "Prompts", "5 Req", "6 Logs", "7 Tasks", "8 Prob", "9 Traffic", "0 Skills"} {
				if !strings.Contains(row, name) {
					t.Errorf("at %d columns %s is not in the row: %s", w, name, row)
				}
			}
			if !regexp.MustCompile(`5 Req(uests)? 1  `).MatchString(row) {
				t.Errorf("at %d columns the request that waits is not counted: %s", w, row)
			}
			if found := regexp.MustCompile(`[a-z] [\d,]+ \d`).FindString(row); found != "" {
				t.Errorf("at %d columns %q: a count reads as a number: %s", w, found, row)
			}
		})
	}
}

// Tools whose name begins with the words of the filter come first, in the order of the list. A line separates those that
// match by their description.
func TestFilter_NamesFirst(t *testing.T) {
	drive(t, 80, 36, demo.Options{}, func(d *driver) {
		d.press("2/ask")
		var found []string
		for _, row := range strings.Split(d.term.screen(), "\n")[4:16] {
			list := strings.Trim(strings.Split(row, "│")[1], " ▌")
			found = append(found, strings.TrimRight(list, "─ ")+paint.If(strings.HasPrefix(list, "──"), "rule", ""))
		}
		if got := strings.TrimSpace(strings.Join(found, " ")); !strings.HasPrefix(got, "ask-user ask-model") || !strings.Contains(got, "ask-all brew-task rule list-roots") {
			t.Errorf("found %s", got)
		}
	})
}

// A number leads to the list of its tab, whatever had the focus there: / filters it.
func TestTabNumber_LeadsToTheList(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("2/echo<enter><enter>tea<ctrl+s>")
		d.press("82/gre")
		d.sees("/ gre", "greet")
	})
}

// esc leads from Break it and the history to where the user was: to another pane, the draft, the response.
func TestComposer_EscLeadsBack(t *testing.T) {
	driveIn(t, revision.R20260728, 120, 36, demo.Options{}, func(d *driver) {
		section := func(want string) {
			t.Helper()
			got := ""
			d.within(func() { got = d.model.Focused().Section() })
			if got != want {
				t.Errorf("the focus is in %q, want %q", got, want)
			}
		}
		d.press("1")
		section("server")
		d.press("<ctrl+p>empty batch<enter>")
		section("composer")
		d.press("<esc>")
		section("server")
		d.press("1ctools/list<enter><ctrl+s>")
		section("composer, response")
		d.press("<tab>")
		section("composer, break it")
		d.press("<tab>")
		section("composer, history")
		d.press("<esc>")
		section("composer, response")
	})
}

// What Break it sends as a batch has the fault that it is named for, and no other one.
func TestComposer_BatchHasOneFault(t *testing.T) {
	driveIn(t, revision.R20260728, 120, 36, demo.Options{}, func(d *driver) {
		d.press("1ctools/call<enter>")
		d.press("<ctrl+p>a batch of two<enter><ctrl+s><ctrl+s>")
		d.sees("✓ error -32600, as expected", "expected: error -32600 or no response")
		d.sees("Batch rejected: The receiver does not accept this JSON array of messages", "as a batch.")
		d.press("<esc><esc><esc>8")
		d.sees("B001   This is a batch of 2 messages.", "client", "yours")
		d.lacks("N007")
	})
}

// The keys of a table, of a pin and of what is found are on the screen where they work.
func TestFooter_KeysOfATable(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("2/search<enter><enter>tea<ctrl+s>")
		d.sees("e arguments", "v raw")
		d.lacks("sort by")
		d.press(`J<ctrl+u>[{name:"x",n:2},{name:"a",n:5}]<enter>`)
		d.sees("s sort by name", "Y copy table")
		d.press("-")
		d.lacks("━━  ")
		d.sees("s sort by n ")
	})
}

// The card of a finding has its values, not the form of its message.
func TestExplain_AFindingWithItsValues(t *testing.T) {
	driveServer(t, 120, 36, weather(map[string]string{"tools/call": `frame {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"nope","progress":1}}`}), func(d *driver) {
		d.tool("forecast")
		d.press("Oslo")
		d.command("call.send")
		d.press("<esc><esc>")
		d.command(tabProblems)
		d.press("/N003<enter><down>K")
		d.sees("N003 progress-unknown-token", "found", `No pending request has the progress token "nope".`)
		d.lacks("GOT")
	})
}

// A log message is found by its level in Traffic with the words that find it in Logs.
func TestFilter_LevelInTrafficAndLogs(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("9/level:loud")
		d.sees("level: takes a level such as info, warning or error")
		d.press("<esc>6/severity:warning")
		d.sees("severity: is a property of frames and findings, not of log messages. Known: from, level, logger, since.")
	})
}
