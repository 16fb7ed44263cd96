package filter

import (
	"slices"
	"strings"

	"mcptea/internal/words/phrase"
)

// A Candidate is a possible completion of a part of a filter.
type Candidate struct {
	Part    string // the whole part; a property without its value ends with a colon
	About   string // meaning of the property or of a name, or "" for a value
	Example string // a part that can be tried: the part itself, or one with the property
	Takes   string // the values of a property, in words
}

// Suggest returns a corrected form of a part with an unknown value of its property, or "". values
// returns the values of a property without fixed values.
func (l Language) Suggest(text string, values func(property string) []string) string {
	for _, t := range split(text) {
		name, typed, found := strings.Cut(strings.TrimPrefix(t.text, "-"), ":")
		p, known := l.property(name)
		if !found || !known || p.whole || strings.ContainsAny(typed, `*,"`) {
			continue
		}
		of := p.valuesOf(name, values)
		if near := phrase.Nearest(typed, of); len(near) > 0 && !slices.Contains(of, typed) {
			return t.text[:strings.IndexByte(t.text, ':')+1] + value(near[0])
		}
	}
	return ""
}

// Complete returns the candidates for the part of a text that ends at a byte, and the start of the part. values
// returns the values of a property that are not fixed.
func (l Language) Complete(text string, at int, values func(property string) []string) (from int, list []Candidate) {
	from = at
	part := ""
	if tokens := split(text[:at]); len(tokens) > 0 {
		if last := tokens[len(tokens)-1]; last.at+len(last.text) == at && last.text != "(" && last.text != "-(" && last.text != ")" {
			from, part = last.at, last.text
		}
	}
	not := ""
	if rest, ok := strings.CutPrefix(part, "-"); ok {
		not, part = "-", rest
	}
	if typed, isName := strings.CutPrefix(part, "@"); isName {
		for _, d := range l.names.list {
			if whole := not + "@" + d.Name; strings.HasPrefix(d.Name, typed) && d.Name != typed {
				list = append(list, Candidate{Part: whole, About: d.Text, Example: whole})
			}
		}
		return from, list
	}
	name, typed, found := strings.Cut(part, ":")
	if !found {
		for _, name := range l.order {
			if p := properties[name]; strings.HasPrefix(name, part) {
				list = append(list, Candidate{not + name + ":", p.meaning, not + p.example, p.takes})
			}
		}
		return from, list
	}
	p, known := l.property(name)
	if !known {
		return from, nil
	}
	before := ""
	if i := strings.LastIndexByte(typed, ','); i >= 0 && !p.whole {
		before, typed = typed[:i+1], typed[i+1:]
	}
	of := p.valuesOf(name, values)
	for _, v := range of {
		if quoted := value(v); strings.HasPrefix(v, typed) && v != typed {
			whole := not + name + ":" + before + quoted
			list = append(list, Candidate{Part: whole, Example: whole})
		}
	}
	if example, _ := strings.CutPrefix(p.example, name+":"); typed == "" && len(list) == 0 && !slices.Contains(of, example) {
		list = append(list, Candidate{Part: not + p.example, Example: not + p.example})
	}
	return from, list
}
