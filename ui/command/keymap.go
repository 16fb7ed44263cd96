package command

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"charm.land/bubbles/v2/key"
	"github.com/sahilm/fuzzy"
)

// Keymap binds keys to commands. It is not changed after NewKeymap and safe for
// concurrent use.
type Keymap struct {
	commands []Command
	byKey    map[Context]map[string]int // index into commands
	byID     map[ID]int                 // the first of each
}

var current atomic.Pointer[Keymap]

// builtIn is made when it is first needed: commands of the shell do without it.
var builtIn = sync.OnceValue(func() *Keymap {
	k, err := NewKeymap(nil)
	if err != nil {
		panic(err) // a test builds it
	}
	return k
})

// Default is the key map of the program. Until SetDefault it is the built-in one.
func Default() *Keymap {
	if k := current.Load(); k != nil {
		return k
	}
	return builtIn()
}

// SetDefault replaces the key map of the program, before its first key.
func SetDefault(k *Keymap) { current.Store(k) }

// NewKeymap makes a key map of the built-in bindings and of those of the user,
// which replace all keys of a command: "" or no key at all removes them. The error
// names every unknown command, invalid key and conflict.
func NewKeymap(user map[string][]string) (*Keymap, error) {
	m := &Keymap{byKey: map[Context]map[string]int{}, byID: map[ID]int{}}
	for _, r := range rows() {
		for _, c := range r.in {
			m.add(r, c)
		}
	}
	var errs []error
	for _, id := range slices.Sorted(maps.Keys(user)) {
		errs = append(errs, m.rebind(ID(id), user[id]))
	}
	for i := range m.commands {
		errs = append(errs, m.index(i, user))
	}
	return m, errors.Join(errs...)
}

func (m *Keymap) add(r row, c Context) {
	opts := []key.BindingOpt{key.WithKeys(r.keys...)}
	if len(r.keys) > 0 {
		opts = append(opts, key.WithHelp(KeyName(r.keys[0]), r.label))
	} else {
		opts = append(opts, key.WithHelp("", r.label), key.WithDisabled())
	}
	if _, ok := m.byID[r.id]; !ok {
		m.byID[r.id] = len(m.commands)
	}
	m.commands = append(m.commands, Command{
		ID: r.id, Context: c, Binding: key.NewBinding(opts...), Help: r.help, Synonyms: r.synonyms, Footer: r.footer,
	})
}

// rebind replaces the keys of a command in all its contexts.
func (m *Keymap) rebind(id ID, keys []string) error {
	if _, ok := m.byID[id]; !ok {
		return fmt.Errorf("keys: unknown command %q%s", id, m.nearest(id))
	}
	keys = slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return k == "" })
	for i := range m.commands {
		c := &m.commands[i]
		if c.ID != id {
			continue
		}
		label := c.Label()
		if len(keys) == 0 {
			c.Binding = key.NewBinding(key.WithHelp("", label), key.WithDisabled())
			continue
		}
		c.Binding = key.NewBinding(key.WithKeys(keys...), key.WithHelp(KeyName(keys[0]), label))
	}
	return nil
}

func (m *Keymap) nearest(id ID) string {
	var names []string
	for name := range m.byID {
		names = append(names, string(name))
	}
	slices.Sort(names)
	if found := fuzzy.Find(string(id), names); len(found) > 0 {
		return fmt.Sprintf(": did you mean %q?", found[0].Str)
	}
	return ""
}

// index enters the keys of a command. Of two commands with one key in a context
// the user's wins over a built-in one; two of the user's are a conflict.
func (m *Keymap) index(i int, user map[string][]string) error {
	c := m.commands[i]
	if m.byKey[c.Context] == nil {
		m.byKey[c.Context] = map[string]int{}
	}
	_, mine := user[string(c.ID)]
	var errs []error
	for _, k := range c.Binding.Keys() {
		if HasText(c.Context) && len([]rune(k)) > 1 && IsText(k) {
			if mine {
				continue // it still works in the contexts without text
			}
			errs = append(errs, fmt.Errorf("keys: %q edits text in %s: %s cannot use it", k, c.Context, c.ID))
			continue
		}
		before, taken := m.byKey[c.Context][k]
		if taken && m.commands[before].ID != c.ID {
			other := m.commands[before].ID
			_, theirs := user[string(other)]
			if !mine && !theirs && isAdopted(c) {
				continue // one verb, of which one command works at a time
			}
			if mine == theirs {
				errs = append(errs, fmt.Errorf("keys: %q is bound twice in %s: %s and %s", k, c.Context, other, c.ID))
				continue
			}
			if theirs {
				continue
			}
		}
		m.byKey[c.Context][k] = i
	}
	return errors.Join(errs...)
}

// Lookup finds the command that a key means in a context.
func (m *Keymap) Lookup(c Context, k string) (Command, bool) {
	for _, where := range []Context{c, Global} {
		if i, ok := m.byKey[where][k]; ok {
			return m.commands[i], true
		}
	}
	return Command{}, false
}

// In finds the command that an id means in a context.
func (m *Keymap) In(c Context, id ID) (Command, bool) {
	for _, where := range []Context{c, Global} {
		for _, cmd := range m.commands {
			if cmd.Context == where && cmd.ID == id {
				return cmd, true
			}
		}
	}
	return Command{}, false
}

// Named finds a command by its id, in the first of its contexts.
func (m *Keymap) Named(id ID) (Command, bool) {
	i, ok := m.byID[id]
	if !ok {
		return Command{}, false
	}
	return m.commands[i], true
}

// All lists the commands, by context. The caller owns the slice.
func (m *Keymap) All() []Command {
	all := slices.Clone(m.commands)
	slices.SortStableFunc(all, func(a, b Command) int { return slices.Index(Contexts, a.Context) - slices.Index(Contexts, b.Context) })
	return all
}

// Footer lists what the last line of the screen names in a context, most
// important first.
func (m *Keymap) Footer(c Context) []Command {
	var found []Command
	for _, cmd := range m.commands {
		if cmd.Footer == 0 || cmd.Context != c && cmd.Context != Global || !cmd.Binding.Enabled() {
			continue
		}
		if mine, _ := m.Lookup(c, cmd.Binding.Keys()[0]); mine.ID == cmd.ID {
			found = append(found, cmd)
		}
	}
	slices.SortStableFunc(found, func(a, b Command) int { return a.Footer - b.Footer })
	return found
}
