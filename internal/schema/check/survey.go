package check

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"mcptea/client/jsonrpc"
)

type key struct {
	sum [sha256.Size]byte
	o   Options
}

func keyOf(raw []byte, o Options) key { return key{sha256.Sum256(raw), o} }

// decode reads JSON without changing the spelling of its numbers. It rejects numbers whose exponents would fill
// the memory.
func decode(raw []byte) (any, bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || !tame(v) {
		return nil, false
	}
	_, err := d.Token()
	return v, errors.Is(err, io.EOF)
}

// maxExponent is far beyond the range of a float.
const maxExponent = 400

func tame(v any) bool {
	switch v := v.(type) {
	case json.Number:
		_, exponent, found := strings.Cut(strings.ToLower(string(v)), "e")
		if !found {
			return len(v) <= 2*maxExponent
		}
		n, err := strconv.Atoi(exponent)
		return err == nil && n <= maxExponent && n >= -maxExponent && len(v) <= 2*maxExponent
	case []any:
		return !slices.ContainsFunc(v, func(x any) bool { return !tame(x) })
	case map[string]any:
		for _, x := range v {
			if !tame(x) {
				return false
			}
		}
	}
	return true
}

// survey describes a schema before it is compiled: its size, and the parts that may make it expensive.
type survey struct {
	problem     *Problem
	subschemas  int
	refs        []reference
	places      map[string]bool // pointers of schemas
	dialects    map[string]bool // dialects that parts of the schema name
	hasDialect  bool
	guesses     bool // it contains unsupported patterns, which are assumed to match
	nonmonotone bool // a subschema that matches more may make the whole match less
}

// reference is a $ref and its place.
type reference struct{ to, at string }

func surveyOf(doc any) *survey {
	l := &survey{places: map[string]bool{}, dialects: map[string]bool{}}
	if root, ok := doc.(map[string]any); ok {
		var dialect string
		if dialect, l.hasDialect = root["$schema"].(string); l.hasDialect && !supported(dialect) {
			l.problem = &Problem{Fault: Dialect, Path: "/$schema", Reason: dialect}
			return l
		}
	}
	l.schema(doc, "", 1)
	odd := 0
	for _, ref := range l.refs {
		if at, ok := strings.CutPrefix(ref.to, "#"); ok && strings.HasPrefix(at, "/") && !l.places[decoded(at)] {
			odd++
		}
	}
	if odd > maxOddRefs && l.problem == nil {
		l.problem = &Problem{Fault: Complex, Reason: "it refers to many places that are not schemas"}
	}
	return l
}

// refTo finds the place of a reference, empty when it is written otherwise.
func (l *survey) refTo(uri string) string {
	for _, ref := range l.refs {
		if to, _, _ := strings.Cut(ref.to, "#"); ref.to == uri || to == uri {
			return ref.at
		}
	}
	return ""
}

func decoded(fragment string) string {
	if s, err := url.PathUnescape(fragment); err == nil {
		return s
	}
	return fragment
}

// supported reports a dialect that can be read.
func supported(dialect string) bool {
	s := strings.TrimSuffix(dialect, "#")
	s = strings.TrimPrefix(strings.TrimPrefix(s, "http://"), "https://")
	switch s {
	case "json-schema.org/schema", "json-schema.org/draft/2020-12/schema", "json-schema.org/draft/2019-09/schema",
		"json-schema.org/draft-07/schema", "json-schema.org/draft-06/schema", "json-schema.org/draft-04/schema":
		return true
	}
	return false
}

// schema walks over a schema and its subschemas.
func (l *survey) schema(v any, at string, level int) {
	l.places[at] = true
	obj, ok := v.(map[string]any)
	if !ok || l.problem != nil {
		return
	}
	if l.subschemas++; l.subschemas > maxSubschemas {
		l.problem = &Problem{Fault: Complex, Reason: "it has more than " + strconv.Itoa(maxSubschemas) + " parts"}
		return
	}
	if level > maxLevels {
		l.problem = &Problem{Fault: Complex, Path: at, Reason: "it is deeper than " + strconv.Itoa(maxLevels) + " levels"}
		return
	}
	for _, name := range slices.Sorted(maps.Keys(obj)) {
		l.keyword(name, obj[name], at+"/"+jsonrpc.EscapePointer(name), level)
	}
}

func (l *survey) keyword(name string, value any, at string, level int) {
	switch name {
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
		of, _ := value.(map[string]any)
		for _, member := range slices.Sorted(maps.Keys(of)) {
			if name == "patternProperties" && !compiles(member) {
				l.guesses, l.nonmonotone = true, true
			}
			l.schema(of[member], at+"/"+jsonrpc.EscapePointer(member), level+1)
		}
	case "not", "if", "oneOf", "contains":
		l.nonmonotone = true
		l.parts(value, at, level)
	case "items", "additionalProperties", "additionalItems", "then", "else", "propertyNames", "unevaluatedProperties",
		"unevaluatedItems", "allOf", "anyOf", "prefixItems":
		l.parts(value, at, level)
	case "pattern":
		if p, ok := value.(string); ok && !compiles(p) {
			l.guesses = true
		}
	case "$ref":
		if ref, ok := value.(string); ok {
			l.refs = append(l.refs, reference{ref, at})
		}
	case "$schema":
		if dialect, ok := value.(string); ok {
			l.dialects[dialect] = true
		}
	}
}

// parts walks over a schema or a list of them.
func (l *survey) parts(value any, at string, level int) {
	list, ok := value.([]any)
	if !ok {
		l.schema(value, at, level+1)
		return
	}
	for i, part := range list {
		l.schema(part, at+"/"+strconv.Itoa(i), level+1)
	}
}

func compiles(pattern string) bool {
	_, err := regexp.Compile(pattern)
	return err == nil
}

// always replaces a pattern that Go does not support, such as lookahead in ECMA-262. It matches everything, so
// that no wrong mismatch is reported.
type always string

func (a always) String() string        { return string(a) }
func (always) MatchString(string) bool { return true }

func tolerant(pattern string) (jsonschema.Regexp, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return always(pattern), nil
	}
	return re, nil
}

// nothing loads nothing.
type nothing struct{}

var errNotFetched = errors.New("not fetched")

func (nothing) Load(string) (any, error) { return nil, errNotFetched }
