package modelview

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"mcptea/internal/words/phrase"
)

const (
	maxCompared = 400 // tools that are compared with each other
	maxName     = 256 // bytes of a name
	maxWords    = 200 // words of a description
	// similarText is the percentage of common words above which a model can confuse two
	// descriptions. similarPart is the percentage of the shorter description. It applies if one
	// name contains all words of the other.
	similarText = 70
	similarPart = 50
	leastWords  = 4 // fewer words prove nothing
)

// A described is a tool prepared for comparison.
type described struct {
	tool   *Tool
	spoken []string // the words of its name, in their order
	name   []string // words of the name, sorted
	joined string   // words of the name, joined
	words  []string // words of the description, sorted, without duplicates
}

// compare finds tools that a model could confuse.
func (b *builder) compare(texts []string) {
	var list []described
	for i := range b.Tools {
		if t := &b.Tools[i]; !t.LeftOut && len(list) < maxCompared {
			spoken := nameWords(t.Name[:min(len(t.Name), maxName)])
			name := slices.Sorted(slices.Values(spoken))
			list = append(list, described{t, spoken, name, strings.Join(name, ""), textWords(texts[i])})
		}
	}
	for i := range list {
		for j := range list[:i] {
			b.pair(&list[j], &list[i])
		}
	}
}

// pair compares two tools.
func (b *builder) pair(x, y *described) {
	p := Place{Tool: x.tool.Name, Other: y.tool.Name}
	if p.Tool == p.Other {
		return // their names are not unique
	}
	common := common(x.words, y.words)
	shorter := min(len(x.words), len(y.words))
	share := percent(common, len(x.words)+len(y.words)-common)
	part := shorter >= leastWords && percent(common, shorter) >= similarPart
	same := phrase.EditDistance(x.joined, y.joined) <= 1 || slices.Equal(x.name, y.name)
	fewer := min(len(x.name), len(y.name))
	// The second word of a name is usually the object of its verb. Later words are details of both.
	within := fewer > 1 && max(len(x.name), len(y.name))-fewer == 1 && commonAll(x.name, y.name)
	if same && !opposite(x, y) || within && part {
		b.report("names", p)
	}
	if shorter >= leastWords && share >= similarText {
		p.Found = strconv.Itoa(share) + "% of the words"
		b.report("descriptions", p)
	}
}

// ways lists the words between a source and a target in names.
var ways = []string{"to", "2", "into", "from", "as", "by", "per"}

// opposite reports whether two names have the same words in reverse order, and the order is a direction:
// csv_to_json and json_to_csv.
func opposite(x, y *described) bool {
	return slices.Equal(x.name, y.name) && !slices.Equal(x.spoken, y.spoken) && slices.ContainsFunc(ways, func(way string) bool { return slices.Contains(x.name, way) })
}

func percent(n, of int) int { return 100 * n / max(of, 1) }

// common counts the words that two sorted lists share.
func common(x, y []string) (n int) {
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch c := strings.Compare(x[i], y[j]); {
		case c == 0:
			n, i, j = n+1, i+1, j+1
		case c < 0:
			i++
		default:
			j++
		}
	}
	return n
}

// commonAll reports whether the longer list has all words of the shorter one.
func commonAll(x, y []string) bool { return common(x, y) == min(len(x), len(y)) }

// nameWords returns the words of a name. They are the same for getUser, get_users and users.get.
func nameWords(name string) []string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case unicode.IsUpper(r) && lower:
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	words := strings.Fields(b.String())
	for i, w := range words {
		if len(w) > 3 {
			words[i] = strings.TrimSuffix(w, "s")
		}
	}
	return words
}

// textWords returns the sorted words of a description with at least three letters.
func textWords(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text[:min(len(text), maxWords*16)]), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	})
	words = slices.DeleteFunc(words[:min(len(words), maxWords)], func(w string) bool { return len(w) < 3 || w == "the" || w == "and" })
	slices.Sort(words)
	return slices.Compact(words)
}
