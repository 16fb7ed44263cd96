package failure

import "strings"

// Text is the whole explanation as plain text. Foreign lines are in it as they
// are.
func (e Explanation) Text() string {
	var b strings.Builder
	b.WriteString(e.Sentence)
	b.WriteByte('\n')
	last := ""
	for _, l := range e.Lines() {
		label := string(l.Kind)
		if label == last {
			label = ""
		}
		last = string(l.Kind)
		b.WriteString("  " + label + strings.Repeat(" ", max(1, 10-len(label))) + l.Text + "\n")
	}
	return b.String()
}
