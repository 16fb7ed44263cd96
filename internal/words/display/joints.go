package display

import "strings"

// Joints returns the text before each row that [Wrap] returns: "\n" at the start of a line, otherwise the
// blanks that wrapping removed, or "". The first element is "".
func Joints(s string, w int) (joints []string) {
	if w <= 0 {
		return nil
	}
	for i, line := range strings.Split(s, "\n") {
		line = Sanitize(ExpandTabs(strings.TrimSuffix(line, "\r")))
		at := 0
		for k, piece := range wrapLine(nil, line, w, false) {
			joint := "\n"
			if k > 0 {
				from := at
				at += strings.Index(line[at:], piece) // only blanks precede it
				joint = line[from:at]
			}
			if i == 0 && k == 0 {
				joint = ""
			}
			joints = append(joints, joint)
			at += len(piece)
		}
	}
	return joints
}
