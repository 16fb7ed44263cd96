package recordings

import (
	"fmt"
	"math"
	"strings"

	"mcptea/cli/app"
	"mcptea/cli/checks"
	"mcptea/session/diff"
	"mcptea/session/replay"
	"mcptea/ui/paint"
)

// sideBySideWidth is from how many columns on a terminal shows A and B beside each
// other.
const sideBySideWidth = 120

// diffPrinter prints a comparison as text.
type diffPrinter struct {
	out   *app.Screen
	width int // of a side-by-side view; 0 for a unified one
	err   error
}

func (p *commands) printDiff(r *diffReport, f diffFlags) error {
	d := &diffPrinter{out: p.Out}
	if f.view == "side-by-side" || f.view == "auto" && p.Out.Width >= sideBySideWidth {
		if d.width = p.Out.Width; d.width == 0 {
			d.width = 2 * app.DefaultWidth
		}
	}
	if r.counted(f) > 0 {
		d.line(d.out.Bad("--- ") + d.text(r.old.name))
		d.line(d.out.Good("+++ ") + d.text(r.new.name))
	}
	d.changes(r.changes, f.breaking)
	for _, one := range r.responses {
		d.response(r, one)
	}
	if len(r.rows) > 0 {
		d.line("")
		d.rows(r.rows)
	}
	if d.err != nil {
		return d.err
	}
	fmt.Fprintln(p.Err, diffSummary(r, f))
	return nil
}

// diffSummary is one line: 3 differences: 1 breaking, 1 compatible, 1 response.
func diffSummary(r *diffReport, f diffFlags) string {
	breaking := r.breaking()
	switch {
	case r.counted(f) == 0 && f.breaking && len(r.changes) > 0:
		return fmt.Sprintf("no breaking changes; %s", paint.Plural(len(r.changes), "compatible change"))
	case r.counted(f) == 0 && f.breaking:
		return "no breaking changes"
	case r.counted(f) == 0:
		return "no differences"
	case f.breaking:
		return paint.Plural(breaking, "breaking change")
	}
	var parts []string
	if n := len(r.differences) + r.more; n > 0 {
		parts = append(parts, paint.Plural(n, "difference"))
	}
	if len(r.changes) > 0 {
		parts = append(parts, paint.Plural(breaking, "breaking change"), paint.Plural(len(r.changes)-breaking, "compatible change"))
	}
	if n := r.unpaired(); n < len(r.responses) {
		parts = append(parts, paint.Plural(len(r.responses)-n, "different response"))
	}
	if n := r.unpaired(); n > 0 {
		parts = append(parts, paint.Plural(n, "request")+" in only one of the recordings")
	}
	return strings.Join(parts, ", ")
}

func (d *diffPrinter) line(text string) {
	if d.err == nil {
		d.err = d.out.Line(text)
	}
}

// text is untrusted text in one line.
func (d *diffPrinter) text(s string) string {
	if !d.out.Terminal {
		return s
	}
	return paint.Sanitize(s)
}

func (d *diffPrinter) changes(changes []diff.Change, onlyBreaking bool) {
	title := ""
	for _, c := range changes {
		if onlyBreaking && !c.Breaking {
			continue
		}
		if t := strings.TrimSpace(c.Section + " " + c.Item); t != title {
			title = t
			d.line("")
			d.line(d.out.Strong(d.text(t)))
		}
		word := d.out.Faint("compatible")
		if c.Breaking {
			word = d.out.Bad("breaking  ")
		}
		what := c.Kind.String()
		if c.Path != "" {
			what = c.Path + "  " + what
		}
		d.line("  " + word + "  " + d.text(what) + ": " + d.text(c.Reason))
		if c.Kind == diff.Changed && isShort(c.Old) && isShort(c.New) && !strings.Contains(c.Reason, string(c.New)) {
			d.line("              " + d.out.Bad("- "+d.text(string(c.Old))))
			d.line("              " + d.out.Good("+ "+d.text(string(c.New))))
		}
	}
}

// isShort reports a value that fits into a line.
func isShort(value []byte) bool {
	return len(value) > 0 && len(value) <= 200 && value[0] != '{' && value[0] != '['
}

func (d *diffPrinter) response(r *diffReport, one replay.Difference) {
	turn := one.New
	if turn == nil {
		turn = one.Old
	}
	name := d.text(strings.TrimSpace(turn.Method + " " + one.Subject))
	d.line("")
	switch {
	case one.New == nil:
		d.line(d.out.Bad("-") + " " + d.out.Strong(name) + fmt.Sprintf("  frame %d, only in %s", turn.Row+1, d.text(r.old.name)))
		return
	case one.Old == nil:
		d.line(d.out.Good("+") + " " + d.out.Strong(name) + fmt.Sprintf("  frame %d, only in %s", turn.Row+1, d.text(r.new.name)))
		return
	case one.Note != "":
		d.line(d.out.Strong(name) + fmt.Sprintf("  frames %d and %d: %s", one.Old.Row+1, one.New.Row+1, one.Note))
		return
	}
	d.line(d.out.Strong(name) + fmt.Sprintf("  responses %d and %d", one.Old.Response+1, one.New.Response+1))
	d.rows(one.Rows)
}

func (d *diffPrinter) rows(rows []diff.Row) {
	if d.width == 0 {
		for _, line := range checks.DiffLines(rows, math.MaxInt) {
			d.line(d.out.Diff(d.text(line)))
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
		d.line(d.out.Faint("… " + paint.Plural(r.Skipped, "equal value")))
		return
	}
	left, right := paint.Pad(paint.Cut(paint.Sanitize(r.Old), half), half), paint.Cut(paint.Sanitize(r.New), half)
	mark := " "
	switch r.Kind {
	case diff.Removed:
		mark, left = d.out.SGR("31", "-"), d.out.SGR("31", left)
	case diff.Added:
		mark, right = d.out.Good("+"), d.out.Good(right)
	case diff.Changed:
		mark, left, right = d.out.Warn("~"), d.out.SGR("31", left), d.out.Good(right)
	}
	d.line(strings.TrimRight(left+" "+mark+" "+right, " "))
}
