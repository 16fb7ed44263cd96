package prompt

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/paint"
	"mcptea/ui/widget/edit"
)

// maxHistory is how many lines the history keeps.
const maxHistory = 200

// Candidate is one way to go on. Text need not be trusted.
type Candidate struct {
	Text string // replaces the word under the cursor
	Note string // what it is, for people
}

// Prompt is a line under a cursor. Make it with New. It is not safe for
// concurrent use.
type Prompt struct {
	// Placeholder shows while the line is empty. Trusted.
	Placeholder string
	// Complete gives the candidates for the text before the cursor, and where
	// in it the word that they replace starts, in bytes. It must not wait.
	// nil means no completion.
	Complete func(before string) (from int, candidates []Candidate)

	sign    string
	buf     edit.Buffer
	problem string

	candidates []Candidate
	from       int
	choice     int // -1: none is in the line yet
	tail       string
	origin     string // the line as it was before a candidate went in
	listed     int    // first candidate painted

	history []string
	at      int    // len(history): the line being typed
	draft   string // that line, while an older one shows
}

// New makes a prompt. sign stands before the line, "/" or "›"; it is trusted.
func New(sign string) *Prompt { return &Prompt{sign: sign, choice: -1} }

// Value gives the line.
func (p *Prompt) Value() string { return p.buf.Value() }

// SetValue replaces the line.
func (p *Prompt) SetValue(s string) {
	p.buf.SetValue(s)
	p.dismiss()
	p.at = len(p.history)
}

// SetProblem says what is wrong with the line, which turns red; "" when
// nothing is. It may hold foreign text.
func (p *Prompt) SetProblem(msg string) { p.problem = msg }

// SetHistory replaces the history, oldest first. The slice is copied.
func (p *Prompt) SetHistory(lines []string) {
	p.history = slices.Clone(lines[max(len(lines)-maxHistory, 0):])
	p.at = len(p.history)
}

// History gives the history, oldest first. It belongs to the prompt.
func (p *Prompt) History() []string { return p.history }

// Commit puts the line into the history, once, and gives it.
func (p *Prompt) Commit() string {
	line := p.Value()
	if line != "" {
		p.history = slices.DeleteFunc(p.history, func(s string) bool { return s == line })
		p.history = append(p.history, line)
		p.history = p.history[max(len(p.history)-maxHistory, 0):]
	}
	p.dismiss()
	p.at = len(p.history)
	return line
}

// Completing tells whether candidates are listed.
func (p *Prompt) Completing() bool { return len(p.candidates) > 0 }

// Paste inserts text at the cursor.
func (p *Prompt) Paste(s string) {
	p.buf.Insert(s)
	p.dismiss()
}

// Key edits, completes or goes through the history; false when the key meant
// nothing here. Enter is always the caller's; esc only closes the list of
// candidates and takes back the one that went in.
func (p *Prompt) Key(k tea.KeyPressMsg) bool {
	switch name := k.String(); name {
	case "tab":
		p.complete(1)
		return p.Completing()
	case "shift+tab":
		p.complete(-1)
		return p.Completing()
	case "esc":
		open := p.Completing()
		if open && p.choice >= 0 {
			p.buf.SetValue(p.origin + p.tail)
			p.buf.SetPosition(0, len(p.origin))
		}
		p.dismiss()
		return open
	case "up", "down":
		step := 1
		if name == "up" {
			step = -1
		}
		if p.Completing() {
			p.choose(step)
			return true
		}
		return p.recall(step)
	}
	before := p.buf.Version()
	used := p.buf.Key(k)
	if p.buf.Version() != before {
		p.at = len(p.history)
	}
	if used {
		p.dismiss()
	}
	return used
}

func (p *Prompt) dismiss() {
	p.candidates, p.choice, p.listed = nil, -1, 0
}

