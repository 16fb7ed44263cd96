package inbox

import (
	"mcptea/ui/paint"
)

// fact is a piece of what a request says: a word in the margin and a text, both
// not trusted. The zero fact is an empty row.
type fact struct {
	label, text string
	tone        tone
	from, to    int // of the text: what is to stand out
}

// tone is how a fact is said.
type tone uint8

const (
	plain tone = iota
	quiet
	strong
	user
	assistant
	doubtful
	code
)

const (
	marginWidth = 11
	// mostLines bounds the rows of one fact: the frame shows all of it.
	mostLines = 400
)

func (t tone) style(pal *paint.Palette) paint.Style {
	switch t {
	case quiet:
		return pal.Muted
	case strong:
		return pal.Strong
	case doubtful:
		return pal.Warn
	}
	return pal.Text
}

// label is the style of the word in the margin.
func (t tone) label(pal *paint.Palette) paint.Style {
	switch t {
	case user:
		return pal.Value
	case assistant:
		return pal.OK
	}
	return pal.Muted
}

// factRows paints facts in rows of w cells; without gaps no row is empty.
func factRows(pal *paint.Palette, js paint.JSONStyles, facts []fact, w int, gaps bool) []string {
	margin := 0
	for _, f := range facts {
		if f.label != "" {
			margin = marginWidth
		}
	}
	f := factPainter{pal: pal, js: js, r: pal.Row(), w: w, margin: margin}
	for _, fact := range facts {
		if fact == fact0 && !gaps {
			continue
		}
		f.paint(fact)
	}
	return f.rows
}

var fact0 fact

type factPainter struct {
	pal       *paint.Palette
	js        paint.JSONStyles
	r         *paint.Row
	w, margin int
	rows      []string
}

// start begins a row; only the first of a fact has its label.
func (f *factPainter) start(label string, t tone) {
	f.r.Start(f.w, paint.Style{})
	f.r.Gap(1)
	if f.margin > 0 {
		f.r.ForeignCell(t.label(f.pal), label, f.margin-2)
		f.r.Gap(2)
	}
}

func (f *factPainter) end() { f.rows = append(f.rows, f.r.String()) }

func (f *factPainter) paint(fact fact) {
	if fact.to > fact.from {
		f.standingOut(fact)
		return
	}
	label := fact.label
	text := fact.text
	if fact.tone == doubtful {
		text = f.pal.WarnMark + " " + text
	}
	lines := paint.WrapFirst(text, max(f.w-f.margin-2, 1), mostLines+1)
	for i, line := range lines {
		f.start(label, fact.tone)
		label = ""
		switch {
		case i == mostLines:
			f.r.Put(f.pal.Muted, "and more; the frame shows all of it")
		case fact.tone == code:
			f.js.Put(f.r, []byte(line))
		default:
			f.r.Put(fact.tone.style(f.pal), line)
		}
		f.end()
	}
}

// standingOut paints a text over as many rows as it takes, not at blanks, a part
// of it in another style.
func (f *factPainter) standingOut(fact fact) {
	f.start(fact.label, fact.tone)
	for i, piece := range []string{fact.text[:fact.from], fact.text[fact.from:fact.to], fact.text[fact.to:]} {
		st := f.pal.Text
		if i == 1 {
			st = f.pal.AccentBold
		}
		for text := paint.Sanitize(piece); text != ""; {
			n, room := 0, f.r.Left()-1
			for n < len(text) && len(f.rows) < mostLines {
				next := paint.NextCluster(text[n:])
				if room -= paint.Width(text[n : n+next]); room < 0 {
					break
				}
				n += next
			}
			f.r.Put(st, text[:n])
			if text = text[n:]; text == "" {
				break
			}
			f.end()
			f.start("", fact.tone)
			if len(f.rows) >= mostLines {
				f.r.Put(f.pal.Muted, "and more; the frame shows all of it")
				f.end()
				return
			}
		}
	}
	f.end()
}
