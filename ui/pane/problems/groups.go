package problems

import (
	"cmp"
	"slices"
	"strings"

	"mcptea/ui/paint"

	"mcptea/check/probe"
	"mcptea/lint"
)

// group is a part of the list.
type group struct {
	name    string // empty for a group without a heading
	entries []*entry
}

// isRest reports whether the entries of the group are not listed individually: behavior of a library, passed,
// skipped, not run yet. It is folded until the user unfolds it.
func (g *group) isRest() bool { return g.entries[0].state >= byLibrary }

// line is a line of the list: a group, an entry, or one of its findings.
type line struct {
	group *group
	entry *entry // nil for the group itself
	i     int    // index of its findings; -1 for the entry itself
}

// A lineKey identifies a line while the list changes. Times distinguishes two findings at the same place.
type lineKey struct {
	group, id string
	severity  lint.Severity // separate for two entries of one rule
	earlier   bool
	single    bool
	row       int32
	path      string
	times     int
}

func keyOf(l line) lineKey {
	if l.entry == nil {
		return lineKey{group: l.group.name}
	}
	k := l.entry.key()
	if k.single = l.i >= 0; k.single {
		k.times = l.i
		if f, _ := l.entry.at(l.i); f.lint != nil {
			k.row, k.path, k.times = f.lint.Row, f.lint.Path, f.lint.Times
		}
	}
	return k
}

// key returns the key of an entry's line.
func (e *entry) key() lineKey {
	k := lineKey{id: e.id, earlier: e.state == earlier}
	if e.rule != nil {
		k.severity = e.rule.Severity
	}
	return k
}

// parent returns the key to select instead of a line that was folded away.
func (p *Pane) parent(k lineKey) lineKey {
	up := lineKey{id: k.id, severity: k.severity, earlier: k.earlier}
	if slices.ContainsFunc(p.lines, func(l line) bool { return keyOf(l) == up }) {
		return up
	}
	for _, l := range p.lines {
		if l.entry == nil && slices.ContainsFunc(l.group.entries, func(e *entry) bool { return e.id == k.id }) {
			return keyOf(l)
		}
	}
	return k
}

// list builds the lines.
func (p *Pane) list() {
	p.lines, p.shown = p.lines[:0], p.shown[:0]
	for _, g := range p.groups() {
		p.shown = append(p.shown, g.entries...)
		if g.name != "" {
			p.lines = append(p.lines, line{g, nil, -1})
		}
		if g.name != "" && !p.words && !p.isOpen(g.name, !g.isRest()) {
			continue
		}
		for _, e := range g.entries {
			p.lines = append(p.lines, line{g, e, -1})
			for i := 0; p.isOpen(e.id, e.opens()) && i < e.len(); i++ {
				p.lines = append(p.lines, line{g, e, i})
			}
		}
	}
	p.Changed()
}

// groups returns the parts of the list. Topics with the most severe findings come first.
func (p *Pane) groups() (groups []*group) {
	in := func(name string, e *entry) {
		i := slices.IndexFunc(groups, func(g *group) bool { return g.name == name })
		if i < 0 {
			groups, i = append(groups, &group{name: name}), len(groups)
		}
		groups[i].entries = append(groups[i].entries, e)
	}
	for _, e := range p.entries {
		switch {
		case e.requirement != nil:
			in(e.topic, e)
		case e.state >= byLibrary:
			in(restNames[e.state], e)
		case p.flat:
			in("", e)
		default:
			in(e.topic, e)
		}
	}
	for _, g := range groups {
		slices.SortStableFunc(g.entries, inGroup)
	}
	// A running probe has a line if its group has other entries.
	groups = slices.DeleteFunc(groups, func(g *group) bool { return g.entries[0].state == running })
	slices.SortStableFunc(groups, func(a, b *group) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(topicIndex(a.name), topicIndex(b.name)))
	})
	return groups
}

// rank returns the sort key of a group by its worst entry. Requirements of directories come between findings
// and entries that are not listed individually.
func (g *group) rank() int {
	if i := slices.Index(parts, g.name); i >= 0 {
		return int(passed)<<4 - len(parts) + i
	}
	return int(g.entries[0].state) << 4
}

// topicIndex returns the index of a topic among all topics.
func topicIndex(topic string) int {
	return slices.IndexFunc(probe.Groups(), func(g probe.Group) bool { return g.Name == topic })
}

// inGroup sorts errors first and muted rules last, rules before probes. Among equals an
// entry keeps its place while more is found.
func inGroup(a, b *entry) int {
	if (a.rule == nil) != (b.rule == nil) && a.state == b.state {
		if a.rule != nil {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(a.state, b.state), strings.Compare(a.id, b.id))
}

func (p *Pane) isOpen(name string, standard bool) bool {
	if on, set := p.open[name]; set {
		return on
	}
	return standard
}

// opens reports whether the findings of an entry have lines before the user has unfolded it: if they are few,
// with different texts.
func (e *entry) opens() bool { return e.isVaried() && e.len() <= mostShown && e.state <= noted }

// folding returns the label of the fold key.
func (p *Pane) folding() string {
	l, ok := p.Selected()
	if !ok {
		return ""
	}
	return paint.If(p.isOpen(p.foldOf(l)), "fold", "unfold")
}

// foldOf returns the name of the part that a line folds, and whether that part is unfolded by
// default.
func (p *Pane) foldOf(l line) (name string, standard bool) {
	if l.entry != nil && (l.i >= 0 || l.entry.rule != nil || l.entry.len() > 1 || l.group.name == "") {
		return l.entry.id, l.entry.opens()
	}
	return l.group.name, !l.group.isRest()
}

func (p *Pane) foldAll(open bool) {
	for _, e := range p.entries {
		p.open[e.id] = open
	}
	for _, g := range p.groups() {
		p.open[g.name] = open
	}
}
