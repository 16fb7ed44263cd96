package parts_test

import (
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/internal/test/panetest"
	"mcptea/internal/test/raced"
	"mcptea/internal/words/display"
	"mcptea/session/question"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/keys"
)

var _ = raced.Also(
	TestConsent_Call_ToolInBold, TestConsent_Masked, TestConsent_EndIsSeenBeforeAgreement, TestConsent_Keys,
	TestConsent_TooLongToBeRead, TestConsent_Deadline, TestConsent_Warnings,
)

// hostile has what a terminal obeys, does not show, or shows in another order.
const hostile = "\x1b]52;c;cHduZWQ=\x07\x1b[31337m\x1b[2J\x07\x08\r\n\t\x00\x7f\u009d52;c;cHduZWQ=\u009c\u009b31337mX\u202e\u2066\u200b\U000e0041"

// text is one with lines.
func text(lines ...string) question.Text { return question.Text{Name: "text", Lines: lines} }

func ask(t *testing.T, q dialog.Consent) (p *panetest.Program, decided *string) {
	t.Helper()
	p, decided = dialogProgram(t), new(string)
	q.Accept, q.Decline = func() { *decided += "yes" }, func() { *decided += "no" }
	q.Open(p)
	return p, decided
}

// askedGrace is how long the window takes no key after a key of the user has opened it.
const askedGrace = 250 * time.Millisecond

// sized gives a window its size on a screen.
func sized(p *panetest.Program, w, h int) {
	p.W, p.H = p.Pane.(interface {
		Size(*app.Screen, int, int) (int, int)
	}).Size(&p.Screen, w, h)
}

// A question with hostile text in each place is painted at every size.
func TestConsent_HostileTextAtEverySize(t *testing.T) {
	raced.Never(t, "repeats one drawing over sizes")
	synctest.Test(t, func(t *testing.T) {
		for w := 40; w <= 200; w += 7 {
			for h := 10; h <= 60; h += 5 {
				hostileAtSize(t, w, h)
			}
		}
	})
}

func hostileAtSize(t *testing.T, w, h int) {
	p, decided := ask(t, dialog.Consent{
		Text: question.Text{
			Facts: []question.Fact{{Label: "from", Text: hostile}, {Label: "on", Text: strings.Repeat("日", 300)}},
			Name:  "arguments", Lines: []string{hostile, strings.Repeat("x ", 400), ""},
		},
		Title: "Allow this call?", Warnings: []string{"Line 1 " + hostile}, Yes: "allow once", No: "decline", After: "the agent gets an error",
	})
	sized(p, w, h)
	time.Sleep(askedGrace)
	for range 500 {
		screen := p.Paint(p.W, p.H, true)
		for _, r := range screen {
			if display.IsHidden(r) && r != '\n' {
				t.Fatalf("%dx%d: %U in\n%s", w, h, r, screen)
			}
		}
		below := strings.Contains(screen, " more below")
		if p.Press("y"); *decided != "" {
			if below || !strings.Contains(screen, "y allow once") {
				t.Errorf("%dx%d: decided before the end was in sight:\n%s", w, h, screen)
			}
			return
		}
		if !below {
			t.Fatalf("%dx%d: the end is in sight, and y does nothing:\n%s", w, h, screen)
		}
		p.Press("down")
		time.Sleep(askedGrace)
	}
	t.Errorf("%dx%d: the end is never in sight", w, h)
}

// What is called is in bold, unlike who calls it and where.
func TestConsent_Call_ToolInBold(t *testing.T) {
	p, _ := ask(t, dialog.Consent{Title: "Allow this call?", Text: question.Call("an agent", "the server", client.Proposal{Calls: "brew", Part: "arguments", Text: "{}"}), Yes: "allow", No: "decline"})
	bold := map[string]bool{}
	for _, row := range p.Screen.Paint(p.Pane, 100, 30, true) {
		for _, text := range []string{"an agent", "brew", "the server"} {
			if before, _, ok := strings.Cut(row, text); ok {
				bold[text] = strings.HasPrefix(before[strings.LastIndex(before, "\x1b["):], "\x1b[0;1;")
			}
		}
	}
	if want := map[string]bool{"an agent": false, "brew": true, "the server": false}; !maps.Equal(bold, want) {
		t.Errorf("in bold: %v", bold)
	}
}

