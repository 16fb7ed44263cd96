package diff

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/offer/changes"
	"mcptea/offer/diff"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// Counts returns the counts that are not zero, such as +1 −1 ~1, each followed by a text, or nothing if all are
// zero.
func Counts(pal *paint.Palette, c changes.Counts, after string) []paint.Span {
	var spans []paint.Span
	for _, part := range []struct {
		n     int
		sign  string
		style paint.Style
	}{{c.Added, "+", pal.OK}, {c.Removed, pal.Minus, pal.Warn}, {c.Changed, "~", pal.Warn}} {
		if part.n > 0 {
			spans = append(spans, paint.Span{Style: part.style, Text: part.sign + phrase.Digits(part.n) + after})
		}
	}
	return spans
}

// RestartName names a restart by its number.
func RestartName(n int) string { return "restart " + strconv.Itoa(n) }

// Changes adds the changes of an entry, member by member, up to most rows in the document. now is the whole
// entry, or nil.
func Changes(d *doc.Doc, most int, groups []changes.Group, now []byte) {
	paths := 0
	for i := range groups {
		for k := range groups[i].Fields {
			paths = max(paths, display.Width(display.Sanitize(cmp.Or(groups[i].Fields[k].Path, groups[i].Member))))
		}
	}
	paths = min(paths, max(d.W*2/5, 12))
	for i := range groups {
		g := &groups[i]
		if i > 0 {
			d.Gap()
		}
		d.RowEnd(verdict(d.Pal, g), paint.Span{Style: d.Pal.TextBold, Text: g.Member})
		for k := range g.Fields {
			if rest := len(g.Fields) - k; rest > 1 && d.Wants() >= most-1 {
				d.Row(paint.Span{Style: d.Pal.Muted, Text: "  " + d.Pal.Ellipsis + " " + strconv.Itoa(rest) + " more"})
				return
			}
			field(d, g, &g.Fields[k], paths, now)
		}
	}
}

// verdict counts the changes of a member by their effect.
func verdict(p *paint.Palette, g *changes.Group) []paint.Span {
	var spans []paint.Span
	for _, c := range []struct {
		n     int
		style paint.Style
		text  string
	}{{g.Breaking, p.ErrorBold, " breaking"}, {g.LessRisk, p.WarnBold, " less risk"}, {g.Renamed, p.WarnBold, " renamed"}, {g.Compatible, p.OK, " compatible"}} {
		if c.n == 0 {
			continue
		}
		if len(spans) > 0 {
			spans = append(spans, paint.Span{Style: p.Muted, Text: " " + p.Separator + " "})
		}
		spans = append(spans, paint.Span{Style: c.style, Text: phrase.Digits(c.n) + c.text})
	}
	return append(spans, paint.Span{Text: " "})
}

// field adds one differing place, with its path in the given number of cells: a row, two for a text, and the
// reason if it breaks clients.
func field(d *doc.Doc, g *changes.Group, f *changes.Field, paths int, now []byte) {
	p := d.Pal
	if old, text, ok := texts(f); ok {
		if f.Path != "" {
			d.RowEnd(label(p, f), paint.Span{Style: p.WarnBold, Text: "~ "}, paint.Span{Style: p.Value, Text: f.Path})
		}
		prose(d, f, old, text)
		return
	}
	path := paint.Pad(p.Label(cmp.Or(f.Path, g.Member), paths), paths+1)
	d.RowEnd(label(p, f), append([]paint.Span{Sign(p, f.Kind), {Style: p.Value, Text: path}}, value(p, f, now)...)...)
	if f.Effect != diff.Compatible && !explains(f) {
		d.Row(paint.Span{Style: p.Muted, Text: "  " + f.Reason})
	}
}

// prose adds the old text and the new one.
func prose(d *doc.Doc, f *changes.Field, old, now string) {
	js := paint.JSONStyles{Key: d.Pal.Text, String: d.Pal.Text, Number: d.Pal.Text, Literal: d.Pal.Text, Punct: d.Pal.Text}
	row := diff.Row{Kind: diff.Changed, Old: old, New: now}
	for side, there := range []bool{f.Old != nil, f.New != nil} {
		if there {
			d.Lines(1, func(r *paint.Row, _ int) { changed(r, d.Pal, &js, &row, side, r.Left()) })
		}
	}
}

