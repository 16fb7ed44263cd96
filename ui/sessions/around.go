package sessions

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/program"
)

// maxName is the number of cells of a name in a chip. leastName is the number kept if space is short.
const maxName, leastName = 20, 4

// chip is a session in the first line.
type chip struct {
	program.Chip
	name string // displayed name, different from all others
	of   *program.Program
	open func() // opens a tap that no session shows; then of is nil
}

// around is the host as its programs see it.
type around struct{ *Host }

// Commands implements [program.Around], as does what follows.
func (h around) Commands() []keys.Command {
	return []keys.Command{
		{ID: "session.open", Verb: keys.Another, Label: "other server", Help: "Open another server, or a recording or tap, beside this session", Words: "connect new second other two servers start screen session switch", Footer: 96, Run: func() { h.Open("") }, Off: h.full},
		{ID: "session.next", Verb: keys.Session, Label: "next session", Help: "Go to the next session; if two are side by side, choose one for this half", Words: "switch server other chip tap", Footer: 94, Run: h.next, Off: h.single},
		{ID: "session.beside", Label: "two sessions", Help: "Show two sessions side by side, or only one", Words: "split beside compare vertical panes", Run: h.split, Off: h.cannotSplit},
	}
}

// Open implements [program.Around].
func (h around) Open(entry string) {
	if why := h.full(); why != "" {
		h.front().Say(why)
		return
	}
	h.await()
	h.front().Opener()(entry)
}

// Commands returns the commands of a host, for docs/keys.md and for the user's key bindings.
func Commands() []keys.Command { return around{&Host{}}.Commands() }

// full returns why no more sessions can be opened, or "".
func (h around) full() string {
	if h.front().Opener() == nil {
		return "A server is opened from this page: choose it, or type it."
	}
	return h.tooMany()
}

func (h around) tooMany() string {
	n := len(h.chips)
	return keys.Reason(n >= maxSessions, phrase.Digits(n)+" sessions are the maximum: "+h.front().Name("quit")+" ends the one in front.")
}

func (h around) single() string { return keys.Reason(len(h.chips)+len(h.closed) < 2, h.only()) }

func (h around) only() string {
	return "This is the only session. " + h.front().Name("session.open") + " opens another server."
}

// next switches to the session beside the one in front. If there is none, it switches to the
// following session. From the only session, it switches to a tap.
func (h around) next() {
	i := slices.IndexFunc(h.chips, func(c chip) bool { return c.of == h.front() })
	switch {
	case h.beside() && len(h.chips) > 2:
		h.choose()
	case h.beside() && h.front() == h.pair[0]:
		h.Focus(h.pair[1])
	case h.beside():
		h.Focus(h.pair[0])
	case len(h.chips) == 1:
		h.show(h.closed[0])
	default:
		h.Focus(h.chips[(i+1)%len(h.chips)].of)
	}
}

// choose lets the user choose the session of the half with the keys, or the other half.
func (h around) choose() {
	others := h.used()[1:]
	dialog.Choose{
		Title: "Go to a session", Verb: "go to", Len: func() int { return len(others) },
		Entry: func(i int) dialog.Entry {
			about := "instead of " + h.used()[0].name
			return dialog.Entry{Key: others[i].name, Name: others[i].name, Summary: paint.If(i == 0, "beside this one", about) + "  " + others[i].description()}
		},
		Accept: func(i int) { h.Focus(others[i].of) },
	}.Open(h.front())
}

func (h around) cannotSplit() string {
	switch {
	case len(h.chips) < 2:
		return h.only()
	case h.w >= besideWidth:
		return ""
	}
	return "Two sessions need " + phrase.Digits(besideWidth) + " columns, not " + phrase.Digits(h.w) + "."
}

// split shows the previous session next to the current one, or only the current one.
func (h around) split() {
	front := h.front()
	if h.beside() {
		h.pair = [2]*program.Program{}
	} else {
		i := slices.IndexFunc(h.chips, func(c chip) bool { return c.of == front })
		for _, p := range h.order[:len(h.order)-1] {
			if at := slices.IndexFunc(h.chips, func(c chip) bool { return c.of == p }); at >= 0 {
				h.pair = [2]*program.Program{h.chips[min(i, at)].of, h.chips[max(i, at)].of}
			}
		}
	}
	front.Do(addressed(front, h.arrange()))
}

