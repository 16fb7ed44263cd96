package inspector

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/session/question"
	"mcptea/ui/dialog"
	"mcptea/ui/pane/start"
)

// askingEntry is an entry with the question that asks before it is opened.
func askingEntry(name string, own bool, c question.Text) start.Entry {
	c.Name, c.Line = "command", question.CommandLine
	return start.Entry{
		Key: name, Name: name, Launch: strings.Join(c.Lines, " "), Args: []string{"--server=" + name}, Verb: "start it",
		Facts: []start.Fact{{Label: "command", Text: strings.Join(c.Lines, " ")}},
		Ask:   &start.Ask{Own: own, Consent: dialog.Consent{Title: "Start this command?", Text: c, Yes: "start", No: "cancel"}},
	}
}

// selects shows entries alone, with the first one selected.
func (s *starting) selects(entries ...start.Entry) {
	s.list().SetGroup(0, start.Group{Title: "Configured servers", Kind: "server", Entries: entries})
	for i := range 4 {
		s.list().SetGroup(i+1, start.Group{})
	}
	s.press(strings.Repeat("<up>", 10))
}

// What decides something is visible, to its last character, before a key agrees: a long command, a
// variable behind others, a directory, at each size. Where it fits beside the list enter is enough.
func TestStart_AllIsInSightBeforeItStarts(t *testing.T) {
	variables := func(n int) (facts []question.Fact) {
		for i := range n {
			facts = append(facts, question.Fact{Label: "env", Text: fmt.Sprintf("VARIABLE_%d=value", i)})
		}
		return append(facts, question.Fact{Label: "env", Text: "LAST=THE END"})
	}
	for name, tt := range map[string]struct {
		text question.Text
		fits bool // at 80x24
	}{
		"short":               {question.Text{Lines: []string{"npx", "-y", "THE END"}}, true},
		"few variables":       {question.Text{Lines: []string{"node"}, Facts: variables(6)}, true},
		"long command":        {question.Text{Lines: []string{"sh", "-c", strings.Repeat("x ", 2500) + "THE END"}}, false},
		"many variables":      {question.Text{Lines: []string{"node"}, Facts: variables(60)}, false},
		"long value in front": {question.Text{Lines: []string{"node"}, Facts: append([]question.Fact{{Label: "env", Text: "A=" + strings.Repeat("x ", 2000)}}, variables(1)...)}, false},
		"cwd behind them":     {question.Text{Lines: []string{"./run.sh"}, Facts: append(variables(40), question.Fact{Label: "directory", Text: "THE END"})}, false},
		"wide":                {question.Text{Lines: []string{"node", strings.Repeat("日", 2500) + "THE END"}}, false},
	} {
		for _, size := range [][2]int{{80, 24}, {120, 36}, {170, 24}, {40, 10}} {
			synctest.Test(t, func(t *testing.T) {
				s := startedScreen(t, size[0], size[1])
				s.selects(askingEntry("ours", false, tt.text))
				time.Sleep(time.Second)
				s.press("<enter>")
				if s.quit {
					s.sees("THE END")
					if !tt.fits {
						t.Errorf("%s at %v: it is in sight beside the list:\n%s", name, size, s.screen())
					}
					return
				}
				if tt.fits && size == [2]int{80, 24} {
					t.Errorf("%s: enter is not enough:\n%s", name, s.screen())
				}
				s.sees("Start this command?")
				time.Sleep(time.Second)
				for range 2000 {
					before := s.screen()
					if s.press("y"); s.quit {
						plain := len(tt.text.Lines) == 1 // one plain line has no frame with its end
						seen := strings.Contains(before, " end ") || plain && strings.Contains(before, "THE END") && strings.Contains(before, tt.text.Lines[0])
						if !seen || strings.Contains(before, "more below") {
							t.Errorf("%s at %v: it started before its end:\n%s", name, size, before)
						}
						break
					}
					time.Sleep(time.Second)
					s.press("<down>")
					time.Sleep(time.Second)
				}
				s.chose("--server=ours")
			})
		}
	}
}

// Enter agrees only some time after the last row was visible, and not to rows that a window covers.
func TestStart_EnterIsAnAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := question.Text{Lines: []string{"npx", "-y", "server"}}
		s := startedScreen(t, 80, 24)
		s.selects(askingEntry("a", false, text), askingEntry("b", false, text))
		time.Sleep(time.Second)
		s.press("<down>")
		time.Sleep(249 * time.Millisecond)
		s.press("<enter>") // too soon
		s.sees("Start this command?")
		time.Sleep(time.Second)
		s.press("<enter><esc>")
		s.lacks("Start this command?")
		if s.quit {
			t.Fatal("it was opened")
		}
		s.press("<enter>") // the window has covered it
		s.sees("Start this command?")
		time.Sleep(time.Second)
		s.press("<esc>")
		s.lacks("Start this command?")
		time.Sleep(250 * time.Millisecond)
		s.press("<enter>")
		s.chose("--server=b")
	})
}

// What the user has typed need only fit: enter may follow at once.
func TestStart_OwnTextNeedsNoTime(t *testing.T) {
	s := startedScreen(t, 80, 24)
	s.selects(askingEntry("mine", true, question.Text{Lines: []string{"npx", "-y", "server"}}))
	s.press("<enter>")
	s.chose("--server=mine")
	s = startedScreen(t, 80, 24)
	s.selects(askingEntry("mine", true, question.Text{Lines: []string{"sh", "-c", strings.Repeat("x ", 4000)}}))
	s.press("<enter>")
	s.sees("Start this command?")
	if s.quit {
		t.Error("a long command was opened unseen")
	}
}

// A pasted line may come from others: enter agrees only after it was visible for some time. One that was
// typed is the user's own.
func TestStart_PastedLineIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, pasted := range []bool{true, false} {
			s := startedScreen(t, 80, 24)
			if pasted {
				s.send(tea.PasteMsg{Content: "echo now"})
			} else {
				s.press("echo now")
			}
			s.press("<enter>")
			if s.quit == pasted {
				t.Errorf("pasted %v: opened %v:\n%s", pasted, s.quit, s.screen())
			}
		}
		s := startedScreen(t, 80, 24)
		s.send(tea.PasteMsg{Content: "echo now"})
		s.sees("echo now")
		time.Sleep(time.Second)
		s.press("<enter>")
		s.chose("--", "echo", "now")
	})
}

// What is invisible has its code in the detail of an entry, and variables that run code are marked and first.
func TestStart_DetailIsAQuestion(t *testing.T) {
	s := startedScreen(t, 80, 24)
	s.selects(askingEntry("ours", false, question.Text{Lines: []string{"sh", "a\u2800\u3164\ufe0f\U000e0041"}, Facts: []question.Fact{{Label: "runs code", Text: "LD_PRELOAD=x\u200d.so", Marked: true}, {Label: "env", Text: "A=1"}}}))
	s.sees("command   sh 'a‹U+2800›‹U+3164›‹U+FE0F›‹U+E0041›'", "runs code LD_PRELOAD=x‹U+200D›.so", "env       A=1")
}
