package pins

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/revision"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/offer/diff"
	"mcptea/session/runs/pins"
	"mcptea/ui/app"
	uidiff "mcptea/ui/diff"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// maxShown is the size of a response without a difference that is shown, in bytes.
const maxShown = 256 << 10

// detail shows the selected pin: its differences, or its response. It has no commands, so it never has the
// focus.
type detail struct {
	*Pane
	one    *pins.Pin
	shown  string // the pin whose lines are these
	of     int    // the version of the lines
	lines  []uidiff.Line
	scroll doc.Scroll
}

// The methods of [app.Pane].
func (*detail) Commands() []keys.Command { return nil }
func (*detail) Motion(keys.Motion) bool  { return false }
func (*detail) Refresh(app.Tick) bool    { return false }

// arrange makes the lines for a pin.
func (d *detail) arrange(one *pins.Pin) {
	d.one = one
	moved := d.shown != one.Name
	if !moved && d.of == d.version {
		return
	}
	d.shown, d.of = one.Name, d.version
	rows := one.Rows
	if rows == nil && one.Response != nil && len(one.Response) <= maxShown {
		rows = diff.Lines(one.Response)
	}
	d.lines = uidiff.Lines(rows)
	if moved {
		d.scroll.Row(uidiff.Start(d.lines))
	}
}

func (d *detail) oneScreen() string {
	above, below := d.scroll.Hidden()
	return keys.Reason(!above && !below, "All lines are visible.")
}

// next scrolls to the next or previous line where a difference starts. It returns false if there is no such line.
func (d *detail) next(step int) bool {
	for i := d.scroll.Top() + step; i >= 0 && i < len(d.lines); i += step {
		if uidiff.Differs(d.lines[i]) && (i == 0 || !uidiff.Differs(d.lines[i-1])) {
			d.scroll.Row(i)
			return true
		}
	}
	return false
}

func (d *detail) Paint(c *app.Canvas, focused bool) {
	pal, one := c.Pal, d.one
	name := pal.Cut(display.Sanitize(one.Name), 30)
	s := doc.On(c.Box([]paint.Span{
		{Style: pal.TextBold, Text: name},
		{Style: pal.Muted, Text: "  " + pal.Label(subject(one), max(0, c.W-32-display.Width(name)))},
	}, d.note(pal), focused))
	st := paint.If(one.State == pins.Failed, pal.Error, pal.Text)
	s.Text(st, d.sentence(s), 3)
	s.Text(pal.Warn, one.Warning, 2)
	if one.Warning != "" {
		s.Row(paint.Span{Style: pal.AccentBold, Text: s.Names.Name("edit")}, paint.Span{Style: pal.Muted, Text: " edit the request"})
	}
	if now := d.newName(); now != "" {
		s.Text(pal.Text, "It is called "+display.Sanitize(now)+" now.", 1)
		s.Keys(1, doc.Key{ID: "rename.files", Label: "rename in files"})
	}
	uidiff.Rest(s, &d.scroll, d.lines)
	s.Paint()
}

// newName returns the server's new name for the subject of the pin, or "" if it still has the old one.
func (d *detail) newName() string {
	if d.Renamed == nil || !d.one.Missing {
		return ""
	}
	i := slices.IndexFunc(revision.Lists, func(l revision.List) bool { return l.Use == d.one.Method })
	if i < 0 {
		return ""
	}
	return d.Renamed(revision.Lists[i].Name, d.one.Subject)
}

// subject returns the call of a pin in one line.
func subject(one *pins.Pin) string {
	return strings.TrimSpace(one.Subject + " " + strings.TrimSpace(one.Arguments))
}

// outside lists the outside data that a pin uses.
func outside(one *pins.Pin) string {
	var names []string
	for _, name := range one.Outside.Variables {
		names = append(names, "$"+name)
	}
	return strings.Join(append(names, one.Outside.Files...), ", ")
}

