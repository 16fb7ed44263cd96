package skills

import (
	"cmp"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/offer/skill"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// state returns the worst state of a skill's read files.
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

// invalid returns why a host must not load the skill, or "".
func (r *row) invalid() string {
	for _, f := range r.faults {
		if f.Kind.Invalid() {
			return f.Text
		}
	}
	return ""
}

// mark returns the sign of a state.
func mark(pal *paint.Palette, s skill.State) paint.Span {
	switch s {
	case skill.Verified:
		return paint.Span{Style: pal.OK, Text: pal.OKMark}
	case skill.Differs:
		return paint.Span{Style: pal.Error, Text: pal.FailMark}
	case skill.Unchecked:
		return paint.Span{Style: pal.Muted, Text: pal.Absent}
	}
	return paint.Span{Style: pal.Muted, Text: pal.Unread}
}

// name returns the name of a skill, or its URI.
func name(s *row, pal *paint.Palette) []paint.Span {
	return []paint.Span{{Style: pal.Text, Text: cmp.Or(s.Name, s.URI)}}
}

// pathAndDescription returns the path and the description of a skill.
func pathAndDescription(s *row, pal *paint.Palette) []paint.Span {
	return []paint.Span{{Style: pal.Accent, Text: s.Path()}, {Style: pal.Muted, Text: " " + s.Description}}
}

// filesOf returns the number of files that a skill lists.
func filesOf(s *row, pal *paint.Palette) []paint.Span {
	return []paint.Span{{Style: pal.Muted, Text: paint.If(s.Dynamic, "dynamic", phrase.Count(len(s.Files), "file"))}}
}

// detail is the selected skill in full; its files can have the focus.
type detail struct {
	p *Pane
	r *row
}

// Commands implements [app.Pane].
func (d detail) Commands() []keys.Command { return d.p.Inner.Commands }

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

// layout of the detail: the width from which the files are next to the skill, and the maximum
// number of rows of files above the content of a file
const (
	twoColumns  = 80
	maxFileRows = 9
)

// Paint implements [app.Pane].
func (d detail) Paint(c *app.Canvas, focused bool) {
	if c.W < twoColumns {
		s := doc.On(c.Box(d.title(c), nil, focused))
		d.addSkill(s)
		s.Gap()
		s.Rule(append([]paint.Span{{Style: s.Pal.TextBold, Text: "Files"}}, d.total(s.Pal, "  ")...)...)
		d.addFiles(s, min(maxFileRows, max(c.H/3, 2)), focused)
		d.content(s, focused, true)
		s.Paint()
		return
	}
	left, right := c.Neighbors(c.W / 2)
	about := doc.On(left.Box(d.title(left), nil, false))
	d.addSkill(about)
	d.main(about)
	about.Paint()
	files := doc.On(right.Box([]paint.Span{{Style: paint.If(focused, c.Pal.TextBold, c.Pal.Text), Text: "Files"}}, d.total(c.Pal, ""), focused))
	d.addFiles(files, max(c.H/2, 4), focused)
	d.content(files, focused, false)
	files.Paint()
}

func (d detail) title(c *app.Canvas) []paint.Span {
	return []paint.Span{mark(c.Pal, d.p.state(d.r)), {Style: c.Pal.TextBold, Text: " " + c.Pal.Label(d.r.label, max(c.W-24, 8))}}
}

// total returns the number of files and their total size, or nothing for a dynamic skill.
func (d detail) total(pal *paint.Palette, gap string) []paint.Span {
	if d.r.Dynamic {
		return nil
	}
	return []paint.Span{{Style: pal.Muted, Text: gap + phrase.Count(len(d.r.Files), "file") + ", " + phrase.Size(d.r.Size())}}
}

// addSkill adds the content of the entry about the skill.
func (d detail) addSkill(s *doc.Doc) {
	s.Margin = 14
	d.facts(s)
	if d.r.Dynamic {
		s.Gap()
		s.Text(s.Pal.Muted, "The files of this skill are dynamic: the entry does not list them, and nothing verifies them.", 3)
	}
}

// main adds the text of the SKILL.md, if it was read and may be shown.
func (d detail) main(s *doc.Doc) {
	f := d.p.read[d.r.URI+" "+d.r.URI]
	if f == nil || f.view == nil {
		return
	}
	s.Gap()
	state, _, _ := d.p.outcome(s.Pal, f)
	how := s.Pal.Choice([]string{"rendered", "text"}, paint.If(s.Pal.Source, 1, 0))
	s.Rule(append([]paint.Span{mark(s.Pal, state), {Style: s.Pal.TextBold, Text: " " + skill.MainFile + "  "}}, how...)...).Give(1, 0)
	s.Rest(4, func(c *app.Canvas) { f.view.Paint(c, false) })
}

// addFiles adds the tree of the files, in a maximum number of rows, and how it differs from the
// directories.
func (d detail) addFiles(s *doc.Doc, most int, focused bool) {
	s.Margin = 14
	s.Add(min(len(d.r.nodes), most), func(n int) {
		s.Click(0, s.Next(), s.W, n, func(_, row int) {
			d.p.Enter()
			if hit, again := d.p.files.Click(row); hit && again {
				d.p.readFile(d.r)
			}
		})
		s.Rows(d.p.files.Paint(s.Pal, s.W, n, focused && d.p.Inside())...)
	})
	text := d.p.compared[d.r.URI]
	s.FactText("directories", paint.If(text == same, s.Pal.OK, s.Pal.Warn), display.Sanitize(text), 3)
}

// needs returns the number of rows that the detail wants of h at a width, including the border.
func (p *Pane) needs(r *row, screen *app.Screen, w, h int) int {
	d := detail{p, r}
	inner := paint.If(w < twoColumns, w, w/2) - 2
	about := doc.Measure(screen, inner, h, func(s *doc.Doc) { d.addSkill(s); d.main(s) })
	files := doc.Measure(screen, inner, h, func(s *doc.Doc) { d.addFiles(s, maxFileRows, true); d.content(s, true, w < twoColumns) })
	if w < twoColumns {
		return about + files + 4
	}
	return max(about, files) + 2
}

func (d detail) facts(s *doc.Doc) {
	r, pal := d.r, s.Pal
	s.FactText("uri", pal.Accent, r.URI, 2)
	s.FactText("invalid", pal.Error, r.invalid(), 3)
	s.FactText("changed", pal.Warn, d.p.news[r.URI], 3)
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
			if !d.members(s, string(name), value) {
				s.FactText(pal.Cut(display.Sanitize(string(name)), s.Margin-1), pal.Text, text, 2).Give(2, 0)
			}
		}
	}
}

