package browse_test

import (
	"strings"
	"testing"

	"mcptea/lint"
	"mcptea/ui/result"
)

const forecast = `"result":{"content":[],"structuredContent":{"city":"Lisbon","days":[{"day":"mon","high":21},{"day":"tue","high":19}]}}`

// A result is filtered while a jq filter is typed. Enter keeps it for the next call of the tool, and y
// copies the command that prints the same.
func TestQuery_FiltersWhileTyped(t *testing.T) {
	tb := open(t, "tools")
	tb.Press("enter", "a", "enter")
	tb.answer(forecast, 1, nil)
	tb.Press("J")
	tb.sees(120, 30, "jq .structuredContent | ", "Lisbon")
	tb.Type(".d")
	tb.Press("tab")
	tb.Type("[].")
	tb.sees(120, 30, "jq .structuredContent | .days[].", "day  high tab")
	tb.Type("high |")
	tb.sees(120, 30, "It is not complete: something is missing here.", "21") // what was there before stays
	tb.Type(" . + 1")
	tb.sees(120, 30, "22", "20")
	if s := tb.screen(120, 30); strings.Contains(s, "^ ") || strings.Contains(s, "Lisbon") {
		t.Errorf("it is filtered:\n%s", s)
	}
	tb.Press("enter")
	tb.sees(120, 30, "jq .structuredContent | .days[].high | . + 1 ", " esc ") // the filter has room first
	tb.sees(80, 30, "jq .structuredContent | .days[].high | . …  esc")
	if got := tb.Press("w"); !strings.Contains(got, "off: The filter gives several values, or none") {
		t.Errorf("w: %q", got)
	}
	if got := tb.copied(); !strings.Contains(got, "mcptea call echo") || !strings.Contains(got, "'--jq=.structuredContent | .days[].high | . + 1'") {
		t.Error(got)
	}
	tb.Press("r")
	tb.answer(strings.ReplaceAll(forecast, "19", "33"), 1, nil)
	tb.sees(120, 30, "jq .structuredContent | .days[].high", "34")
	tb.Press("esc")
	tb.sees(120, 30, "Lisbon")
	tb.Press("r")
	tb.answer(forecast, 1, nil)
	if s := tb.screen(120, 30); strings.Contains(s, "jq ") {
		t.Errorf("it was dropped:\n%s", s)
	}
}

// While one types, esc gives the whole result back.
func TestQuery_IsDropped(t *testing.T) {
	tb := open(t, "tools")
	tb.Press("enter", "a", "enter")
	tb.answer(forecast, 1, nil)
	tb.Press("J")
	tb.Type(".city")
	if items, _ := result.BodyOfValues([][]byte{[]byte(`"Lisbon"`)}, nil).Items(); len(items) != 1 || items[0].Kind != "filtered result" {
		t.Errorf("the pieces are %+v", items)
	}
	if s := tb.screen(120, 30); !strings.Contains(s, "Lisbon") || strings.Contains(s, "mon") {
		t.Errorf("not filtered:\n%s", s)
	}
	tb.Press("esc")
	tb.sees(120, 30, "mon", "Lisbon")
}

// What a filter of a large result begins with was found while it was decoded.
func TestQuery_OfALargeResult(t *testing.T) {
	tb := open(t, "tools")
	tb.Press("enter", "a", "enter")
	tb.answer(`"result":{"content":[],"structuredContent":{"city":"Lisbon","pad":"`+strings.Repeat("x", 300_000)+`"}}`, 1, nil)
	tb.Press("J")
	tb.sees(120, 30, "jq .structuredContent | ")
	tb.Type(".city")
	tb.sees(120, 30, "Lisbon")
}

// To open the filter asks for nothing yet: the columns of a table stay in the order that was sent.
func TestQuery_OpenedChangesNothing(t *testing.T) {
	tb := open(t, "tools")
	tb.Press("enter", "a", "enter")
	tb.answer(`"result":{"content":[],"structuredContent":{"people":[{"name":"Ada","age":36},{"name":"Bob","age":40}]}}`, 1, nil)
	order := func(after string) {
		t.Helper()
		if s := tb.screen(120, 30); strings.Index(s, "name") > strings.Index(s, "age ") || !strings.Contains(s, "Ada") {
			t.Errorf("after %q:\n%s", after, s)
		}
	}
	order("")
	tb.Press("J")
	order("J")
	tb.Type(".people")
	tb.Press("esc")
	order("esc")
}

// What was found about a tool is read in full where its page has room, and in two rows where it has not.
func TestFindings_OfAToolInFull(t *testing.T) {
	tb := open(t, "tools")
	long := strings.Repeat("the inputSchema refuses what it must not refuse, and ", 6) + "THE-END."
	tb.fake.about = map[string][]lint.Finding{"tools echo": {{Rule: &lint.Entry{ID: "T015"}, Message: long}}}
	tb.choose("echo")
	tb.sees(120, 36, "T015", "THE-END.")
	if text := tb.screen(120, 9); strings.Contains(text, "THE-END.") {
		t.Errorf("the form has lost its room:\n%s", text)
	}
}