// Sign returns the mark of a change, and a blank.
func Sign(p *paint.Palette, k diff.Kind) paint.Span {
	switch k {
	case diff.Added:
		return paint.Span{Style: p.OKBold, Text: "+ "}
	case diff.Removed:
		return paint.Span{Style: p.WarnBold, Text: p.Minus + " "}
	}
	return paint.Span{Style: p.WarnBold, Text: "~ "}
}

func label(p *paint.Palette, f *changes.Field) []paint.Span {
	switch {
	case f.Renamed != "" && f.Kind == diff.Added:
		return []paint.Span{{Style: p.Muted, Text: "  renamed from " + p.Label(f.Renamed, 24) + " "}}
	case f.Effect == diff.Breaking:
		return []paint.Span{{Style: p.ErrorBold, Text: "  breaking "}}
	case f.Effect == diff.LessRisk:
		return []paint.Span{{Style: p.WarnBold, Text: "  less risk "}}
	case f.Ignored:
		return []paint.Span{{Style: p.WarnBold, Text: "  renamed to " + p.Label(f.Renamed, 24) + ": ignored now "}}
	case f.Renamed != "":
		return []paint.Span{{Style: p.Muted, Text: "  renamed to " + p.Label(f.Renamed, 24) + " "}}
	}
	return []paint.Span{{Style: p.Muted, Text: "  compatible "}}
}

// texts returns the two values of a field if both are prose.
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

// explains reports whether the values of a field make the change clear.
func explains(f *changes.Field) bool {
	return f.Kind == diff.Changed && isShort(f.Old) && isShort(f.New) || strings.HasSuffix(f.Path, "required") || f.Kind == diff.Added && f.Renamed != ""
}

// value returns the old and the new value of a field.
func value(p *paint.Palette, f *changes.Field, now []byte) []paint.Span {
	switch {
	case f.Kind == diff.Removed:
		return []paint.Span{{Style: p.Text, Text: schemaText(f.Old)}}
	case f.Kind == diff.Added:
		return []paint.Span{{Style: p.Text, Text: schemaText(f.New) + required(f, now)}}
	case isShort(f.Old) && isShort(f.New):
		return []paint.Span{{Style: p.Text, Text: short(f.Old)}, {Style: p.Muted, Text: " " + p.ArrowOut + " "}, {Style: p.Text, Text: short(f.New)}}
	}
	return []paint.Span{{Style: p.Text, Text: f.Reason}}
}

// required describes whether a new property of the arguments is required now.
func required(f *changes.Field, now []byte) string {
	name, ok := strings.CutPrefix(f.Path, "properties.")
	if !ok || strings.Contains(name, ".") || len(now) > maxRead {
		return ""
	}
	list, _ := jsonrpc.Member(now, "inputSchema", "required")
	if slices.ContainsFunc(slices.Collect(jsonrpc.Elements(list)), func(e []byte) bool {
		one, _ := jsonrpc.Unquote(e)
		return one == name
	}) {
		return ", required"
	}
	return ", optional"
}

const (
	maxShort = 60       // bytes of a value that is shown unchanged
	maxRead  = 16 << 10 // bytes of a value that is read for each painting
)

func isShort(v []byte) bool {
	return len(v) > 0 && len(v) <= maxRead && v[0] != '{' && len(short(v)) <= maxShort
}

// short leaves out line breaks and indentation; strings keep theirs, which are escaped in
// JSON.
func short(v []byte) string { return string(bytes.Join(bytes.Fields(v), []byte(" "))) }

// schemaText describes a JSON Schema, or another value, in a few words. It is
// untrusted text.
func schemaText(raw []byte) string {
	switch {
	case len(raw) > maxRead:
		return phrase.Size(int64(len(raw)))
	case len(raw) == 0 || raw[0] != '{':
		return short(raw)
	}
	fd := schema.FieldOf(raw)
	return fd.Text()
}
