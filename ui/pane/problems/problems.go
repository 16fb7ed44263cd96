// Package problems is the pane of the lint findings: each rule with its findings, the most
// severe first, and the selected one in full, with the part of the frame that it is about.
package problems

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/session"
	"mcptea/session/failure/card"
	"mcptea/session/lint"
	"mcptea/session/store"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/page"
	"mcptea/ui/paint"
	"mcptea/ui/severity"
	"mcptea/ui/widget/input"
	"mcptea/ui/widget/masterdetail"
)

// Session is what the pane needs of one.
type Session interface {
	UpdateFindings(*session.Findings) bool
	Store() *store.Store
	Mute(rule string, on bool)
}

// Pane is the list of violated rules and the selected finding.
type Pane struct {
	page.Page[line, lineKey]
	// MuteAlways mutes a rule in every later session, and returns the file that it
	// changed. It is called outside of Update; nil when there is no such thing.
	MuteAlways func(rule string, on bool) (file string, err error)

	app    app.App
	s      Session
	tick   app.Tick
	found  session.Findings
	count  count
	lines  []line
	open   map[string]bool // the rules that are unfolded
	low    bool            // there is room for one row of each rule
	least  lint.Severity   // of the rules that are shown
	detail detail
}

// line is a line of the list: a rule, or one of its findings.
type line struct {
	group *session.Group
	i     int // index of its findings; -1 for the rule itself
}

// finding is the one of a line, of a rule the newest.
func (l line) finding() *lint.Finding {
	if l.i < 0 {
		return &l.group.Newest
	}
	return &l.group.Findings[l.i]
}

// lineKey identifies a line while the list grows. Times tells two findings at the same
// place apart.
type lineKey struct {
	rule   string
	single bool
	row    int32
	path   string
	times  int
}

func keyOf(l line) lineKey {
	if l.i < 0 {
		return lineKey{rule: l.group.Rule.ID}
	}
	f := l.finding()
	return lineKey{l.group.Rule.ID, true, f.Row, f.Path, f.Times}
}

// New returns the pane over the findings of a session.
func New(a app.App, s Session) *Pane {
	p := &Pane{app: a, s: s, open: map[string]bool{}, least: lint.Info}
	p.detail.Pane = p
	p.Init(page.Spec[line, lineKey]{
		Noun: "finding", Title: p.title, Note: p.note,
		Len: func() int { return len(p.lines) },
		At:  func(i int) line { return p.lines[i] },
		Key: keyOf, Parent: func(k lineKey) lineKey { return lineKey{rule: k.rule} },
		Height: p.height, Row: p.row, Match: p.match, Empty: p.empty, Open: p.enter,
		Detail: func(l line) app.Pane { p.detail.line = l; return &p.detail },
		Layout: masterdetail.Layout{Beside: 100, Percent: 40, Min: 44, Max: 76},
	})
	fold := func(id, on, label, help, words string, footer int, do func(line)) keys.Command {
		return p.Do(keys.Command{ID: id, Keys: keys.On(on), Label: label, Help: help, Words: words, Footer: footer}, func(l line) {
			do(l)
			p.Keep()
			p.list() // the cursor of a finding that is folded away goes to its rule
		})
	}
	p.Own = []keys.Command{
		p.Do(keys.Command{ID: "finding.frame", Keys: keys.On("enter"), Label: "frame", Help: "Show the frame at the place of the finding", Words: "wire", Footer: 10}, p.jump),
		fold("fold.toggle", "space", "unfold", "Show or hide the findings of the rule", "collapse expand", 12, func(l line) { p.open[ruleOf(l)] = !p.open[ruleOf(l)] }),
		fold("fold.close", "h left", "fold", "Hide the findings of the rule", "collapse", 0, func(l line) { p.open[ruleOf(l)] = false }),
		fold("fold.open", "l right", "unfold", "Show the findings of the rule", "expand", 0, func(l line) {
			if p.open[ruleOf(l)] && l.i < 0 {
				p.Motion(keys.Down)
			}
			p.open[ruleOf(l)] = true
		}),
		fold("fold.open-all", "+ =", "unfold all", "Show the findings of all rules", "expand", 0, func(line) {
			for i := range p.found.Groups {
				p.open[p.found.Groups[i].Rule.ID] = true
			}
		}),
		fold("fold.close-all", "-", "fold all", "Show the rules only", "collapse", 0, func(line) { clear(p.open) }),
		p.Do(keys.Command{ID: "mute", Keys: keys.On("m"), Label: "mute", Help: "Mute this rule in this session, or unmute it", Words: "ignore hide suppress", Footer: 14}, p.mute),
		p.Do(keys.Command{ID: "mute.always", Keys: keys.On("M"), Label: "mute always", Help: "Mute this rule in config.yaml, or unmute it", Words: "ignore hide suppress"}, p.muteAlways),
		{ID: "filter.problems", Keys: keys.On("/"), Label: "filter", Help: "Filter the findings by words", Words: "search find", Footer: 15, Run: p.StartFilter, Off: p.nothing},
		{ID: "filter.severity", Keys: keys.On("s"), Label: "severity", Help: "Show errors only, warnings too, or all", Words: "level filter", Footer: 16, Run: p.cycleSeverity, Off: p.nothing},
		p.Do(keys.Command{ID: "copy.finding", Keys: keys.On("y"), Label: "copy", Help: "Copy the finding as text", Words: "clipboard", Footer: 17}, p.copyText),
		p.Do(keys.Command{ID: "copy.finding-json", Keys: keys.On("Y"), Label: "copy JSON", Help: "Copy the finding as JSON, as mcptea lint --json prints it", Words: "clipboard"}, p.copyJSON),
		p.Do(keys.Command{ID: "explain", Keys: keys.On("K"), Label: "explain", Help: "Explain the error, status, step, rule or method", Words: "why what means code", Footer: 22}, func(l line) { a.Explain(card.OfRule(l.group.Rule)) }),
	}
	return p
}

