package browse

import (
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/session/changes"
	"mcptea/session/diff"
	"mcptea/ui/changelist"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// changeText says what became of an entry, and when.
func (p *Pane) changeText(c *changes.Item) string {
	word := "changed by"
	switch c.Kind {
	case diff.Added:
		word = "added by"
	case diff.Removed:
		word = "removed by"
	}
	if c.Restart == 0 {
		return word + " the server, without a restart"
	}
	return word + " " + changelist.RestartName(c.Restart)
}

// changeNote is what the restart was for.
func (p *Pane) changeNote(pal *paint.Palette, c *changes.Item) []paint.Span {
	for i := len(p.state.Restarts) - 1; i >= 0; i-- {
		if r := &p.state.Restarts[i]; r.Number == c.Restart {
			text := r.At.Format("15:04:05")
			if r.Cause.Text != "" {
				text = paint.Cut(paint.Sanitize(r.Cause.Text), 30) + " " + text
			}
			return []paint.Span{{Style: pal.Muted, Text: text}}
		}
	}
	return nil
}

// changeSheet shows how an entry differs from what the user has seen of it.
func (p *Pane) changeSheet(s *sheet, c *changes.Item) {
	switch c.Kind {
	case diff.Removed:
		s.Text(s.Pal.TextBold, "The server does not list this entry any more. Clients that use it fail.", 2)
		p.renamedRow(s, c, "Equal but for the name: ")
		s.Blank()
		p.facetRows(s, c.Old)
	case diff.Added:
		s.Text(s.Pal.TextBold, "The server lists this entry now.", 2)
		p.renamedRow(s, c, "Equal but for the name, and the arguments that were typed are kept: ")
		s.Blank()
		p.facetRows(s, c.New)
	default:
		changelist.Groups(&s.Sheet, c.Groups, c.New)
		p.below(s, c)
	}
}

func (p *Pane) renamedRow(s *sheet, c *changes.Item, text string) {
	if c.Renamed == "" {
		return
	}
	old, now := c.Renamed, c.Key
	if c.Kind == diff.Removed {
		old, now = now, old
	}
	for _, line := range s.Pal.WrapMost(text+old+" "+s.Pal.ArrowOut+" "+now, max(s.W-2, 1), 2) {
		s.Line(func(r *paint.Row) { r.Put(s.Pal.Warn, line) })
	}
}

// maxFacets is the size of an entry, in bytes, up to which its members are read for
// each painting.
const maxFacets = 64 << 10

// facetRows are what an added or removed entry is.
func (p *Pane) facetRows(s *sheet, raw []byte) {
	if len(raw) > maxFacets {
		s.Text(s.Pal.Muted, paint.HumanSize(int64(len(raw)))+"; "+p.key(command.DiffChange)+" shows all of it", 1)
		return
	}
	s.Text(s.Pal.Text, text(raw, "description"), max(s.Left()-6, 1))
	schema, ok := jsonrpc.Member(raw, "inputSchema")
	if !ok {
		return
	}
	s.Blank()
	required, _ := jsonrpc.Member(schema, "required")
	properties, _ := jsonrpc.Member(schema, "properties")
	for name, property := range jsonrpc.Members(properties) {
		if s.Left() <= 1 {
			break
		}
		what := changelist.SchemaText(property)
		if slices.ContainsFunc(slices.Collect(jsonrpc.Elements(required)), func(e []byte) bool { one, _ := jsonrpc.Unquote(e); return one == string(name) }) {
			what += ", required"
		}
		s.Line(func(r *paint.Row) {
			r.Cell(s.Pal.Text, string(name), min(24, s.W/3))
			r.Gap(1)
			r.Put(s.Pal.Muted, what)
		})
	}
}

// below says what did not change, and what becomes of the values in the form.
func (p *Pane) below(s *sheet, c *changes.Item) {
	if s.Left() > 2 {
		s.Blank()
	}
	if names := c.Unchanged; len(names) > 0 && s.Left() > 0 {
		s.Line(func(r *paint.Row) {
			r.Put(s.Pal.TextBold, "unchanged   ")
			r.Put(s.Pal.Muted, strings.Join(names, " "+s.Pal.Separator+" "))
		})
	}
	e := p.entries[p.selectedKey()]
	if e == nil || e.Form == nil || e.AsJSON || s.Left() <= 0 {
		return
	}
	if len(e.Changed()) == 0 {
		return // nothing was typed
	}
	s.Line(func(r *paint.Row) {
		r.Put(s.Pal.TextBold, "form values ")
		p.valueSpans(s, r, e)
	})
}

// valueSpans says which values of a form were kept and where they are now.
func (p *Pane) valueSpans(s *sheet, r *paint.Row, e *entry) {
	typed := e.Changed()
	before := make(map[string]string, len(e.moved))
	for old, now := range e.moved {
		before[now] = old
	}
	first := true
	for i := range e.Schema.Fields {
		name := e.Schema.Fields[i].Name
		value, ok := typed[name]
		if !ok || value == "" {
			continue
		}
		if !first {
			r.Put(s.Pal.Muted, " "+s.Pal.Separator+" ")
		}
		first = false
		if old := before[name]; old != "" {
			r.Put(s.Pal.Text, old)
			r.Put(s.Pal.Muted, " moved to ")
			r.Put(s.Pal.Text, name)
			continue
		}
		r.Put(s.Pal.Text, name)
		r.Put(s.Pal.Muted, " kept")
	}
}

// changedHint says in the form that the item has changed since it was seen.
func (p *Pane) changedHint(s *sheet) {
	c := p.changed[p.selectedKey()]
	if c == nil || p.part == inList || s.Left() <= 2 {
		return
	}
	s.Line(func(r *paint.Row) {
		r.Put(s.Pal.WarnBold, "~ ")
		r.Put(s.Pal.Warn, p.changeText(c))
		if c.Breaking {
			r.Put(s.Pal.ErrorBold, "  breaking")
		}
		r.Gap(3)
		r.Put(s.Pal.AccentBold, p.key(command.Back))
		r.Put(s.Pal.Muted, " shows how")
	})
}
