package parts_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"mcptea/internal/test/press"
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
)

var colours = paint.NewJSONStyles(textfieldPalette.Theme)

func editorRows(t *testing.T, e *textfield.Editor, w, h int) string {
	t.Helper()
	rows := e.Rows(textfieldPalette, colours, w, h, true)
	if len(rows) != h {
		t.Errorf("%d rows, want %d", len(rows), h)
	}
	for i, r := range rows {
		if ansi.StringWidth(r) != w {
			t.Errorf("row %d is %d cells", i, ansi.StringWidth(r))
		}
		rows[i] = strings.TrimRight(ansi.Strip(r), " ")
	}
	return strings.Join(rows, "\n") + "\n"
}

func TestTextfield_Rows(t *testing.T) {
	e := textfield.NewEditor("{\n  \"name\": \"echo\",\n  \"arguments\": {\"message\": \"日本語 hello\\u001b\", \"n\": 1.0}\n}")
	out := editorRows(t, e, 60, 6)
	e.SetOffset(e.Size() - 2)
	out += "--\n" + editorRows(t, e, 24, 4)
	e.Key(press.Key("x"))
	out += "--\n" + editorRows(t, e, 60, 5)
	golden.RequireEqual(t, out)
}

func TestTextfield_ProblemSaysWhere(t *testing.T) {
	for _, tc := range []struct {
		text      string
		line, col int
		msg       string
	}{
		{"", 0, 0, ""},
		{"{}", 0, 0, ""},
		{"{\n  \"é\": tru\n}", 2, 11, "Invalid character"},
		{"{\"a\": 1,}", 1, 9, "Invalid character '}'"},
		{"{\"a\":", 1, 6, "Unexpected end of JSON input"},
		{"{\n  \"name\": \"we,\n  \"a\": 1}", 2, 11, "String not closed"},
		{`{"name": "we`, 1, 10, "String not closed"},
		{"{} x", 1, 4, "Invalid character 'x'"},
	} {
		line, col, msg := textfield.NewEditor(tc.text).Problem()
		if line != tc.line || col != tc.col || !strings.Contains(msg, tc.msg) || tc.msg == "" && msg != "" {
			t.Errorf("%q: %d:%d %s, want %d:%d %s", tc.text, line, col, msg, tc.line, tc.col, tc.msg)
		}
	}
}

func TestTextfield_Problem_RawBytes(t *testing.T) {
	e := textfield.NewEditor("")
	e.SetBytes([]byte("{\"a\":\"caf\xe9\"}"), true)
	if got := e.Sentence(); got != "Byte that is not UTF-8 at line 1, column 10" {
		t.Errorf("got %q", got)
	}
}

func TestTextfield_FormatKeepsTextAndCursor(t *testing.T) {
	e := textfield.NewEditor(`{"b":1.0,"a":"\u0041"}`)
	e.SetOffset(9)
	if !e.Format() || e.Value() != "{\n  \"b\": 1.0,\n  \"a\": \"\\u0041\"\n}" {
		t.Errorf("got %s", e.Value())
	}
	if got := e.Value()[:e.Offset()]; got != "{\n  \"b\": 1.0," {
		t.Errorf("the cursor is behind %q", got)
	}
	if e.Key(press.Key("ctrl+z")); e.Value() != `{"b":1.0,"a":"\u0041"}` {
		t.Errorf("undo gives %s", e.Value())
	}
	e.Paste("x")
	if e.Format() {
		t.Error("formatted what is not JSON")
	}
}

// maxChecked is the size of a text, in bytes, up to which each change is checked at once.
const maxChecked = 64 << 10

// A large text is checked while the keys go on.
func TestTextfield_Problem_OfALargeText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := textfield.NewEditor("[" + strings.Repeat("1,\n", 2*maxChecked) + "x]")
		if _, _, msg := e.Problem(); msg != "" || !e.Checking() {
			t.Fatalf("at once: %q, checking %v", msg, e.Checking())
		}
		e.Key(press.Key("backspace")) // the check that runs is of an earlier version
		synctest.Wait()
		if line, col, msg := e.Problem(); line != 2*maxChecked+1 || col != 1 || msg == "" {
			t.Errorf("%d:%d %s", line, col, msg)
		}
		synctest.Wait()
		e.Problem()
		if e.Checking() {
			t.Error("the check goes on")
		}
		e.SetValue("[" + strings.Repeat("1,\n", 2*maxChecked) + "1]")
		if _, _, msg := e.Verify(); msg != "" {
			t.Errorf("after the correction: %s", msg)
		}
		synctest.Wait()
	})
}