// complete lists the candidates; when they are listed it goes to the next. A
// single one goes in at once.
func (p *Prompt) complete(step int) {
	if p.Completing() {
		p.choose(step)
		return
	}
	if p.Complete == nil {
		return
	}
	before := p.buf.Before()
	from, candidates := p.Complete(before)
	if len(candidates) == 0 || from < 0 || from > len(before) {
		return
	}
	p.candidates, p.from, p.choice = candidates, from, -1
	p.origin = before
	p.tail = p.Value()[len(before):]
	if len(candidates) == 1 {
		p.choose(1)
		p.dismiss()
		return
	}
	if step > 0 {
		p.choose(1)
	} else {
		p.choice = 0
		p.choose(-1)
	}
}

func (p *Prompt) choose(step int) {
	n := len(p.candidates)
	switch {
	case p.choice < 0 && step < 0:
		p.choice = n - 1
	default:
		p.choice = (p.choice + step + n) % n
	}
	head := p.origin[:p.from] + p.candidates[p.choice].Text
	p.buf.SetValue(head + p.tail)
	p.buf.SetPosition(0, len(head))
}

// recall shows an older or a newer line.
func (p *Prompt) recall(step int) bool {
	to := p.at + step
	if to < 0 || to > len(p.history) {
		return false
	}
	if p.at == len(p.history) {
		p.draft = p.Value()
	}
	p.at = to
	if to == len(p.history) {
		p.buf.SetValue(p.draft)
	} else {
		p.buf.SetValue(p.history[to])
	}
	return true
}

// Rows paints the line and, under it, the candidates: at most h rows of w
// cells.
func (p *Prompt) Rows(pal *paint.Palette, w, h int, focused bool) []string {
	if h <= 0 {
		return nil
	}
	r := pal.Row()
	out := append(make([]string, 0, h), p.lineRow(r, pal, w, focused))
	room := min(h-1, len(p.candidates))
	if room <= 0 {
		return out
	}
	p.listed = min(p.listed, max(p.choice, 0))
	p.listed = max(p.listed, p.choice-room+1)
	widest := 0
	for _, c := range p.candidates {
		widest = max(widest, paint.Width(paint.Sanitize(c.Text)))
	}
	for i := p.listed; i < p.listed+room; i++ {
		p.candidateRow(r, pal, w, i, min(widest, w/2))
		out = append(out, r.String())
	}
	return out
}

func (p *Prompt) lineRow(r *paint.Row, pal *paint.Palette, w int, focused bool) string {
	r.Start(w, paint.Style{})
	sign := pal.Muted
	if focused {
		sign = pal.Accent
	}
	r.Gap(1)
	r.Put(sign, p.sign+" ")
	if p.buf.Empty() && p.Placeholder != "" {
		r.Put(pal.Muted, p.Placeholder)
		return r.String()
	}
	st := pal.Text
	if p.problem != "" {
		st = pal.Error
		r.Right(paint.Span{Style: pal.Error, Text: pal.Cut(paint.Sanitize(p.problem), w/2) + " "})
	}
	n := r.Left()
	for _, row := range p.buf.Rows(pal, paint.Style{}, n, 1, edit.Plain(st)) {
		r.Painted(row, n)
	}
	return r.String()
}

func (p *Prompt) candidateRow(r *paint.Row, pal *paint.Palette, w, i, textw int) {
	c := p.candidates[i]
	base, mark := paint.Style{}, " "
	if i == p.choice {
		base, mark = pal.Selected, pal.Bar
	}
	r.Start(w, base)
	r.Gap(paint.Width(p.sign) + 1)
	r.Put(pal.Accent, mark)
	r.ForeignCell(pal.Value, c.Text, textw)
	r.Gap(2)
	r.Foreign(pal.Muted, c.Note)
}

// Cursor is the cell of the cursor in the rows last painted.
func (p *Prompt) Cursor() (x, y int) {
	x, y = p.buf.Cursor()
	return x + 2 + paint.Width(p.sign), y
}

// Click puts the cursor on a cell of the line, or takes a candidate.
func (p *Prompt) Click(x, y int) {
	if y == 0 {
		p.buf.Click(x-2-paint.Width(p.sign), 0)
		p.dismiss()
		return
	}
	if i := p.listed + y - 1; i < len(p.candidates) {
		p.choice = i
		p.choose(0)
		p.dismiss()
	}
}
