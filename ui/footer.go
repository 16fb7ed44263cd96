package ui

import (
	"charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/key"
	"charm.land/lipgloss/v2"

	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// lastRow is a message, or the keys that work in a region: of the commands of a context,
// most important first.
func lastRow(p *paint.Palette, w int, flash action.Flash, f region, commands func(command.Context) []command.Command) string {
	var r paint.Row
	r.Start(w, paint.Style{})
	r.Gap(1)
	if flash.Text == "" {
		hints := hintsOf(w, f, commands)
		all := hints[len(hints)-1]
		r.Right(paint.Span{Style: p.AccentBold, Text: all.key}, paint.Span{Style: p.Muted, Text: " " + all.Label() + " "})
		var shown []key.Binding
		for _, h := range hints[:len(hints)-1] {
			shown = append(shown, key.NewBinding(key.WithKeys(h.key), key.WithHelp(h.key, h.Label())))
		}
		line := shortHelp(p).ShortHelpView(shown)
		r.Painted(line, paint.Width(line))
		return r.String()
	}
	st := p.Text
	if flash.Wrong {
		st = p.Warn
		r.Put(p.Warn, p.WarnMark+" ")
	}
	r.Put(st, flash.Text)
	return r.String()
}

// hint is a command that the last row names.
type hint struct {
	command.Command
	key  string
	x, w int // its columns
}

// hintsOf are the commands of the last row; the one at the right is the last.
func hintsOf(w int, f region, commands func(command.Context) []command.Command) []hint {
	typing := f.Typing()
	place := func(c command.Command, x int) hint {
		name := c.Key(typing)
		return hint{c, name, x, paint.Width(name) + 1 + paint.Width(c.Label())}
	}
	all, _ := command.Named(command.Help)
	right := place(all, 0)
	right.x = w - 1 - right.w
	context := f.Context()
	if typing && !context.HasText() {
		context = command.FilterText // the words of its filter have the keys
	}
	var hints []hint
	x := 1
	for _, c := range commands(context) {
		h := place(c, x)
		if c.ID == all.ID || h.key == "" || c.Context == command.Global && context == command.FilterText {
			continue
		}
		// One that does not fit leaves its place to the next.
		if x+h.w+len(hintGap) <= right.x {
			x += h.w + len(hintGap)
			hints = append(hints, h)
		}
	}
	return append(hints, right)
}

// advisor is a pane that may know better than the table which commands help now.
type advisor interface {
	// Advice lists them, most important first; nil leaves it to the table.
	Advice() []command.ID
}

// limited is a pane some of whose commands do nothing at times.
type limited interface{ Works(id command.ID) bool }

// hintGap separates two keys of the last line.
const hintGap = "   "

// shortHelp paints bindings in the colors of the theme.
func shortHelp(p *paint.Palette) help.Model {
	h := help.New()
	h.ShortSeparator = hintGap
	h.Styles.ShortKey = lipgloss.NewStyle().Transform(p.AccentBold.Render)
	h.Styles.ShortDesc = lipgloss.NewStyle().Transform(p.Muted.Render)
	h.Styles.ShortSeparator = lipgloss.NewStyle()
	return h
}
