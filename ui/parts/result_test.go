package parts_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/shell"
	"mcptea/internal/test/panetest"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/result"
)

func responseOf(result string) client.Response {
	frame := []byte(`{"jsonrpc":"2.0","id":1,"result":` + result + `}`)
	return client.Response{Frame: frame, Envelope: jsonrpc.Scan(frame)}
}

// shownIn is a result as the pane of a program; row is that of its frame.
func shownIn(t *testing.T, raw string, row int32) (*panetest.Program, *result.View) {
	p := panetest.New(t)
	v := result.New(p, "tools/call", responseOf(raw), nil, func() int32 { return row })
	p.Pane = v
	return p, v
}

const resultText = `{"content":[{"type":"text","text":"rain in Hamburg"}]}`

func TestResult_View_RenderedAndRaw(t *testing.T) {
	p, v := shownIn(t, resultText, 4)
	p.Sees("rain in Hamburg")
	if !v.IsRendered() {
		t.Error("the result is not rendered at first")
	}
	p.Press("v")
	p.Sees(`"type"`, `"text"`)
	if v.IsRendered() {
		t.Error("the result is still rendered")
	}
	if asked := p.Press("y"); !strings.HasPrefix(asked, "copy result: ") || !strings.Contains(asked, "rain in Hamburg") {
		t.Errorf("asked %q", asked)
	}
	for key, want := range map[string]string{
		"enter": "show frame 4", "f4": "show frame 4", "m": "mark frame 4",
		"w": "use 0 of 2", "|": "use 1 of 2", "o": "use 2 of 2", // the text, and the whole result
	} {
		if asked := p.Press(key); asked != want {
			t.Errorf("%s asked %q, want %q", key, asked, want)
		}
	}
}

// What needs a frame is off without one, and what needs content without a response.
func TestResult_View_Off(t *testing.T) {
	p, _ := shownIn(t, resultText, -1)
	for _, key := range []string{"f4", "m"} {
		if asked := p.Press(key); asked != "off: The frame is not in Traffic." {
			t.Errorf("%s asked %q", key, asked)
		}
	}
	if asked := p.Press("enter"); asked != "say: The frame is not in Traffic." {
		t.Errorf("enter asked %q", asked)
	}
	p.Pane = result.New(p, "tools/call", client.Response{}, session.ErrCancelled, func() int32 { return -1 })
	p.Sees("ancelled")
	for key, want := range map[string]string{
		"v": "off: There is no JSON: no response was received.",
		"w": "off: There is no content: nothing was received.",
		"h": "off: There is nothing to fold here.", "l": "off: There is nothing to fold here.",
		"+": "off: There is nothing to fold here.", "-": "off: There is nothing to fold here.",
		"}": "say: There are no more sections in this direction.",
	} {
		if asked := p.Press(key); asked != want {
			t.Errorf("%s asked %q, want %q", key, asked, want)
		}
	}
	none := result.Commands(func() *result.View { return nil })
	for i := range none {
		if why := none[i].Why(); why != "There is no result yet." {
			t.Errorf("%s without a result: %q", none[i].ID, why)
		}
	}
}

// enter follows a link where the result has one; its raw JSON has none.
func TestResult_View_Links(t *testing.T) {
	p, _ := shownIn(t, `{"content":[{"type":"resource_link","uri":"demo://counter","name":"counter"}]}`, 4)
	if asked := p.Press("enter"); asked != "follow 1" {
		t.Errorf("asked %q", asked)
	}
	if asked := p.Press("v", "enter"); asked != "show frame 4" {
		t.Errorf("asked %q in the raw result", asked)
	}
}

