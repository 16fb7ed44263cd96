package ui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/prompt"
)

// rootsWindow shows the roots that the server may list, and changes them. The
// server is notified of each change at once.
type rootsWindow struct {
	roots  []client.Root
	set    func([]client.Root) // sends, without waiting
	prompt *prompt.Prompt
	at     [2]int
}

func newRoots(roots []client.Root, set func([]client.Root)) *rootsWindow {
	return &rootsWindow{roots: roots, set: set, prompt: prompt.New("›")}
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
		line(func() { r.Put(p.Muted, "None are offered: a server that asks gets an empty list.") })
	}
	for i, root := range o.roots {
		line(func() {
			r.Put(p.AccentBold, strconv.Itoa(i+1)+"  ")
			r.Foreign(p.Text, root.URI)
		})
	}
	line(func() {})
	body := o.prompt.Rows(p, w-4, 3, true)
	x, y := o.prompt.Cursor()
	o.at = [2]int{x + 2, y + 1 + len(rows)}
	for _, b := range body {
		rows = append(rows, " "+b+" ")
	}
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
		o.apply(strings.TrimSpace(o.prompt.Value()))
		return nil, false
	}
	o.prompt.SetProblem("")
	o.prompt.Key(k)
	return nil, false
}

func (o *rootsWindow) paste(text string) { o.prompt.Paste(text) }

func (o *rootsWindow) apply(text string) {
	if text == "" {
		return
	}
	if n, err := strconv.Atoi(text); err == nil {
		if n < 1 || n > len(o.roots) {
			o.prompt.SetProblem(fmt.Sprintf("no root has the number %d", n))
			return
		}
		roots := append([]client.Root(nil), o.roots[:n-1]...)
		o.roots = append(roots, o.roots[n:]...)
	} else {
		root, err := client.RootOf(text)
		if err != nil {
			o.prompt.SetProblem(err.Error())
			return
		}
		o.roots = append(append([]client.Root(nil), o.roots...), root)
	}
	o.prompt.SetValue("")
	o.set(o.roots)
}
