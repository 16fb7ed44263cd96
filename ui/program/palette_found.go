package program

import (
	"cmp"
	"slices"
	"strings"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
	"mcptea/ui/widget"
)

// Palette is the window for finding commands with their keys. If words are typed, it also finds
// things in panes, such as tools and frames. At first it lists recent commands, and then the
// commands that work here. Commands that do nothing now are below all others, however well they
// match.
type Palette struct {
	p              *Program
	screenCommands []keys.Command
	entries        []entry // commands, one for each id and sentence
	things         []source
	input          textfield.Input
	taken          keys.Taken // keys used by the field that had the focus when it was opened
	inside         bool       // opened on top of another window: only commands are found

	found  []entry                  // matches, in the order of the window
	idle   int                      // number of the last matches, which do nothing now
	more   bool                     // more things match: only the first of each kind are listed
	unfold bool                     // unavailable commands are shown although there is no room: the user unfolded them, or typed the name of one
	names  int                      // the width of the column of names
	list   widget.Rows[int, string] // indexes of the entries
}

// filter finds the entries that contain all words. If there are none, it finds those with most of the words, or
// with their letters in this order in the name.
func (o *Palette) filter() {
	typed := wordsOf(o.input.Value())
	o.found, o.unfold, o.more = o.found[:0], false, false
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
		e := &o.found[i]
		if e.why = e.Why(); e.why != "" {
			o.idle++
			o.unfold = o.unfold || len(typed) > 0 && e.weight < 0
		}
	}
	slices.SortStableFunc(o.found, func(a, b entry) int {
		if idle := paint.If(a.why != "", 1, 0) - paint.If(b.why != "", 1, 0); idle != 0 || len(typed) > 0 {
			return cmp.Or(idle, a.weight-b.weight, int(a.rank)-int(b.rank))
		}
		return cmp.Or(strings.Compare(a.why, b.why), a.weight-b.weight, int(a.rank)-int(b.rank))
	})
	o.names = 0
	for i := range o.found {
		if e := &o.found[i]; e.rank != thing {
			o.names = max(o.names, min(display.Width(e.Label), maxName))
		}
	}
	o.list.Refresh()
}

// maxName is the number of cells shown of a command's name; the names in the last row are shorter. leastName is
// the width of that column if no command was found.
const maxName, leastName = 26, 8

// recent finds the most recently used entries, then all commands.
func (o *Palette) recent() {
	var last []string
	for at, key := range o.p.used {
		if e, ok := o.keyed(key); ok && e.Why() == "" && !o.inside {
			e.rank, e.weight = used, at-maxUsed
			o.found, last = append(o.found, e), append(last, key)
		}
	}
	for _, e := range o.entries {
		if !slices.Contains(last, e.key()) {
			o.found = append(o.found, e)
		}
	}
}

// keyed returns the entry with a key.
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

// match finds the entries for words; if loosely is set, those with most of them. It reports whether there are
// any.
func (o *Palette) match(typed []string, loosely bool) bool {
	whole := phrase.OneLine(strings.ToLower(o.input.Value()))
	for _, e := range o.entries {
		var ok bool
		if e.weight, ok = weigh(typed, whole, loosely, e.Label, e.Words, e.Help, e.ID+" "+e.section+" "+strings.Join(o.p.Keys.Of(e.Command), " ")); ok {
			o.found = append(o.found, e)
		}
	}
	for s := range o.things {
		of := &o.things[s]
		var best [worst - itself + 1][]int // matches by weight: a list may be long
		matching := 0
		for i := range of.Len {
			name, about := of.Name(i)
			if w, ok := weigh(typed, whole, loosely, name, "", of.Kind, about); ok {
				matching++
				if w = min(w-itself, worst-itself); len(best[w]) < maxThings {
					best[w] = append(best[w], i)
				}
			}
		}
		o.more = o.more || matching > maxThings || of.More && matching > 0
		left := maxThings
		for w, list := range best {
			for _, i := range list[:min(len(list), left)] {
				e := of.entry(i)
				e.weight = w + itself
				o.found = append(o.found, e)
				left--
			}
		}
	}
	return len(o.found) > 0
}

// rows returns the number of entries, with one row for the folded ones.
func (o *Palette) rows() int { return len(o.found) - paint.If(o.folds(), o.idle-1, 0) }

// folds reports whether commands that do nothing now are folded into one row. They are shown if everything
// fits, and if nothing else is found.
func (o *Palette) folds() bool {
	_, h := o.Size(nil, o.p.W, o.p.H)
	return !o.unfold && o.idle > 1 && o.idle < len(o.found) && len(o.found) > h-6
}

// selected returns the selected entry, or nil if there is no entry or the folded row is selected.
func (o *Palette) selected() *entry {
	if i := o.list.Index(); i >= 0 && (!o.folds() || i < len(o.found)-o.idle) {
		return &o.found[i]
	}
	return nil
}

// goesTo returns the places that the words name.
func (o *Palette) goesTo() []Destination {
	named, ok := o.p.Screen.(goer)
	text := strings.TrimSpace(o.input.Value())
	if !ok || text == "" || o.inside {
		return nil
	}
	return named.Destinations(text)
}

// isFirstIdle reports the first of the entries that do nothing now.
func (o *Palette) isFirstIdle(i int) bool { return o.idle > 0 && i == len(o.found)-o.idle }

// Size implements [app.Dialog].
func (o *Palette) Size(_ *app.Screen, w, h int) (int, int) { return min(w-4, 128), min(h-2, 26) }
