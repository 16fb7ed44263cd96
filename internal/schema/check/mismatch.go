package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
)

// Mismatch is the first thing in a value that does not fit.
type Mismatch struct {
	Path string // a JSON pointer to a value that is there
	// About is a JSON pointer to the subject of the reason: Path, or a member that is missing from it.
	About  string
	Reason string // rest of a sentence that starts with About; it quotes no values
	// Unknown reports a member that the schema of its object does not have, and allows no others.
	Unknown bool
}

// found is a mismatch with the values that determine which one is reported first.
type found struct {
	at      []string
	member  string // missing member
	rank    int
	reason  string
	unknown bool
	want    []string // expected types
}

func (f *found) mismatch() *Mismatch {
	m := &Mismatch{Path: jsonrpc.JoinPointer(f.at), Reason: f.reason, Unknown: f.unknown}
	if m.About = m.Path; f.member != "" {
		m.About += "/" + jsonrpc.EscapePointer(f.member)
	}
	return m
}

// first finds the mismatch that comes first in the value. It returns nil if the value could not be judged.
func first(err error) *Mismatch {
	var v *jsonschema.ValidationError
	if !errors.As(err, &v) {
		return nil
	}
	if f := firstOf(v); f != nil {
		return f.mismatch()
	}
	return nil
}

// maxEach bounds what [Schema.Each] returns.
const maxEach = 50

// each returns the first mismatch for each part of the value that has one.
func each(err error) []*Mismatch {
	var v *jsonschema.ValidationError
	if !errors.As(err, &v) {
		return nil
	}
	all := every(v, nil)
	slices.SortStableFunc(all, func(a, b *found) int {
		switch {
		case a.before(b):
			return -1
		case b.before(a):
			return 1
		}
		return 0
	})
	var list []*Mismatch
	for _, f := range all {
		m := f.mismatch()
		if len(list) < maxEach && !slices.ContainsFunc(list, func(other *Mismatch) bool { return other.About == m.About }) {
			list = append(list, m)
		}
	}
	return list
}

// every appends what does not fit, except for the alternatives of one place, which are one.
func every(v *jsonschema.ValidationError, list []*found) []*found {
	switch v.ErrorKind.(type) {
	case *kind.Group, *kind.Schema, *kind.AllOf, *kind.Reference:
		for _, cause := range v.Causes {
			list = every(cause, list)
		}
		return list
	}
	if f := firstOf(v); f != nil {
		list = append(list, f)
	}
	return list
}

// Ranks: of two mismatches at one place, the lower one is reported.
const (
	rankType = iota
	rankMissing
	rankValue
	rankExtra
	rankAlternatives
	rankOther
)

func firstOf(v *jsonschema.ValidationError) *found {
	switch k := v.ErrorKind.(type) {
	case nil, *kind.RefCycle, *kind.InvalidJsonValue:
		return nil
	case *kind.Group, *kind.Schema, *kind.AllOf, *kind.Reference:
		return firstAmong(v.Causes)
	case *kind.AnyOf:
		return alternatives(v)
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return alternatives(v)
		}
		return &found{at: v.InstanceLocation, rank: rankAlternatives, reason: "fits more than one of the alternatives"}
	default:
		f := &found{at: slices.Clone(v.InstanceLocation), rank: rankValue}
		f.judge(k)
		return f
	}
}

func firstAmong(causes []*jsonschema.ValidationError) *found {
	var best *found
	for _, cause := range causes {
		if f := firstOf(cause); f != nil && (best == nil || f.before(best)) {
			best = f
		}
	}
	return best
}

func (f *found) before(other *found) bool {
	for i := range min(len(f.at), len(other.at)) {
		if c := compareNames(f.at[i], other.at[i]); c != 0 {
			return c < 0
		}
	}
	if len(f.at) != len(other.at) {
		return len(f.at) < len(other.at)
	}
	if f.rank != other.rank {
		return f.rank < other.rank
	}
	return f.member+f.reason < other.member+other.reason
}

func compareNames(a, b string) int {
	x, errA := strconv.Atoi(a)
	y, errB := strconv.Atoi(b)
	if errA == nil && errB == nil {
		return x - y
	}
	return strings.Compare(a, b)
}

// alternatives explains why none of several schemas matches. Schemas for another type of value are ignored,
// since they were probably not intended.
func alternatives(v *jsonschema.ValidationError) *found {
	var meant []*found
	var types []string
	for _, cause := range v.Causes {
		f := firstOf(cause)
		switch {
		case f == nil:
			return nil
		case f.want != nil && len(f.at) == len(v.InstanceLocation):
			types = append(types, f.want...)
		default:
			meant = append(meant, f)
		}
	}
	switch {
	case len(meant) == 1:
		return meant[0]
	case len(meant) == 0 && len(types) > 0:
		slices.Sort(types)
		types = slices.Compact(types)
		return &found{at: v.InstanceLocation, rank: rankType, reason: "must be " + oneOfKinds(types), want: types}
	}
	return &found{at: v.InstanceLocation, rank: rankAlternatives, reason: fmt.Sprintf("fits none of the %d alternatives", len(v.Causes))}
}

var articles = map[string]string{
	"string": "a string", "number": "a number", "integer": "an integer", "boolean": "a boolean", "object": "an object",
	"array": "an array", "null": "null",
}

func oneOfKinds(kinds []string) string {
	if len(kinds) == 1 && kinds[0] == "boolean" {
		return "true or false"
	}
	var words []string
	for _, k := range kinds {
		words = append(words, articles[k])
	}
	return strings.Join(words, " or ")
}

