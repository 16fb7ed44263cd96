// Package provenance finds the values in requests that come from earlier results: ids, cursors, URIs and
// handles that a server generated. Another server, or the same server later, generates other values.
package provenance

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mcptea/client/revision"
	"mcptea/internal/jsontree"
	"mcptea/internal/lazyregexp"
)

// Use is a value of a request that an earlier result has.
type Use struct {
	At       jsontree.Place // place in the params
	Value    any            // a string or a [json.Number]
	Provider int            // the number of the request whose result has the value, from 0
	Expr     string         // the expression of jq that selects it in that result
	Name     string         // name of a variable for the value: v1, v2, …
}

// Bounds of the kept data. Values beyond a bound have no source.
const (
	maxRequests = 1000      // bound for the requests of a dialogue
	maxLeaves   = 10_000    // bound for the leaves of a request or result
	maxText     = 256 << 10 // bytes of the texts of a result that are searched
	maxSearched = 4 << 30   // bytes of the texts that are searched for all values together
)

// Chain keeps the requests and results of a dialogue, in their order. It is not safe for concurrent use.
type Chain struct {
	results  []*result
	searched int               // bytes of texts
	sent     map[any]int       // number of the first request with a value, by value
	names    map[source]string // names of variables
}

// source is the place of a value in the results of a dialogue.
type source struct {
	provider int
	expr     string
}

// name returns the name of the variable for a place.
func (c *Chain) name(s source) string {
	if c.names == nil {
		c.names = map[source]string{}
	}
	if c.names[s] == "" {
		c.names[s] = fmt.Sprintf("v%d", len(c.names)+1)
	}
	return c.names[s]
}

type result struct {
	method string
	places map[any]jsontree.Place // places by value; nil without a result
	inner  map[any]inner          // places in texts that are JSON, by value
	texts  []jsontree.Leaf        // texts that are no JSON
	words  words                  // words of the texts
	leaves int                    // number of leaves that were added, also of those in texts
	size   int                    // bytes of texts
}

// inner is the place of a value in a text that is JSON.
type inner struct{ text, in jsontree.Place }

// Request adds a request, and returns which of its values come from results that were added before. params is a tree.
func (c *Chain) Request(method string, params any) (uses []Use) {
	number := len(c.results)
	if number == maxRequests {
		return nil
	}
	leaves := jsontree.Leaves(params)
	leaves = leaves[:min(len(leaves), maxLeaves)]
	sources := map[any]Use{} // sources by value: a value from a result counts as such at all places
	for _, leaf := range leaves {
		if _, known := sources[leaf.Value]; known {
			continue
		}
		if use, ok := c.source(leaf); ok {
			sources[leaf.Value] = use
		}
	}
	if c.sent == nil {
		c.sent = map[any]int{}
	}
	for _, leaf := range leaves {
		if use, ok := sources[leaf.Value]; ok {
			use.At, use.Name = leaf.At, c.name(source{use.Provider, use.Expr})
			uses = append(uses, use)
		} else if _, known := c.sent[leaf.Value]; !known {
			c.sent[leaf.Value] = number
		}
	}
	c.results = append(c.results, &result{method: method})
	return uses
}

// Result adds the result of a request, by its number from 0, or the part of it that is at a place. tree is the result
// or the part. A result may come in parts, such as the entries of the pages of a list; each is searched once.
func (c *Chain) Result(request int, at jsontree.Place, tree any) {
	if request >= len(c.results) {
		return
	}
	r := c.results[request]
	if r.places == nil {
		r.places = map[any]jsontree.Place{}
	}
	for _, leaf := range r.counted(jsontree.Leaves(tree)) {
		leaf.At = slices.Concat(at, leaf.At)
		if _, known := r.places[leaf.Value]; !known {
			r.places[leaf.Value] = leaf.At
		}
		if text, ok := leaf.Value.(string); ok && r.size+len(text) <= maxText {
			r.size += len(text)
			r.addText(leaf.At, text)
		}
	}
}

// counted returns the leaves that are within the bound, and counts them.
func (r *result) counted(leaves []jsontree.Leaf) []jsontree.Leaf {
	leaves = leaves[:min(len(leaves), maxLeaves-r.leaves)]
	r.leaves += len(leaves)
	return leaves
}

// addText adds a text at a place: its leaves if it is JSON, or else the text.
func (r *result) addText(at jsontree.Place, text string) {
	tree, isJSON := jsontree.Decode([]byte(text))
	if !isJSON || jsontree.IsLeaf(tree) {
		r.texts = append(r.texts, jsontree.Leaf{At: at, Value: text})
		r.words.add(text)
		return
	}
	if r.inner == nil {
		r.inner = map[any]inner{}
	}
	for _, leaf := range r.counted(jsontree.Leaves(tree)) {
		if _, known := r.inner[leaf.Value]; !known {
			r.inner[leaf.Value] = inner{at, leaf.At}
		}
	}
}