// Focus moves the focus to a program.
func (h around) Focus(p *program.Program) {
	front := h.front()
	front.Do(h.focus(p))
}

// Wake implements [program.Around].
func (h around) Wake() { h.tell(deferredCall{do: func(p *program.Program) { p.Wake() }}) }

// Sessions implements [program.Around].
func (h around) Sessions() (all []program.Session) {
	for _, c := range h.used() {
		all = append(all, program.Session{Screen: c.of.Screen, Name: c.name, Place: slices.Index(h.programs, c.of)})
	}
	return all
}

// used returns the chips of the sessions: the session in front, the session beside it, then the
// others. The most recently used one is first.
func (h around) used() []chip {
	rank := func(c chip) int {
		if h.beside() && c.of != h.front() && slices.Contains(h.pair[:], c.of) {
			return len(h.order) - 2
		}
		return slices.Index(h.order, c.of)
	}
	chips := slices.Clone(h.chips)
	slices.SortStableFunc(chips, func(a, b chip) int { return rank(b) - rank(a) })
	return chips
}

// Things returns the sessions that are not in front.
func (h around) Things() []app.Things {
	others := slices.DeleteFunc(slices.Clone(h.chips), func(c chip) bool { return c.of == h.front() })
	return []app.Things{{
		Kind: "session", Len: len(others),
		Name: func(i int) (name, about string) { return others[i].name, others[i].description() },
		Show: func(i int) { h.Focus(others[i].of) },
		Does: "goes to this session",
	}}
}

// refreshChips updates the chips of the first line, and announces a session out of sight that has started to request
// something. It runs after each message.
func (h *Host) refreshChips() tea.Cmd {
	var chips []chip
	for _, p := range h.programs {
		if s, ok := p.Screen.(program.Chipped); ok {
			chips = append(chips, chip{Chip: s.Chip(), of: p})
		}
	}
	same := slices.EqualFunc(h.chips, chips, chip.equal)
	if same {
		chips = h.chips // including their names
	} else {
		nameAll(chips)
	}
	closed := h.closedTaps(chips)
	if same && slices.EqualFunc(h.closed, closed, chip.equal) {
		return nil
	}
	asks := h.asksNow(chips)
	h.chips, h.closed = chips, closed
	h.repaint()
	if p := h.front(); asks != "" && p.Window() == nil && !p.Typing {
		p.Say("The session " + strconv.Quote(asks) + " asks you something: " + p.Name("session.next") + " goes through the sessions.")
		return addressed(p, p.Queued())
	}
	return nil
}

// equal reports whether two chips have the same content. The name may not be chosen yet.
func (c chip) equal(other chip) bool {
	a, b := &c.Chip, &other.Chip
	return c.of == other.of && a.Name == b.Name && a.Given == b.Given && a.Recording == b.Recording && a.Tap == b.Tap && a.State == b.State && a.Asks == b.Asks && slices.Equal(a.More, b.More)
}

// description describes what the session shows, because two builds of a server have the same name.
func (c chip) description() string {
	if c.Recording != "" || c.Target == nil {
		return c.Recording
	}
	return c.Target()
}

// asksNow returns the name of a session out of sight that has more requests than at the last update of h.chips.
// It returns "" if there is no such session, or if a session was opened or closed.
func (h *Host) asksNow(chips []chip) (name string) {
	if !slices.EqualFunc(h.chips, chips, func(was, is chip) bool { return was.of == is.of }) {
		return ""
	}
	for i := range chips {
		if chips[i].Asks > h.chips[i].Asks && chips[i].of.Sight == program.Hidden {
			name = chips[i].name
		}
	}
	return name
}

// nameAll chooses the names of chips. A server cannot take one that the user has given.
func nameAll(chips []chip) {
	var taken []string
	for _, given := range []bool{true, false} {
		for i := range chips {
			if c := &chips[i]; c.Given == given {
				c.name = named(c.Name, taken)
				taken = append(taken, strings.ToLower(c.name))
			}
		}
	}
}

