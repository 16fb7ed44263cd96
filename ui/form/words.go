package form

import (
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/ui/paint"
)

// notSent is displayed for a value that is not sent, and required for a missing value.
const (
	notSent  = "not sent"
	required = "required"
)

func (r *row) isRequired() bool {
	return r.usage == entryName || r.usage == value && r.node.Field.Required
}

// isAbsent reports whether a value is not sent because it is optional and empty.
func (r *row) isAbsent() bool {
	switch {
	case r.isRequired() || r.kind == manyLines || r.kind == choices:
		return false
	case r.kind == heading:
		return r.summary() == ""
	}
	return r.text() == "" && r.ghost() == notSent
}

// emptyState returns the word for a row without a value in a stacked form, or "". Such a row has no
// input under its label.
func (r *row) emptyState() string {
	if r.isAbsent() || r.kind == oneLine && r.text() == "" && r.ghost() == required {
		return r.ghost()
	}
	return ""
}

// ghost returns the placeholder in an empty input of one row.
func (r *row) ghost() string {
	switch n := r.node; {
	case r.text() != "":
		return ""
	case r.usage == value && n.Null:
		return "null"
	case r.usage == value && n.Empty && n.Shape == schema.Leaf:
		return `""`
	case !r.isRequired():
		return notSent
	}
	return required
}

// label names a row.
func (r *row) label() string {
	switch n := r.node; {
	case r.usage == entryName:
		return "key"
	case r.usage == adder && n.Shape == schema.Object:
		return "+ member"
	case r.usage == adder:
		return "+ item"
	case n.Parent() == nil:
		return "arguments"
	case n.Parent().Shape == schema.Union, n.Entry && n.Parent().Adds():
		return "value"
	case n.IsItem():
		return "[" + strconv.Itoa(n.Index()) + "]"
	case n.Name == "":
		return `""`
	default:
		return n.Name
	}
}

// typeName returns the displayed type of the value.
func (r *row) typeName() string {
	fd := &r.node.Field
	switch {
	case r.usage == entryName:
		return "string"
	case r.usage == adder:
		return ""
	case r.node.AsJSON:
		return "JSON"
	case fd.Kind == schema.Enum && len(fd.Options) == 1:
		return "constant"
	case fd.Kind == schema.Enum:
		return "choice of " + strconv.Itoa(len(fd.Options))
	case fd.Kind == schema.Multi:
		return "choices of " + strconv.Itoa(len(fd.Options))
	}
	return fd.Type
}

// summary returns the value of a heading in short, or "" if the value is not sent.
func (r *row) summary() string {
	switch n := r.node; {
	case r.usage == adder:
		return "add"
	case n.Null:
		return "null"
	case !n.IsSet():
		return ""
	case n.Open && n.Shape == schema.Array:
		return phrase.Count(len(n.Children), "item")
	case n.Open:
		return phrase.Count(r.filled(), "field")
	default:
		return short(n.Value())
	}
}

// filled returns the number of members of an object that are sent.
func (r *row) filled() (n int) {
	for _, c := range r.node.Children {
		if c.IsSet() {
			n++
		}
	}
	return n
}

// maxSummary bounds the displayed part of a folded value, in bytes.
const maxSummary = 200

func short(raw []byte) string {
	return phrase.Clip(string(jsonrpc.Compact(raw)), maxSummary)
}

// hint returns the effect of the space key on a heading.
func (r *row) hint() string {
	switch {
	case r.usage == adder:
		return "space adds"
	case r.node.Shape == schema.Array && len(r.node.Children) == 0:
		return "space adds an item"
	case r.isOpen():
		return "space folds"
	}
	return "space unfolds"
}

// help returns the meaning of the value, in one line.
func (r *row) help() string {
	fd := &r.node.Field
	if r.usage != value {
		return ""
	}
	text := fd.Description
	if text == "" && !strings.EqualFold(fd.Title, fd.Name) {
		text = fd.Title
	}
	return phrase.OneLine(text)
}

// enumWidth is the width of an input for one of many options, in cells.
const enumWidth = 30