// The output of a command covers the result: it is waited for, read, and esc leads back.
func TestResult_View_OutputOfACommand(t *testing.T) {
	p, v := shownIn(t, resultText, 4)
	p.Hold = true
	v.PushCommand("jq .", func(context.Context) shell.Outcome {
		return shell.Outcome{Output: shell.Output{Stdout: []byte("42\n")}}
	})
	if !v.Refresh(app.Tick{Now: time.Unix(1780000000, 0)}) {
		t.Error("no clock moves while the command runs")
	}
	p.Sees("| jq .", "esc cancel")
	if asked := p.Press("y"); asked != "off: There is no result yet." {
		t.Errorf("asked %q while the command runs", asked)
	}
	p.Finish()
	p.Sees("42", "esc result")
	if screen := p.Paint(p.W, p.H, true); strings.Contains(screen, "Hamburg") || v.IsRendered() {
		t.Errorf("the result is still in sight:\n%s", screen)
	}
	p.Press("esc")
	p.Sees("rain in Hamburg")
	if asked := p.Press("esc"); asked != "leave" {
		t.Errorf("asked %q", asked)
	}
}

// A command that failed and has printed nothing leaves the result to the next one, which takes its
// place; one with an output is the input of the next.
func TestResult_View_CommandAfterAFailedOne(t *testing.T) {
	p, v := shownIn(t, resultText, 4)
	v.PushCommand("nosuch", func(context.Context) shell.Outcome { return shell.Outcome{Err: errors.New("exit status 127")} })
	p.Sees("| nosuch", "exit status 127")
	for key, want := range map[string]string{"w": "use 0 of 2", "|": "use 1 of 2"} {
		if asked := p.Press(key); asked != want {
			t.Errorf("%s asked %q, want %q", key, asked, want)
		}
	}
	v.PushCommand("wc", func(context.Context) shell.Outcome {
		return shell.Outcome{Output: shell.Output{Stdout: []byte("42\n")}}
	})
	p.Sees("| wc", "42")
	if asked := p.Press("|"); asked != "use 1 of 1" {
		t.Errorf("over an output, | asked %q", asked)
	}
	for _, key := range []string{"v", "J"} { // of the result, which is there
		if asked := p.Press(key); !strings.HasPrefix(asked, "off: This is not the whole result: ") {
			t.Errorf("over an output, %s asked %q", key, asked)
		}
	}
	p.Press("esc")
	p.Sees("rain in Hamburg")
}

// esc while a command runs ends it; what it returns later is not shown.
func TestResult_View_CommandIsCancelled(t *testing.T) {
	p, v := shownIn(t, resultText, 4)
	p.Hold = true
	var ended error
	v.PushCommand("sleep 9", func(ctx context.Context) shell.Outcome {
		ended = ctx.Err()
		return shell.Outcome{Err: errors.New("signal: killed")}
	})
	p.Press("esc")
	p.Finish()
	p.Sees("rain in Hamburg")
	if !errors.Is(ended, context.Canceled) {
		t.Errorf("the command ended with %v", ended)
	}
}

// A large response is decoded on another goroutine; the pane says so meanwhile.
func TestResult_View_LargeIsDecodedLater(t *testing.T) {
	p := panetest.New(t)
	p.Hold = true
	large := `{"content":[{"type":"text","text":"` + strings.Repeat("rain in Hamburg ", 20_000) + `"}]}`
	p.Pane = result.New(p, "tools/call", responseOf(large), nil, func() int32 { return 4 })
	p.Sees("decoding")
	p.Finish()
	p.Sees("rain in Hamburg")
}

func TestResult_View_Search(t *testing.T) {
	p, _ := shownIn(t, `{"content":[{"type":"text","text":"one\ntwo\nthree"}]}`, 4)
	p.Press("/")
	p.Type("two")
	p.Press("enter")
	p.Sees("/ two")
	for range 2 {
		p.Press("n")
		p.Sees("/ two", "no other line of the result")
	}
	if asked := p.Press("esc"); asked != "" {
		t.Errorf("esc asked %q and did not end the search first", asked)
	}
	if asked := p.Press("esc"); asked != "leave" {
		t.Errorf("asked %q", asked)
	}
}
