package schema

import (
	"math"
	"strconv"
	"strings"

	"mcptea/internal/words/phrase"
)

// FieldOf reads a schema as the schema of a field without a name.
func FieldOf(raw []byte) Field {
	r := &reader{refs: NewReferences(raw)}
	return r.field(raw, 0)
}

// Text describes in one line the possible values: the options or the type, and the facts. It is untrusted.
func (fd *Field) Text() string {
	what := fd.Type
	if fd.Kind == Enum {
		labels := make([]string, len(fd.Options))
		for i, o := range fd.Options {
			labels[i] = o.Label
		}
		what = strings.Join(labels, " | ")
	}
	return strings.Join(append([]string{what}, fd.Facts()...), ", ")
}

// Facts describes the schema's constraints on the value, except its type, most important first: "default 10",
// "1 to 1,000", "at most 20 characters". They are untrusted.
func (fd *Field) Facts() (facts []string) {
	if fd.Default != nil && len(fd.Default) <= 40 {
		facts = append(facts, "default "+fd.Decode(fd.Default))
	}
	for _, s := range []string{span(fd), length(fd), fd.Format} {
		if s != "" {
			facts = append(facts, s)
		}
	}
	if fd.Pattern != "" {
		facts = append(facts, "like "+fd.Pattern)
	}
	return facts
}

func span(fd *Field) string {
	low, high := "", ""
	if fd.Min != nil && !unsafe(fd, *fd.Min) {
		low = number(*fd.Min)
		if fd.MinExclusive {
			low = "more than " + low
		}
	}
	if fd.Max != nil && !unsafe(fd, *fd.Max) {
		high = number(*fd.Max)
		if fd.MaxExclusive {
			high = "less than " + high
		}
	}
	switch {
	case low != "" && high != "":
		return low + " to " + high
	case low != "" && fd.MinExclusive, high != "" && fd.MaxExclusive:
		return low + high
	case low != "":
		return low + " or more"
	case high != "":
		return high + " or less"
	}
	return ""
}

// unsafe reports whether a bound of an integer is the limit of the exact integers in a double, ±(2^53−1):
// schema libraries write it for every integer, and it restricts nothing.
func unsafe(fd *Field, bound float64) bool {
	const safe = 1<<53 - 1
	return fd.Kind == Integer && (bound >= safe || bound <= -safe)
}

func length(fd *Field) string {
	unit := " characters"
	if fd.Kind == Multi {
		unit = " values"
	}
	switch {
	case fd.MinLen != nil && fd.MaxLen != nil:
		return strconv.Itoa(*fd.MinLen) + " to " + strconv.Itoa(*fd.MaxLen) + unit
	case fd.MaxLen != nil:
		return "at most " + strconv.Itoa(*fd.MaxLen) + unit
	case fd.MinLen != nil && *fd.MinLen == 1 && fd.Kind == String:
		return "not empty"
	case fd.MinLen != nil && *fd.MinLen > 0:
		return "at least " + strconv.Itoa(*fd.MinLen) + unit
	}
	return ""
}

// number formats a bound for display: with commas between thousands if it is whole.
func number(f float64) string {
	const most = 1 << 53 // a double has all integers up to there
	if f == math.Trunc(f) && math.Abs(f) < most {
		return phrase.Digits(int(f))
	}
	return strconv.FormatFloat(f, 'g', 12, 64)
}
