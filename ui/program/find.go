package program

import (
	"slices"
	"strings"

	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// A rank is the distance to the place where an entry works; smaller is nearer.
type rank uint8

const (
	used rank = iota // used most recently
	here
	everywhere
	elsewhere
	thing // what a pane shows
)

// An entry is a command that the palette can run, or a thing that it leads to.
type entry struct {
	*keys.Command
	description string // description of a thing; untrusted
	does        string // action on a thing, if it is not only opened
	section     string // where the command works, or the kind of the thing
	rank        rank
	show        func() // gives the focus to the pane
	why         string // why it does nothing now, or ""
	weight      int    // smaller for a better match
}

// key identifies the entry while words are typed, and when it was used before.
func (e *entry) key() string { return e.ID + "\x00" + e.Help }

// kind returns the kind of the entry, or where the command works.
func (e *entry) kind() string { return paint.If(e.section == Everywhere, "", e.section) }

// A source is a set of things of one kind, with a function that focuses their pane.
type source struct {
	app.Things
	show func()
}

// sources returns the things of the screen's panes.
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

// Refind updates the things while the list of commands is open.
func (p *Program) Refind() {
	if o, ok := p.Window().(*Palette); ok && !o.inside {
		o.things = p.sources()
		o.filter()
	}
}

// entry returns the entry for a thing.
func (s *source) entry(i int) entry {
	name, about := s.Name(i)
	show := s.Show
	c := &keys.Command{ID: s.Kind, Help: name, Run: func() { show(i) }}
	return entry{Command: c, description: about, does: s.Does, section: s.Kind, rank: thing, show: s.show}
}

// maxUsed is the number of recently used entries shown first. maxThings is the number of things shown per kind.
const (
	maxUsed   = 5
	maxThings = 20
)

// use records the entry as most recently used.
func (p *Program) use(key string) {
	p.used = slices.DeleteFunc(p.used, func(k string) bool { return k == key })
	p.used = slices.Insert(p.used, 0, key)
	p.used = p.used[:min(len(p.used), maxUsed)]
}

// Weights for matches from the start of a name, best first: the whole name, a name that starts with these
// words, or with part of the last one. worst is the weight if only parts of words match.
const (
	itself = -3 + iota
	begins
	beginsPart
	worst = 120
)

// costs holds, for each text of an entry, the cost of matching a whole word, the start of a word, or its
// inside. Whole words come before parts, in whichever text they are.
var costs = [...][3]int{{0, 5, 9}, {1, 6, 10}, {2, 7, 11}, {4, 8, 12}}

const missing = 20 // cost of a word that no text contains

// weigh returns how well the words fit an entry. texts are ordered by importance: its name, keywords, its
// sentence, the rest. whole is all that was typed. ok is false if one of the words is missing; if loosely is
// set, only if all are.
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

// startsWith reports whether a name starts with the typed text.
func startsWith(name, typed string) bool {
	return len(typed) <= len(name) && strings.EqualFold(name[:len(typed)], typed)
}

// place returns how a word, in lower case, occurs in a text: 0 as a word, 1 at the start of a word, 2 inside of
// one, 3 not at all.
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

// fill lists words without significance next to others.
var fill = strings.Fields("a an the to of in on for with how my i do is it and or go show")

// wordsOf returns the typed words in lower case.
func wordsOf(text string) []string {
	all := strings.Fields(strings.ToLower(text))
	telling := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return slices.Contains(fill, w) })
	if len(telling) == 0 {
		return all
	}
	return telling
}
