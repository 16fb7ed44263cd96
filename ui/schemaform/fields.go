package schemaform

import (
	"strconv"
	"strings"

	"mcptea/session/schema"
	"mcptea/ui/widget/form"
)

// Fields makes the fields of a form from those of a schema.
//
// An optional field begins empty, so that it is left out and the server applies
// its own default, unless prefill is set.
func Fields(f *schema.Form, prefill bool) []form.Field {
	fields := make([]form.Field, len(f.Fields))
	for i := range f.Fields {
		fields[i] = fieldOf(&f.Fields[i], prefill)
	}
	return fields
}

func fieldOf(fd *schema.Field, prefill bool) form.Field {
	out := form.Field{Name: fd.Name, Type: fd.Type, Help: about(fd), Facts: facts(fd), Required: fd.Required, Size: size(fd)}
	switch fd.Kind {
	case schema.Boolean:
		out.Kind = form.Toggle
	case schema.Enum:
		out.Kind, out.Options, out.Type = form.Choice, labels(fd), "one of "+strconv.Itoa(len(fd.Options))
	case schema.Multi:
		out.Kind, out.Options, out.Type = form.Choices, labels(fd), "some of "+strconv.Itoa(len(fd.Options))
		for _, o := range out.Options {
			if strings.ContainsAny(o, ",\n") {
				out.Kind, out.Options, out.Placeholder = form.Long, nil, "["+string(fd.Options[0].Value)+"]"
				break
			}
		}
	case schema.JSON:
		out.Kind, out.Placeholder = form.Long, fd.Skeleton
	}
	if fd.Default != nil && (fd.Required || prefill) {
		out.Value = fd.Decode(fd.Default)
	}
	return out
}

func labels(fd *schema.Field) []string {
	names := make([]string, len(fd.Options))
	for i, o := range fd.Options {
		names[i] = o.Label
	}
	return names
}

// about is what a field means.
func about(fd *schema.Field) string {
	if fd.Description == "" && !strings.EqualFold(fd.Title, fd.Name) {
		return fd.Title
	}
	return fd.Description
}

// size is how many cells the values of a field take; 0 when there is no telling.
func size(fd *schema.Field) int {
	switch {
	case fd.Kind == schema.Number, fd.Kind == schema.Integer:
		return 14
	case fd.Kind != schema.String:
		return 0
	case fd.Format == "date":
		return 14
	case fd.Format == "date-time":
		return 25
	case fd.MaxLen != nil && *fd.MaxLen <= 20:
		return max(*fd.MaxLen, 14)
	}
	return 0
}

// facts is what a field may hold, what is needed most first.
func facts(fd *schema.Field) string {
	var facts []string
	if fd.Default != nil && len(fd.Default) <= 40 {
		facts = append(facts, "default "+fd.Decode(fd.Default))
	}
	if r := span(fd); r != "" {
		facts = append(facts, r)
	}
	if r := length(fd); r != "" {
		facts = append(facts, r)
	}
	if fd.Format != "" {
		facts = append(facts, fd.Format)
	}
	if fd.Pattern != "" {
		facts = append(facts, "like "+fd.Pattern)
	}
	return strings.Join(facts, ", ")
}

func span(fd *schema.Field) string {
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

// unsafe reports whether a bound of an integer is the end of what a double can
// hold, ±(2^53−1): schema libraries write it for every integer, and it restricts
// nothing.
func unsafe(fd *schema.Field, bound float64) bool {
	const safe = 1<<53 - 1
	return fd.Kind == schema.Integer && (bound >= safe || bound <= -safe)
}

func length(fd *schema.Field) string {
	unit := " characters"
	if fd.Kind == schema.Multi {
		unit = " values"
	}
	switch {
	case fd.MinLen != nil && fd.MaxLen != nil:
		return strconv.Itoa(*fd.MinLen) + " to " + strconv.Itoa(*fd.MaxLen) + unit
	case fd.MaxLen != nil:
		return "at most " + strconv.Itoa(*fd.MaxLen) + unit
	case fd.MinLen != nil && *fd.MinLen == 1 && fd.Kind == schema.String:
		return "not empty"
	case fd.MinLen != nil && *fd.MinLen > 0:
		return "at least " + strconv.Itoa(*fd.MinLen) + unit
	}
	return ""
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', 12, 64) }
