package prompt

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"mcptea/themes"
	"mcptea/ui/internal/press"
	"mcptea/ui/paint"
)

var palette = paint.NewPalette(themes.ForBackground(true), false)

func words(before string) (int, []Candidate) {
	from := strings.LastIndexByte(before, ' ') + 1
	var out []Candidate
	for _, c := range []Candidate{{"status:error", "answers that are errors"}, {"status:ok", "answers that are not"}, {"size:>1k", "by size"}, {"kind:request", "requests"}} {
		if strings.HasPrefix(c.Text, before[from:]) {
			out = append(out, c)
		}
	}
	return from, out
}

func do(p *Prompt, keys ...string) {
	for _, k := range keys {
		p.Key(press.Key(k))
	}
}

func text(t *testing.T, p *Prompt, w, h int) string {
	t.Helper()
	rows := p.Rows(palette, w, h, true)
	for i, r := range rows {
		if ansi.StringWidth(r) != w {
			t.Errorf("row %d is %d cells", i, ansi.StringWidth(r))
		}
		rows[i] = strings.TrimRight(ansi.Strip(r), " ")
	}
	return strings.Join(rows, "\n") + "\n--\n"
}

func TestRows(t *testing.T) {
	p := New("/")
	p.Placeholder = "filter: words, status:error, took:>100ms"
	p.Complete = words
	out := text(t, p, 60, 4)
	do(p, "x", " ", "s", "tab", "tab")
	out += text(t, p, 60, 4) + text(t, p, 24, 3)
	p.SetValue("status:wrong took:")
	p.SetProblem("took: needs a duration, like 100ms")
	golden.RequireEqual(t, out+text(t, p, 60, 4)+text(t, p, 30, 4))
}

func TestCompletion(t *testing.T) {
	p := New(":")
	p.Complete = words
	do(p, "k", "tab")
	if p.Value() != "kind:request" || p.Completing() {
		t.Errorf("one candidate: %q", p.Value())
	}
	p.SetValue("a s z")
	do(p, "left", "left", "tab")
	if p.Value() != "a status:error z" {
		t.Errorf("first: %q", p.Value())
	}
	do(p, "tab", "tab", "tab", "shift+tab")
	if p.Value() != "a size:>1k z" {
		t.Errorf("round and back: %q", p.Value())
	}
	do(p, "esc")
	if p.Value() != "a s z" || p.Completing() {
		t.Errorf("esc: %q", p.Value())
	}
	do(p, "shift+tab")
	if p.Value() != "a size:>1k z" {
		t.Errorf("last: %q", p.Value())
	}
	do(p, "!")
	if p.Value() != "a size:>1k! z" || p.Completing() {
		t.Errorf("went on: %q", p.Value())
	}
}

func TestHistory(t *testing.T) {
	p := New(":")
	p.SetHistory([]string{"one", "two"})
	p.SetValue("draft")
	do(p, "up")
	if p.Value() != "two" {
		t.Errorf("got %q", p.Value())
	}
	do(p, "up", "up", "up")
	if p.Value() != "one" {
		t.Errorf("got %q", p.Value())
	}
	do(p, "down", "down")
	if p.Value() != "draft" {
		t.Errorf("got %q", p.Value())
	}
	p.SetValue("one")
	p.Commit()
	if got := strings.Join(p.History(), " "); got != "two one" {
		t.Errorf("history %s", got)
	}
}
