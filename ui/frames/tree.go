package frames

import "mcptea/ui/jsonview"

// Tree is a frame as a tree; one that breaks off is shown up to there. What every request and result
// says about itself is folded, so that what this one says is in sight.
func Tree(frame []byte) *jsonview.View {
	doc, _ := jsonview.Parse(frame)
	v := jsonview.NewView(doc)
	if len(frame) > 1<<20 {
		v.FoldDepth(3)
	}
	for _, path := range []string{"/params/_meta", "/result/_meta"} {
		v.FoldPointer(path)
	}
	return v
}
