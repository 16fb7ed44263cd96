package schemaform

import (
	"strconv"
	"strings"

	"mcptea/internal/phrase"
	"mcptea/session/schema"
	"mcptea/session/variables"
	"mcptea/ui/widget/form"
)

// fields makes the fields of a form from the nodes that a tree shows.
func fields(t *schema.Tree, filters bool) []form.Field {
	p := projection{filters: filters}
	p.inside(t.Root(), 0)
	return p.fields
}

// rootID is the field that chooses between the alternatives of the arguments.
const rootID = "~r"

type projection struct {
	fields  []form.Field
	filters bool
}

// maxChoice is how many options are gone through one by one; more are filtered.
const maxChoice = 8

// enumWidth is the width of an input for one of many options, in cells.
const enumWidth = 30

// inside adds the fields of what is in a node.
func (p *projection) inside(n *schema.Node, depth int) {
	if n.Shape == schema.Union {
		if n.Parent() == nil {
			p.choice(n, form.Field{Name: rootID, Label: "arguments", Required: true}, depth)
		}
		return
	}
	for _, c := range n.Children {
		if c.Entry && n.Adds() {
			p.fields = append(p.fields, form.Field{
				Name: c.KeyID(), Label: "key", Type: "string", Value: c.Name, Typed: true, Required: true, Depth: depth, Facts: pattern(n),
			})
		}
		p.node(c, depth)
	}
	if n.Adds() && (n.Shape == schema.Object || len(n.Children) > 0) {
		what := "item"
		if n.Shape == schema.Object {
			what = "member"
		}
		p.fields = append(p.fields, form.Field{Name: n.AddID(), Label: "+ " + what, Kind: form.Group, Summary: "add", Hint: "space adds", Depth: depth})
	}
}

func pattern(n *schema.Node) string {
	if s := n.NamePattern(); s != "" {
		return "like " + s
	}
	return ""
}

// node adds the fields of a node.
func (p *projection) node(n *schema.Node, depth int) {
	out := fieldOf(n)
	out.Name, out.Label, out.Depth = n.ID, label(n), depth
	out.Typed = n.Text != "" && !n.IsDefault()
	switch {
	case n.AsJSON:
		out.Kind, out.Type, out.Value, out.Options = form.Long, "JSON", n.Text, nil
	case n.Shape == schema.Leaf:
		out.Value = n.Text
		if p.filters && n.Field.Kind == schema.Enum && len(n.Field.Options) > maxChoice {
			out.Kind, out.Options, out.Size = form.Text, nil, enumWidth
		}
		switch {
		case out.Kind == form.Text && strings.Contains(n.Text, "\n"):
			out.Kind = form.Long
		case n.Null:
			out.Ghost = "null"
		case n.Empty && n.Text == "":
			out.Ghost = `""`
			if n.Field.Kind == schema.Multi {
				out.Ghost = "[]"
			}
		}
	case n.Shape == schema.Union:
		p.choice(n, out, depth)
		return
	default:
		p.group(n, out, depth)
		return
	}
	p.fields = append(p.fields, out)
}

// label names a node in its row.
func label(n *schema.Node) string {
	switch {
	case n.Entry && n.Parent().Adds():
		return "value"
	case n.IsItem():
		return "[" + strconv.Itoa(n.Index()) + "]"
	case n.Name == "":
		return `""`
	}
	return n.Name
}

func (p *projection) group(n *schema.Node, out form.Field, depth int) {
	out.Kind, out.Open = form.Group, n.Open && !n.Null
	out.Facts = ""
	switch {
	case n.Null:
		out.Summary = "null"
	case out.Open && n.Shape == schema.Array:
		out.Summary = items(len(n.Children))
	case out.Open && !out.Required && n.IsSet():
		out.Summary = "sent"
	case out.Open:
	case n.IsSet():
		out.Summary = short(n.Value())
	}
	switch {
	case n.Shape == schema.Array && len(n.Children) == 0:
		out.Hint = "space adds an item"
	case out.Open:
		out.Hint = "space folds"
	default:
		out.Hint = "space unfolds"
	}
	p.fields = append(p.fields, out)
	if out.Open {
		p.inside(n, depth+1)
	}
}

func items(n int) string { return phrase.Count(n, "item") }

// maxSummary is how much of a folded value is shown.
const maxSummary = 200

func short(raw []byte) string {
	return phrase.Clip(string(Compact(raw)), maxSummary)
}

func (p *projection) choice(n *schema.Node, out form.Field, depth int) {
	out.Kind, out.Options, out.Placeholder = form.Choice, n.Options, ""
	if n.Null {
		out.Ghost = "null"
	}
	if n.Selected >= 0 {
		out.Value = n.Options[n.Selected]
	}
	out.Typed = true
	p.fields = append(p.fields, out)
	if n.Selected < 0 || len(n.Children) != 1 {
		return
	}
	if c := n.Children[0]; c.Shape == schema.Object && !c.AsJSON {
		p.inside(c, depth+1)
	} else {
		at := len(p.fields)
		p.node(c, depth+1)
		p.fields[at].Label = "value"
	}
}

func fieldOf(n *schema.Node) form.Field {
	fd := &n.Field
	out := form.Field{Name: fd.Name, Type: fd.Type, Help: about(fd), Facts: facts(fd), Required: fd.Required, Size: size(fd)}
	switch fd.Kind {
	case schema.Boolean:
		out.Kind = form.Toggle
	case schema.Enum:
		out.Kind, out.Options, out.Type = form.Choice, n.Labels(), "one of "+strconv.Itoa(len(fd.Options))
		if len(fd.Options) == 1 {
			out.Type, out.Facts = "constant", ""
		}
	case schema.Multi:
		out.Kind, out.Options, out.Type = form.Choices, n.Labels(), "some of "+strconv.Itoa(len(fd.Options))
	case schema.JSON:
		out.Kind, out.Placeholder = form.Long, string(variables.LiteralJSON([]byte(fd.Skeleton)))
	}
	return out
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
		low = form.Number(*fd.Min)
		if fd.MinExclusive {
			low = "more than " + low
		}
	}
	if fd.Max != nil && !unsafe(fd, *fd.Max) {
		high = form.Number(*fd.Max)
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
