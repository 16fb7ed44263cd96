package parts_test

import (
	"strings"
	"testing"

	"mcptea/internal/test/press"
	"mcptea/internal/words/display"
	"mcptea/ui/textfield"
)

func typed(keys ...string) *textfield.Input {
	in := &textfield.Input{}
	for _, k := range keys {
		in.Key(press.Key(k))
	}
	return in
}

func TestTextfield_Input_CursorMovesAndInserts(t *testing.T) {
	in := typed("a", "b", "c", "left", "left", "X")
	if got := in.Value(); got != "aXbc" {
		t.Errorf("got %q", got)
	}
	if text, x := in.Visible(20); text != "aXbc" || x != 2 {
		t.Errorf("%q with the cursor at %d", text, x)
	}
}

func TestTextfield_Input_TextKeys(t *testing.T) {
	for _, tc := range []struct{ keys, want string }{
		{"ctrl+w", "one "}, {"ctrl+u", ""}, {"ctrl+a ctrl+d", "ne two"}, {"ctrl+a ctrl+k", ""}, {"ctrl+h", "one tw"}, {"alt+b alt+d", "one "},
	} {
		in := &textfield.Input{}
		in.SetValue("one two")
		for _, k := range strings.Fields(tc.keys) {
			if !in.Key(press.Key(k)) {
				t.Errorf("%s is not taken", k)
			}
		}
		if got := in.Value(); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.keys, got, tc.want)
		}
	}
}

func TestTextfield_Input_OtherKeysAreLeft(t *testing.T) {
	for _, k := range []string{"enter", "esc", "tab", "up", "down", "alt+5", "ctrl+s"} {
		if typed("a").Key(press.Key(k)) {
			t.Errorf("%s is taken", k)
		}
	}
}

func TestTextfield_Input_PasteIsOneLineAndSanitized(t *testing.T) {
	in := typed("a")
	in.Insert("b\nc\x1b[2J\u202ed")
	text, _ := in.Visible(60)
	if strings.ContainsAny(text, "\x1b\n\u202e") || !strings.HasPrefix(text, "ab c") {
		t.Errorf("got %q", text)
	}
}

func TestTextfield_Input_KeepsOneLine(t *testing.T) {
	in := &textfield.Input{}
	in.SetValue("a\r\nb\rc")
	in.Insert("\td\n")
	if got := in.Value(); got != "a b c d " {
		t.Errorf("got %q", got)
	}
}

func TestTextfield_Input_MovesAreTakenAtTheEnds(t *testing.T) {
	for _, k := range []string{"left", "right", "ctrl+b", "alt+f", "backspace"} {
		if !(&textfield.Input{}).Key(press.Key(k)) {
			t.Errorf("%s is left in an empty line", k)
		}
	}
}

func TestTextfield_Input_IsUndone(t *testing.T) {
	if got := typed("a", "b", "ctrl+u", "ctrl+z").Value(); got != "ab" {
		t.Errorf("got %q", got)
	}
}

func TestTextfield_Input_ScrollsToTheCursor(t *testing.T) {
	in := &textfield.Input{}
	in.SetValue(strings.Repeat("日本", 30) + "end")
	for _, w := range []int{1, 2, 3, 10, 40} {
		for _, k := range []string{"home", "end", "left", "left", "left", "left", "left", "left"} {
			in.Key(press.Key(k))
			text, x := in.Visible(w)
			if display.Width(text) > w || x < 0 || x >= w {
				t.Fatalf("%d cells after %s: %q of %d cells, cursor at %d", w, k, text, display.Width(text), x)
			}
		}
	}
}

func TestTextfield_Input_Secret(t *testing.T) {
	in := &textfield.Input{}
	in.Secret = true
	in.SetValue("hunter2")
	if text, x := in.Visible(20); text != "•••••••" || x != 7 {
		t.Errorf("%q, cursor at %d", text, x)
	}
}

func TestTextfield_Input_DeleteWordAtLastCharacter(t *testing.T) {
	for _, key := range []string{"alt+d", "alt+delete"} {
		for text, want := range map[string]string{"ab": "a", "a": "", "a ": "a", "日本": "日"} {
			in := &textfield.Input{}
			in.SetValue(text)
			in.Key(press.Key("left"))
			if in.Key(press.Key(key)); in.Value() != want {
				t.Errorf("%s in %q leaves %q, want %q", key, text, in.Value(), want)
			}
		}
	}
}

// A long text that is pasted into an empty field shows its end, where the cursor is.
func TestTextfield_Input_PastedTextIsInSight(t *testing.T) {
	var in textfield.Input
	in.Visible(20)
	in.Insert(strings.Repeat("long ", 20) + "end")
	if text, cursor := in.Visible(20); !strings.HasSuffix(text, "end") || cursor != 19 {
		t.Errorf("%q is shown, the cursor at %d", text, cursor)
	}
	in.Key(press.Key("home"))
	in.Insert("new ")
	if text, _ := in.Visible(20); !strings.HasPrefix(text, "new long ") {
		t.Errorf("%q is shown", text)
	}
}
