package ui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/input"
)

// rootsWindow shows the roots that the server may list, and changes them. The
// server is notified of each change at once.
type rootsWindow struct {
	roots   []client.Root
	set     func([]client.Root) // sends, without waiting
	input   input.Input
	problem string // with the text
	at      [2]int
}

func newRoots(roots []client.Root, set func([]client.Root)) *rootsWindow {
	return &rootsWindow{roots: roots, set: set}
}

func (o *rootsWindow) size(w, h int) (int, int) { return min(w-4, 80), min(h-2, len(o.roots)+8) }
func (o *rootsWindow) scroll(int)               {}

func (o *rootsWindow) paint(p *paint.Palette, w, h int) []string {
	var rows []string
	var r paint.Row
	line := func(draw func()) {
		r.Start(w-2, paint.Style{})
		r.Gap(1)
		draw()
		rows = append(rows, r.String())
	}
	if len(o.roots) == 0 {
		line(func() { r.Put(p.Muted, "No roots. The server gets an empty list.") })
	}
	for i, root := range o.roots {
		line(func() {
			r.Put(p.AccentBold, strconv.Itoa(i+1)+"  ")
			r.Put(p.Text, root.URI)
		})
	}
	line(func() {})
	line(func() {
		r.Put(p.Accent, p.Prompt+" ")
		if o.problem != "" {
			r.Right(paint.Span{Style: p.Error, Text: p.Label(o.problem, w/2) + " "})
		}
		text, cursor := o.input.Visible(r.Left())
		o.at = [2]int{r.Used() + 1 + cursor, 1 + len(rows)}
		r.Put(p.Text, text)
	})
	line(func() { r.Put(p.Muted, "A directory adds a root, a number removes one.") })
	title := []paint.Span{{Style: p.TextBold, Text: "Roots"}}
	return paint.Box(p, w, h, true, title, []paint.Span{{Style: p.AccentBold, Text: command.KeyIn(command.Dialog, command.Accept, true)}, {Style: p.Muted, Text: " apply   "}, {Style: p.AccentBold, Text: command.KeyOf(command.Dismiss)}, {Style: p.Muted, Text: " close"}}, rows)
}

func (o *rootsWindow) cursor() (x, y int, ok bool) { return o.at[0], o.at[1], true }

func (o *rootsWindow) key(k tea.KeyPressMsg) (*command.Command, bool) {
	switch c, _ := command.Lookup(command.Dialog, k.String()); c.ID {
	case command.Dismiss:
		return nil, true
	case command.Accept:
		o.apply(strings.TrimSpace(o.input.Value()))
		return nil, false
	}
	o.problem = ""
	o.input.Key(k)
	return nil, false
}

func (o *rootsWindow) paste(text string) { o.input.Insert(text) }

func (o *rootsWindow) apply(text string) {
	if text == "" {
		return
	}
	if n, err := strconv.Atoi(text); err == nil {
		if n < 1 || n > len(o.roots) {
			o.problem = fmt.Sprintf("no root has the number %d", n)
			return
		}
		roots := append([]client.Root(nil), o.roots[:n-1]...)
		o.roots = append(roots, o.roots[n:]...)
	} else {
		root, err := client.RootOf(text)
		if err != nil {
			o.problem = err.Error()
			return
		}
		o.roots = append(append([]client.Root(nil), o.roots...), root)
	}
	o.input.SetValue("")
	o.set(o.roots)
}
