// Package check reports whether a schema is valid, and whether a value matches it, and explains the first
// error in one plain sentence.
//
// Schemas and values are untrusted. The package fetches nothing. A schema that is too large, refers to itself
// without end, or costs too many steps is not checked: the result is then "unknown", never an error.
package check

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"mcptea/internal/words/phrase"
)

// Options determine by which rules a schema is read.
type Options struct {
	// Dialectless takes a schema that names no dialect as valid when it is so in 2020-12 or in
	// draft-07; else it must be valid in 2020-12.
	Dialectless bool
	// Formats has email, uri, date and date-time checked, which are only notes
	// otherwise.
	Formats bool
}

// A Fault is the reason why values cannot be checked.
type Fault uint8

// The faults.
const (
	Invalid Fault = iota + 1 // the schema is not a JSON Schema
	Dialect                  // the dialect is not supported
	Remote                   // the schema refers to another document, which would have to be fetched
	Complex                  // the schema is too large, too deep, or refers to itself
	Unclear                  // the schema uses something that cannot be judged here
)

// Problem describes a problem of a schema.
type Problem struct {
	Fault Fault
	Path  string // a JSON pointer into the schema
	// Reason is a sentence without its end; of Dialect and Remote it is the URI.
	Reason string
	// IsReference reports that a reference leads nowhere.
	IsReference bool
}

// Schema is one that was read. It may be used by several goroutines.
type Schema struct {
	problem *Problem
	others  []*Problem // further problems of an invalid schema

	mu    sync.Mutex
	root  *jsonschema.Schema
	steps int // steps left for the current value
}

// Problem returns why values cannot be checked, or nil.
func (s *Schema) Problem() *Problem { return s.problem }

// Problems returns the problems of the schema, the first one first, up to [maxEach]: a problem at one place
// does not hide problems at other places.
func (s *Schema) Problems() []*Problem {
	if s.problem == nil {
		return nil
	}
	return append([]*Problem{s.problem}, s.others...)
}

// The bounds of a schema.
const (
	maxBytes      = 512 << 10
	maxLevels     = 32
	maxSubschemas = 2000
	maxOddRefs    = 16 // references to parts that are not known to be schemas
)

// self is the URL of a schema for the references in it.
const self = "mcptea-schema://tool/schema"

// Compile reads a schema. The bytes are not kept.
func Compile(raw []byte, o Options) *Schema {
	if len(raw) > maxBytes {
		return &Schema{problem: &Problem{Fault: Complex, Reason: fmt.Sprintf("it has %d bytes", len(raw))}}
	}
	doc, ok := decode(raw)
	if !ok {
		return &Schema{problem: &Problem{Fault: Invalid, Reason: "it is not JSON"}}
	}
	l := surveyOf(doc)
	if l.problem != nil {
		return &Schema{problem: l.problem}
	}
	s := compile(doc, jsonschema.Draft2020, l, o)
	if o.Dialectless && s.problem != nil && s.problem.Fault == Invalid && !l.hasDialect {
		if other := compile(doc, jsonschema.Draft7, l, o); other.problem == nil || other.problem.Fault != Invalid {
			return other
		}
	}
	return s
}

// compile never panics: if the compiler fails, nothing is known about the schema.
func compile(doc any, draft *jsonschema.Draft, l *survey, o Options) (s *Schema) {
	s = &Schema{}
	defer func() {
		if p := recover(); p != nil {
			s = &Schema{problem: &Problem{Fault: Unclear, Reason: "it could not be read"}}
		}
	}()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(draft)
	c.UseLoader(nothing{})
	c.UseRegexpEngine(tolerant)
	if o.Formats {
		c.AssertFormat()
	}
	if err := c.AddResource(self, doc); err != nil {
		s.problem, s.others = problemsOf(err, l)
		return s
	}
	root, err := c.Compile(self)
	if err != nil {
		s.problem, s.others = problemsOf(err, l)
		return s
	}
	g := graph{s: s, formats: o.Formats, state: map[*jsonschema.Schema]visit{}}
	g.all(root)
	switch {
	case g.cycle:
		s.problem = &Problem{Fault: Complex, Reason: "it refers to itself without end"}
	case g.dynamic || l.guesses && l.nonmonotone:
		s.problem = &Problem{Fault: Unclear, Reason: "it uses what is not checked here"}
	}
	s.root = root
	return s
}

