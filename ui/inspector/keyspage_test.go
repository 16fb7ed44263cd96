package inspector

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"mcptea/demo"
	"mcptea/internal/words/phrase"
	"mcptea/ui/keys"
	"mcptea/ui/single"
)

// sections returns the commands of all screens, as package ui does.
func sections(own Own) func() ([]keys.Section, error) {
	return func() ([]keys.Section, error) {
		all, err := Sections(own)
		return append(all, single.Sections()...), err
	}
}

// allSections are the commands of the program.
func allSections(t testing.TB) []keys.Section {
	t.Helper()
	all, err := sections(Own{})()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestPage_DocsAreCurrent(t *testing.T) {
	const path = "../../docs/keys.md"
	if updating() {
		if err := os.WriteFile(path, []byte(keysPage(t)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if written, err := os.ReadFile(path); err != nil || string(written) != keysPage(t) {
		t.Errorf("docs/keys.md is not that of the commands (%v): run go test ./ui/inspector -run TestPage -update", err)
	}
}

// keysPage is docs/keys.md: all commands with their keys, by section.
func keysPage(t testing.TB) string {
	var b strings.Builder
	b.WriteString(`# Keys

Every command of the inspector, with its keys and its id. Use the id to bind other keys. This page is generated from the commands.

` + "`?`" + ` shows the keys that matter; ` + "`ctrl+p`" + `, and ` + "`?`" + ` again, list all commands in the program, find them by words and run them.
While a text field has the focus, characters and the chords that edit text (` + "`ctrl+a` `ctrl+e` `ctrl+w` `ctrl+u` `ctrl+k` `alt+b`" + ` …)
keep their meaning; commands are on ` + "`alt+`" + ` chords, function keys, ` + "`tab`, `enter`, `esc`, `ctrl+s` and `ctrl+p`" + ` there: ` + "`alt+1`" + ` shows the first tab.

You can bind other keys in ` + "`config.yaml`" + `, by the id of a command. Your keys replace its keys; an empty list removes them.
A command that does the same in several panes has one id: ` + "`copy`" + ` binds it in all of them.

` + "```yaml\nkeys:\n  follow: [f, f5]\n  quit: []\n```\n")
	b.WriteString("\n## Letters\n\nA letter means the same in every pane. In a text field, `alt+` and the letter do (for a capital also `alt+shift+`), and `alt+` with a digit, `\\` or `*`;\nonly `alt+` with `b c d f l t u` edits words there, and `q` has none. `h j k l g G` move, fold and unfold. Only `y` and `esc` decide a question.\n\n| letter | verb | commands |\n|---|---|---|\n")
	for _, v := range keys.Verbs {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", v.Verb, v.Means, strings.Join(commandsOf(t, v.Verb), " "))
	}
	var written []pageSection
	for _, section := range allSections(t) {
		own := pageSection{name: phrase.Capital(section.Name)}
		for _, c := range section.Commands {
			own.rows, own.ids = append(own.rows, rowOfKeys(c)), append(own.ids, "`"+c.ID+"`")
		}
		written = append(written, own)
		fmt.Fprintf(&b, "\n## %s\n", own.name)
		shared := map[string]bool{}
		for {
			like, ids := own.like(written[:len(written)-1], shared)
			if len(ids) == 0 {
				break
			}
			for _, id := range ids {
				shared[id] = true
			}
			fmt.Fprintf(&b, "\nAs in *%s*: %s.\n", like, strings.Join(ids, " "))
		}
		if len(shared) == len(own.rows) {
			continue
		}
		b.WriteString("\n| key | command | id |\n|---|---|---|\n")
		for i, row := range own.rows {
			if !shared[own.ids[i]] {
				b.WriteString(row)
			}
		}
	}
	return b.String()
}

// pageSection is a section of the page, with a row and an id for each command.
type pageSection struct {
	name      string
	rows, ids []string
}

// minShared is the number of commands that a section shares with an earlier one so that they are named by
// their ids alone.
const minShared = 2

// like returns the earlier section that has the most commands of this one, with the same keys, and the ids
// of these commands, except ids that were named already.
func (s pageSection) like(earlier []pageSection, named map[string]bool) (name string, shared []string) {
	for _, other := range earlier {
		var ids []string
		for i, row := range s.rows {
			if !named[s.ids[i]] && slices.Contains(other.rows, row) {
				ids = append(ids, s.ids[i])
			}
		}
		if len(ids) >= minShared && len(ids) > len(shared) {
			name, shared = other.name, ids
		}
	}
	return name, shared
}

// ofText reports whether a key is a character of the command with alt, for text fields.
func ofText(c keys.Command, key string) bool {
	base, ok := strings.CutPrefix(key, "alt+")
	if lower, shifted := strings.CutPrefix(base, "shift+"); shifted {
		base = strings.ToUpper(lower)
	}
	return ok && len(base) == 1 && slices.Contains(c.All(), base)
}

// The page says once which keys have a chord for text fields, and not in each row.
func TestPage_ChordsOfTextFields(t *testing.T) {
	for _, section := range allSections(t) {
		for _, c := range section.Commands {
			for _, k := range c.All() {
				r := []rune(k)
				if len(r) != 1 || !unicode.IsLetter(r[0]) || section.Name == "question" || strings.Contains("hjklgG", k) {
					continue
				}
				if has, want := slices.Contains(c.All(), "alt+"+k), !strings.Contains("bcdfltuq", k); has != want {
					t.Errorf("%s, %s: %s has its chord: %v; the page says %v", section.Name, c.ID, k, has, want)
				}
			}
		}
	}
}

// rowOfKeys is the row of a command.
func rowOfKeys(c keys.Command) string {
	var names []string
	for _, k := range c.All() {
		if k == "ctrl+@" || ofText(c, k) {
			continue // how some terminals send ctrl+space, or said above the sections
		}
		name := k // as it is written in the configuration
		if len(k) > 1 {
			name = keys.KeyName(k)
		}
		names = append(names, "`"+strings.ReplaceAll(name, "|", `\|`)+"`")
	}
	return fmt.Sprintf("| %s | %s | `%s` |\n", strings.Join(names, " "), c.Help, c.ID)
}

// commandsOf are the ids of the commands with a letter.
func commandsOf(t testing.TB, v keys.Verb) (ids []string) {
	for _, section := range allSections(t) {
		for _, c := range section.Commands {
			if id := "`" + c.ID + "`"; c.Verb == v && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// No letter has two verbs: a command has a letter only by its verb, except commands that move, and the
// question.
func TestPage_ALetterHasOneVerb(t *testing.T) {
	means := map[keys.Verb]string{}
	for _, v := range keys.Verbs {
		if means[v.Verb] != "" {
			t.Errorf("%s means %q and %q", v.Verb, means[v.Verb], v.Means)
		}
		if means[v.Verb] = v.Means; len(commandsOf(t, v.Verb)) == 0 {
			t.Errorf("no command has the letter %s: %s", v.Verb, v.Means)
		}
	}
	for _, section := range allSections(t) {
		for _, c := range section.Commands {
			if c.Verb != "" && means[c.Verb] == "" {
				t.Errorf("%s has a letter without a meaning: %s", c.ID, c.Verb)
			}
			for _, k := range c.Keys {
				letter := strings.TrimPrefix(strings.TrimPrefix(k, "alt+shift+"), "alt+")
				moves := strings.Contains("hjklgG", k) || section.Name == "question"
				if len(letter) == 1 && unicode.IsLetter(rune(letter[0])) && !moves {
					t.Errorf("%s has the letter %s without its verb", c.ID, k)
				}
			}
		}
	}
}

// ownIDs are the ids with the letter of a verb that are other commands on purpose: a part has
// them beside that of the verb, or what ends, is explained or written is not of one kind.
var ownIDs = map[keys.Verb][]string{
	keys.Compose: {"compose.item"},
	keys.Ignore:  {"diff.ignore", "change.see"},
	keys.Open:    {"app.open", "source.open"},
	keys.End: {
		"cancel.newest", "cancel.call", "cancel.task", "cancel.request", "authorize.cancel", "respond.decline", "check.stop",
		"held.drop", "app.close", "remove", "subscription.end",
	},
	keys.Pin:    {"pin.accept"},
	keys.Export: {"check.report"},
	keys.Write:  {"event.webhook", "finding.reduce"},
}

// A user who moves a verb writes one line: its commands have one id in all panes, and the
// built-in key is free then. A part has one command of an id.
func TestPage_AVerbHasOneID(t *testing.T) {
	of := map[keys.Verb]string{}
	for _, v := range keys.Verbs {
		for _, id := range commandsOf(t, v.Verb) {
			id = strings.Trim(id, "`")
			switch {
			case slices.Contains(ownIDs[v.Verb], id):
			case of[v.Verb] != "":
				t.Errorf("%s is %s and %s", v.Verb, of[v.Verb], id)
			default:
				of[v.Verb] = id
			}
		}
	}
	chords := map[string]string{"f4": "frame", "/": "filter"}
	moved := map[string][]string{}
	for _, id := range []string{"copy", "match.next", "match.previous", "sort", "view", "frame", "filter", "edit", "diff"} {
		moved[id] = []string{"f" + fmt.Sprint(13+len(moved))}
	}
	m, err := keys.NewMap(moved, allSections(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range allSections(t) {
		seen := map[string]bool{}
		for i := range section.Commands {
			c := &section.Commands[i]
			if seen[c.ID] {
				t.Errorf("%s has two commands %s", section.Name, c.ID)
			}
			seen[c.ID] = true
			id := ""
			if !slices.Contains(ownIDs[c.Verb], c.ID) {
				id = of[c.Verb]
			}
			for _, k := range c.Keys {
				id += chords[k]
			}
			switch {
			case id == "":
			case c.ID != id:
				t.Errorf("%s: %s is %s elsewhere", section.Name, c.ID, id)
			case moved[id] != nil && !slices.Equal(m.Of(c), moved[id]):
				t.Errorf("%s: %s has the keys %q", section.Name, c.ID, m.Of(c))
			}
		}
	}
}

// Two built-in commands of one part have one key only as the same verb.
func TestPage_NoConflicts(t *testing.T) {
	if _, err := keys.NewMap(nil, allSections(t)); err != nil {
		t.Errorf("%v\nno part uses: %s", err, strings.Join(freeKeys(t), " "))
	}
}

// freeKeys returns the function keys and the chords with ctrl that no command has.
func freeKeys(t *testing.T) (free []string) {
	used := map[string]bool{}
	for _, letter := range "acehijkmqswz" { // the terminal or a text field uses them, or renames them
		used["ctrl+"+string(letter)] = true
	}
	for _, section := range allSections(t) {
		for _, c := range section.Commands {
			for _, k := range c.All() {
				used[k] = true
			}
		}
	}
	for n := range 12 {
		free = append(free, fmt.Sprint("f", n+1))
	}
	for letter := 'a'; letter <= 'z'; letter++ {
		free = append(free, "ctrl+"+string(letter))
	}
	return slices.DeleteFunc(free, func(k string) bool { return used[k] })
}

// The word open is for what leaves the terminal, and for what has a session: an entry, a frame or a window
// inside of one is shown, read or filled in.
func TestPage_OpenIsOneThing(t *testing.T) {
	sessions := []string{"target.open", "recording.open"}
	for _, section := range allSections(t) {
		for _, c := range section.Commands {
			if opens := slices.Contains(strings.FieldsFunc(c.Label, func(r rune) bool { return r == ' ' || r == '/' }), "open"); opens && c.Verb != keys.Open && !slices.Contains(sessions, c.ID) {
				t.Errorf("%s of %s is called %q", c.ID, section.Name, c.Label)
			}
		}
	}
}

// A notice names a tab by what its key does: "tab 1" would be read as two keys.
func TestTabHint_NamesOneKey(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		for id, want := range map[string]string{tabServer: "1 shows Server", tabProblems: "8 shows Problems"} {
			if got := d.model.tabHint(id); got != want {
				t.Errorf("%s is told as %q, not %q", id, got, want)
			}
		}
	})
}
