package failure

import (
	"strings"

	"mcptea/session/record/stderr"
)

// maxItems bounds the lines of a list that a message introduces.
const maxItems = 5

// joined are lines in which a message that ends with a colon has the list that it introduces, as
// parsers of arguments and checks of settings write it. There are as many lines as before.
func joined(lines []string) []string {
	var all []string
	for i, l := range lines {
		if whole := withItems(lines, i); whole != l {
			if all == nil {
				all = append(all, lines...)
			}
			all[i] = whole
		}
	}
	if all == nil {
		return lines
	}
	return all
}

// withItems is a line with the list that it introduces; any other line is returned itself.
func withItems(lines []string, at int) string {
	line := lines[at]
	text := strings.TrimSpace(line)
	if !strings.HasSuffix(text, ":") || strings.HasPrefix(text, "Traceback") || at+1 == len(lines) || !stderr.IsReport(line) {
		return line
	}
	var items []string
	for _, next := range lines[at+1 : min(len(lines), at+1+maxItems)] {
		item := strings.TrimSpace(next)
		bullet := strings.TrimLeft(item, "-*• ")
		indented := next != strings.TrimLeft(next, " \t") || strings.HasPrefix(item, "- ") || strings.HasPrefix(item, "* ") || strings.HasPrefix(item, "• ")
		if !indented || bullet == "" || strings.HasPrefix(item, "at ") || strings.HasPrefix(item, `File "`) {
			break
		}
		if strings.HasPrefix(item, "--") {
			bullet = item // an option, and no bullet
		}
		items = append(items, bullet)
	}
	if len(items) == 0 {
		return line
	}
	return strings.TrimRight(line, " \t") + " " + strings.Join(items, ", ")
}

// sourceCause is what the source line says that an interpreter has refused: its loader shows the
// line, with a caret below, and the error.
func sourceCause(s situation, lines []string) (found finding, ok bool) {
	text := strings.Join(lines, "\n")
	for i := range rows()["source"] {
		r := &rows()["source"][i]
		if s.contradicts(r.Unless) {
			continue
		}
		at := r.match().FindStringSubmatchIndex(text)
		if at == nil {
			continue
		}
		group := func(n int) string {
			if at[2*n] < 0 {
				return ""
			}
			return text[at[2*n]:at[2*n+1]]
		}
		// The first group is what is too new, and the last one the line of the error.
		caught, line := group(1), group(len(at)/2-1)
		return finding{Candidate{r.Cause.of(s, nil, caught), r.remedy(s, nil, caught), r.Strength}, strings.TrimSpace(line)}, true
	}
	return finding{}, false
}
