// Package changelist paints what changed in what a server offers: counts, and the
// changes of an entry, member by member.
package changelist

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/session/changes"
	"mcptea/session/diff"
	uidiff "mcptea/ui/diff"
	"mcptea/ui/paint"
)

// Counts are those that are not zero, such as +1 −1 ~1, with text after each; none
// without a difference.
func Counts(pal *paint.Palette, c changes.Counts, after string) []paint.Span {
	var spans []paint.Span
	for _, part := range []struct {
		n     int
		sign  string
		style paint.Style
	}{{c.Added, "+", pal.OK}, {c.Removed, pal.Minus, pal.Warn}, {c.Changed, "~", pal.Warn}} {
		if part.n > 0 {
			spans = append(spans, paint.Span{Style: part.style, Text: part.sign + paint.HumanCount(part.n) + after})
		}
	}
	return spans
}

// RestartName names a restart by its number.
func RestartName(n int) string { return "restart " + strconv.Itoa(n) }

// Groups appends the changes of an entry to a sheet. now is the whole entry; it may be
// nil.
func Groups(s *paint.Sheet, groups []changes.Group, now []byte) {
	for i := range groups {
		g := &groups[i]
		if i > 0 && s.Left() > 4 {
			s.Blank()
		}
		if s.Left() <= 0 {
			return
		}
		s.Line(func(r *paint.Row) {
			r.Right(verdict(s.Pal, g)...)
			r.Put(s.Pal.TextBold, g.Member)
		})
		for k := range g.Fields {
			if s.Left() <= 0 {
				return
			}
			rest := len(g.Fields) - k
			if s.Left() == 1 && rest > 1 {
				s.Line(func(r *paint.Row) { r.Put(s.Pal.Muted, "  "+s.Pal.Ellipsis+" "+strconv.Itoa(rest)+" more") })
				return
			}
			field(s, g, &g.Fields[k], now)
		}
	}
}

// verdict counts the breaking and the compatible changes of a member.
func verdict(p *paint.Palette, g *changes.Group) []paint.Span {
	var spans []paint.Span
	if g.Breaking > 0 {
		spans = append(spans, paint.Span{Style: p.ErrorBold, Text: paint.HumanCount(g.Breaking) + " breaking"})
	}
	if g.Compatible > 0 {
		if len(spans) > 0 {
			spans = append(spans, paint.Span{Style: p.Muted, Text: " " + p.Separator + " "})
		}
		spans = append(spans, paint.Span{Style: p.OK, Text: paint.HumanCount(g.Compatible) + " compatible"})
	}
	return append(spans, paint.Span{Text: " "})
}

// field appends one place that differs: a row, two for a text, and the reason where it
// breaks clients.
func field(s *paint.Sheet, g *changes.Group, f *changes.Field, now []byte) {
	p := s.Pal
	if a, b, ok := texts(f); ok {
		lines(s, f, a, b)
		return
	}
	sign, st := signOf(p, f.Kind)
	margin := min(28, max(s.W/3, 12))
	s.Line(func(r *paint.Row) {
		r.Right(label(p, f)...)
		r.Put(st, sign+" ")
		path := f.Path
		if path == "" {
			path = g.Member
		}
		r.Cell(p.Value, path, margin)
		r.Gap(1)
		value(r, p, f, now)
	})
	if f.Breaking && !explains(f) && s.Left() > 2 {
		s.Line(func(r *paint.Row) {
			r.Gap(2)
			r.Put(p.Muted, f.Reason)
		})
	}
}

func signOf(p *paint.Palette, k diff.Kind) (string, paint.Style) {
	switch k {
	case diff.Added:
		return "+", p.OKBold
	case diff.Removed:
		return p.Minus, p.WarnBold
	}
	return "~", p.WarnBold
}

func label(p *paint.Palette, f *changes.Field) []paint.Span {
	switch {
	case f.Renamed != "" && f.Kind == diff.Added:
		return []paint.Span{{Style: p.Muted, Text: "  renamed from " + p.Label(f.Renamed, 24) + " "}}
	case f.Breaking:
		return []paint.Span{{Style: p.ErrorBold, Text: "  breaking "}}
	case f.Renamed != "":
		return []paint.Span{{Style: p.Muted, Text: "  renamed to " + p.Label(f.Renamed, 24) + " "}}
	}
	return []paint.Span{{Style: p.Muted, Text: "  compatible "}}
}

