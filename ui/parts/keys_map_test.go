package parts_test

import (
	"strings"
	"testing"

	"mcptea/ui/keys"
)

// some are the commands of two parts of a program.
func some() []keys.Section {
	return []keys.Section{
		{Name: "traffic", Commands: []keys.Command{
			{ID: "follow", Verb: keys.Follow}, {ID: "pause", Verb: keys.Pause}, {ID: "open", Keys: keys.On("enter")}, {ID: "rare"},
		}},
		{Name: "logs", Commands: []keys.Command{{ID: "follow", Verb: keys.Follow}, {ID: "cancel.call", Verb: keys.End}, {ID: "cancel.task", Verb: keys.End}}},
	}
}

func TestMap_KeysOfTheUserReplaceBuiltInOnes(t *testing.T) {
	m, err := keys.NewMap(map[string][]string{"follow": {"f5"}, "pause": {"f"}, "open": nil}, some())
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
	if name := m.Name(&some()[0].Commands[2], nil); name != "" {
		t.Errorf("a command without a key has %q", name)
	}
}

func TestKeys_Map_Errors(t *testing.T) {
	for _, tc := range []struct {
		name string
		user map[string][]string
		want string
	}{
		{"unknown", map[string][]string{"folow": {"f"}}, `unknown command "folow": did you mean "follow"?`},
		{"conflict", map[string][]string{"follow": {"f5"}, "pause": {"f5"}}, `"f5" is bound to two commands: follow and pause (traffic)`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := keys.NewMap(tc.user, some()); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
	twice := append(some(), keys.Section{Name: "list", Commands: []keys.Command{{ID: "a", Keys: keys.On("enter")}, {ID: "b", Keys: keys.On("enter")}}})
	if _, err := keys.NewMap(nil, twice); err == nil || !strings.Contains(err.Error(), `"enter" is bound to two commands: a and b (list)`) {
		t.Errorf("a built-in key with two commands: %v", err)
	}
}

func TestKeys_Map_TheCommandThatWorksWins(t *testing.T) {
	off := func() string { return "No task runs." }
	pane := []keys.Command{{ID: "cancel.task", Verb: keys.End, Off: off}, {ID: "cancel.call", Verb: keys.End}}
	program := []keys.Command{{ID: "cancel.newest", Verb: keys.End}}
	var m keys.Map
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
func TestKeys_Map_KeyOfTheUserPrecedesThoseOfThePane(t *testing.T) {
	pane := []keys.Command{{ID: "cancel.task", Verb: keys.End}, {ID: "open", Keys: keys.On("enter")}}
	program := []keys.Command{{ID: "zoom", Keys: keys.On("z")}, {ID: "cancel.newest", Verb: keys.End}}
	m, err := keys.NewMap(map[string][]string{"zoom": {"x", "enter"}, "open": {"enter"}}, []keys.Section{{Name: "pane", Commands: pane}, {Name: "everywhere", Commands: program}})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"x": "zoom", "enter": "open"} {
		if c := m.Lookup(key, pane, program); c.ID != want {
			t.Errorf("%s runs %s, want %s", key, c.ID, want)
		}
	}
}

func TestKeys_Map_NameWhileTyping(t *testing.T) {
	var m keys.Map
	for _, tc := range []struct {
		c            keys.Command
		plain, typed string
	}{
		{keys.Command{Keys: keys.On("5 alt+5")}, "5", "alt+5"},
		{keys.Command{Verb: keys.Copy}, "y", "alt+y"},
		{keys.Command{Verb: keys.Diff}, "d", ""}, // alt+d deletes a word
		{keys.Command{Verb: keys.Restart}, "R", "alt+R"},
		{keys.Command{Keys: keys.On("pgdown")}, "page down", "page down"},
		{keys.Command{}, "", ""},
	} {
		if plain, typed := m.Name(&tc.c, nil), m.Name(&tc.c, keys.IsText); plain != tc.plain || typed != tc.typed {
			t.Errorf("%v is called %q and %q", tc.c.All(), plain, typed)
		}
	}
}
