package frames

import "mcptea/ui/jsonview"

// Tree returns a frame as a tree of JSON. Of an incomplete frame, the existing part is shown. The member
// _meta, which nearly every frame of the stateless era has, is folded.
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
