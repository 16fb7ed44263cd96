package keys

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	"github.com/sahilm/fuzzy"

	"mcptea/internal/words/phrase"
)

// A Map holds the built-in keys and the user's, which replace all keys of a command. An empty list removes
// them. The zero Map has only the built-in keys.
type Map struct{ user map[string][]string }

// UserError is an error in a key binding of the user.
type UserError struct {
	ID   string // id of the command that the user has bound
	text string
}

// Error describes the problem of the binding.
func (e *UserError) Error() string { return "keys: " + e.text }

// NewMap makes a map with the keys of the user for commands that are listed by sections.
// The error names every unknown command, and every key that means two commands of a
// section: it joins values of type *[UserError].
func NewMap(user map[string][]string, sections []Section) (*Map, error) {
	m, names := &Map{user: map[string][]string{}}, map[string]bool{}
	for _, s := range sections {
		for _, c := range s.Commands {
			names[c.ID] = true
		}
	}
	var errs []error
	for _, id := range slices.Sorted(maps.Keys(user)) {
		if !names[id] {
			errs = append(errs, &UserError{id, fmt.Sprintf("unknown command %q%s", id, nearest(names, id))})
		}
		m.user[id] = slices.DeleteFunc(slices.Clone(user[id]), func(k string) bool { return k == "" })
	}
	for _, s := range sections {
		errs = append(errs, m.conflicts(s)...)
	}
	return m, errors.Join(errs...)
}

func nearest(names map[string]bool, id string) string {
	if found := fuzzy.Find(id, slices.Sorted(maps.Keys(names))); len(found) > 0 {
		return fmt.Sprintf(": did you mean %q?", found[0].Str)
	}
	return ""
}

// conflicts returns errors about keys that run two commands of a section: two keys of the user, or two built-in
// keys of different verbs.
func (m *Map) conflicts(s Section) (errs []error) {
	before := map[string]*Command{}
	for i := range s.Commands {
		c := &s.Commands[i]
		_, mine := m.user[c.ID]
		for _, k := range m.Of(c) {
			other := before[k]
			if before[k] = c; other == nil || other.ID == c.ID {
				continue
			}
			_, theirs := m.user[other.ID]
			if mine == theirs && (mine || c.Verb == "" || c.Verb != other.Verb) {
				errs = append(errs, &UserError{c.ID, fmt.Sprintf("%q is bound to two commands: %s and %s (%s)", k, other.ID, c.ID, s.Name)})
			}
		}
	}
	return errs
}

// Of lists the keys of a command.
func (m *Map) Of(c *Command) []string {
	if mine, ok := m.user[c.ID]; ok {
		return mine
	}
	return c.All()
}

// has reports whether a key is in [Map.Of]. It does not allocate, because the last row of a screen calls it for
// all pairs of commands.
func (m *Map) has(c *Command, k string) bool {
	if mine, ok := m.user[c.ID]; ok {
		return slices.Contains(mine, k)
	}
	return c.Verb.has(k) || slices.Contains(c.Keys, k)
}

// Taken reports whether the focused part takes a key itself, such as a letter in a text field. Nil takes none.
type Taken func(key string) bool

// Name returns the name of the first key of a command that is not taken, or "".
func (m *Map) Name(c *Command, taken Taken) string {
	for _, k := range m.Of(c) {
		if taken == nil || !taken(k) {
			return KeyName(k)
		}
	}
	return ""
}

// Binding returns a command in the form that Bubbles uses: the keys that run it and are not taken, the name of
// the first, and the current label. It is disabled if there is no key or the command is off.
func (m *Map) Binding(c *Command, taken Taken) (b key.Binding) {
	var run []string
	for _, k := range m.Of(c) {
		if taken == nil || !taken(k) {
			run = append(run, k)
		}
	}
	b.SetKeys(run...)
	b.SetHelp(m.Name(c, taken), c.Does())
	b.SetEnabled(c.Why() == "")
	return b
}

// Lookup returns the command of a key. A command that works and has a key of the user is first,
// then a working command in the first list that has one. Lists of the pane come before lists of the
// program. If none works, Lookup returns a command that is off, because its reason can be
// displayed.
func (m *Map) Lookup(k string, lists ...[]Command) *Command {
	var found *Command
	best := 0
	for _, list := range lists {
		for i := range list {
			c := &list[i]
			if !m.has(c, k) {
				continue
			}
			rank := 1
			if c.Why() == "" {
				rank = 2
				if _, mine := m.user[c.ID]; mine {
					rank = 3
				}
			}
			if rank > best {
				found, best = c, rank
			}
		}
	}
	return found
}

// TextKeys are the chords that edit text, as in GNU readline. Its ctrl+p is missing: that lists
// the commands in text fields too, and so is ctrl+n, its counterpart; ↑ and ↓ move by lines.
var TextKeys = []string{
	"ctrl+a", "ctrl+b", "ctrl+d", "ctrl+e", "ctrl+f", "ctrl+h", "ctrl+k", "ctrl+t", "ctrl+u", "ctrl+w", "ctrl+y",
	"alt+b", "alt+c", "alt+d", "alt+f", "alt+l", "alt+t", "alt+u", "alt+backspace",
}

// IsText reports whether a key means text, or editing, in a focused text field: a character, or a chord that
// edits.
func IsText(k string) bool {
	return len([]rune(k)) == 1 || k == "space" || slices.Contains(TextKeys, k)
}

var keyNames = strings.NewReplacer("pgup", "page up", "pgdown", "page down", "up", "↑", "down", "↓", "left", "←", "right", "→",
	",", "comma", ".", "period", ":", "colon", ";", "semicolon", "'", "apostrophe")

// KeyName returns the displayed name of a key. Keys that could be read as punctuation of the sentence are
// spelled out.
func KeyName(k string) string {
	if strings.Contains(k, "+") { // a chord
		return k
	}
	name := keyNames.Replace(k)
	if phrase.Signs(name) != name { // a sign for an arrow would be the name of another key
		return k
	}
	return name
}
