package program

import (
	"cmp"
	"strings"

	"mcptea/internal/words/phrase"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// heading returns the heading above an entry, or "". While no words are typed, each section has one, and the
// commands that do nothing now are ordered by the reason, which is their heading. With words, only the first command
// that does nothing now has a heading.
func (o *Palette) heading(i int) string {
	if !o.input.Empty() {
		return paint.If(o.isFirstIdle(i) && !o.folds(), "Do nothing now", "")
	}
	title := func(i int) string {
		switch e := &o.found[i]; {
		case i >= len(o.found)-o.idle:
			return e.why
		case e.rank == used:
			return "Used last"
		default:
			return phrase.Capital(e.section)
		}
	}
	if o.folds() && i >= len(o.found)-o.idle || i > 0 && title(i) == title(i-1) {
		return ""
	}
	return title(i)
}

// folded writes the row for the commands that do nothing now.
func (o *Palette) folded(r *paint.Row, p *paint.Palette, _ bool) {
	r.Gap(2)
	r.Put(p.Accent, p.Folded+" ")
	r.Put(p.Muted, phrase.Digits(o.idle)+" that do nothing now")
}

// name returns the name of an entry, for things with their description. Commands that do nothing now are
// dimmed.
func (o *Palette) name(i int, p *paint.Palette) []paint.Span {
	e := &o.found[i]
	name := paint.Span{Style: paint.If(e.why != "", p.Muted, p.Text), Text: e.Label}
	if !e.isNamed() {
		name.Text = e.Help
	}
	if e.description == "" {
		return []paint.Span{name}
	}
	return []paint.Span{name, {Text: "  "}, {Style: p.Muted, Text: e.description}}
}

// isNamed reports whether the entry has separate texts for its name and its help.
func (e *entry) isNamed() bool { return e.rank != thing && e.Label != "" }

// description returns what a command does, without the name that is next to it. If the command does
// nothing now and no heading states the reason, the reason follows in a separate column.
func (o *Palette) description(i int, p *paint.Palette) []paint.Span {
	if e := &o.found[i]; e.isNamed() {
		help := paint.If(e.Help == e.Label, "", strings.TrimSuffix(e.Help, ": "+e.Label))
		if o.saysWhy(e) {
			return []paint.Span{{Style: p.Muted, Text: paint.Pad(p.Cut(help, o.helpWidth()), o.helpWidth()) + "  " + e.why}}
		}
		return []paint.Span{{Style: p.Muted, Text: help}}
	}
	return nil
}

// helpWidth is the width of the text about a command if the reason why it does nothing now follows.
func (o *Palette) helpWidth() int {
	w, _ := o.Size(nil, o.p.W, o.p.H)
	return max((w-o.names-maxKey)*45/100, 0)
}

// maxKey is the number of cells that a key takes with the blanks around it.
const maxKey = 12

// saysWhy reports whether the row of an entry shows why it does nothing now.
func (o *Palette) saysWhy(e *entry) bool { return e.why != "" && !o.input.Empty() }

// kind returns the kind of an entry at the end of its row, or why its command does nothing now.
func (o *Palette) kind(i int, p *paint.Palette) []paint.Span {
	e := &o.found[i]
	switch {
	case !e.isNamed() && o.saysWhy(e):
		return []paint.Span{{Style: p.Muted, Text: e.why}}
	case o.saysWhy(e), o.input.Empty() && e.rank != used:
		return nil
	}
	return []paint.Span{{Style: p.Muted, Text: e.kind()}}
}

// keyOf returns the key of an entry. For one that works here, it is a key that the field does not use.
func (o *Palette) keyOf(e *entry) string {
	if e.rank < elsewhere {
		return o.p.Keys.Name(e.Command, o.taken)
	}
	return o.p.Keys.Name(e.Command, nil)
}

// describe writes where the selected command works, or why it does nothing now.
func (o *Palette) describe(r *paint.Row) {
	e, pal := o.selected(), o.p.Pal
	if e == nil {
		if o.list.Index() >= 0 {
			r.Put(pal.Muted, o.p.Keys.Name(&o.screenCommands[0], nil)+" shows them, and why")
		}
		return
	}
	if e.rank == thing {
		r.Put(pal.Muted, cmp.Or(e.does, "shows the "+e.section))
		return
	}
	var names []string
	for _, k := range o.p.Keys.Of(e.Command) {
		names = append(names, keys.KeyName(k))
	}
	text := strings.Join(names, " or ")
	switch {
	case len(names) == 0:
		text = "not bound"
	case e.rank < elsewhere && o.keyOf(e) == "":
		text = "none here, the text takes " + text
	}
	r.Put(pal.Muted, "key ")
	r.Put(pal.Text, text)
	if e.why != "" {
		r.Gap(3)
		r.Put(pal.Warn, e.why)
		return
	}
	r.Put(pal.Muted, "   works ")
	r.Put(pal.Text, paint.If(e.show != nil, "in: "+e.section, paint.If(e.section == Everywhere, Everywhere, "here")))
	r.Put(pal.Muted, "   id ")
	r.Put(pal.Text, e.ID)
}
