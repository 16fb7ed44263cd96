package list

import (
	"fmt"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"mcptea/internal/test/press"
	"mcptea/themes"
	"mcptea/ui/paint"
	"mcptea/ui/widget/input"
)

var palette = paint.NewPalette(themes.ForBackground(true), false)

func tools() *List {
	l := &List{Empty: "No tools. r requests the list again."}
	l.SetItems([]Item{
		{Name: "echo"},
		{Name: "get-annotated-message"},
		{Name: "get-env"},
		{Name: "get-sum", Note: "1.9 ms"},
		{Name: "evil\x1b[2J\u202ename"},
		{Name: "日本語の道具", Note: "12 ms"},
		{Name: "trigger-long-running-operation"},
		{Name: "trigger-sampling-request"},
	})
	return l
}

func text(t *testing.T, l *List, w, h int) string {
	t.Helper()
	rows := l.Rows(palette, w, h, true)
	for i, r := range rows {
		if ansi.StringWidth(r) != w {
			t.Errorf("row %d is %d cells", i, ansi.StringWidth(r))
		}
		rows[i] = strings.TrimRight(ansi.Strip(r), " ")
	}
	return strings.Join(rows, "\n") + "\n"
}

var moves = map[string]func(l *List){
	"j": func(l *List) { l.Move(1) }, "k": func(l *List) { l.Move(-1) }, "up": func(l *List) { l.Move(-1) },
	"g": (*List).Home, "G": (*List).End, "esc": func(l *List) { l.SetFilter("") },
	"ctrl+d": func(l *List) { l.HalfPage(1) }, "ctrl+u": func(l *List) { l.HalfPage(-1) },
	"pgdown": func(l *List) { l.Page(1) }, "pgup": func(l *List) { l.Page(-1) },
}

func do(l *List, keys ...string) {
	filter := input.FilterKeys{Apply: key.NewBinding(key.WithKeys("enter")), Clear: key.NewBinding(key.WithKeys("esc"))}
	for _, k := range keys {
		switch {
		case l.Typing():
			l.Type(press.Key(k), filter)
		case k == "/":
			l.StartTyping()
		default:
			moves[k](l)
		}
	}
}

func TestRows_Screens(t *testing.T) {
	l := tools()
	do(l, "G", "k")
	golden.RequireEqual(t, text(t, l, 31, 11)+"--\n"+text(t, l, 12, 5)+"--\n"+text(t, l, 80, 4))
}

func TestFilter_BestMatch(t *testing.T) {
	l := tools()
	do(l, "/", "g", "s")
	out := text(t, l, 31, 5)
	if n := l.Len(); n == 0 || n == len(l.items) {
		t.Fatalf("%d shown", n)
	}
	if it, _ := l.Selected(); it.Name != "get-sum" {
		t.Errorf("best is %q", it.Name)
	}
	if x, y, ok := l.Cursor(); !ok || x != 5 || y != 0 {
		t.Errorf("cursor at %d,%d %v", x, y, ok)
	}
	do(l, "z", "z")
	out += "--\n" + text(t, l, 31, 4)
	do(l, "esc")
	if l.Len() != len(l.items) || l.Typing() {
		t.Error("esc did not clear the filter")
	}
	empty := &List{Empty: "No tools. r requests the list again."}
	golden.RequireEqual(t, out+"--\n"+text(t, empty, 31, 3))
}

func TestSetItems_KeepsSelection(t *testing.T) {
	l := tools()
	l.Select("get-sum")
	l.SetItems([]Item{{Name: "aaa"}, {Name: "get-sum"}, {Name: "zzz"}})
	if it, _ := l.Selected(); it.Name != "get-sum" {
		t.Errorf("now %q", it.Name)
	}
	l.SetItems([]Item{{Name: "aaa"}, {Name: "zzz"}})
	if it, ok := l.Selected(); !ok || it.Name != "zzz" {
		t.Errorf("now %q", it.Name)
	}
	l.SetItems(nil)
	if _, ok := l.Selected(); ok {
		t.Error("something is selected in an empty list")
	}
	do(l, "j", "G", "ctrl+d", "pgup")
	text(t, l, 20, 5)
}

func TestMove_AndMouse(t *testing.T) {
	l := &List{}
	var items []Item
	for i := range 1000 {
		items = append(items, Item{Name: fmt.Sprintf("item %03d", i)})
	}
	l.SetItems(items)
	text(t, l, 20, 11)
	for _, tc := range []struct{ key, want string }{{"j", "item 001"}, {"ctrl+d", "item 006"}, {"pgdown", "item 015"}, {"G", "item 999"}, {"k", "item 998"}, {"pgup", "item 989"}, {"ctrl+u", "item 984"}, {"g", "item 000"}, {"up", "item 000"}} {
		do(l, tc.key)
		text(t, l, 20, 11)
		if it, _ := l.Selected(); it.Name != tc.want {
			t.Errorf("after %s: %q, want %q", tc.key, it.Name, tc.want)
		}
	}
	l.Scroll(100)
	text(t, l, 20, 11)
	if l.Click(3); !strings.Contains(text(t, l, 20, 11), "▌item 102") {
		t.Errorf("clicked:\n%s", text(t, l, 20, 11))
	}
}

func BenchmarkRows(b *testing.B) {
	l := &List{}
	var items []Item
	for i := range 100_000 {
		items = append(items, Item{Name: fmt.Sprintf("item %03d", i), Note: "1.9 ms"})
	}
	l.SetItems(items)
	b.ReportAllocs()
	for b.Loop() {
		l.Move(1)
		l.Rows(palette, 40, 50, true)
	}
}