// texts are the two values of a field if both are text for reading.
func texts(f *changes.Field) (old, now string, ok bool) {
	if f.Path != "" && !strings.HasSuffix(f.Path, "description") && !strings.HasSuffix(f.Path, "title") {
		return "", "", false
	}
	if len(f.Old)+len(f.New) > maxRead {
		return "", "", false
	}
	old, a := jsonrpc.Unquote(f.Old)
	now, b := jsonrpc.Unquote(f.New)
	return old, now, a || b
}

// lines appends the old text and the new one.
func lines(s *paint.Sheet, f *changes.Field, old, now string) {
	p := s.Pal
	if f.Path != "" {
		s.Line(func(r *paint.Row) {
			r.Right(label(p, f)...)
			r.Put(p.WarnBold, "~ ")
			r.Put(p.Value, f.Path)
		})
	}
	from, toOld, toNew := uidiff.Differing(old, now)
	one := func(sign string, st paint.Style, text string, to int) {
		if s.Left() <= 0 {
			return
		}
		s.Line(func(r *paint.Row) {
			r.Put(st, sign+" ")
			if from > r.Left()/2 { // the beginning is equal, and would hide the difference
				cut := from - r.Left()/3
				for cut > 0 && text[cut]&0xc0 == 0x80 {
					cut--
				}
				r.Put(p.Muted, p.Ellipsis)
				text, to = text[cut:], to-cut
				from := from - cut
				part(r, p, st, text, from, to)
				return
			}
			part(r, p, st, text, from, to)
		})
	}
	if f.Old != nil {
		one(p.Minus, p.Warn, old, toOld)
	}
	if f.New != nil {
		one("+", p.OK, now, toNew)
	}
}

// part writes a text with a part of it on another ground.
func part(r *paint.Row, p *paint.Palette, st paint.Style, text string, from, to int) {
	r.Put(st, text[:from])
	r.Put(st.On(p.Match), text[from:to])
	r.Put(st, text[to:])
}

// explains reports whether the values of a field say what changed.
func explains(f *changes.Field) bool {
	return f.Kind == diff.Changed && isShort(f.Old) && isShort(f.New) || strings.HasSuffix(f.Path, "required") || f.Kind == diff.Added && f.Renamed != ""
}

// value writes what a field was and is.
func value(r *paint.Row, p *paint.Palette, f *changes.Field, now []byte) {
	switch {
	case f.Kind == diff.Added || f.Kind == diff.Removed:
		v := f.New
		if f.Kind == diff.Removed {
			v = f.Old
		}
		text := SchemaText(v)
		if f.Kind == diff.Added && isProperty(f.Path) && len(now) <= maxRead {
			if required(f, now) {
				text += ", required"
			} else {
				text += ", optional"
			}
		}
		r.Put(p.Text, text)
	case isShort(f.Old) && isShort(f.New):
		r.Put(p.Text, short(f.Old))
		r.Put(p.Muted, " "+p.ArrowOut+" ")
		r.Put(p.Text, short(f.New))
	default:
		r.Put(p.Text, f.Reason)
	}
}

// isProperty reports a path of a property of the arguments themselves.
func isProperty(path string) bool {
	rest, ok := strings.CutPrefix(path, "properties.")
	return ok && !strings.Contains(rest, ".")
}

// required reports whether a property of the arguments is required now.
func required(f *changes.Field, now []byte) bool {
	name, ok := strings.CutPrefix(f.Path, "properties.")
	if !ok || len(now) > maxRead {
		return false
	}
	list, _ := jsonrpc.Member(now, "inputSchema", "required")
	return slices.ContainsFunc(slices.Collect(jsonrpc.Elements(list)), func(e []byte) bool {
		one, _ := jsonrpc.Unquote(e)
		return one == name
	})
}

const (
	maxShort = 60       // bytes of a value that is shown as it is
	maxRead  = 16 << 10 // bytes of a value that is read for each painting
)

func isShort(v []byte) bool {
	return len(v) > 0 && len(v) <= maxRead && v[0] != '{' && len(compact(v)) <= maxShort
}

func short(v []byte) string { return string(compact(v)) }

// compact leaves out line breaks and indentation; strings keep theirs, which are
// escaped in JSON.
func compact(v []byte) []byte { return bytes.Join(bytes.Fields(v), []byte(" ")) }
