package program

import (
	"cmp"
	"slices"
	"strings"

	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// rank is where an entry works; smaller is nearer.
type rank uint8

const (
	used rank = iota // it was used last
	here
	thing // what a pane shows
	everywhere
	elsewhere
)

// entry is a command that the window can run, or what leads to a thing.
type entry struct {
	*keys.Command
	about   string // of a thing; untrusted
	section string // where it works, or the kind of the thing
	rank    rank
	show    func() // gives the focus to the pane
	why     string // it does nothing now; empty when it works
	weight  int    // smaller for what matches the words better
}

// key identifies the entry while words are typed, and when it was used before.
func (e *entry) key() string { return e.ID + "\x00" + e.Help }

// kind is what the entry is, or where the command works.
func (e *entry) kind() string { return paint.If(e.section == Everywhere, "", e.section) }

// source is things of one kind, and what gives the focus to their pane.
type source struct {
	app.Things
	show func()
}

// sources are what the panes of the screen have.
func (p *Program) sources() (all []source) {
	add := func(of any, show func()) {
		if f, ok := of.(app.Finder); ok {
			for _, t := range f.Things() {
				all = append(all, source{t, show})
			}
		}
	}
	routes := p.Screen.Routes()
	for _, at := range routes {
		add(at.Part, at.Show)
	}
	if add(p.Screen, nil); len(routes) == 0 {
		add(p.Screen.Focused(), nil)
	}
	return all
}

// entry is a thing.
func (s *source) entry(i int) entry {
	name, about := s.Name(i)
	show := s.Show
	c := &keys.Command{ID: s.Kind, Help: name, Run: func() { show(i) }}
	return entry{Command: c, about: about, section: s.Kind, rank: thing, show: s.show}
}

// maxUsed is how many entries are shown first that were used last, maxThings how many of a kind.
const (
	maxUsed   = 5
	maxThings = 20
)

// use notes what was used last.
func (p *Program) use(key string) {
	p.used = slices.DeleteFunc(p.used, func(k string) bool { return k == key })
	p.used = slices.Insert(p.used, 0, key)
	p.used = p.used[:min(len(p.used), maxUsed)]
}

// filter finds what has all words; where nothing does, what has most of them, or their letters
// in this order in its name.
func (o *Palette) filter() {
	typed := wordsOf(o.input.Value())
	o.found, o.unfold = o.found[:0], false
	exact := len(typed) == 0
	if exact {
		o.recent()
	} else if exact = o.match(typed, false); !exact {
		o.match(typed, true)
	}
	for _, to := range o.goesTo() {
		if to.Last && exact {
			continue
		}
		c := &keys.Command{ID: to.Kind, Help: to.Text, Run: to.Show}
		o.found = append(o.found, entry{Command: c, section: to.Kind, rank: thing, weight: paint.If(to.Last, worst, -worst)})
	}
	o.idle = 0
	for i := range o.found {
		if e := &o.found[i]; e.Why() != "" {
			e.why = e.Why()
			o.idle++
		}
	}
	slices.SortStableFunc(o.found, func(a, b entry) int {
		if off := paint.If(a.why != "", 1, 0) - paint.If(b.why != "", 1, 0); off != 0 || len(typed) > 0 {
			return cmp.Or(off, a.weight-b.weight, int(a.rank)-int(b.rank))
		}
		return cmp.Or(strings.Compare(a.why, b.why), a.weight-b.weight, int(a.rank)-int(b.rank))
	})
	o.list.Refresh()
}

// recent finds what was used last, then all commands.
func (o *Palette) recent() {
	var last []string
	for at, key := range o.p.used {
		if e, ok := o.keyed(key); ok && e.Why() == "" && !o.hereOnly && !o.inside {
			e.rank, e.weight = used, at-maxUsed
			o.found, last = append(o.found, e), append(last, key)
		}
	}
	for _, e := range o.entries {
		if !(o.hereOnly && e.rank == elsewhere) && !slices.Contains(last, e.key()) {
			o.found = append(o.found, e)
		}
	}
}

// keyed is the entry with a key.
func (o *Palette) keyed(key string) (entry, bool) {
	if i := slices.IndexFunc(o.entries, func(e entry) bool { return e.key() == key }); i >= 0 {
		return o.entries[i], true
	}
	kind, name, _ := strings.Cut(key, "\x00")
	for s := range o.things {
		for i := 0; o.things[s].Kind == kind && i < o.things[s].Len; i++ {
			if n, _ := o.things[s].Name(i); n == name {
				return o.things[s].entry(i), true
			}
		}
	}
	return entry{}, false
}

// match finds the entries for words; loosely those that have most of them. It reports whether
// there are any.
func (o *Palette) match(typed []string, loosely bool) bool {
	whole := strings.Join(typed, " ")
	for _, e := range o.entries {
		if o.hereOnly && e.rank == elsewhere {
			continue
		}
		var ok bool
		if e.weight, ok = weigh(typed, whole, loosely, e.Label, e.Words, e.Help, e.ID+" "+e.section+" "+strings.Join(o.p.Keys.Of(e.Command), " ")); ok {
			o.found = append(o.found, e)
		}
	}
	for s := range o.things {
		if of := &o.things[s]; !o.hereOnly {
			var best [worst + 1][]int // by their weights: a list may be long
			for i := range of.Len {
				name, about := of.Name(i)
				if w, ok := weigh(typed, whole, loosely, name, "", "", about); ok {
					if w = min(max(w, 0), worst); len(best[w]) < maxThings {
						best[w] = append(best[w], i)
					}
				}
			}
			n := 0
			for w, list := range best {
				for _, i := range list[:min(len(list), maxThings-n)] {
					e := of.entry(i)
					e.weight = w - paint.If(strings.EqualFold(e.Help, whole), 2, 0)
					o.found = append(o.found, e)
					n++
				}
			}
		}
	}
	return len(o.found) > 0
}

// worst is the weight of what has nothing but a part of the words.
const worst = 120

// costs are what it costs that a word is a word of one of the texts of an entry, that it begins
// one, or that it is inside of one.
var costs = [...][3]int{{0, 2, 6}, {1, 3, 7}, {2, 4, 8}, {4, 6, 9}}

const missing = 20 // what it costs that no text has a word

// weigh is how well the words fit an entry, by its texts from the most telling one: its name,
// words for it, its sentence, the rest. ok is false for what lacks one of them; loosely for what
// lacks them all.
func weigh(typed []string, whole string, loosely bool, texts ...string) (weight int, ok bool) {
	name := texts[0]
	for _, w := range typed {
		best := missing
		for i, text := range texts {
			if fit := place(text, w); fit < len(costs[i]) {
				best = min(best, costs[i][fit])
			}
		}
		if best == missing && loosely && len(w) > 2 && scattered(name, w) {
			best = missing / 2
		}
		if ok = ok || best < missing; best == missing && !loosely {
			return 0, false
		}
		weight += best
	}
	if len(whole) <= len(name) && strings.EqualFold(name[:len(whole)], whole) {
		weight -= paint.If(len(whole) == len(name), 2, 1)
	}
	return weight, ok
}

// place is how a word, in lower case, is in a text: as a word 0, at the beginning of one 1, inside
// of one 2; 3 if it is not in it.
func place(text, word string) int {
	text = strings.ToLower(text)
	best := 3
	for at := 0; best > 0; at++ {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return best
		}
		at += i
		end := at + len(word)
		fit := 2
		if at == 0 || !isWord(text[at-1]) {
			fit = paint.If(end == len(text) || !isWord(text[end]), 0, 1)
		}
		best = min(best, fit)
	}
	return best
}

func isWord(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80 }

// scattered reports whether a name has the letters of a word in their order.
func scattered(name, word string) bool {
	for _, c := range strings.ToLower(name) {
		if word != "" && strings.HasPrefix(word, string(c)) {
			word = word[len(string(c)):]
		}
	}
	return word == ""
}

// fill are words that say nothing beside others.
var fill = strings.Fields("a an the to of in on for with how my i do is it and or go show")

// wordsOf are the words that were typed, in lower case.
func wordsOf(text string) []string {
	all := strings.Fields(strings.ToLower(text))
	telling := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return slices.Contains(fill, w) })
	if len(telling) == 0 {
		return all
	}
	return telling
}
