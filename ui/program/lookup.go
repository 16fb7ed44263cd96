package program

import (
	"cmp"
	"slices"
	"strings"

	"mcptea/internal/words/phrase"
	"mcptea/ui/app"
	"mcptea/ui/keys"
)

// lists returns the commands whose keys work now: those of the newest window or the focused pane,
// then those of the program, then those of the pane's neighbor.
func (p *Program) lists() [][]keys.Command {
	if d := p.Window(); d != nil {
		if _, alone := d.(app.Alone); alone {
			return [][]keys.Command{d.Commands()}
		}
		return [][]keys.Command{d.Commands(), p.Own}
	}
	lists := [][]keys.Command{p.Screen.Focused().Commands(), p.Screen.Commands(), slices.Concat(p.Own, p.others)}
	if n, ok := p.Screen.Focused().(app.Neighbored); ok {
		lists = append(lists, n.Neighbor())
	}
	return lists
}

// besideList is the index in lists of the commands of the neighbor.
const besideList = 3

// maxWhere is the maximum number of places that a hint names for a key.
const maxWhere = 3

// Near is a screen with panes that the tab key leads to, the next one first.
type Near interface{ Near() []app.Part }

// worksIn returns a sentence that names where a key works that has no meaning here, the nearest place first, or
// "".
func (p *Program) worksIn(name string) string {
	focused := p.Screen.Focused()
	parts := []app.Part{focused}
	if s, ok := p.Screen.(Near); ok {
		parts = append(parts, s.Near()...)
	}
	for _, r := range p.Screen.Routes() {
		parts = append(parts, r.Part)
	}
	means := func(c keys.Command) bool { return slices.Contains(p.Keys.Of(&c), name) }
	var where []string
	isState := slices.ContainsFunc(focused.Sections(), func(s keys.Section) bool { return s.State && s.Name == focused.Section() })
	for _, part := range parts {
		for _, s := range part.Sections() {
			if part == focused && (isState || s.State) {
				continue
			}
			// "composer, history" is a part of the composer: seen from another part it is the history.
			place, within, _ := strings.Cut(s.Name, ", ")
			if part == focused {
				place = cmp.Or(within, place)
			}
			if s.Name != focused.Section() && slices.ContainsFunc(s.Commands, means) && !slices.Contains(where, place) {
				where = append(where, place)
			}
		}
	}
	if p.Window() != nil && p.Keys.Lookup(name, p.Screen.Commands(), p.others) != nil {
		return keys.KeyName(name) + " works in all panes: close this window first, with " + p.Name("back") + "."
	}
	if len(where) == 0 {
		return ""
	}
	text := strings.Join(where[:min(len(where), maxWhere)], ", ")
	if len(where) > maxWhere {
		text += " and more"
	}
	return keys.KeyName(name) + " does nothing here. It works in " + text + "."
}

// Find returns a command by its id. It searches the commands of the focused part first, then those
// of the program, then those of other panes.
func (p *Program) Find(id string) *keys.Command {
	if c := named(id, append(p.lists(), p.Screen.Commands(), p.others, p.moving)...); c != nil {
		return c
	}
	for _, at := range p.Screen.Routes() {
		for _, s := range at.Sections() {
			if c := named(id, s.Commands); c != nil {
				return c
			}
		}
	}
	return nil
}

func named(id string, lists ...[]keys.Command) *keys.Command {
	for _, list := range lists {
		if i := slices.IndexFunc(list, func(c keys.Command) bool { return c.ID == id }); i >= 0 {
			return &list[i]
		}
	}
	return nil
}

// Key implements [app.Program].
func (p *Program) Key(id string) string {
	if c := p.Find(id); c != nil {
		return p.Keys.Name(c, nil)
	}
	if p.elsewhere == nil {
		p.elsewhere, _ = p.sections() // without them the sentence names no key
	}
	for _, s := range p.elsewhere {
		if c := named(id, s.Commands); c != nil {
			return p.Keys.Name(c, nil)
		}
	}
	return ""
}

// taken returns the keys that the focused field uses, or nil.
func (p *Program) taken() keys.Taken { return app.Taken(p.Painted.Field()) }

// Name and Run implement [keys.Names] for painted content.
func (p *Program) Name(id string) string {
	if c := p.Find(id); c != nil {
		return p.Keys.Name(c, p.taken())
	}
	return ""
}

// Works implements [keys.Names].
func (p *Program) Works(id string) bool {
	c := p.Find(id)
	return c != nil && c.Why() == ""
}

// Run runs a command by its id, where it works.
func (p *Program) Run(id string) {
	if c := p.Find(id); c != nil {
		p.carryOut(c)
	}
}

// In implements [keys.Names].
func (p *Program) In(own func() [][]keys.Command, focused bool) keys.Names {
	return &names{p, p, own, focused}
}

// names holds the commands of a part of the screen, followed by those around it.
type names struct {
	p              *Program
	around         keys.Names
	screenCommands func() [][]keys.Command
	// focused reports that the user's keys go there now: in a text field, a letter is text.
	focused bool
}

// Name implements [keys.Names].
func (n *names) Name(id string) string {
	if c := named(id, n.screenCommands()...); c != nil {
		if n.focused {
			return n.p.Keys.Name(c, n.p.taken())
		}
		return n.p.Keys.Name(c, nil)
	}
	return n.around.Name(id)
}

// Works implements [keys.Names].
func (n *names) Works(id string) bool {
	if c := named(id, n.screenCommands()...); c != nil {
		return c.Why() == ""
	}
	return n.around.Works(id)
}

// Run implements [keys.Names].
func (n *names) Run(id string) {
	if c := named(id, n.screenCommands()...); c != nil {
		n.p.carryOut(c)
		return
	}
	n.around.Run(id)
}

// In implements [keys.Names].
func (n *names) In(own func() [][]keys.Command, focused bool) keys.Names {
	return &names{n.p, n, own, focused}
}

// carryOut runs a command, or shows why it does nothing now.
func (p *Program) carryOut(c *keys.Command) {
	if why := c.Why(); why != "" {
		p.Announce(Flash{Text: why, whyNot: c.Why})
		return
	}
	c.Run()
}

// move moves the focused part.
func (p *Program) move(m keys.Motion) {
	if d := p.Window(); d != nil {
		if !d.Motion(m) && m == keys.Back {
			p.Close(d)
		}
		return
	}
	if !p.Screen.Focused().Motion(m) && m >= keys.Back {
		p.Screen.Leave(m)
	}
}

// Motions returns the commands that move.
func (p *Program) Motions() []keys.Command { return p.moving[:len(keys.Motions)] }

// runs reports whether the first key of a command runs it now.
func (p *Program) runs(c *keys.Command) bool {
	names := p.Keys.Of(c)
	return len(names) > 0 && c.Why() == "" && p.Keys.Lookup(names[0], p.lists()...).ID == c.ID
}

// placing is a screen that has its own name for the place of the focus.
type placing interface{ Here() string }

// section returns the name of the place that has the keys.
func (p *Program) section() string {
	if p.Window() != nil {
		return "This window"
	}
	if s, ok := p.Screen.(placing); ok {
		return s.Here()
	}
	return phrase.Capital(p.Screen.Focused().Section())
}

// everywhereFooter is the rank in the last row from which the program's own commands start.
const everywhereFooter = 80

// Everywhere is the section of the commands of the program.
const Everywhere = "everywhere"