// source finds the newest result with a value that the client has not sent before it.
func (c *Chain) source(leaf jsontree.Leaf) (Use, bool) {
	if len(leaf.At) == 0 || len(leaf.At) == 1 && leaf.At[0] == "name" {
		return Use{}, false
	}
	first := 0
	if number, known := c.sent[leaf.Value]; known {
		first = number + 1
	}
	for i := len(c.results) - 1; i >= first; i-- {
		r := c.results[i]
		if r.places == nil || r.method == "tools/list" || r.method == "prompts/list" {
			continue // a value that a schema permits is chosen, and not forwarded
		}
		if expr, ok := c.find(r, leaf); ok {
			return Use{At: leaf.At, Value: leaf.Value, Provider: i, Expr: expr}, true
		}
	}
	return Use{}, false
}

// passedNames are ends of the names of members whose values are forwarded.
var passedNames = []string{"id", "cursor", "token", "uri", "url", "key", "handle", "session", "ref", "hash", "etag", "version"}

// isPassedOn reports whether a value is hardly in a request and in a result by chance: by the name of its member in
// either, or by its form. member is the name in the result; empty if it was found in a text.
func isPassedOn(leaf jsontree.Leaf, member, method string) bool {
	name, _ := leaf.At[len(leaf.At)-1].(string)
	list, isList := revision.ListOf(method)
	named := isList && list.Key == member || name != "" && strings.EqualFold(name, member) ||
		slices.ContainsFunc(passedNames, func(end string) bool { return strings.HasSuffix(strings.ToLower(name), end) })
	switch x := leaf.Value.(type) {
	case string:
		return named && x != "" || len(x) >= 6 && strings.ContainsAny(x, "0123456789")
	case json.Number:
		return named || len(x) >= 5
	}
	return false
}

// find returns the expression of jq that selects a value in a result. It looks for the value itself, then
// in texts: in texts that are JSON, and after a word of a sentence.
func (c *Chain) find(r *result, leaf jsontree.Leaf) (expr string, ok bool) {
	if at, has := r.places[leaf.Value]; has && len(at) > 0 {
		return at.JQ(), isPassedOn(leaf, lastName(at), r.method)
	}
	wanted := fmt.Sprint(leaf.Value)
	if len(wanted) < 2 {
		return "", false
	}
	if p, has := r.inner[leaf.Value]; has && isPassedOn(leaf, lastName(p.in), r.method) {
		return p.text.JQ() + " | fromjson | " + p.in.JQ(), true
	}
	if !isPassedOn(leaf, "", r.method) || !r.words.mayHave(wanted) {
		return "", false
	}
	for _, text := range r.texts {
		content := text.Value.(string)
		if c.searched += len(content); c.searched > maxSearched {
			break
		}
		if expr, ok := inSentence(text.At, content, wanted, leaf.Value); ok {
			return expr, true
		}
	}
	return "", false
}

// lastName returns the name of the member at a place, or "".
func lastName(at jsontree.Place) string {
	name, _ := at[len(at)-1].(string)
	return name
}

// wordBefore matches the last word before a value in a sentence, and the text between the two.
var wordBefore = lazyregexp.New(`[A-Za-z]+[^A-Za-z0-9]{1,3}$`)

// inSentence returns the expression of jq that selects a value in a text at a place. wanted is the value as text.
func inSentence(at jsontree.Place, text, wanted string, value any) (expr string, ok bool) {
	k := indexWord(text, wanted)
	if k < 0 {
		return "", false
	}
	before := text[:k]
	if n := strings.LastIndexByte(before, '\n'); n >= 0 {
		before = before[n+1:]
	}
	if word := wordBefore().FindString(before); word != "" {
		before = word
	}
	if before == "" {
		return "", false // the part of the text is not known
	}
	chars := `[^\s]+`
	if end := []rune(text[k+len(wanted):]); len(end) > 0 {
		chars = `[^\s` + regexp.QuoteMeta(string(end[:1])) + `]+`
	}
	expr = at.JQ() + " | capture(" + jsontree.Text(regexp.QuoteMeta(before)+"(?<x>"+chars+")") + ").x"
	if _, isNumber := value.(json.Number); isNumber {
		expr += " | tonumber"
	}
	return expr, true
}

// isWord reports whether a byte belongs to a word: a letter, a digit, _ or a part of a character beyond ASCII.
func isWord(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80
}

// indexWord returns the offset of a text within another one, not within a word, or -1.
func indexWord(text, wanted string) int {
	for from := 0; wanted != ""; {
		k := strings.Index(text[from:], wanted)
		if k < 0 {
			break
		}
		k += from
		end := k + len(wanted)
		if (k == 0 || !isWord(text[k-1]) || !isWord(wanted[0])) && (end == len(text) || !isWord(text[end]) || !isWord(wanted[len(wanted)-1])) {
			return k
		}
		from = k + 1
	}
	return -1
}

// Contains reports whether a text contains another text as whole words.
func Contains(text, words string) bool { return indexWord(text, words) >= 0 }
