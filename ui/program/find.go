package program

import (
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
	everywhere
	elsewhere
	thing // what a pane shows
)

// entry is a command that the window can run, or what leads to a thing.
type entry struct {
	*keys.Command
	about   string // of a thing; untrusted
	does    string // of a thing that is not only opened
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
	for _, t := range p.Around.Things() {
		all = append(all, source{Things: t})
	}
	if add(p.Screen, nil); len(routes) == 0 {
		add(p.Screen.Focused(), nil)
	}
	return all
}

// Refind looks again for what there is, while the list of commands is open.
func (p *Program) Refind() {
	if o, ok := p.Window().(*Palette); ok && !o.inside {
		o.things = p.sources()
		o.filter()
	}
}

// entry is a thing.
func (s *source) entry(i int) entry {
	name, about := s.Name(i)
	show := s.Show
	c := &keys.Command{ID: s.Kind, Help: name, Run: func() { show(i) }}
	return entry{Command: c, about: about, does: s.Does, section: s.Kind, rank: thing, show: s.show}
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

// The weight of what matches a name from its first letter, the best first: it is the name, the name begins with
// these words, or with a part of the last one. worst is the weight of what has nothing but a part of the words.
const (
	itself = -3 + iota
	begins
	beginsPart
	worst = 120
)

// costs are what it costs that a word is a word of one of the texts of an entry, that it begins
// one, or that it is inside of one. Whole words come before parts, in whichever text they are.
var costs = [...][3]int{{0, 5, 9}, {1, 6, 10}, {2, 7, 11}, {4, 8, 12}}

const missing = 20 // what it costs that no text has a word

// weigh is how well the words fit an entry, by its texts from the most telling one: its name,
// words for it, its sentence, the rest. whole is all that was typed. ok is false for what lacks one of the words; loosely
// for what lacks them all.
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
	if strings.EqualFold(name, whole) {
		return itself, ok
	}
	for _, begin := range []string{whole, strings.Join(typed, " ")} {
		switch {
		case !startsWith(name, begin):
		case len(begin) < len(name) && isWord(name[len(begin)]):
			weight = min(weight, beginsPart)
		default:
			weight = min(weight, begins)
		}
	}
	return weight, ok
}

// startsWith reports whether a name begins with what was typed.
func startsWith(name, typed string) bool {
	return len(typed) <= len(name) && strings.EqualFold(name[:len(typed)], typed)
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
