package browse

import (
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/offer/changes"
	"mcptea/offer/diff"
	uidiff "mcptea/ui/diff"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// changeText describes a change of an entry and its cause, as in "renamed by restart 3".
func changeText(c *changes.Item) string {
	word := "changed by"
	if c.Renamed != "" {
		word = "renamed by"
	}
	switch c.Kind {
	case diff.Added:
		word = "added by"
	case diff.Removed:
		word = "removed by"
	}
	if c.Renamed != "" && c.RenamedAt != c.Restart {
		return word + " " + causeOf(c.RenamedAt) + ", changed by " + causeOf(c.Restart)
	}
	return word + " " + causeOf(c.Restart)
}

// causeOf names the restart with the given number.
func causeOf(restart int) string {
	if restart == 0 {
		return "the server, without a restart"
	}
	return uidiff.RestartName(restart)
}

// changeNote returns the reason and the time of the restart that made a change.
func (p *Panel) changeNote(pal *paint.Palette, c *changes.Item) []paint.Span {
	for i := len(p.tick.State.Restarts) - 1; i >= 0; i-- {
		if r := &p.tick.State.Restarts[i]; r.Number == c.Restart {
			text := r.At.Format("15:04:05")
			if r.Cause.Text != "" {
				text = pal.Cut(display.Sanitize(r.Cause.Text), 30) + " " + text
			}
			return []paint.Span{{Style: pal.Muted, Text: text}}
		}
	}
	return nil
}

// changeSheet shows how an entry differs from the version that the user has seen.
func (e *Item) changeSheet(d *doc.Doc, c *changes.Item) {
	switch c.Kind {
	case diff.Removed:
		d.Text(d.Pal.TextBold, "The server no longer lists this entry. Clients that use it fail.", 2)
		d.Gap()
		facets(d, c.Old)
	case diff.Added:
		d.Text(d.Pal.TextBold, "The server lists this entry now.", 2)
		d.Gap()
		facets(d, c.New)
	default:
		if c.Renamed != "" {
			d.Text(d.Pal.TextBold, "Clients that use its old name "+c.Renamed+" fail. What you typed and its calls are here.", 3)
			d.Keys(1, doc.Key{ID: "rename.files", Label: "rename in files: pins and saved arguments"})
			d.Gap()
		}
		uidiff.Changes(d, d.H-2, c.Groups, c.New)
		d.Gap()
		if names := c.Unchanged; len(names) > 0 {
			d.Row(paint.Span{Style: d.Pal.TextBold, Text: "unchanged   "}, paint.Span{Style: d.Pal.Muted, Text: strings.Join(names, " "+d.Pal.Separator+" ")})
		}
		if !e.AsJSON && len(e.Changed()) > 0 {
			d.Row(append([]paint.Span{{Style: d.Pal.TextBold, Text: "form values "}}, e.valueSpans(d.Pal)...)...)
		}
	}
}

// maxFacets is the maximum size of an entry that facets parses on each paint, in bytes.
const maxFacets = 64 << 10

// facets shows the description and the arguments of an added or removed entry.
func facets(d *doc.Doc, raw []byte) {
	if len(raw) > maxFacets {
		d.Text(d.Pal.Muted, phrase.Size(int64(len(raw)))+"; "+d.Names.Name("diff")+" shows all of it", 1)
		return
	}
	d.Text(d.Pal.Text, jsonrpc.Text(raw, "description"), maxDescription).Give(7, 1)
	input, ok := jsonrpc.Member(raw, "inputSchema")
	if !ok {
		return
	}
	d.Gap()
	fields := schema.Parse(input).Fields
	d.Lines(len(fields), func(r *paint.Row, i int) {
		what := fields[i].Text()
		if fields[i].Required {
			what += ", required"
		}
		r.Cell(d.Pal.Text, fields[i].Name, min(24, d.W/3))
		r.Gap(1)
		r.Put(d.Pal.Muted, what)
	})
}

// valueSpans lists the typed form values that survived a change, with their new names.
func (e *Item) valueSpans(pal *paint.Palette) (spans []paint.Span) {
	typed := e.Changed()
	before := make(map[string]string, len(e.moved))
	for old, now := range e.moved {
		before[now] = old
	}
	for i := range e.Schema.Fields {
		name := e.Schema.Fields[i].Name
		if typed[name] == "" {
			continue
		}
		if len(spans) > 0 {
			spans = append(spans, paint.Span{Style: pal.Muted, Text: " " + pal.Separator + " "})
		}
		if old := before[name]; old != "" {
			spans = append(spans, paint.Span{Style: pal.Text, Text: old}, paint.Span{Style: pal.Muted, Text: " moved to "}, paint.Span{Style: pal.Text, Text: name})
			continue
		}
		spans = append(spans, paint.Span{Style: pal.Text, Text: name}, paint.Span{Style: pal.Muted, Text: " kept"})
	}
	return spans
}

// changedHint returns the hint in the form that the item has changed. If the back key would show the change,
// the hint names the key: the form must have the focus, or a result that the key leaves immediately.
func (e *Item) changedHint(d *doc.Doc, c *changes.Item, focused bool) []paint.Span {
	spans := paint.Spans{{Style: d.Pal.WarnBold, Text: "~ "}, {Style: d.Pal.Warn, Text: changeText(c)}}
	spans.If(c.Breaking, d.Pal.ErrorBold, "  breaking")
	if v := e.onShow().result(); !focused || e.p.inResult && v != nil && !v.BackLeaves() {
		return spans
	}
	return append(spans, paint.Span{Style: d.Pal.AccentBold, Text: "   " + d.Names.Name("back")}, paint.Span{Style: d.Pal.Muted, Text: " shows how"})
}
