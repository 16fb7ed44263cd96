package failure

import (
	"slices"
	"strings"

	"mcptea/internal/lazyregexp"
	"mcptea/record/stderr"
)

// maxItems bounds the lines of a list that a message introduces.
const maxItems = 5

// joined returns the lines with each list, as parsers of arguments and checks of settings print it, appended to
// the line with the colon before it. The number of lines stays the same.
func joined(lines []string) []string {
	lines = withoutGroups(lines)
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

// withoutGroups returns the lines without the frame that Python draws around the members of an ExceptionGroup.
func withoutGroups(lines []string) []string {
	if !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, "ExceptionGroup: ") }) {
		return lines
	}
	all := slices.Clone(lines)
	for i, l := range all {
		text := strings.TrimLeft(l, " ")
		if rest, found := strings.CutPrefix(text, "| "); found {
			all[i] = rest
		} else if strings.HasPrefix(text, "+-") || text == "|" {
			all[i] = ""
		}
	}
	return all
}

// withItems returns a line with the list that it introduces, or the line itself.
func withItems(lines []string, at int) string {
	line := lines[at]
	text := strings.TrimSpace(line)
	if fields := invalidFields(lines, at); fields != "" {
		return strings.TrimRight(line, " \t") + ": " + fields
	}
	if stderr.IsReport(line) && at+1 < len(lines) && causeBelow().MatchString(lines[at+1]) {
		return strings.TrimRight(line, " \t:") + ": " + strings.TrimSpace(lines[at+1])
	}
	if panicPlace().MatchString(text) && at+1 < len(lines) {
		return strings.TrimRight(line, " \t") + " " + strings.TrimSpace(lines[at+1])
	}
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
			bullet = item // an option, not a bullet
		}
		items = append(items, bullet)
	}
	if len(items) == 0 {
		return line
	}
	return strings.TrimRight(line, " \t") + " " + strings.Join(items, ", ")
}

var (
	// panicPlace matches the line with which Rust begins a panic: its message is the next line.
	panicPlace = lazyregexp.New(`^thread '[^']*' (?:\(\d+\) )?panicked at \S+:\d+:\d+:$`)
	// causeBelow matches the cause of an error on the line below it, as Java prints it.
	causeBelow = lazyregexp.New(`^\s+(?:[a-z]\w*\.)+[A-Z]\w*(?:Error|Exception): `)
	// manyInvalid ends the line with which pydantic begins its list of invalid values.
	manyInvalid = lazyregexp.New(`\bvalidation errors? for [\w.\[\], ]+$`)
	// fieldType matches the machine-readable end of a message about a value.
	fieldType = lazyregexp.New(` \[type=\w+.*\]?$`)
)

// invalidFields returns the values and messages that pydantic lists below a line, or "".
func invalidFields(lines []string, at int) string {
	if !manyInvalid().MatchString(strings.TrimSpace(lines[at])) {
		return ""
	}
	var fields []string
	name := ""
	for _, next := range lines[at+1:] {
		text := strings.TrimSpace(next)
		switch indent := len(next) - len(strings.TrimLeft(next, " ")); {
		case len(fields) == maxItems, text == "":
			return strings.Join(fields, ", ")
		case indent == 0:
			name = text
		case indent == 2 && name != "":
			fields = append(fields, name+": "+fieldType().ReplaceAllString(text, ""))
			name = ""
		}
	}
	return strings.Join(fields, ", ")
}

// sourceCause returns the cause that the lines around an error show: the source line that an interpreter
// rejected, or the file that imported a missing one. The group "line" of a row must match the line of the
// error; at is its index.
func sourceCause(s situation, lines []stderr.Line) (c Candidate, at int, ok bool) {
	texts := make([]string, len(lines))
	for i, l := range lines {
		texts[i] = l.Text
	}
	text := strings.Join(texts, "\n")
	for i := range rows()["source"] {
		r := &rows()["source"][i]
		if s.contradicts(r.Unless) {
			continue
		}
		m := r.match().FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		start := func(group string) int { return 2 * r.match().SubexpIndex(group) }
		caught := text[m[start("caught")]:m[start("caught")+1]]
		at = strings.Count(text[:m[start("line")]], "\n")
		if lines[at].Form == stderr.Error && (r.Not == "" || !r.not().MatchString(caught)) {
			return r.reason(s, nil, caught).Candidate, at, true
		}
	}
	return Candidate{}, 0, false
}