func ruleOf(l line) string { return l.group.Rule.ID }

func (p *Pane) nothing() string {
	if len(p.found.Groups) == 0 {
		return "No problems found."
	}
	return ""
}

// Refresh implements [app.Pane].
func (p *Pane) Refresh(t app.Tick) bool {
	p.tick = t
	if p.s.UpdateFindings(&p.found) {
		p.count = countOf(&p.found)
		p.list()
	}
	return p.Page.Refresh(t)
}

// list builds the lines.
func (p *Pane) list() {
	var groups []*session.Group
	for i := range p.found.Groups {
		if g := &p.found.Groups[i]; g.Rule.Severity <= p.least {
			groups = append(groups, g)
		}
	}
	slices.SortStableFunc(groups, bySeverity)
	p.lines = p.lines[:0]
	for _, g := range groups {
		p.lines = append(p.lines, line{g, -1})
		for i := 0; p.open[g.Rule.ID] && i < len(g.Findings); i++ {
			p.lines = append(p.lines, line{g, i})
		}
	}
	p.Changed()
}

// bySeverity sorts errors first and muted rules last. Among equals a rule keeps its place
// while more is found.
func bySeverity(a, b *session.Group) int {
	muted := func(g *session.Group) int {
		if g.Muted {
			return 1
		}
		return 0
	}
	return cmp.Or(muted(a)-muted(b), cmp.Compare(a.Rule.Severity, b.Rule.Severity), cmp.Compare(a.Rule.ID, b.Rule.ID))
}

// match finds the rules whose texts, with those of the newest finding, have all the words,
// and none of those after a dash.
func (p *Pane) match(text string) func(line) bool {
	words := input.ParseWords(text)
	return func(l line) bool {
		g, f := l.group, &l.group.Newest
		return words.Match(strings.ToLower(strings.Join([]string{
			g.Rule.ID, g.Rule.Slug, severity.Word(g.Rule.Severity), f.Fault.String(), p.method(f.Row), f.Message, f.Hint,
		}, "\n")))
	}
}

// method is the method of the frame of a row; empty without one.
func (p *Pane) method(row int32) string {
	s := p.s.Store()
	r, ok := s.Row(row)
	if !ok {
		return ""
	}
	return s.Method(r.Method)
}

func (p *Pane) cycleSeverity() {
	if p.least == lint.Error {
		p.least = lint.Info
	} else {
		p.least--
	}
	p.list()
}

// Motion implements [app.Pane]: esc clears the severity too.
func (p *Pane) Motion(m keys.Motion) bool {
	if m == keys.Back && p.least != lint.Info {
		p.least = lint.Info
		p.ClearFilter()
		p.list()
		return true
	}
	return p.Page.Motion(m)
}