// named returns a name for a chip: letters, digits and a few signs, so that a server's name cannot look like
// another chip. It differs from the taken names, which are in lower case.
func named(name string, taken []string) string {
	name = phrase.OneLine(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./:@", r) {
			return r
		}
		return ' '
	}, display.Sanitize(name)))
	if name = display.Cut(name, maxName); name == "" {
		name = "server"
	}
	made, n := name, 1
	for slices.Contains(taken, strings.ToLower(made)) {
		n++
		made = name + "#" + strconv.Itoa(n)
	}
	return made
}

// PutChips implements [program.Around]. Each of two sessions side by side shows its own chip, and the left
// one also shows the other chips. If the names do not fit, they are cut, first the names of the other
// sessions. Chips without any room are only counted.
func (h around) PutChips(p *program.Program, c *app.Canvas, r *paint.Row, end int) bool {
	_, session := p.Screen.(program.Chipped)
	all := h.chips
	if len(all) == 0 || session && len(all) < 2 {
		return false
	}
	if h.beside() {
		right := p == h.pair[1]
		all = slices.DeleteFunc(slices.Clone(all), func(c chip) bool { return (c.of == h.pair[1]) != right })
	}
	room := end - r.Used()
	front := max(slices.IndexFunc(all, func(c chip) bool { return c.of == p }), 0)
	most := maxName
	for most > leastName && width(all, front, most, 0, len(all)) > room {
		most--
	}
	from, to := 0, len(all)
	for to-from > 1 && width(all, front, most, from, to) > room {
		if to-1 > front {
			to--
		} else {
			from++
		}
	}
	more := func(n int, sign string) {
		if n > 0 {
			r.Put(p.Pal.Muted, sign+strconv.Itoa(n)+" ")
		}
	}
	more(from, p.Pal.Less)
	for _, one := range all[from:to] {
		at := r.Used()
		h.put(p, r, one, most)
		c.Click(at, 0, r.Used()-at, 1, func(int, int) { h.Focus(one.of) })
	}
	more(len(all)-to, p.Pal.More)
	if key := c.Names.Name("session.next"); !h.beside() && len(all) > 1 && display.Width(key)+1 <= end-r.Used() {
		r.Put(p.Pal.AccentBold, key+" ")
		if what := "next "; display.Width(what)+leastBehind <= end-r.Used() {
			r.Put(p.Pal.Muted, what)
		}
	}
	return true
}

// leastBehind is the number of cells after the chips for the text about the session in front. With less, the
// keys of the chips have no labels.
const leastBehind = 80

// ofTap precedes the name of a session that watches another client.
const ofTap = "tap "

// put writes a chip.
func (h around) put(p *program.Program, r *paint.Row, one chip, most int) {
	ground, name, lead := paint.Style{}, p.Pal.Text, " "
	if one.of == h.front() { // visible even without colors
		ground, name, lead, most = p.Pal.Selected, p.Pal.Strong, p.Pal.Prompt, maxName
	}
	r.Put(name.On(ground), lead)
	if one.Tap {
		r.Put(p.Pal.Muted.On(ground), ofTap)
	}
	r.Put(name.On(ground), p.Pal.Cut(one.name, most)+" ")
	r.Put(one.State.Style.On(ground), one.State.Text)
	for _, s := range one.More {
		r.Put(s.Style.On(ground), " "+s.Text)
	}
	r.Put(name.On(ground), " ")
}

// width returns the width of some chips, with a count at both ends.
func width(chips []chip, front, most, from, to int) (cells int) {
	for i, one := range chips[from:to] {
		name := display.Width(one.name)
		if from+i != front {
			name = min(name, most)
		}
		cells += name + 3 + display.Width(one.State.Text) + paint.If(one.Tap, len(ofTap), 0)
		for _, s := range one.More {
			cells += 1 + display.Width(s.Text)
		}
	}
	return cells + paint.If(from > 0, 3, 0) + paint.If(to < len(chips), 3, 0)
}
