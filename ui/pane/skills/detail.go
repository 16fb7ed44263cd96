package skills

import (
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/session/offer/skill"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// state is that of a skill by the files that were read: the worst.
func (p *Pane) state(r *row) skill.State {
	if r.invalid() != "" {
		return skill.Differs
	}
	state := skill.NotRead
	if r.Dynamic {
		state = skill.Unchecked
	}
	for key, read := range p.read {
		switch {
		case read.busy || !strings.HasPrefix(key, r.URI+" "):
		case read.err != nil || read.verdict.State == skill.Differs:
			return skill.Differs
		default:
			state = read.verdict.State
		}
	}
	return state
}

// invalid is why a host must not load the skill; empty if it may.
func (r *row) invalid() string {
	for _, f := range r.faults {
		if f.Kind.Invalid() {
			return f.Text
		}
	}
	return ""
}

// mark is the sign of a state.
func mark(pal *paint.Palette, s skill.State) paint.Span {
	switch s {
	case skill.Verified:
		return paint.Span{Style: pal.OK, Text: pal.OKMark}
	case skill.Differs:
		return paint.Span{Style: pal.Error, Text: pal.FailMark}
	case skill.Unchecked:
		return paint.Span{Style: pal.Muted, Text: pal.Absent}
	}
	return paint.Span{Style: pal.Muted, Text: pal.Bullet}
}

func (p *Pane) row(r *paint.Row, pal *paint.Palette, s *row, line int, selected bool) {
	if line == 1 {
		r.Gap(2)
		r.Put(pal.Accent, s.Path())
		r.Gap(1)
		r.Put(pal.Muted, s.Description)
		return
	}
	files := "dynamic"
	if !s.Dynamic {
		files = paint.Plural(len(s.Files), "file")
	}
	r.Right(paint.Span{Style: pal.Muted, Text: files + " "})
	m := mark(pal, p.state(s))
	r.Put(m.Style, m.Text)
	r.Gap(1)
	name := paint.If(selected, pal.Strong, pal.Text)
	if s.Name == "" {
		r.Put(name, s.URI)
		return
	}
	r.Put(name, s.Name)
}

// fileRow writes a file of the selected skill.
func (p *Pane) fileRow(r *paint.Row, pal *paint.Palette, i, _ int, selected bool) {
	s := p.current()
	f := s.shownFiles()[i]
	state, text, style := skill.NotRead, skill.NotRead.String(), pal.Muted
	if read := p.read[s.URI+" "+f.URI]; read != nil {
		state, text, style = p.outcome(pal, read)
	}
	size := ""
	if f.Size >= 0 {
		size = paint.HumanSize(f.Size)
	}
	r.Right(paint.Span{Style: pal.Muted, Text: size}, paint.Span{Style: style, Text: fmt.Sprintf("%*s ", stateWidth, text)})
	m := mark(pal, state)
	r.Put(m.Style, m.Text)
	r.Gap(1)
	name := paint.If(selected, pal.Strong, pal.Text)
	r.Put(name, s.Relative(f.URI))
}

// stateWidth is that of the widest state of a file, with a gap before it.
const stateWidth = 20

// outcome is the state of a file that was read, in a word.
func (p *Pane) outcome(pal *paint.Palette, f *file) (skill.State, string, paint.Style) {
	switch {
	case f.busy:
		return skill.NotRead, "reading", pal.Muted
	case f.err != nil:
		return skill.Differs, "cannot be read", pal.Error
	case f.verdict.State == skill.Differs:
		return skill.Differs, f.verdict.Failures[0].What + " differs", pal.Error
	case f.verdict.State == skill.Verified:
		return skill.Verified, "verified", pal.OK
	}
	return f.verdict.State, f.verdict.State.String(), pal.Muted
}

// detail is the selected skill in full; its files can have the focus.
type detail struct {
	p *Pane
	r *row
}

const section = "files of a skill"

// Sections implements [app.Part].
func (p *Pane) Sections() []keys.Section {
	return append(p.Place.Sections(), keys.Section{Name: section, Commands: p.inner})
}

// Section implements [app.Part].
func (p *Pane) Section() string {
	if p.Inside() {
		return section
	}
	return p.Name
}

// Commands implements [app.Pane].
func (d detail) Commands() []keys.Command { return d.p.inner }

// Motion implements [app.Pane]: up and down are among the files, pages in the content.
func (d detail) Motion(m keys.Motion) bool {
	if f := d.p.shown(); f != nil && f.view != nil && (m == keys.PageDown || m == keys.PageUp || m == keys.HalfDown || m == keys.HalfUp) {
		return f.view.Motion(m)
	}
	return keys.Scroll(&d.p.files, m)
}

// Refresh implements [app.Pane].
func (d detail) Refresh(t app.Tick) bool {
	f := d.p.shown()
	return f != nil && f.view != nil && f.view.Refresh(t)
}

// maxFileRows is how many rows the files have at most above the content.
const maxFileRows = 9

// Paint implements [app.Pane].
func (d detail) Paint(c *app.Canvas, focused bool) {
	r, pal := d.r, c.Pal
	m := mark(pal, d.p.state(r))
	s := doc.On(c.Box([]paint.Span{m, {Style: pal.TextBold, Text: " " + pal.Label(r.label, max(c.W-24, 8))}}, nil, focused))
	s.Margin = 14
	d.facts(s)
	s.Gap()
	if r.Dynamic {
		s.Text(pal.Muted, "The files of this skill are dynamic: the entry does not list them, and nothing verifies them.", 2)
		s.Rule(paint.Span{Style: pal.TextBold, Text: "Files"})
	} else {
		s.Rule(paint.Span{Style: pal.TextBold, Text: "Files"}, paint.Span{Style: pal.Muted, Text: "  " + paint.Plural(len(r.Files), "file") + ", " + paint.HumanSize(r.Size())})
	}
	n := min(len(r.shownFiles()), maxFileRows, max(c.H/3, 2))
	s.Add(n, func(n int) {
		s.Click(0, s.Next(), s.W, n, func(_, row int) {
			d.p.Enter()
			if hit, again := d.p.files.Click(row); hit && again {
				d.p.readFile(r)
			}
		})
		s.Rows(d.p.files.Paint(pal, s.W, n, focused && d.p.Inside())...)
	})
	if text := d.p.compared[r.URI]; text != "" {
		style := paint.If(text == same, pal.OK, pal.Warn)
		s.FactText("directories", style, paint.Sanitize(text), 3)
	}
	d.content(s, focused)
	s.Paint()
}

func (d detail) facts(s *doc.Doc) {
	r, pal := d.r, s.Pal
	s.FactText("uri", pal.Accent, r.URI, 2)
	if why := r.invalid(); why != "" {
		s.FactText("invalid", pal.Error, why, 3)
	}
	if changed := d.p.news[r.URI]; changed != "" {
		s.FactText("changed", pal.Warn, changed, 3)
	}
	for name, value := range jsonrpc.Members(r.Frontmatter) {
		text, isText := jsonrpc.Unquote(value)
		if !isText {
			text = string(value)
		}
		switch string(name) {
		case "name":
		case "allowed-tools":
			s.FactText("allowed-tools", pal.Text, text, 2).Give(3, 0)
			s.Fact("", paint.Span{Style: pal.Muted, Text: "shown, without effect"}).Give(3, 0)
		case "description":
			s.FactText("description", pal.Text, text, 4).Give(1, 1)
		default:
			s.FactText(pal.Cut(paint.Sanitize(string(name)), s.Margin-1), pal.Text, text, 2).Give(2, 0)
		}
	}
}

// content is the selected file: its content if it is what the entry says, or what differs.
func (d detail) content(s *doc.Doc, focused bool) {
	pal, f := s.Pal, d.p.shown()
	uri, _ := d.p.files.Key()
	if f == nil {
		s.Gap()
		s.Text(pal.Muted, "A file is read when you ask for it.", 1)
		s.Keys(1, d.keys()...)
		return
	}
	state, text, style := d.p.outcome(pal, f)
	m := mark(pal, state)
	s.Rule(m, paint.Span{Style: pal.TextBold, Text: " " + pal.Label(d.r.Relative(uri), max(s.W-28, 8))}, paint.Span{Style: style, Text: "  " + text}).Give(1, 0)
	switch {
	case f.err != nil:
		s.Text(pal.Error, dialog.Sentence(f.err), 3)
	case f.verdict.State == skill.Differs:
		s.Text(pal.Error, "The file is not what the entry says. Its content is not shown.", 2)
		for _, failure := range f.verdict.Failures {
			label := failure.What
			if failure.Field != "" {
				label = paint.Sanitize(failure.Field)
			}
			const algorithm = "sha256:"
			expected, bare := strings.CutPrefix(failure.Expected, algorithm)
			found, both := strings.CutPrefix(failure.Found, algorithm)
			if !bare || !both {
				expected, found = failure.Expected, failure.Found
			}
			s.Gap()
			s.Row(paint.Span{Style: pal.TextBold, Text: label})
			s.FactText("  entry", pal.Removed, expected, 3)
			s.FactText("  read", pal.Added, found, 3)
		}
		s.Gap()
		s.Text(pal.Muted, "The entry may be older than the file.", 1)
		s.Keys(1, doc.Key{ID: "again", Label: "get the entry again"})
	}
	for _, doubt := range f.verdict.Doubts {
		s.FactText("warning", pal.Warn, doubt.Field+": "+doubt.Expected+" in the entry, "+doubt.Found+" in the file, which versions of YAML read differently", 2)
	}
	if f.view != nil {
		s.Rest(4, func(c *app.Canvas) { f.view.Paint(c, focused) })
	}
}

func (d detail) keys() []doc.Key {
	list := []doc.Key{{ID: "skill.read", Label: "read"}, {ID: "again", Label: "get the entry again"}}
	if !d.p.Inside() {
		list[0] = doc.Key{ID: "skill.open", Label: "files"}
	}
	if d.p.cannotCompare(d.r) == "" {
		list = append(list, doc.Key{ID: "diff", Label: "compare directories"})
	}
	return list
}
