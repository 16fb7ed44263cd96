// Package contract judges a recorded session by its user's expectations in addition to the protocol: tools that
// must or must not be called, the number and the duration of calls, a response to each request, and lists that
// match a baseline. It does not judge what a cut recording cannot show.
package contract

import (
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/internal/catalog"
	"mcptea/lint"
	"mcptea/lint/baseline"
)

//go:embed contracts.jsonl
var table []byte

var entries = catalog.Lazy[lint.Entry](table)

// Catalogue lists the kinds of findings. The slice must not be changed.
func Catalogue() []lint.Entry { return entries() }

// Terms holds the expectations. The zero value expects nothing.
type Terms struct {
	// Expected and Forbidden are patterns of tool names: * matches any characters, ? matches one, and \ escapes
	// the next character.
	Expected, Forbidden []string
	MaxDuration         time.Duration // maximum duration of a tool call; 0 for any
	MaxCalls            []Limit
	// NoPending expects a response to each request that was not cancelled.
	NoPending bool
	// Baseline holds the lists that the servers must offer, or nil. If Accepts is set, they are not compared:
	// see [Judge.Offers].
	Baseline *baseline.File
	Accepts  bool
}

// A Limit is the maximum number of calls of some tools.
type Limit struct {
	Tool  string // a pattern; empty for all tools together
	Calls int
}

// IsEmpty reports whether nothing is expected.
func (t *Terms) IsEmpty() bool {
	return len(t.Expected)+len(t.Forbidden)+len(t.MaxCalls) == 0 && t.MaxDuration == 0 && !t.NoPending && !t.followsLists()
}

// followsLists reports whether the lists of the server are collected.
func (t *Terms) followsLists() bool { return t.Baseline != nil || t.Accepts }

// ComparesLists reports whether the lists of the server are compared.
func (t *Terms) ComparesLists() bool { return t.Baseline != nil && !t.Accepts }

// Kinds returns the kinds of findings that the terms can lead to.
func (t *Terms) Kinds() []*lint.Entry {
	var kinds []*lint.Entry
	for i, wanted := range [...]bool{len(t.Expected) > 0, len(t.Forbidden) > 0, t.MaxDuration > 0, len(t.MaxCalls) > 0, t.NoPending, t.ComparesLists()} {
		if wanted {
			kinds = append(kinds, entry([...]string{"contract-expect", "contract-forbid", "contract-duration", "contract-calls", "contract-pending", "contract-drift"}[i]))
		}
	}
	return kinds
}

// Unjudged is an expectation that a recording does not decide.
type Unjudged struct {
	Kind    *lint.Entry // kind of the findings that are possible
	Subject string      // the flag, with its pattern if there may be several
	Text    string      // a sentence with the reason
}

// entry returns the entry with an id, which must exist.
func entry(id string) *lint.Entry {
	all := entries()
	return &all[slices.IndexFunc(all, func(e lint.Entry) bool { return e.ID == id })]
}

// ParsePattern returns an error for a pattern that cannot fit any name.
func ParsePattern(pattern string) error {
	if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
		return fmt.Errorf("%q is not a pattern of names: [ has no ], or \\ is at the end", pattern)
	}
	return nil
}

// ParseLimit reads N, or PATTERN=N. A pattern may have the character = itself.
func ParseLimit(text string) (Limit, error) {
	at := strings.LastIndexByte(text, '=')
	n, err := strconv.Atoi(text[at+1:])
	if err != nil || n < 0 {
		return Limit{}, fmt.Errorf("%q is not a number of calls: write N for all tools together, or TOOL=N", text[at+1:])
	}
	if at < 0 {
		return Limit{Calls: n}, nil
	}
	return Limit{Tool: text[:at], Calls: n}, ParsePattern(text[:at])
}

// fits reports whether a pattern fits a name. In a name / is a character as any other.
func fits(pattern, name string) bool {
	// Patterns were checked when they were read.
	ok, _ := path.Match(strings.ReplaceAll(pattern, "/", "\x01"), strings.ReplaceAll(name, "/", "\x01"))
	return ok
}

// finding returns a finding about a row, or about the session if row is 0. values fill its message, as in
// [lint.Fill].
func finding(id string, row int32, at time.Time, values ...any) lint.Finding {
	f := lint.Finding{Rule: entry(id), Row: row, Time: at, Offset: -1, Times: 1}
	f.Severity, f.Fault, f.Hint = f.Rule.DefaultSeverity, f.Rule.Side, f.Rule.Fix
	f.Message = lint.Fill(f.Rule.Message, values)
	return f
}
