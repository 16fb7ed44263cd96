package paint

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// rowsOf are the rows of a sheet as plain text, and their widths are checked.
func rowsOf(t *testing.T, s *Sheet) string {
	t.Helper()
	var rows []string
	for _, row := range s.Rows {
		if got := ansi.StringWidth(row); got != s.W {
			t.Errorf("%q is %d cells wide, want %d", ansi.Strip(row), got, s.W)
		}
		rows = append(rows, strings.TrimRight(ansi.Strip(row), " "))
	}
	return strings.Join(rows, "\n")
}

func TestSheet_FactTextWrapsBesideTheLabel(t *testing.T) {
	s := NewSheet(dark(), 20, 9)
	s.Margin = 6
	s.FactText("spec", Style{}, "one two three four five six", 2)
	if got := rowsOf(t, &s); got != " spec  one two\n       three four…" {
		t.Errorf("got\n%s", got)
	}
}

func TestSheet_HintsWrapAndLeaveOutMissingKeys(t *testing.T) {
	hints := []Hint{{"x", "cancel"}, {"", "no key"}, {"ctrl+r", "refresh"}, {"y", "copy"}}
	s := NewSheet(dark(), 28, 9)
	s.Hints(5, hints...)
	if got := rowsOf(t, &s); got != " x cancel   ctrl+r refresh\n y copy" {
		t.Errorf("got\n%s", got)
	}
	s = NewSheet(dark(), 28, 9)
	s.Hints(1, hints...)
	if got := rowsOf(t, &s); got != " x cancel   ctrl+r refresh" {
		t.Errorf("in one row:\n%s", got)
	}
	if hints[1].Label != "no key" {
		t.Error("the hints of the caller were changed")
	}
}

func TestSheet_Rule(t *testing.T) {
	s := NewSheet(dark(), 20, 9)
	s.Rule(Span{Text: "history"})
	if got := rowsOf(t, &s); got != " ── history ───────" {
		t.Errorf("got %q", got)
	}
}

func TestHumanCountdown(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0:00", 9 * time.Second: "0:09", 298 * time.Second: "4:58", 3723 * time.Second: "1:02:03",
	} {
		if got := HumanCountdown(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
