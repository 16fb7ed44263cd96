package skills

import (
	"fmt"
	"strings"

	"mcptea/internal/words/phrase"
	"mcptea/session/offer/skill"
	"mcptea/ui/paint"
)

// node is a row of the tree of the files of a skill.
type node struct {
	uri   string // of a directory with a slash at its end
	name  string
	depth int
	dir   bool
	size  int64 // of a file; negative if it is not known
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

// branch adds the files of a directory and of those in it; its path has a slash at its end.
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

// fileRow writes a file of the selected skill, or a directory.
func (p *Pane) fileRow(r *paint.Row, pal *paint.Palette, i, _ int, selected bool) {
	s := p.current()
	n := s.nodes[i]
	name := paint.If(selected, pal.Strong, pal.Text)
	r.Gap(2 * n.depth)
	if n.dir {
		r.Put(pal.Muted, paint.If(s.folded[n.uri], pal.Folded, pal.Unfolded)+" ")
		r.Put(paint.If(selected, pal.Strong, pal.Muted), n.name)
		return
	}
	state, text, style := p.outcome(pal, p.read[s.URI+" "+n.uri])
	size := ""
	if n.size >= 0 {
		size = phrase.Size(n.size)
	}
	r.Right(paint.Span{Style: pal.Muted, Text: size}, paint.Span{Style: style, Text: fmt.Sprintf("%*s ", 2+p.stateWidth, text)})
	m := mark(pal, state)
	r.Put(m.Style, m.Text)
	r.Gap(1)
	r.Put(name, n.name)
}

// widestState is how wide the states of the files of the selected skill are.
func (p *Pane) widestState(pal *paint.Palette) (cells int) {
	for _, n := range p.current().nodes {
		if !n.dir {
			_, text, _ := p.outcome(pal, p.read[p.current().URI+" "+n.uri])
			cells = max(cells, len(text))
		}
	}
	return cells
}

// outcome is the state of a file in a word; nil is one that was not read.
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
