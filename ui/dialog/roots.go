package dialog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mcptea/client"
	"mcptea/internal/words/phrase"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
)

// roots shows and edits the roots that the server may list. Each change is sent to a connected server immediately.
type roots struct {
	window
	roots   []client.Root
	set     func([]client.Root) bool // see [Roots]
	input   textfield.Input
	problem string // mistake in the text
	done    string // what the last change did
	reached bool   // a connection has the roots since the last change
}

// Roots opens the window of the roots. set stores the roots without waiting, and reports whether a connection has them now.
func Roots(a app.Program, now []client.Root, set func([]client.Root) bool) {
	o := &roots{roots: now, set: set}
	o.window = window{title: "Roots", width: 80, commands: []keys.Command{accept("apply", o.apply)}, compose: o.write}
	a.Open(o)
}

func (o *roots) apply() {
	text := strings.TrimSpace(o.input.Value())
	if text == "" {
		return
	}
	if n, err := strconv.Atoi(text); err == nil {
		if n < 1 || n > len(o.roots) {
			o.problem = fmt.Sprintf("no root has the number %d", n)
			return
		}
		o.roots, o.done = slices.Delete(slices.Clone(o.roots), n-1, n), "Removed"
	} else {
		root, err := client.RootOf(text)
		if err != nil {
			o.problem = err.Error()
			return
		}
		o.roots, o.done = append(slices.Clip(o.roots), root), "Added"
	}
	o.input.SetValue("")
	o.reached = o.set(o.roots)
}

func (o *roots) write(d *doc.Doc) {
	if len(o.roots) == 0 {
		d.Text(d.Pal.Muted, "No roots. The server gets an empty list.", 1)
	}
	for i, root := range o.roots {
		d.Row(paint.Span{Style: d.Pal.AccentBold, Text: strconv.Itoa(i+1) + "  "}, paint.Span{Style: d.Pal.Text, Text: root.URI})
	}
	d.Gap()
	d.Input(&o.input, func() { o.problem, o.done = "", "" })
	switch {
	case o.problem != "":
		d.Text(d.Pal.Error, o.problem, 2)
	case o.done != "" && o.reached:
		d.Text(d.Pal.OK, d.Pal.OKMark+" "+o.done+": the server gets "+phrase.Count(len(o.roots), "root")+" from now on.", 1)
	case o.done != "":
		d.Text(d.Pal.OK, d.Pal.OKMark+" "+o.done+": the next connection has "+phrase.Count(len(o.roots), "root")+".", 1)
	default:
		d.Text(d.Pal.Muted, "A directory adds a root, a number removes one.", 1)
	}
	d.Keys(1, doc.Key{ID: "dialog.accept", Label: "apply"}, closes(o))
}
