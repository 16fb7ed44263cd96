package keys

import (
	"strings"
	"testing"
)

// some are the commands of two parts of a program.
func some() []Section {
	return []Section{
		{Name: "traffic", Commands: []Command{
			{ID: "follow", Verb: Follow}, {ID: "pause", Verb: Pause}, {ID: "open", Keys: On("enter")}, {ID: "rare"},
		}},
		{Name: "logs", Commands: []Command{{ID: "follow", Verb: Follow}, {ID: "cancel.call", Verb: End}, {ID: "cancel.task", Verb: End}}},
	}
}

func TestMap_KeysOfTheUserReplaceBuiltInOnes(t *testing.T) {
	m, err := NewMap(map[string][]string{"follow": {"f5"}, "pause": {"f"}, "open": nil}, some())
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"f5": "follow", "f": "pause", "p": "", "enter": "", "alt+f": ""} {
		got := ""
		if c := m.Lookup(key, some()[0].Commands); c != nil {
			got = c.ID
		}
		if got != want {
			t.Errorf("%s runs %q, want %q", key, got, want)
		}
	}
	if name := m.Name(&some()[0].Commands[2], false); name != "" {
		t.Errorf("a command without a key has %q", name)
	}
}

func TestMap_Errors(t *testing.T) {
	for _, tc := range []struct {
		name string
		user map[string][]string
		want string
	}{
		{"unknown", map[string][]string{"folow": {"f"}}, `unknown command "folow": did you mean "follow"?`},
		{"conflict", map[string][]string{"follow": {"f5"}, "pause": {"f5"}}, `"f5" is bound twice in traffic: follow and pause`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := NewMap(tc.user, some()); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
	twice := append(some(), Section{Name: "list", Commands: []Command{{ID: "a", Keys: On("enter")}, {ID: "b", Keys: On("enter")}}})
	if _, err := NewMap(nil, twice); err == nil || !strings.Contains(err.Error(), `"enter" is bound twice in list: a and b`) {
		t.Errorf("a built-in key with two commands: %v", err)
	}
}

func TestMap_TheCommandThatWorksWins(t *testing.T) {
	off := func() string { return "No task runs." }
	pane := []Command{{ID: "cancel.task", Verb: End, Off: off}, {ID: "cancel.call", Verb: End}}
	program := []Command{{ID: "cancel.newest", Verb: End}}
	var m Map
	if c := m.Lookup("x", pane, program); c.ID != "cancel.call" {
		t.Errorf("x runs %s", c.ID)
	}
	if c := m.Lookup("x", pane[:1], program); c.ID != "cancel.newest" {
		t.Errorf("x runs %s while the pane has nothing to cancel", c.ID)
	}
	if c := m.Lookup("x", pane[:1]); c.Why() != "No task runs." {
		t.Errorf("x does nothing without a reason: %q", c.Why())
	}
}

// A key that the user has given to a command of the program is not that of the pane any more.
func TestMap_KeyOfTheUserPrecedesThoseOfThePane(t *testing.T) {
	pane := []Command{{ID: "cancel.task", Verb: End}, {ID: "open", Keys: On("enter")}}
	program := []Command{{ID: "zoom", Keys: On("z")}, {ID: "cancel.newest", Verb: End}}
	m, err := NewMap(map[string][]string{"zoom": {"x", "enter"}, "open": {"enter"}}, []Section{{"pane", pane}, {"everywhere", program}})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"x": "zoom", "enter": "open"} {
		if c := m.Lookup(key, pane, program); c.ID != want {
			t.Errorf("%s runs %s, want %s", key, c.ID, want)
		}
	}
}

func TestMap_NameWhileTyping(t *testing.T) {
	var m Map
	for _, tc := range []struct {
		c            Command
		plain, typed string
	}{
		{Command{Keys: On("5 alt+5")}, "5", "alt+5"},
		{Command{Verb: Copy}, "y", "alt+y"},
		{Command{Verb: Diff}, "d", ""}, // alt+d deletes a word
		{Command{Verb: Restart}, "R", "alt+R"},
		{Command{Keys: On("pgdown")}, "page down", "page down"},
		{Command{}, "", ""},
	} {
		if plain, typed := m.Name(&tc.c, false), m.Name(&tc.c, true); plain != tc.plain || typed != tc.typed {
			t.Errorf("%v is called %q and %q", tc.c.All(), plain, typed)
		}
	}
}
