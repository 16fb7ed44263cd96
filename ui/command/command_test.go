package command

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestKeymap_DefaultHasNoConflict(t *testing.T) {
	if _, err := NewKeymap(nil); err != nil {
		t.Fatal(err)
	}
}

// In a text field ctrl+d deletes a character and ctrl+w a word, as everywhere
// else on the user's machine.
func TestKeymap_TextKeysKeepTheirMeaning(t *testing.T) {
	for _, c := range Default().All() {
		for _, k := range c.Binding.Keys() {
			if HasText(c.Context) && IsText(k) {
				t.Errorf("%s binds %q in %s", c.ID, k, c.Context)
			}
		}
	}
}

func TestKeymap_EveryCommandIsDescribed(t *testing.T) {
	type place struct {
		id ID
		c  Context
	}
	seen := map[place]bool{}
	for _, c := range Default().All() {
		at := place{c.ID, c.Context}
		switch {
		case seen[at]:
			t.Errorf("%s stands twice in %s", c.ID, c.Context)
		case !slices.Contains(Contexts, c.Context):
			t.Errorf("%s: Contexts lacks %q", c.ID, c.Context)
		case c.Label() == "" || c.Help == "":
			t.Errorf("%s has no text", c.ID)
		case !unicode.IsUpper([]rune(c.Help)[0]) || strings.HasSuffix(c.Help, "."):
			t.Errorf("%s: %q", c.ID, c.Help)
		case len(c.Help) > 75:
			t.Errorf("%s: %q is too long for its row", c.ID, c.Help)
		}
		seen[at] = true
	}
}

func TestKeymap_User(t *testing.T) {
	k, err := NewKeymap(map[string][]string{"follow": {"f5"}, "pause": {"f"}, "quit": nil})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		c    Context
		key  string
		want ID
	}{{Traffic, "f5", Follow}, {Logs, "f5", Follow}, {Traffic, "f", Pause}, {Traffic, "p", ""}, {Traffic, "q", ""}} {
		if got, _ := k.Lookup(tc.c, tc.key); got.ID != tc.want {
			t.Errorf("%s in %s runs %q, want %q", tc.key, tc.c, got.ID, tc.want)
		}
	}
	if c, _ := k.Named(Quit); c.Binding.Enabled() || c.Key(false) != "" {
		t.Error("quit still has a key")
	}
}

func TestKeymap_UserKeyReplacesBuiltIn(t *testing.T) {
	k, err := NewKeymap(map[string][]string{"pause": {"f"}})
	if err != nil {
		t.Fatal(err)
	}
	if c, _ := k.Lookup(Traffic, "f"); c.ID != Pause {
		t.Errorf("f runs %s", c.ID)
	}
}

func TestKeymap_UserErrors(t *testing.T) {
	for _, tc := range []struct {
		name string
		user map[string][]string
		want string
	}{
		{"unknown", map[string][]string{"folow": {"f"}}, `unknown command "folow": did you mean "follow"?`},
		{"conflict", map[string][]string{"follow": {"f5"}, "pause": {"f5"}}, `"f5" is bound twice in traffic: follow and pause`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := NewKeymap(tc.user)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func TestCommand_KeyWhileTyping(t *testing.T) {
	inbox, _ := Named(TabInbox)
	if got := inbox.Key(false) + " " + inbox.Key(true); got != "5 alt+5" {
		t.Errorf("got %q", got)
	}
}

func TestCommand_Matches(t *testing.T) {
	for word, want := range map[string]ID{
		"zoom": Zoom, "reconnect": Restart, "fullscreen": Zoom, "replay": Resend, "stderr": TabLogs, "filter": FilterTraffic, "hex": SwitchView,
	} {
		if !slices.ContainsFunc(All(), func(c Command) bool { return c.ID == want && c.Matches(word) }) {
			t.Errorf("%q does not find %s", word, want)
		}
	}
}