// The bounds of a value.
const (
	maxValueBytes = 1 << 20
	maxSteps      = 500_000
)

// exhausted is the panic value when checking a value takes too many steps.
type exhausted struct{}

// Check checks a value. It returns the first mismatch, or nil. ok is false if the result is unknown: the schema
// has a problem, or value and schema together are too large.
func (s *Schema) Check(value []byte) (m *Mismatch, ok bool) {
	ok, err := s.validate(value)
	if err == nil {
		return nil, ok
	}
	m = first(err)
	return m, m != nil
}

// Each is like Check, but returns the first mismatch of each part of the value, in the order of their pointers,
// at most [maxEach].
func (s *Schema) Each(value []byte) []*Mismatch {
	_, err := s.validate(value)
	return each(err)
}

// validate checks a value. ok is false if the result is unknown.
func (s *Schema) validate(value []byte) (ok bool, wrong error) {
	if s.problem != nil || len(value) > maxValueBytes {
		return false, nil
	}
	v, isJSON := decode(value)
	if !isJSON {
		return false, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() {
		if p := recover(); p != nil {
			ok, wrong = false, nil
		}
	}()
	s.steps = maxSteps
	return true, s.root.Validate(v)
}

// spend takes steps of the budget.
func (s *Schema) spend(steps int) {
	if s.steps -= steps; s.steps < 0 {
		panic(exhausted{})
	}
}

// Cache keeps schemas that were read, by their bytes. The zero Cache is ready;
// it is for one goroutine.
type Cache struct {
	of map[key]*Schema
}

// maxCached bounds a cache; servers have fewer schemas.
const maxCached = 4096

// Compile returns the function of that name, but once for the same bytes.
func (c *Cache) Compile(raw []byte, o Options) *Schema {
	k := keyOf(bytes.TrimSpace(raw), o)
	if s, ok := c.of[k]; ok {
		return s
	}
	s := Compile(raw, o)
	if c.of == nil || len(c.of) >= maxCached {
		c.of = map[key]*Schema{}
	}
	c.of[k] = s
	return s
}

// problemsOf explains why a schema could not be read, and its further problems.
func problemsOf(err error, l *survey) (one *Problem, others []*Problem) {
	var wrong *jsonschema.SchemaValidationError
	if !errors.As(err, &wrong) {
		return problemOf(err, l), nil
	}
	_, at, _ := strings.Cut(wrong.URL, "#")
	at = decoded(at)
	for _, m := range each(wrong.Err) {
		p := &Problem{Fault: Invalid, Path: at + m.Path, Reason: shorten(at+m.About, maxPlace) + " " + m.Reason}
		if at+m.About == "" {
			p = &Problem{Fault: Invalid, Reason: "it " + m.Reason}
		}
		others = append(others, p)
	}
	if len(others) == 0 {
		return &Problem{Fault: Unclear, Reason: "it could not be judged"}, nil
	}
	return others[0], others[1:]
}

// problemOf explains which reference of a schema leads nowhere.
func problemOf(err error, l *survey) *Problem {
	var unloaded *jsonschema.LoadURLError
	if errors.As(err, &unloaded) {
		return notLoaded(unloaded.URL, l)
	}
	var noPointer *jsonschema.JSONPointerNotFoundError
	var noAnchor *jsonschema.AnchorNotFoundError
	switch {
	case errors.As(err, &noPointer):
		return l.nowhere(noPointer.URL)
	case errors.As(err, &noAnchor):
		return l.nowhere(noAnchor.Reference)
	}
	return &Problem{Fault: Unclear, Reason: "its references could not be followed"}
}

func (l *survey) nowhere(ref string) *Problem {
	ref = strings.TrimPrefix(ref, self)
	return &Problem{Fault: Invalid, Path: l.refTo(ref), Reason: "the reference " + phrase.Quote(ref, maxPlace) + " leads nowhere", IsReference: true}
}

func notLoaded(uri string, l *survey) *Problem {
	for dialect := range l.dialects {
		if strings.TrimSuffix(dialect, "#") == strings.TrimSuffix(uri, "#") {
			return &Problem{Fault: Dialect, Reason: uri}
		}
	}
	if u, err := url.Parse(uri); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		return &Problem{Fault: Remote, Path: l.refTo(uri), Reason: uri}
	}
	return l.nowhere(strings.TrimPrefix(uri, strings.TrimSuffix(self, "schema")))
}