// sentence returns why there is no difference to show.
func (d *detail) sentence(s *doc.Doc) string {
	one, run := d.one, ". "+s.Names.Name("pin.run")+" runs it."
	switch {
	case one.State == pins.Running:
		return "Running."
	case one.State == pins.NotRun && one.Missing:
		return "Not run: " + missing(one) + "."
	case one.State == pins.NotRun && one.Server != "":
		return fmt.Sprintf("Not run: the pin is one of the server %q%s", one.Server, run)
	case one.State == pins.NotRun && !one.Outside.Empty():
		return "Not run: it sends " + outside(one) + run
	case one.State == pins.NotRun && one.ReadOnly:
		return "Not run yet in this session."
	case one.State == pins.NotRun && one.Repeated:
		return "Not run yet in this session" + run
	case one.State == pins.NotRun && one.Repeatable():
		return "Not run: " + one.Waits() + run + " " + s.Names.Name("pin.repeat") + " runs its calls after each restart."
	case one.State == pins.NotRun:
		return "Not run: " + one.Waits() + run
	case one.State == pins.Passed && len(one.Response) > maxShown:
		return "The response has " + phrase.Size(int64(len(one.Response))) + ". " + s.Names.Name("frame") + " shows its frame."
	case one.State != pins.Passed && one.Rows == nil:
		return one.Reason
	}
	return ""
}

// expects describes the expectation of a pin.
func (d *detail) expects() string {
	text := d.one.Expects
	if len(d.one.Ignored) > 0 {
		text += ", but for " + display.Cut(display.Sanitize(strings.Join(d.one.Ignored, ", ")), 20)
	}
	if d.one.Repeated {
		text += "; runs after each restart"
	}
	return text
}

// note describes the difference, or describes the expectation.
func (d *detail) note(pal *paint.Palette) []paint.Span {
	switch {
	case d.one.Unfit():
		return []paint.Span{{Style: pal.Warn, Text: pal.WarnMark + " as expected"}, {Style: pal.Muted, Text: ": " + d.expects()}}
	case d.one.State == pins.Passed:
		return []paint.Span{{Style: pal.OK, Text: pal.OKMark + " as expected"}, {Style: pal.Muted, Text: ": " + d.expects()}}
	case d.one.State == pins.NotRun:
		return []paint.Span{{Style: pal.Muted, Text: "expects " + d.expects()}}
	case d.one.Rows == nil:
		return nil
	}
	return difference(pal, d.one.Rows)
}

// difference describes what differs: both values if one value differs, otherwise the number of lines.
func difference(pal *paint.Palette, rows []diff.Row) []paint.Span {
	n := 0
	var first diff.Row
	for _, row := range rows {
		if row.Kind == diff.Same {
			continue
		}
		if n++; n == 1 {
			first = row
		}
	}
	if n != 1 || first.Kind != diff.Changed {
		return []paint.Span{{Style: pal.Error, Text: phrase.Count(n, "line") + paint.If(n == 1, " differs", " differ")}}
	}
	value := func(line string) string { return display.Cut(display.Sanitize(valueOf(line)), maxValue) }
	return []paint.Span{
		{Style: pal.Muted, Text: "expected "},
		{Style: pal.Error, Text: value(first.Old)},
		{Style: pal.Muted, Text: ", now "},
		{Style: pal.OK, Text: value(first.New)},
	}
}

// maxValue is the maximum width of a value in the title, in cells.
const maxValue = 16

// valueOf returns the value in an indented line of JSON, without the name of the member.
func valueOf(line string) string {
	line = strings.TrimSpace(line)
	if name, err := strconv.QuotedPrefix(line); err == nil {
		if rest, ok := strings.CutPrefix(line[len(name):], ": "); ok {
			return rest
		}
	}
	return line
}

// compare opens the window that compares a pin's expectation with its response.
func (p *Pane) compare(name string) {
	one, expected, _ := p.pins.Named(name)
	if expected == nil || one.Response == nil {
		p.app.Say("The pin has no response to compare with an expectation.")
		return
	}
	path := p.pins.Path()
	subject := uidiff.Subject{
		Sides: [2]uidiff.Side{
			{Name: "expected", Where: filepath.Base(path)},
			{Name: "response", Took: phrase.Took(one.Took), Size: phrase.Size(int64(len(one.Response)))},
		},
		About:  one.Name + "  " + subject(&one),
		Ignore: one.Ignored,
		Compare: func(_ context.Context, o uidiff.Options) (uidiff.Result, error) {
			return uidiff.Values([2][]byte{expected, one.Response}, o)
		},
		Command: func(bool, []string, bool) string { return uidiff.Shell("mcptea", "run", path, "TARGET") },
		Accept:  func() { p.Accept(-1, name) },
		Ignored: func(rule string) { p.Ignore(name, rule) },
	}
	uidiff.Open(p.app, uidiff.Comparing, func(context.Context) (uidiff.Subject, error) { return subject, nil })
}
