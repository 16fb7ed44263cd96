package safety

import (
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/lint"
	"mcptea/offer/verbs"
)

// falseReadOnly reports a read-only tool whose name means that it changes something.
func falseReadOnly(c *lint.Context, t lint.Tool) {
	if string(jsonrpc.Get(t.Raw, "annotations", "readOnlyHint")) != "true" {
		return
	}
	if words := verbs.Changing(jsonrpc.Text(t.Raw, "name")); len(words) > 0 {
		c.Report(t.At("annotations", "readOnlyHint"), "name", lint.Quoted(jsonrpc.Text(t.Raw, "name")), "word", lint.Escaped(words[0]))
	}
}

// hostTools are names that the tools of common hosts have.
var hostTools = []string{"bash", "read_file", "write_file", "edit", "web_search", "web_fetch"}

const (
	// maxCompared bounds the names that are compared with each other: the work grows with the square of their
	// number.
	maxCompared = 500
	// maxComparedName is the longest name that is compared, in bytes.
	maxComparedName = 128
	// minLong is the length from which names that differ by only one letter can be confused.
	minLong = 5
)

// similarNames compares each tool of the page with those before it in the list, and with the tools of hosts.
func similarNames(c *lint.Context) {
	page, list := c.Tools(), c.St.Tools()
	if list == nil || len(page) == 0 || len(list.Items) < len(page) {
		return
	}
	before := namesOf(list.Items[:len(list.Items)-len(page)])
	for _, t := range page {
		name := jsonrpc.Text(t.Raw, "name")
		if name == "" || len(name) > maxComparedName {
			continue
		}
		one := foldedName{name, lint.FoldedName(name)}
		for _, other := range before {
			if how := similar(other, one); how != "" {
				c.Report(t.At("name"), "names", "The names "+lint.Quoted(other.name)+" and "+lint.Quoted(name)+" of two tools differ "+how)
			}
		}
		for _, known := range hostTools {
			if lint.FoldedName(known) == one.folded {
				c.Report(t.At("name"), "names", "Hosts often have a tool of their own named "+lint.Quoted(name))
			}
		}
		if len(before) < maxCompared {
			before = append(before, one)
		}
	}
}

type foldedName struct{ name, folded string }

// namesOf returns the names of the first tools of a list that are compared.
func namesOf(items [][]byte) (names []foldedName) {
	for _, item := range items[:min(len(items), maxCompared)] {
		if name := jsonrpc.Text(item, "name"); name != "" && len(name) <= maxComparedName {
			names = append(names, foldedName{name, lint.FoldedName(name)})
		}
	}
	return names
}

// similar describes how two names differ that a model may confuse, or returns "". Rule T012 reports equal
// names.
func similar(a, b foldedName) string {
	switch {
	case a.name == b.name:
		return ""
	case a.folded == b.folded:
		return "only by case, separators or the form of letters"
	case len(a.folded) >= minLong && differByLetter(a.folded, b.folded) && !isPair(a.name, b.name):
		return "by one letter"
	}
	return ""
}

// isPair reports whether one name gets and the other sets the same thing, such as get_title and set_title,
// which differ by one letter.
func isPair(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	return a != b && strings.ReplaceAll(a, "set", "get") == strings.ReplaceAll(b, "set", "get")
}

// differByLetter reports whether two names of the same length differ in exactly one byte, but not only by a
// digit, as step1 and step2 do.
func differByLetter(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	n := 0
	for i := range len(a) {
		if a[i] == b[i] {
			continue
		}
		if n++; n > 1 || isDigit(a[i]) && isDigit(b[i]) {
			return false
		}
	}
	return n == 1
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
