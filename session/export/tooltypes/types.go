// Package tooltypes writes what tools take and return as types of a programming language, from their JSON Schemas.
package tooltypes

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
)

// A Tool is an entry of a list of tools. Its bytes are not changed.
type Tool struct {
	Name, Description string
	Input, Output     []byte // JSON Schemas; Output is nil if the tool has none
}

// A Language writes types.
type Language struct {
	Name string // name as shown to users
	file func(p *program) string
}

// The languages.
var (
	TypeScript = Language{"TypeScript", (*program).typeScript}
	Go         = Language{"Go", (*program).golang}
	Python     = Language{"Python", (*program).python}
)

// Write writes a file with the types of tools. It returns the number of types that the language cannot express
// exactly: they have the type of any value.
func Write(w io.Writer, l Language, server string, tools []Tool) (loose int, err error) {
	p := &program{server: line(server), names: newNames(), left: leastRead}
	for _, t := range tools {
		p.left += readPerByte * (len(t.Input) + len(t.Output))
	}
	for _, t := range tools {
		base := p.unique(identifier(t.Name), "Arguments", "Result")
		one := tool{name: t.Name, about: t.Description, arguments: p.declare(base+"Arguments", t.Input)}
		one.arguments.about = "The arguments of " + line(t.Name) + ends(line(t.Description))
		if t.Output != nil {
			one.result = p.declare(base+"Result", t.Output)
			one.result.about = "The structured result of " + line(t.Name) + ends(titled(t.Output))
		}
		p.tools = append(p.tools, one)
	}
	_, err = io.WriteString(w, l.file(p))
	return p.loose, err
}

// program is a file of types.
type program struct {
	server string
	tools  []tool
	types  []*declared // named types, in the order of the file
	names
	loose int
	left  int // bytes of schemas that may still be read
}

type tool struct {
	name, about       string
	arguments, result *declared // result is nil if the tool has none
}

// declared is a type with a name.
type declared struct {
	name  string
	about string // comment about it, or ""
	node  *node
}

// kind is the kind of a type.
type kind uint8

const (
	anything kind = iota
	null
	boolean
	integer
	number
	text
	literal // one of the values
	list    // list whose items have the type of the first part
	record  // object with fields
	mapping // object whose values have the type of the first part
	union   // one of the parts
	named   // ref
)

// node is a type.
type node struct {
	kind   kind
	about  string
	values [][]byte // JSON
	parts  []*node
	fields []field
	ref    *declared
}

type field struct {
	name     string
	required bool
	node     *node
}

// base returns the type without null, and reports whether null is a value of it.
func (n *node) base() (*node, bool) {
	if n.kind != union {
		return n, n.kind == null
	}
	rest := slices.DeleteFunc(slices.Clone(n.parts), func(p *node) bool { return p.kind == null })
	switch {
	case len(rest) == len(n.parts):
		return n, false
	case len(rest) == 1:
		return rest[0], true
	}
	return &node{kind: union, about: n.about, parts: rest}, true
}

// ends returns the end of a sentence that a text may continue.
func ends(text string) string {
	if text == "" {
		return "."
	}
	return ": " + text
}

const (
	// maxWord bounds an identifier that is made of one name, and maxName one that is made of several, in bytes.
	// The name of a type contains the names of the types around it, and each name is written again for each of
	// its parts.
	maxWord, maxName = 60, 100
)

// identifier returns the letters and digits of a name as one word with capitals: get_weather is GetWeather.
func identifier(name string) string {
	var b strings.Builder
	upper := true
	for _, r := range name {
		switch {
		case r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r):
			upper = true
		case upper:
			b.WriteRune(unicode.ToUpper(r))
			upper = false
		default:
			b.WriteRune(r)
		}
	}
	word := b.String()
	word = word[:min(len(word), maxWord)]
	if word == "" || unicode.IsDigit(rune(word[0])) {
		return "T" + word
	}
	return word
}

// names are the names that are taken.
type names struct {
	taken  map[string]bool
	copies map[string]int // the number of the newest copy of a name
}

func newNames() names { return names{map[string]bool{}, map[string]int{}} }

// unique returns a name that is not taken with any of the endings, and takes it.
func (n names) unique(name string, endings ...string) string {
	if len(endings) == 0 {
		endings = []string{""}
	}
	name = name[:min(len(name), maxName)]
	isTaken := func(name string) bool {
		return slices.ContainsFunc(endings, func(e string) bool { return n.taken[name+e] })
	}
	free := name
	for isTaken(free) {
		n.copies[name]++
		free = fmt.Sprint(name, n.copies[name]+1)
	}
	for _, e := range endings {
		n.taken[free+e] = true
	}
	return free
}

// maxAbout bounds a description in the file, in bytes.
const maxAbout = 2000

// line returns a text of a server on one line, without invisible characters.
func line(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), phrase.IsHidden(r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, text)
	return phrase.Clip(strings.Join(strings.Fields(text), " "), maxAbout)
}

// titled returns the description of a schema, or its title.
func titled(schema []byte) string {
	return line(cmp.Or(jsonrpc.Text(schema, "description"), jsonrpc.Text(schema, "title")))
}
