package filter

import (
	"bytes"
	"strings"

	"mcptea/record/store"
)

// Needle returns a text that each matching frame contains, so that a search of all bytes finds the frames to
// check, or nil. whole reports whether all frames that contain it match. shown is all the text that
// [Frame.Shown] may return.
func (f *Filter) Needle(shown string) (needle store.Needle, whole bool) {
	var best *part
	f.root.needed(func(p *part) {
		if n := len(p.word); n > 0 && n <= maxNeedle && !p.shown.inBytes() && !strings.Contains(shown, p.text) && (best == nil || p.rarity() > best.rarity()) {
			best = p
		}
	})
	if best == nil {
		return nil, false
	}
	return best, len(f.root.list) == 1 && best == &f.root.list[0].part
}

// maxNeedle is the length of the longest needle, in bytes.
const maxNeedle = 1 << 10

// needed visits the parts that all frames have that pass.
func (n *node) needed(visit func(p *part)) {
	switch {
	case n.not || n.any:
	case n.list == nil:
		visit(&n.part)
	default:
		for i := range n.list {
			n.list[i].needed(visit)
		}
	}
}

// rarity returns a larger number for a word that occurs in fewer places.
func (p *part) rarity() int {
	if p.fold == nil {
		return len(commonBytes) + len(p.word)
	}
	return rarity(p.fold.word[p.fold.anchor])
}

// Len implements [store.Needle].
func (p *part) Len() int { return len(p.word) }

// Index implements [store.Needle].
func (p *part) Index(b []byte) int {
	if p.fold != nil {
		return p.fold.index(b)
	}
	return bytes.Index(b, p.word)
}
