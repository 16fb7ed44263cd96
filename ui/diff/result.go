package diff

import (
	"cmp"
	"fmt"
	"strings"

	"mcptea/internal/words/phrase"
	"mcptea/session/offer/diff"
	"mcptea/session/runs/replay"
)

// Result is what a comparison has found.
type Result struct {
	Items       []Item
	Lines       []Line
	Equal, More int // values that are equal, and items that were left out
}

// Item is a place where the two differ.
type Item struct {
	diff.Entry
	Effect Effect // of a change of what a server offers
	Note   string // what it means; untrusted
}

// Effect is what a change of what a server offers means for clients that work with it.
type Effect uint8

// The effects.
const (
	Compatible Effect = iota + 1
	Breaking
)

// String is the name of the effect.
func (e Effect) String() string { return [...]string{"", "compatible", "breaking"}[e] }

// Line is a line of the view. Its entry is the index of an item.
type Line = diff.Line

// Values compares two JSON values.
func Values(values [2][]byte, o Options) (r Result, err error) {
	old, now := values[0], values[1]
	if o.Swapped {
		old, now = now, old
	}
	report, err := diff.NewReport(old, now, o.Options, o.Whole)
	if err != nil {
		return r, err
	}
	r.Lines, r.Equal, r.More = report.Lines, report.Equal, report.More
	for _, e := range report.Entries {
		r.Items = append(r.Items, Item{Entry: e})
	}
	a, ok := diff.Offer(old)
	b, both := diff.Offer(now)
	if ok && both && len(report.Entries) > report.Ignored() {
		r.judge(diff.Servers(a, b))
	}
	return r, nil
}

// judge puts changes of what a server offers in the place of the items that are part of
// them.
func (r *Result) judge(changes []diff.Change) {
	items := make([]Item, 0, len(changes)+len(r.Items))
	for i := range changes {
		items = append(items, itemOf(&changes[i]))
	}
	place := make([]int, len(r.Items)) // of each item before
	for i, it := range r.Items {
		longest := -1
		for k, c := range changes {
			where := c.Section
			if c.Item != "" {
				where += "[" + c.Item + "]"
			}
			if !it.Ignored && strings.Contains(it.Name, where) && strings.Contains(it.Path, c.Path) && len(c.Path) > longest {
				place[i], longest = k, len(c.Path)
			}
		}
		if longest < 0 {
			place[i], items = len(items), append(items, it)
		}
	}
	r.Items = items
	for i := range r.Lines {
		if l := &r.Lines[i]; l.Entry >= 0 {
			l.Entry = place[l.Entry]
		}
	}
}

func itemOf(c *diff.Change) Item {
	it := Item{Effect: Compatible, Note: c.Reason}
	if c.Breaking {
		it.Effect = Breaking
	}
	it.Kind, it.Old, it.New = c.Kind, c.Old, c.New
	it.Name = strings.TrimSpace(c.Section + " " + c.Item + " " + c.Path)
	return it
}

// maxLines is the number of lines after which only the headings of responses are added.
const maxLines = 50_000

// resultOf is what two recordings differ in.
func resultOf(changes []diff.Change, responses []replay.Difference) (r Result) {
	for i := range changes {
		r.Items = append(r.Items, itemOf(&changes[i]))
	}
	for i := range responses {
		d := &responses[i]
		it := Item{Note: d.Note}
		if it.Kind = d.Kind(); it.Kind != diff.Changed {
			it.Note = "only in this recording"
		}
		it.Name = strings.TrimSpace(cmp.Or(d.New, d.Old).Method + " " + d.Subject)
		heading := it.Name
		if d.Old != nil {
			it.Old = fmt.Appendf(nil, "#%d", d.Old.Row+1)
			heading += "  A " + string(it.Old)
		}
		if d.New != nil {
			it.New = fmt.Appendf(nil, "#%d", d.New.Row+1)
			heading += "  B " + string(it.New)
		}
		if n := len(d.Differences) + d.More; n > 0 {
			it.Note = phrase.Count(n, "difference")
		}
		heading += "  " + it.Note
		entry := len(r.Items)
		r.Lines = append(r.Lines, Line{Heading: heading, Entry: entry})
		for _, row := range d.Rows {
			if len(r.Lines) < maxLines {
				r.Lines = append(r.Lines, Line{Row: row, Entry: entry})
			}
		}
		r.Items = append(r.Items, it)
	}
	return r
}

// Count returns the number of items of a kind that count.
func (r *Result) Count(k diff.Kind) int {
	return r.count(func(it *Item) bool { return !it.Ignored && it.Effect == 0 && it.Kind == k })
}

// effects returns the number of items with an effect.
func (r *Result) effects(e Effect) int { return r.count(func(it *Item) bool { return it.Effect == e }) }

// ignored returns the number of items that do not count.
func (r *Result) ignored() int { return r.count(func(it *Item) bool { return it.Ignored }) }

func (r *Result) count(match func(it *Item) bool) (n int) {
	for i := range r.Items {
		if match(&r.Items[i]) {
			n++
		}
	}
	return n
}