// enter is a click on the selected line: it unfolds the rule, or shows the frame.
func (p *Pane) enter(l line) {
	if l.i >= 0 {
		p.jump(l)
		return
	}
	p.open[ruleOf(l)] = !p.open[ruleOf(l)]
	p.list()
}

// jump shows the frame of a finding at its place.
func (p *Pane) jump(l line) {
	switch f := l.finding(); {
	case f.Row < 0:
		p.app.Say("This finding is not about one frame.")
	case f.AtByte():
		p.app.ShowPlace(f.Row, f.Path, f.Offset)
	default:
		p.app.ShowPlace(f.Row, f.Path, -1)
	}
}

// mute mutes a rule and says so: a muted rule is easily forgotten. It stays selected, so
// that the same key unmutes it.
func (p *Pane) mute(l line) {
	p.Keep()
	rule, on := ruleOf(l), !l.group.Muted
	p.s.Mute(rule, on)
	if on {
		p.app.Say(rule + " is muted in this session. " + p.app.Key("mute") + " unmutes it.")
		return
	}
	p.app.Say(rule + " is no longer muted.")
}

func (p *Pane) muteAlways(l line) {
	if p.MuteAlways == nil {
		p.mute(l)
		return
	}
	p.Keep()
	rule, on := ruleOf(l), !l.group.Muted
	p.s.Mute(rule, on)
	p.app.Go(func(context.Context) func() {
		file, err := p.MuteAlways(rule, on)
		return func() {
			switch {
			case err != nil:
				p.app.Fail("Only in this session: " + err.Error())
			case on:
				p.app.Say(rule + " is muted in every session (" + file + "). " + p.app.Key("mute.always") + " unmutes it.")
			default:
				p.app.Say(rule + " is no longer muted, and is removed from " + file + ".")
			}
		}
	})
}

func (p *Pane) copyText(l line) {
	f, name := l.finding(), ""
	if f.Row >= 0 {
		name = fmt.Sprintf("frame %d", f.Row+1)
		if m := p.method(f.Row); m != "" {
			name += " (" + m + ")"
		}
	}
	p.app.Copy(paint.SanitizeLines(f.Text(name)), nil, "finding")
}

func (p *Pane) copyJSON(l line) {
	f := l.finding()
	b, err := f.JSON(int(f.Row) + 1)
	if err != nil {
		p.app.Fail(err.Error())
		return
	}
	p.app.Copy(paint.EscapeJSON(string(b)), nil, "finding as JSON")
}

// count is the number of findings, those of muted rules left out.
type count struct {
	by    [lint.Info + 1]int // by severity, about the server
	yours int                // about frames of the user: mcptea's own have none, see lint.OfSelf
	more  bool               // of yours: older findings are not kept one by one
}

func countOf(found *session.Findings) count {
	var c count
	for i := range found.Groups {
		g := &found.Groups[i]
		if g.Muted {
			continue
		}
		yours, more := yoursOf(g)
		c.yours += yours
		c.more = c.more || more
		c.by[g.Rule.Severity] += g.Count - yours
	}
	return c
}

// yoursOf counts the findings of a rule for which the client is responsible, which are
// about frames that the user wrote. It reports true when there may be more.
func yoursOf(g *session.Group) (n int, more bool) {
	switch g.Rule.Side {
	case lint.Client:
		return g.Count, false
	case lint.Server:
		return 0, false
	}
	for i := range g.Findings {
		if g.Findings[i].Fault == lint.Client {
			n++
		}
	}
	return n, n > 0 && g.Count > len(g.Findings)
}

// Total is the number of errors and warnings and their highest severity, without those
// about frames of the user.
func (p *Pane) Total() (n int, worst lint.Severity) {
	if worst = lint.Warn; p.count.by[lint.Error] > 0 {
		worst = lint.Error
	}
	return p.count.by[lint.Error] + p.count.by[lint.Warn], worst
}

// Badge is the number of errors and warnings.
func (p *Pane) Badge() string {
	n, _ := p.Total()
	if n == 0 {
		return ""
	}
	return paint.HumanCount(n)
}

// lowPane is the height below which rules have one row where the detail is under the list.
const lowPane = 22

// Paint implements [app.Pane].
func (p *Pane) Paint(c *app.Canvas, focused bool) {
	p.low = c.W < p.Layout.Beside && c.H < lowPane
	p.Page.Paint(c, focused)
}