// size returns the number of cells that the text needs, or 0 if that is unknown.
func (r *row) size() int {
	fd := &r.node.Field
	switch {
	case r.usage == entryName:
		return 0
	case fd.Kind == schema.Enum:
		return enumWidth
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

// facts returns the constraints on the value, the most important first.
func (r *row) facts() string {
	fd := &r.node.Field
	switch {
	case r.usage == entryName:
		if s := r.node.Parent().NamePattern(); s != "" {
			return "like " + s
		}
		return ""
	case r.kind == heading, fd.Kind == schema.Enum && len(fd.Options) == 1:
		return ""
	}
	facts := fd.Facts()
	if text := r.alternatives(); text != "" {
		facts = append([]string{text}, facts...)
	}
	return strings.Join(facts, ", ")
}

// maxAlternatives is the maximum width of the alternatives that are displayed for an input with
// arrows, in cells.
const maxAlternatives = 60

// alternatives returns the possible values of an input with arrows, if there are few.
func (r *row) alternatives() string {
	if r.kind != choice {
		return ""
	}
	options := r.options()
	last := len(options) - 1
	if last < 1 || last > maxAlternatives {
		return ""
	}
	text := strings.Join(options[:last], ", ") + " or " + options[last]
	return paint.If(display.Width(display.Sanitize(text)) > maxAlternatives, "", text)
}

const (
	helpRows  = 3 // maximum rows for the help of a field, without facts
	underRows = 1 // the same for help under the field, where rows are short
	factsRows = 3 // maximum rows for facts
)

// left returns the column where the help of a row starts.
func (l layout) left(r *row) int {
	x := l.label + l.kind + 3
	if end, ok := l.besideShort(r); ok {
		return end
	}
	switch {
	case l.narrow && !l.stacked && r.kind != manyLines && l.w-x >= minHelp:
		return x
	case l.narrow:
		return 2
	case r.kind == manyLines || r.kind == choices:
		return x
	}
	return x + l.field + 2
}

// besideShort returns the column where the help starts, if it is next to a short input although the
// help of other rows is under the input.
func (l layout) besideShort(r *row) (x int, ok bool) {
	if !l.narrow || l.stacked || r.kind == manyLines || r.kind == choices || r.kind == heading {
		return 0, false
	}
	need := r.need
	if r.kind != oneLine {
		need = l.pick
	}
	x = l.label + l.kind + 3 + min(need, l.w) + 2
	return x, x+display.Width(display.Sanitize(r.explained()))+1 <= l.w
}

// helpUnder reports whether the help of a heading is under the heading. Next to it, the help would
// be truncated.
func (l layout) helpUnder(r *row) bool {
	const mark, gap, end = 2, 3, 1
	width := max(display.Width(display.Sanitize(r.summary())), len(notSent))
	return !l.stacked && !l.tight && l.label+l.kind+3+mark+width+gap+display.Width(display.Sanitize(r.help()))+end > l.w
}

// explained returns the help of a row with its facts.
func (r *row) explained() string { return strings.Trim(joined(r.help(), r.facts()), ", ") }

// helpRows returns the help of a row as painted rows. If there is not enough room, the meaning is
// truncated before the facts.
func (l layout) helpRows(r *row, focused bool) []string {
	if _, beside := l.besideShort(r); l.brief && !focused && !beside {
		return nil
	}
	known := r.facts()
	if l.stacked && l.factsBesideLabel(r) {
		known = ""
	}
	all := strings.Trim(joined(r.help(), known), ", ")
	if all == "" {
		return nil
	}
	w := max(l.w-l.left(r)-1, 1)
	most := helpRows
	if l.narrow {
		most = underRows
	}
	lines := display.WrapFirst(all, w, most+1)
	if len(lines) <= most {
		return lines
	}
	facts := display.WrapMost(known, w, factsRows)
	if known == "" {
		facts = nil
	}
	if r.help() == "" {
		return facts
	}
	if l.narrow && !l.tight {
		most = helpRows + len(facts)
	}
	return append(display.WrapMost(r.help(), w, max(most-len(facts), 1)), facts...)
}

// joined appends the facts to the help. If the help ends with a period, the facts become a
// sentence.
func joined(help, facts string) string {
	if facts == "" || !strings.HasSuffix(help, ".") {
		return help + ", " + facts
	}
	return help + " " + phrase.Capital(facts) + "."
}

// factsBesideLabel reports whether a stacked form has room for the facts in the row of the label.
func (l layout) factsBesideLabel(r *row) bool {
	used := display.Width(display.Sanitize(r.label()+r.typeName()+r.facts())) + len(", ") + len(notSent) + 8
	return used <= l.w
}

// typeAndFacts returns the text next to the label in a stacked form: the type, and the facts if
// there is room.
func (l layout) typeAndFacts(p *paint.Palette, r *row) string {
	if r.facts() != "" && l.factsBesideLabel(r) {
		return display.Sanitize(strings.Trim(r.typeName()+", "+r.facts(), ", "))
	}
	rest := l.w - min(r.indent(), l.w/3) - display.Width(display.Sanitize(r.label())) - len(notSent) - 8
	return p.Cut(display.Sanitize(r.typeName()), max(rest, l.w/3))
}
