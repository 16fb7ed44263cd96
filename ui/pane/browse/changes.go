package browse

import (
	"mcptea/session"
	"mcptea/session/changes"
	"mcptea/session/diff"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/list"
)

// keyed is an item of the lists with the key of its row.
type keyed struct {
	key string
	it  session.Item
}

// changedRows puts what differs from what the user has seen before the other entries,
// with what was removed.
func (p *Pane) changedRows(all []keyed) []keyed {
	p.changed = make(map[string]*changes.Item)
	at := make(map[string]int, len(all))
	for i := range all {
		at[all[i].key] = i
	}
	var first []keyed
	for _, name := range p.kind.lists {
		found := p.state.Changes.In(name)
		for i := range found {
			c := &found[i]
			raw := c.New
			if c.Kind == diff.Removed {
				raw = c.Old
			}
			it := session.NewItem(name, raw)
			key := itemKey(it)
			n, present := at[key]
			switch {
			case present == (c.Kind == diff.Removed): // the lists are newer than the changes
				continue
			case present:
				it = all[n].it // it may be invalid
			}
			p.changed[key] = c
			first = append(first, keyed{key, it})
		}
	}
	if len(first) == 0 {
		return all
	}
	rest := make([]keyed, 0, len(all)+len(first))
	rest = append(rest, first...)
	for _, k := range all {
		if p.changed[k.key] == nil {
			rest = append(rest, k)
		}
	}
	return rest
}

// moveRenamed has a draft and its calls follow an item that has another name now.
func (p *Pane) moveRenamed() {
	for key, c := range p.changed {
		if c.Kind != diff.Added || c.Renamed == "" || p.entries[key] != nil {
			continue
		}
		old := itemKey(session.Item{Kind: c.List, Name: c.Renamed})
		if c.List == "resources" || c.List == "templates" {
			old = itemKey(session.Item{Kind: c.List, URI: c.Renamed})
		}
		e := p.entries[old]
		if e == nil {
			continue
		}
		for _, entries := range []map[string]*entry{p.entries, p.called, p.running} {
			if entries[old] == e {
				entries[key] = e
				delete(entries, old)
			}
		}
	}
}

// sign is what a row shows of a change.
func (p *Pane) sign(pal *paint.Palette, row *list.Item) {
	c := p.changed[row.Key]
	if c == nil {
		return
	}
	switch {
	case c.Kind == diff.Added:
		row.Sign, row.SignStyle, row.Note, row.NoteStyle = "+", pal.OKBold, "added", pal.OK
	case c.Kind == diff.Removed:
		row.Sign, row.SignStyle, row.Note, row.NoteStyle = pal.Minus, pal.WarnBold, "removed", pal.Warn
		row.Style = p.struck(pal)
	case c.Breaking:
		row.Sign, row.SignStyle, row.Note, row.NoteStyle = "~", pal.WarnBold, "breaking", pal.ErrorBold
	default:
		row.Sign, row.SignStyle, row.Note, row.NoteStyle = "~", pal.WarnBold, "changed", pal.Warn
	}
}

// struck is the style of what was removed, made once for a palette.
func (p *Pane) struck(pal *paint.Palette) paint.Style {
	if p.struckOf != pal {
		p.struckOf, p.struckStyle = pal, pal.Muted.Strike()
	}
	return p.struckStyle
}

// Changes are how many items differ from what the user has seen of them.
func (p *Pane) Changes() changes.Counts { return p.state.Changes.Counts(p.kind.lists...) }

// nextChange selects the next item that differs, from the first one again after the
// last.
func (p *Pane) nextChange() action.Action {
	if len(p.changed) == 0 {
		return action.Flash{Text: "Nothing has changed since it was seen."}
	}
	p.part = inList
	row, _ := p.list.Selected()
	at := p.places[row.Key]
	for i := range p.rows {
		next := (at + 1 + i) % len(p.rows)
		if p.changed[p.rows[next].Key] != nil {
			p.list.Select(p.rows[next].Key)
			return nil
		}
	}
	return nil
}

// diffChange compares the two versions of the selected item in full.
func (p *Pane) diffChange(key string) action.Action {
	c := p.changed[key]
	if c == nil {
		return action.Flash{Text: "This entry has not changed; " + command.KeyIn(command.Changed, command.NextChange, false) + " goes to one that has."}
	}
	old, now := c.Old, c.New
	if old == nil {
		old = []byte("{}")
	}
	if now == nil {
		now = []byte("{}")
	}
	name := paint.Cut(paint.Sanitize(c.Key), 40)
	return action.DiffValues{OldName: name + " before", NewName: name + " now", Old: old, New: now}
}
