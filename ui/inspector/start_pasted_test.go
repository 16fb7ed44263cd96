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

func TestStart_PastedURLAndCommand(t *testing.T) {
	s := startedScreen(t, 100, 30)
	s.send(tea.PasteMsg{Content: "http://localhost:9412/mcp\n"})
	s.sees("connect", "URL      http://localhost:9412/mcp")
	s.press("<enter>")
	s.chose("http://localhost:9412/mcp")
	s = startedScreen(t, 100, 30)
	s.press("node server.js<enter>")
	s.chose("--", "node", "server.js")
	// A single word is looked for in the list first.
	s = startedScreen(t, 100, 30)
	s.press("node<enter>")
	s.chose("--server=weather")
}

// A key must not open what was selected before the line was read.
func TestStart_EnterBeforeTheMeaningIsKnown(t *testing.T) {
	s := startedScreen(t, 100, 30)
	s.hold = true
	s.press("node server.js")
	s.held = s.held[len(s.held)-1:] // of the whole line
	s.press("<enter>")
	if s.quit {
		t.Fatal("something was opened")
	}
	s.release()
	s.chose("--", "node", "server.js")

	s = startedScreen(t, 100, 30)
	s.hold = true
	s.press("weather<enter><esc>") // the user has changed the line since
	s.release()
	if s.quit {
		t.Errorf("%v was opened", s.model.Chosen)
	}
}

// pastedEntries are two servers that were pasted.
func pastedEntries(text string) (list []start.Entry) {
	for i, name := range []string{"notes", "files"} {
		list = append(list, start.Entry{
			Key: fmt.Sprintf("pasted %d %s", i, name), Name: name, Where: "pasted", Launch: "npx -y " + name, Args: []string{text}, Verb: "start it and connect",
			Facts: []start.Fact{{Label: "command", Text: "npx -y " + name}},
			Ask:   &start.Ask{Window: true, Consent: dialog.Consent{Title: "Start this command?", Text: question.Text{Name: "command", Lines: []string{"npx", "-y", name}}, Yes: "start", No: "cancel"}},
		})
	}
	return list
}

// What was pasted starts only after a question that shows each argument; of several servers one is
// chosen. The text keeps its line ends.
func TestStart_PastedJSON(t *testing.T) { synctest.Test(t, testStartPastedJSON) }

func testStartPastedJSON(t *testing.T) {
	const text = "{ // two\n  \"notes\": {}, \"files\": {}\n}"
	s := startedScreen(t, 100, 30)
	s.send(tea.PasteMsg{Content: strings.ReplaceAll(text, "\n", "\r") + "\r"}) // as terminals send line ends
	s.sees("notes", "files", "npx -y notes", "npx -y files")
	if s.meant != text {
		t.Errorf("the meaning of %q was asked for", s.meant)
	}
	s.press("<down><enter>")
	s.sees("Start this command?", "command: 3 lines", "3  files")
	if s.quit {
		t.Fatal("it was opened unseen")
	}
	time.Sleep(time.Second)
	s.press("<esc>")
	if s.quit {
		t.Fatal("it was opened although the user declined")
	}
	s.press("<enter>y")
	if s.quit {
		t.Fatal("a key that was typed ahead agrees")
	}
	s.sees("Start this command?")
	time.Sleep(time.Second)
	s.press("y")
	s.chose(text)
	if s.model.Chosen.Key != "pasted 1 files" {
		t.Errorf("chosen is %+v", s.model.Chosen)
	}
}

func TestStart_PastedTextIsBounded(t *testing.T) {
	s := startedScreen(t, 100, 30)
	s.send(tea.PasteMsg{Content: "{" + strings.Repeat(" ", start.MaxPasted)})
	s.sees("The pasted text has", "more than the maximum of")
	if s.meant != "" {
		t.Error("it was read")
	}
}

func TestStart_NotATarget(t *testing.T) {
	s := startedScreen(t, 100, 30)
	s.press("no such thing<enter>")
	s.sees("Cannot open it: It is not a target.")
	if s.quit {
		t.Error("the program ended")
	}
}
