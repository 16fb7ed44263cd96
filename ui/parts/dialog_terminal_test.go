package parts_test

import (
	"fmt"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/internal/test/raced"
	"mcptea/internal/words/display"
	"mcptea/session/apps"
	"mcptea/session/question"
	"mcptea/ui/dialog"
)

var _ = raced.Also(TestTerminalRows_Forged, TestTerminalRows)

var dialogPlain = dialog.Marks{Blank: "·", Wrapped: "↳", Style: func(text string) string { return text }}

// printed are the rows of a text on a terminal without windows.
func printed(c question.Text, w int) (rows []string) {
	r := dialog.Read(c)
	for i := range r.Terminal(w) {
		rows = append(rows, r.Print(i, dialogPlain))
	}
	return rows
}

// TestTerminalRows_Forged has untrusted texts that try to look like a line of mcptea: none of them
// begins a row, and nothing of them is lost.
func TestTerminalRows_Forged(t *testing.T) {
	const forged = "mcptea: Allow the call of \"safe\"? [y/N] "
	for w := 40; w < 120; w += 7 {
		padded := strings.Repeat(" ", 20*w) + forged
		for _, q := range []apps.Question{
			{Kind: apps.AskCall, Call: client.Proposal{Calls: "danger\n" + forged, Part: "arguments", Text: `{"a":"` + padded + `","b":true}`}},
			{Kind: apps.AskCall, Call: client.Proposal{Calls: "danger", Part: "params", Text: "no JSON\n" + forged + "\r\x1b[2J" + padded}},
			{Kind: apps.AskLink, URL: "https://danger.example/" + padded},
			{Kind: apps.AskFile, Name: "danger" + padded + ".txt", Size: 7},
		} {
			c := q.Consent("clock\n"+forged, "server "+forged)
			rows := printed(c, w)
			for _, row := range rows {
				if display.Width(row) > w || !strings.HasPrefix(row, " ") || strings.ContainsAny(row, "\n\r\x1b") {
					t.Fatalf("%d cells: %q", w, row)
				}
			}
			if rows[len(rows)-1] != "     end" {
				t.Errorf("the last row is %q", rows[len(rows)-1])
			}
			if last := dialog.TerminalQuestion(c, dialogPlain); !strings.Contains(last, "danger") || strings.Count(last, `"`) != 2 || !strings.HasSuffix(last, `"?`) || display.Width(last) > 100 {
				t.Errorf("the question is %q", last)
			}
			all := strings.Join(rows, "")
			if n := strings.Count(all, "·"); q.Kind != apps.AskFile && n < 20*w || !strings.Contains(strings.Join(rows, "\n"), "danger") {
				t.Errorf("%d of %d blanks are marked:\n%s", n, 20*w, strings.Join(rows, "\n"))
			}
		}
	}
}

func TestTerminalRows(t *testing.T) {
	c := question.Call("clock 1.0, the app of the tool show", "node server.js",
		client.Proposal{Calls: "delete_files", Part: "arguments", Text: `{"path":"/home/u","note":"two  blanks and a text that is longer than a row"}`})
	want := ` from      clock 1.0, the app of the
           tool show
 calls     delete_files
 on        node server.js
 arguments: 4 lines
  1  {
  2    "path": "/home/u",
  3    "note": "two··blanks and a text
  ↳  that is longer than a row"
  4  }
     end
Allow the call of "delete_files"?`
	var lines []string
	for _, row := range append(printed(c, 40), dialog.TerminalQuestion(c, dialogPlain)) {
		lines = append(lines, strings.TrimRight(row, " "))
	}
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// What looks like nothing is shown by its code in a window and on a terminal, as a fact, a line and the subject.
func TestQuestion_LooksLikeNothing(t *testing.T) {
	for _, r := range []rune{0x2800, 0x3164, 0xffa0, 0x115f, 0x1160, 0xfe0f, 0xfe0e, 0xfe00, 0xe0100, 0xe0041, 0x200d, 0x200b, 0x2060, 0xad, 0x34f, 0x180e, 0x17b4, 0xa0, 0x3000, 0x1d159, 0x16fe4, 0xfffc, 0xe000} {
		hidden := "\U0001f469" + string(r) + "\U0001f4bb" + string(r)
		c := question.Text{Facts: []question.Fact{{Label: "env", Text: hidden}}, Name: "command", Lines: []string{hidden}, Short: "Start", Subject: hidden}
		code := fmt.Sprintf("‹U+%04X›", r)
		p, _ := ask(t, dialog.Consent{Title: "Go?", Text: c, Yes: "go", No: "stay"})
		for face, text := range map[string]string{"window": p.Paint(100, 30, true), "terminal": strings.Join(append(printed(c, 100), dialog.TerminalQuestion(c, dialogPlain)), "\n")} {
			if strings.ContainsRune(text, r) || strings.Count(text, code) < 4 {
				t.Errorf("%U in a %s:\n%s", r, face, text)
			}
		}
	}
}

// The signs that are explained are those in the text.
func TestReading_Signs(t *testing.T) {
	for text, want := range map[string]string{
		"node":                         "",
		"a  b":                         "blank",
		"a\nb":                         "break",
		"a\nb\u200b":                   "break invisible",
		"a\u200b":                      "invisible",
		strings.Repeat("long", 20):     "wrapped",
		strings.Repeat("long  ", 20):   "blank wrapped",
		strings.Repeat("x\u200b\n", 9): "break wrapped invisible",
	} {
		r := dialog.Read(question.Text{Lines: []string{text}, Name: "command"})
		r.Layout(40)
		var got []string
		for _, sign := range r.Signs("·", "↳") {
			got = append(got, sign.Means)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q has %v, want %s", text, got, want)
		}
	}
}