// A text with masked secrets is not said to be shown in full.
func TestConsent_Masked(t *testing.T) {
	for line, want := range map[string]string{"a line": "The text is shown in full.", "TOKEN=••••": "All is shown, secrets as ••••."} {
		p, _ := ask(t, dialog.Consent{Title: "Go?", Text: text(line), Yes: "go", No: "stay"})
		p.Sees(want)
	}
}

func TestConsent_EndIsSeenBeforeAgreement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, decided := ask(t, dialog.Consent{Title: "Go?", Text: text(strings.Split(strings.Repeat("line\n", 100)+"THE END", "\n")...), Yes: "go", No: "stay"})
		time.Sleep(time.Second)
		p.Sees("y go", "more below")
		if asked := p.Press("y"); asked != "off: Scroll to the last line first." || *decided != "" {
			t.Fatalf("asked %q, decided %q", asked, *decided)
		}
		for range 200 { // a row at a time, to where one row is still below
			if p.Press("down"); strings.Contains(p.Paint(p.W, p.H, true), " 1 more below") {
				break
			}
		}
		p.Sees("1 more below")
		if p.Press("y"); *decided != "" {
			t.Fatalf("decided %q with a row that was never in sight", *decided)
		}
		p.Press("down")
		p.Sees("THE END", "end")
		p.Pane.Motion(keys.Top)
		time.Sleep(askedGrace)
		p.Press("y")
		if *decided != "yes" || isOpen(p) {
			t.Errorf("decided %q", *decided)
		}
	})
}

func TestConsent_Keys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			key, want          string
			unasked, interrupt bool
			wait               time.Duration
		}{
			{"y", "yes", false, false, askedGrace},
			{"esc", "no", false, false, askedGrace},
			{"ctrl+c", "no", false, false, askedGrace},
			{"ctrl+c", "yes", false, true, 0},
			{"y", "", false, false, askedGrace - 1},
			{"esc", "", false, false, askedGrace - 1},
			{"y", "", true, false, askedGrace},
			{"ctrl+c", "", true, false, askedGrace},
			{"y", "yes", true, false, question.Grace},
			{"alt+y", "", false, false, askedGrace},
			{"enter", "", false, false, askedGrace},
			{"q", "", false, false, askedGrace},
			{"tab", "", false, false, askedGrace},
			{"left", "", false, false, askedGrace},
		} {
			p, decided := ask(t, dialog.Consent{Title: "Go?", Text: question.Text{Facts: []question.Fact{{Label: "to", Text: "x"}}}, Yes: "go", No: "stay", Unasked: tt.unasked, Interrupt: tt.interrupt})
			time.Sleep(tt.wait)
			p.Press(tt.key)
			if *decided != tt.want || isOpen(p) != (tt.want == "") {
				t.Errorf("%s after %v: %q, open %v", tt.key, tt.wait, *decided, isOpen(p))
			}
		}
	})
}

func TestConsent_TooLongToBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, decided := ask(t, dialog.Consent{Title: "Go?", Text: text(strings.Repeat("x", question.MaxText+1)), Yes: "go", No: "stay"})
		time.Sleep(askedGrace)
		p.Sees("More than", "y does nothing: this cannot be shown in full")
		p.Press("y")
		if *decided != "" {
			t.Error("agreed")
		}
		p.Press("esc")
		if *decided != "no" {
			t.Error("not declined")
		}
	})
}

func TestConsent_Deadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := ask(t, dialog.Consent{Title: "Go?", Yes: "go", No: "stay", Deadline: time.Now().Add(time.Minute), Expires: "declines in"})
		p.Sees("declines in 1:00")
	})
}

// The warnings of a question are below its text.
func TestConsent_Warnings(t *testing.T) {
	p, _ := ask(t, dialog.Consent{Title: "Go?", Text: text("x"), Warnings: []string{"Line 1 has an escape sequence."}, Yes: "go", No: "stay"})
	p.Sees("Line 1 has an escape sequence.")
}
