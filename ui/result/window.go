package result

import (
	"slices"

	"mcptea/internal/shell"
	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// outputWindow is a window with the output of a command.
type outputWindow struct {
	*View
	title    string
	commands []keys.Command
	high     int // maximum height of the content so far, in rows
}

// outputWidth is the width of a window with output, in cells.
const outputWidth = 120

// OpenOutput opens a window with the output of a command. The output is untrusted.
func OpenOutput(a app.App, name string, out shell.Outcome) {
	v := newView(a, len(out.Stdout), func() int32 { return -1 }, func() *Body { return BodyOfOutput(out) })
	ofFrame := func(c keys.Command) bool { return slices.Contains(commandsOfFrames, c.ID) }
	a.Open(&outputWindow{View: v, title: name, commands: slices.DeleteFunc(slices.Clone(v.commands), ofFrame)})
}

// Commands implements [app.Pane].
func (o *outputWindow) Commands() []keys.Command { return o.commands }

// Lasts implements [app.Lasting].
func (o *outputWindow) Lasts() {}

// Closes implements [app.Closed].
func (o *outputWindow) Closes() string { return paint.If(o.BackLeaves(), "close", "back") }

// Size implements [app.Dialog].
func (o *outputWindow) Size(_ *app.Screen, w, h int) (int, int) {
	w = app.WindowWidth(min(w-4, outputWidth), w)
	o.high = max(o.high, o.Height(w-2, h))
	return w, min(h-2, o.high+2)
}

// Paint implements [app.Pane].
func (o *outputWindow) Paint(c *app.Canvas, focused bool) {
	o.View.Paint(c.Box([]paint.Span{{Style: c.Pal.TextBold, Text: o.title}}, nil, focused), focused)
}