func (p *Pane) title() []paint.Span {
	title := "Problems"
	switch p.least {
	case lint.Warn:
		title += "  errors, warnings"
	case lint.Error:
		title += "  errors"
	}
	return []paint.Span{{Text: title}}
}

// note counts the findings, or the frames that are not checked yet.
func (p *Pane) note(pal *paint.Palette) []paint.Span {
	if n := p.found.Behind; n > 0 {
		return []paint.Span{{Style: pal.Warn, Text: paint.Plural(n, "frame") + " not checked yet"}}
	}
	var spans []paint.Span
	add := func(st paint.Style, text string) {
		if len(spans) > 0 {
			text = "  " + text
		}
		spans = append(spans, paint.Span{Style: st, Text: text})
	}
	for i, n := range p.count.by {
		if s := lint.Severity(i); n > 0 {
			add(severity.Style(pal, s), severity.Sign(pal, s)+" "+paint.HumanCount(n))
		}
	}
	if n := p.count.yours; n > 0 {
		text := "yours " + paint.HumanCount(n)
		if p.count.more {
			text += "+"
		}
		add(pal.Muted, text)
	}
	return spans
}

func (p *Pane) empty(d *doc.Doc, filtered bool) {
	switch {
	case filtered || p.least != lint.Info && len(p.found.Groups) > 0:
		d.Text(d.Pal.Muted, "No finding matches the filter. "+d.Names.Name("back")+" clears it.", 4)
	case p.found.Behind > 0:
		d.Text(d.Pal.Muted, "No problems found yet. "+paint.Plural(p.found.Behind, "frame")+" not checked yet.", 4)
	default:
		checks := "MCP"
		if rev := p.tick.State.Handshake.Revision; rev != "" {
			checks += " " + string(rev)
		}
		d.Text(d.Pal.Strong, "No problems found.", 2)
		d.Gap()
		d.Text(d.Pal.Text, "Every frame is checked against "+checks+".", 4)
	}
}

// height is the number of rows of a line: a rule has a second one for the message of its
// newest finding.
func (p *Pane) height(l line) int {
	if l.i < 0 && !p.low {
		return 2
	}
	return 1
}

func (p *Pane) row(r *paint.Row, pal *paint.Palette, l line, row int, _ bool) {
	g, f, text := l.group, l.finding(), pal.Text
	if g.Muted {
		text = pal.Muted
	}
	if l.i < 0 && row == 0 {
		p.ruleRow(r, pal, g)
		return
	}
	r.Right(paint.Span{Style: pal.Muted, Text: clock(f) + " "})
	r.Gap(4)
	if l.i < 0 || f.Row < 0 {
		r.Put(text, f.Message)
		return
	}
	r.Put(pal.Muted, frameNumber(f.Row)+" ")
	r.Spans(p.frame(pal, f.Row, text)...)
	r.Gap(1)
	r.Put(pal.Value, tail(pal, f.Where(), r.Left()))
}

// ruleRow writes the rule, the responsible side and the number of findings.
func (p *Pane) ruleRow(r *paint.Row, pal *paint.Palette, g *session.Group) {
	sign, id, slug := severity.Style(pal, g.Rule.Severity), severity.Bold(pal, g.Rule.Severity), pal.TextBold
	times := pal.Times + paint.HumanCount(g.Count)
	right := []paint.Span{{Style: pal.Muted, Text: g.Newest.Fault.String()}}
	switch {
	case g.Muted:
		sign, id, slug = pal.Muted, pal.Muted, pal.Muted
		right = []paint.Span{{Style: pal.Muted, Text: "muted  " + times}}
	case g.Count > 1:
		right = append(right, paint.Span{Style: pal.Text, Text: "  " + times})
	}
	r.Right(append(right, paint.Span{Text: " "})...)
	fold := pal.Folded
	if p.open[g.Rule.ID] {
		fold = pal.Unfolded
	}
	r.Put(pal.Muted, fold+" ")
	r.Put(sign, severity.Sign(pal, g.Rule.Severity)+" ")
	r.Put(id, g.Rule.ID+" ")
	r.Put(slug, g.Rule.Slug)
}

func clock(f *lint.Finding) string { return f.Time.Format(time.TimeOnly) }

func frameNumber(row int32) string { return "#" + strconv.Itoa(int(row)+1) }