// judge puts a keyword that failed into words.
func (f *found) judge(k jsonschema.ErrorKind) {
	switch k := k.(type) {
	case *kind.Type:
		f.rank, f.want = rankType, k.Want
		got := articles[k.Got]
		if k.Got == "number" && slices.Contains(k.Want, "integer") {
			got = "a fraction"
		}
		f.reason = "must be " + oneOfKinds(k.Want) + ", found " + got
	case *kind.Required:
		f.missing(k.Missing, "is missing")
	case *kind.Dependency:
		f.missing(k.Missing, fmt.Sprintf("is missing, which %s needs", short(k.Prop)))
	case *kind.DependentRequired:
		f.missing(k.Missing, fmt.Sprintf("is missing, which %s needs", short(k.Prop)))
	case *kind.AdditionalProperties:
		f.rank = rankExtra
		if names := slices.Sorted(slices.Values(k.Properties)); len(names) > 0 {
			f.at = append(f.at, names[0])
		}
		f.reason, f.unknown = "is not in the schema, which allows no other members", true
	case *kind.Enum:
		f.reason = "must be one of " + values(k.Want)
	case *kind.Const:
		f.reason = "must be " + values([]any{k.Want})
	case *kind.Format:
		f.reason = "is not " + formatName(k.Want)
	case *kind.Pattern:
		f.reason = "does not match the pattern " + short(k.Want)
	case *kind.PropertyNames:
		f.at = append(f.at, k.Property)
		f.reason = "has a name that is not allowed"
	case *kind.Not:
		f.rank, f.reason = rankAlternatives, "is what the schema rules out"
	case *kind.FalseSchema:
		f.rank, f.reason = rankExtra, "is not allowed here"
	default:
		f.bounds(k)
	}
}

func (f *found) missing(names []string, reason string) {
	f.rank, f.reason = rankMissing, reason
	if len(names) > 0 {
		f.member = names[0]
	}
}

// bounds puts the limits of sizes and numbers into words.
func (f *found) bounds(k jsonschema.ErrorKind) {
	switch k := k.(type) {
	case *kind.MinLength:
		f.reason = fmt.Sprintf("must have %s or more, has %d", phrase.Count(k.Want, "character"), k.Got)
	case *kind.MaxLength:
		f.reason = fmt.Sprintf("must have %s or fewer, has %d", phrase.Count(k.Want, "character"), k.Got)
	case *kind.MinItems:
		f.reason = fmt.Sprintf("must have %s or more, has %d", phrase.Count(k.Want, "element"), k.Got)
	case *kind.MaxItems:
		f.reason = fmt.Sprintf("must have %s or fewer, has %d", phrase.Count(k.Want, "element"), k.Got)
	case *kind.AdditionalItems:
		f.reason = fmt.Sprintf("has %s more than the schema allows", phrase.Count(k.Count, "element"))
	case *kind.MinProperties:
		f.reason = fmt.Sprintf("must have %s or more, has %d", phrase.Count(k.Want, "member"), k.Got)
	case *kind.MaxProperties:
		f.reason = fmt.Sprintf("must have %s or fewer, has %d", phrase.Count(k.Want, "member"), k.Got)
	case *kind.UniqueItems:
		f.reason = fmt.Sprintf("has the same element twice, at %d and %d", k.Duplicates[0], k.Duplicates[1])
	case *kind.Contains, *kind.MinContains:
		f.reason = "lacks an element of the kind that the schema requires"
	case *kind.MaxContains:
		f.reason = fmt.Sprintf("may have only %s of a kind", phrase.Count(k.Want, "element"))
	case *kind.Minimum:
		f.reason = "must be at least " + rational(k.Want.RatString())
	case *kind.Maximum:
		f.reason = "must be at most " + rational(k.Want.RatString())
	case *kind.ExclusiveMinimum:
		f.reason = "must be more than " + rational(k.Want.RatString())
	case *kind.ExclusiveMaximum:
		f.reason = "must be less than " + rational(k.Want.RatString())
	case *kind.MultipleOf:
		f.reason = "must be a multiple of " + rational(k.Want.RatString())
	default:
		f.rank, f.reason = rankOther, "does not fit the schema"
	}
}

// rational writes a number as people do.
func rational(s string) string {
	over, under, ok := strings.Cut(s, "/")
	if !ok {
		return shorten(s, maxShown)
	}
	x, errA := strconv.ParseFloat(over, 64)
	y, errB := strconv.ParseFloat(under, 64)
	if errA != nil || errB != nil {
		return shorten(s, maxShown)
	}
	return strconv.FormatFloat(x/y, 'g', -1, 64)
}

func formatName(format string) string {
	switch format {
	case "email":
		return "an email address"
	case "uri":
		return "a URI"
	case "date":
		return "a date such as 2025-01-31"
	case "date-time":
		return "a time such as 2025-01-31T15:04:05Z"
	}
	return "a valid " + format
}

const (
	maxShown = 60  // bytes of a piece of foreign text
	maxPlace = 400 // bytes of a reference or a pointer, which is of no use without its end
	maxNamed = 7   // values of a list
)

func values(list []any) string {
	var words []string
	for _, v := range list {
		b, err := json.Marshal(v)
		if s, ok := v.(string); ok || err != nil {
			words = append(words, short(s))
			continue
		}
		words = append(words, shorten(string(b), maxShown))
	}
	return phrase.JoinFirst(words, maxNamed)
}

// short quotes untrusted text, so that it cannot control the terminal.
func short(s string) string {
	return phrase.Quote(s, maxShown)
}

// shorten quotes untrusted text only if necessary.
func shorten(s string, most int) string {
	if len(s) > most || strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return phrase.Quote(s, most)
	}
	return s
}
