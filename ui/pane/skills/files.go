package skills

import (
	"strings"

	"mcptea/internal/words/phrase"
	"mcptea/offer/skill"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// A node is a row in the file tree of a skill.
type node struct {
	uri   string // URI; a directory's ends with a slash
	name  string
	depth int
	dir   bool
	size  int64 // size of a file; negative if unknown
}

// maxDepth bounds how deep directories are shown as such; below it a file has the rest of its path.
const maxDepth = 8

// grow makes the tree of the files of the entry: in its order, but the files of a directory together. A
// dynamic skill has its SKILL.md in any case.
func (r *row) grow() {
	r.nodes = r.nodes[:0]
	files := r.Files
	if r.Dynamic && r.URI != "" {
		files = []skill.File{{URI: r.URI, Size: -1}}
	}
	r.branch(files, "", 0)
}

// branch adds the files below a directory, recursively. dir ends with a slash.
func (r *row) branch(files []skill.File, dir string, depth int) {
	seen := map[string]bool{}
	for i, f := range files {
		path := r.Relative(f.URI)
		name := strings.TrimPrefix(path, dir)
		below, _, deeper := strings.Cut(name, "/")
		if !deeper || path == f.URI || depth == maxDepth {
			r.nodes = append(r.nodes, node{uri: f.URI, name: name, depth: depth, size: f.Size})
			continue
		}
		if seen[below] {
			continue
		}
		seen[below] = true
		inner := dir + below + "/"
		r.nodes = append(r.nodes, node{uri: r.Root() + inner, name: below + "/", depth: depth, dir: true})
		if r.folded[r.Root()+inner] {
			continue
		}
		var inside []skill.File
		for _, other := range files[i:] {
			if strings.HasPrefix(r.Relative(other.URI), inner) {
				inside = append(inside, other)
			}
		}
		r.branch(inside, inner, depth+1)
	}
}

// fold shows the files of a directory no longer, or again.
func (r *row) fold(dir string) {
	if r.folded == nil {
		r.folded = map[string]bool{}
	}
	r.folded[dir] = !r.folded[dir]
	r.grow()
}

// fileColumns returns the columns of the files: the name in the tree, the size, and the state.
func (p *Pane) fileColumns() []widget.Column[*node] {
	return []widget.Column[*node]{
		{Cell: p.fileName},
		{Right: true, Cell: func(n *node, pal *paint.Palette) []paint.Span {
			return []paint.Span{{Style: pal.Muted, Text: paint.If(n.dir || n.size < 0, "", phrase.Size(n.size))}}
		}},
		{Right: true, Cell: func(n *node, pal *paint.Palette) []paint.Span {
			if n.dir {
				return nil
			}
			_, text, style := p.outcome(pal, p.read[p.current().URI+" "+n.uri])
			return []paint.Span{{Style: style, Text: text}}
		}},
	}
}

// fileName returns the name of a file or a directory of the selected skill, after its sign.
func (p *Pane) fileName(n *node, pal *paint.Palette) []paint.Span {
	s := p.current()
	indent := paint.Span{Text: strings.Repeat(" ", 2*n.depth)}
	if n.dir {
		return []paint.Span{indent, {Style: pal.Muted, Text: paint.If(s.folded[n.uri], pal.Folded, pal.Unfolded) + " "}, {Style: pal.Muted, Text: n.name}}
	}
	state, _, _ := p.outcome(pal, p.read[s.URI+" "+n.uri])
	return []paint.Span{indent, mark(pal, state), {Text: " "}, {Style: pal.Text, Text: n.name}}
}

// outcome returns the state of a file in a word. nil is a file that was not read.
func (p *Pane) outcome(pal *paint.Palette, f *file) (skill.State, string, paint.Style) {
	switch {
	case f == nil:
		return skill.NotRead, skill.NotRead.String(), pal.Muted
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
