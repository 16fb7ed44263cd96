package recordings

import (
	"fmt"
	"math"
	"strings"

	"mcptea/cli/app"
	"mcptea/cli/checks"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/offer/diff"
	"mcptea/ui/paint"
)

// sideBySideWidth is the minimum number of columns of a terminal for showing A and B side by side.
const sideBySideWidth = 120

// diffPrinter prints a comparison as text.
type diffPrinter struct {
	out   *app.Screen
	width int // width of a side-by-side view; 0 for a unified one
}

func (p *diffCommand) printDiff(r *Diff, f diffFlags) {
	d := &diffPrinter{out: p.Out}
	if f.view == "side-by-side" || f.view == "auto" && p.Out.Width >= sideBySideWidth {
		if d.width = p.Out.Width; d.width == 0 {
			d.width = 2 * app.DefaultWidth
		}
	}
	if !r.Equal {
		d.out.Line(d.out.Bad("--- ") + d.text(r.Old))
		d.out.Line(d.out.Good("+++ ") + d.text(r.New))
	}
	d.changes(r.Changes)
	for _, one := range r.Responses {
		d.response(r, one)
	}
	if len(r.rows) > 0 {
		d.out.Line("")
		d.rows(r.rows)
	}
	p.Err.Prose(r.summary(f))
}

// summary returns a summary in one line: 3 differences, 1 breaking change, 1 compatible change.
func (r *Diff) summary(f diffFlags) string {
	switch {
	case r.Equal && f.breaking:
		text := "no breaking changes"
		if r.lessRisk > 0 {
			text += "; " + r.claims()
		}
		if r.compatible > 0 {
			text += "; " + phrase.Count(r.compatible, "compatible change")
		}
		return text
	case r.Equal:
		return "no differences"
	case f.breaking:
		return phrase.Count(r.Breaking, "breaking change")
	}
	var parts []string
	if r.More > 0 {
		parts = append(parts, phrase.Count(r.More, "difference"))
	}
	if len(r.Changes) > 0 {
		parts = append(parts, phrase.Count(r.Breaking, "breaking change"))
		if r.lessRisk > 0 {
			parts = append(parts, r.claims())
		}
		parts = append(parts, phrase.Count(r.compatible, "compatible change"))
	}
	unpaired := 0
	for _, one := range r.Responses {
		if one.Kind != diff.Changed {
			unpaired++
		}
	}
	if n := len(r.Responses) - unpaired; n > 0 {
		parts = append(parts, phrase.Count(n, "different response"))
	}
	if unpaired > 0 {
		parts = append(parts, phrase.Count(unpaired, "request")+" in only one of the recordings")
	}
	return strings.Join(parts, ", ")
}

// claims counts the hints that claim less risk.
func (r *Diff) claims() string {
	text := phrase.Count(r.lessRisk, "hint")
	if r.lessRisk == 1 {
		return text + " that claims less risk"
	}
	return text + " that claim less risk"
}

// text returns untrusted text in one line.
func (d *diffPrinter) text(s string) string {
	if !d.out.Terminal {
		return s
	}
	return display.Sanitize(s)
}

func (d *diffPrinter) changes(changes []diff.Change) {
	title := ""
	for _, c := range changes {
		if t := strings.TrimSpace(c.Section + " " + c.Item); t != title {
			title = t
			d.out.Line("")
			d.out.Line(d.out.Strong(d.text(t)))
		}
		word := map[diff.Effect]string{
			diff.Compatible: d.out.Faint("compatible"), diff.LessRisk: d.out.Warn("less risk "), diff.Breaking: d.out.Bad("breaking  "),
		}[c.Effect()]
		what := c.Kind.String()
		if c.Path != "" {
			what = c.Path + "  " + what
		}
		d.out.Line("  " + word + "  " + d.text(what) + ": " + d.text(c.Reason))
		if c.Kind == diff.Changed && isShort(c.Old) && isShort(c.New) && !strings.Contains(c.Reason, string(c.New)) {
			d.out.Line("              " + d.out.Bad("- "+d.text(string(c.Old))))
			d.out.Line("              " + d.out.Good("+ "+d.text(string(c.New))))
		}
	}
}

// isShort reports a value that fits into a line.
func isShort(value []byte) bool {
	return len(value) > 0 && len(value) <= 200 && value[0] != '{' && value[0] != '['
}

func (d *diffPrinter) response(r *Diff, one Response) {
	name := d.out.Strong(d.text(strings.TrimSpace(one.Method + " " + one.Name)))
	d.out.Line("")
	switch {
	case one.Kind == diff.Removed:
		d.out.Line(d.out.Bad("-") + " " + name + fmt.Sprintf("  frame %d, only in %s", one.OldFrame, d.text(r.Old)))
	case one.Kind == diff.Added:
		d.out.Line(d.out.Good("+") + " " + name + fmt.Sprintf("  frame %d, only in %s", one.NewFrame, d.text(r.New)))
	case one.Note != "":
		d.out.Line(name + fmt.Sprintf("  frames %d and %d: %s", one.OldFrame, one.NewFrame, one.Note))
	default:
		d.out.Line(name + fmt.Sprintf("  responses %d and %d", one.frames[0], one.frames[1]))
		d.rows(one.rows)
	}
}

func (d *diffPrinter) rows(rows []diff.Row) {
	if d.width == 0 {
		for _, line := range checks.DiffLines(rows, math.MaxInt) {
			d.out.Line(d.out.Diff(d.text(line)))
		}
		return
	}
	half := (d.width - 3) / 2
	for _, r := range rows {
		d.beside(r, half)
	}
}

// beside prints a row of two columns with a mark between them.
func (d *diffPrinter) beside(r diff.Row, half int) {
	if r.Skipped > 0 {
		d.out.Line(d.out.Faint("… " + phrase.Count(r.Skipped, "equal value")))
		return
	}
	left, right := paint.Pad(display.Cut(display.Sanitize(r.Old), half), half), display.Cut(display.Sanitize(r.New), half)
	mark := " "
	switch r.Kind {
	case diff.Removed:
		mark, left = d.out.Paint(app.Removed, "-"), d.out.Paint(app.Removed, left)
	case diff.Added:
		mark, right = d.out.Good("+"), d.out.Good(right)
	case diff.Changed:
		mark, left, right = d.out.Warn("~"), d.out.Paint(app.Removed, left), d.out.Good(right)
	}
	d.out.Line(strings.TrimRight(left+" "+mark+" "+right, " "))
}