// maxMembers bounds the rows of an object of the front matter.
const maxMembers = 20

// members adds the members of an object of the front matter, a row each; false for any other value.
func (d detail) members(s *doc.Doc, name string, value []byte) bool {
	if len(value) == 0 || value[0] != '{' {
		return false
	}
	first := s.Blocks()
	s.Row(paint.Span{Style: s.Pal.Muted, Text: display.Sanitize(name)})
	n := 0
	for key, v := range jsonrpc.Members(value) {
		if n++; n > maxMembers {
			s.Row(paint.Span{Style: s.Pal.Muted, Text: "  " + s.Pal.Ellipsis})
			break
		}
		s.FactText("  "+s.Pal.Cut(display.Sanitize(string(key)), s.Margin-3), s.Pal.Value, string(v), 2)
	}
	s.GiveAll(first, 2)
	return true
}

// content adds the selected file: its content if it matches the entry, or the differences. The content of
// SKILL.md is added only if main is set; otherwise it is next to the files.
func (d detail) content(s *doc.Doc, focused, main bool) {
	pal, f := s.Pal, d.p.shown()
	uri, _ := d.p.files.Key()
	s.Gap()
	if f == nil {
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
		s.Text(pal.Error, "The file differs from the entry. Its content is not shown.", 2)
		for _, failure := range f.verdict.Failures {
			label := failure.What
			if failure.Field != "" {
				label = display.Sanitize(failure.Field)
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
		s.Keys(1, doc.Key{ID: "again", Label: "reload"})
	}
	for _, doubt := range f.verdict.Doubts {
		s.FactText("warning", pal.Warn, doubt.Field+": "+doubt.Expected+" in the entry, "+doubt.Found+" in the file, which versions of YAML read differently", 2)
	}
	switch {
	case f.view == nil:
	case uri == d.r.URI && !main:
		s.Text(pal.Muted, "Its text is beside the files, under what the entry says.", 2)
	default:
		s.Rest(4, func(c *app.Canvas) { f.view.Paint(c, focused) })
	}
}

func (d detail) keys() []doc.Key {
	list := []doc.Key{{ID: "skill.read", Label: "read"}, {ID: "again", Label: "reload"}}
	if !d.p.Inside() {
		list[0] = doc.Key{ID: "skill.open", Label: "files"}
	}
	if d.p.cannotCompare(d.r) == "" {
		list = append(list, doc.Key{ID: "diff", Label: "compare directories"})
	}
	return list
}
